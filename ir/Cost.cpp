// Adding up a work tree: how often each block runs, times what stands in it.
#include "ir/Cost.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace moac::cost;

namespace {
/// Which kind an operation on floats is; anything on integers or bools is Integer.
const std::map<std::string, Kind, std::less<>> floatKinds = {
    {"add", Kind::Add},         {"sub", Kind::Add},      {"neg", Kind::Add},       {"mul", Kind::Multiply},
    {"fma", Kind::Fused},       {"div", Kind::Divide},   {"floordiv", Kind::Divide}, {"mod", Kind::Divide},
    {"sqrt", Kind::Root},       {"rsqrt", Kind::Root},   {"min", Kind::Compare},   {"max", Kind::Compare},
    {"abs", Kind::Compare},     {"eq", Kind::Compare},   {"ne", Kind::Compare},    {"lt", Kind::Compare},
    {"le", Kind::Compare},      {"gt", Kind::Compare},   {"ge", Kind::Compare},    {"where", Kind::Move},
    {"cast", Kind::Move},      
    {"floor", Kind::Compare},   {"ceil", Kind::Compare}, {"round", Kind::Compare},
};

/// Sums over the tree, a block at a time.
class Adder {
public:
  Adder(const WorkTree &tree, Cost &cost) : tree(tree), cost(cost) {}

  void block(const WorkBlock &b, const Indicator &taken) {
    add(b, taken);
    for (const WorkBlock::Child &child : b.children) {
      if (child.loop) {
        nest.push_back(child.loop->range);
        block(*child.loop->body, taken);
        nest.pop_back();
      } else {
        block(*child.branch->body, taken & child.branch->taken);
      }
    }
  }

private:
  void add(const WorkBlock &b, const Indicator &taken) {
    if (b.operations.empty() && b.accesses.empty() && b.sent.empty())
      return;
    Count runs;
    for (const Indicator::Term &term : taken.terms)
      runs = runs + countPoints(nest, term.conditions, tree.facts).times(Expr(term.sign));
    for (const Sent &sent : b.sent) {
      const WorkArray &array = tree.arrays[sent.array];
      const Expr others = Expr::name(tree.processingElements) - Expr(1), count = tree.facts.simplify(sent.count);
      const Count each = runs.times(others * Expr(array.bytesEach));
      // Nobody is sent an empty block.
      cost.sent.push_back({array.name, runs.times(min(Expr(1), count) * others), each.times(count), each.times(array.size)});
    }
    for (const auto &[name, times] : b.operations) {
      cost.operations[name] = cost.operations[name] + runs.times(Expr(times));
      cost.counted["op " + name] = cost.counted["op " + name] + runs.times(Expr(times));
    }
    cost.fusable = cost.fusable + runs.times(Expr(b.fused));
    cost.atomics = cost.atomics + runs.times(Expr(b.atomics));
    if (b.atomics)
      cost.counted["op atomic"] = cost.atomics;
    for (const Access &access : b.accesses) {
      ArrayCost &array = cost.arrays[access.array];
      Count &of = access.kind == AccessKind::Load ? array.loads : access.kind == AccessKind::Store ? array.stores : array.updates;
      of = of + runs;
      const char *const words[] = {"load ", "store ", "update "};
      Count &flat = cost.counted[words[static_cast<size_t>(access.kind)] + array.array.name];
      flat = flat + runs;
    }
  }

  const WorkTree &tree;
  Cost &cost;
  std::vector<LoopRange> nest;
};

Expr roundedUp(const Expr &e, const WorkTree &tree) { return tree.facts.simplify(e); }
} // namespace

const char *moac::cost::kindWord(Kind kind) {
  const char *const words[kindCount] = {"add", "multiply", "multiply-add", "divide", "root", "function", "compare", "select, convert", "integer"};
  return words[static_cast<size_t>(kind)];
}

Kind moac::cost::kindOf(const std::string &operation) {
  const size_t dot = operation.find('.');
  const std::string fn = operation.substr(0, dot), type = dot == operation.npos ? "" : operation.substr(dot + 1);
  if (type.empty() || (type[0] != 'f' && type[0] != 'b') || type == "bool")
    return Kind::Integer;
  auto found = floatKinds.find(fn);
  return found == floatKinds.end() ? Kind::Function : found->second;
}

int64_t moac::cost::flopsOf(Kind kind) { return kind >= Kind::Move ? 0 : kind == Kind::Fused ? 2 : 1; }

Count Cost::byKind(Kind kind) const {
  Count sum;
  for (const auto &[name, count] : operations)
    if (kindOf(name) == kind)
      sum = sum + count;
  return sum;
}

Count Cost::flops() const {
  Count sum;
  for (const auto &[name, count] : operations)
    sum = sum + count.times(Expr(flopsOf(kindOf(name))));
  return sum;
}

Expr Cost::compulsoryBytes() const {
  Expr sum(0);
  for (const ArrayCost &array : arrays)
    sum = sum + array.compulsoryBytes;
  return sum;
}

Cost moac::cost::costOf(const WorkTree &tree) {
  Cost cost;
  cost.kernel = tree.name;
  cost.symbols = tree.symbols;
  cost.definitions = tree.definitions;
  cost.notes = tree.notes;
  cost.processingElements = tree.processingElements;
  for (const WorkArray &array : tree.arrays)
    cost.arrays.push_back({array, {}, {}, {}, Expr(0)});
  Adder(tree, cost).block(tree.body, Indicator::always());
  for (ArrayCost &array : cost.arrays) {
    const Expr bytes = array.array.size * Expr(array.array.bytesEach);
    const bool touched = !array.loads.isZero() || !array.stores.isZero() || !array.updates.isZero();
    switch (array.array.place) {
    case Place::Input:
    case Place::Output: array.compulsoryBytes = touched ? roundedUp(bytes, tree) : Expr(0); break;
    case Place::Symmetric: cost.symmetricBytes = cost.symmetricBytes + bytes; break;
    case Place::Shared: cost.sharedBytes = cost.sharedBytes + bytes; break;
    case Place::Thread: cost.threadBytes = cost.threadBytes + bytes; break;
    case Place::Register: cost.stackBytes = cost.stackBytes + (array.array.size == Expr(1) ? Expr(0) : bytes); break;
    }
  }
  std::erase_if(cost.arrays, [](const ArrayCost &a) { return a.array.place == Place::Register && a.array.size == Expr(1); });
  return cost;
}

std::string moac::cost::difference(const Cost &cost, const Sizes &sizes, const std::map<std::string, uint64_t> &run) {
  const Sizes at = complete(sizes, cost.definitions);
  std::set<std::string> keys;
  for (const auto &[key, count] : cost.counted)
    keys.insert(key);
  for (const auto &[key, count] : run)
    keys.insert(key);
  for (const std::string &key : keys) {
    auto formula = cost.counted.find(key);
    auto times = run.find(key);
    const Count count = formula == cost.counted.end() ? Count(0) : formula->second;
    const std::optional<int64_t> value = count.evaluate(at);
    const auto counted = static_cast<int64_t>(times == run.end() ? 0 : times->second);
    // Without a number for a loop that depends on data there is nothing to compare.
    const bool agrees = value ? (cost.notes.empty() ? *value == counted : *value >= counted) : !cost.notes.empty();
    if (!agrees)
      return fmt::format("{}: formula {} gives {}, the run counted {}", key, count.str(), value ? std::to_string(*value) : "nothing", counted);
  }
  return "";
}
