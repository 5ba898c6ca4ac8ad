// What a schedule may not exceed, and trees at sizes; see Estimate.h.
#include "ir/Estimate.h"

#include <algorithm>

using namespace moac;
using namespace moac::cost;

namespace {
class Substitution {
public:
  explicit Substitution(const Sizes &sizes) {
    for (const auto &[name, value] : sizes)
      values.emplace(name, Expr(value));
  }

  Expr operator()(const Expr &e) const { return e.substitute(values); }

  Indicator operator()(const Indicator &from) const {
    Indicator to{{}, from.exact};
    for (const Indicator::Term &term : from.terms) {
      Indicator::Term &copy = to.terms.emplace_back();
      copy.sign = term.sign;
      bool never = false;
      for (const Expr &condition : term.conditions) {
        const Expr now = (*this)(condition);
        const std::optional<int64_t> value = now.constant();
        never |= value && *value < 0;
        if (!value)
          copy.conditions.push_back(now);
      }
      if (never)
        to.terms.pop_back();
    }
    return to;
  }

  void operator()(const WorkBlock &from, WorkBlock &to) const {
    to.operations = from.operations, to.fused = from.fused, to.atomics = from.atomics;
    for (const Access &access : from.accesses)
      to.accesses.push_back({access.array, access.kind, access.offset ? std::optional((*this)(*access.offset)) : std::nullopt});
    for (const WorkBlock::Child &child : from.children) {
      WorkBlock::Child copy;
      if (child.loop) {
        const WorkLoop &loop = *child.loop;
        copy.loop.emplace(WorkLoop{loop.axis, {loop.range.variable, (*this)(loop.range.lo), (*this)(loop.range.hi)}, loop.role, loop.exact, loop.bounds, std::make_unique<WorkBlock>()});
        (*this)(*loop.body, *copy.loop->body);
      } else {
        copy.branch.emplace(WorkBranch{(*this)(child.branch->taken), std::make_unique<WorkBlock>()});
        if (!copy.branch->taken.terms.empty())
          (*this)(*child.branch->body, *copy.branch->body);
      }
      to.children.push_back(std::move(copy));
    }
  }

private:
  std::map<std::string, Expr> values;
};

/// Vector registers that arrays of accumulators need while a block runs: theirs, and those of what is loaded beside them.
class Registers {
public:
  Registers(const WorkTree &tree, const Machine &machine) : tree(tree), machine(machine) { block(tree.body); }
  double most = 0;

private:
  void block(const WorkBlock &b) {
    for (const Access &access : b.accesses)
      if (const WorkArray &array = tree.arrays[access.array]; access.kind == AccessKind::Update && array.place == Place::Register && isUnrolled(access))
        most = std::max(most, bytesOf(array) / static_cast<double>(machine.vector.bytes) + loaded(b, access.array));
    for (const WorkBlock::Child &child : b.children) {
      if (child.branch) {
        block(*child.branch->body);
        continue;
      }
      loops.push_back(&*child.loop);
      block(*child.loop->body);
      loops.pop_back();
    }
  }

  static double bytesOf(const WorkArray &array) { return static_cast<double>(array.size.evaluate({}).value_or(0) * array.bytesEach); }

  /// Only loops that are unrolled or lanes move it, and one of them is unrolled.
  bool isUnrolled(const Access &access) const {
    bool unrolled = false;
    for (const WorkLoop *loop : loops)
      if (access.offset && access.offset->mentions(loop->range.variable)) {
        if (loop->role != "unroll" && loop->role != "lanes")
          return false;
        unrolled |= loop->role == "unroll";
      }
    return unrolled;
  }

  /// Vectors of what lanes move, one register of what they share.
  double loaded(const WorkBlock &b, unsigned accumulators) const {
    double sum = 0;
    for (const Access &access : b.accesses) {
      if (access.array == accumulators || access.kind != AccessKind::Load)
        continue;
      const WorkLoop *lanes = loops.empty() ? nullptr : loops.back();
      const bool moves = lanes && access.offset && access.offset->mentions(lanes->range.variable);
      const auto trips = static_cast<double>(moves ? (lanes->range.hi - lanes->range.lo).evaluate({}).value_or(1) : 1);
      sum += std::max(1.0, trips * static_cast<double>(tree.arrays[access.array].bytesEach) / static_cast<double>(machine.vector.bytes));
    }
    return sum;
  }

  const WorkTree &tree;
  const Machine &machine;
  std::vector<const WorkLoop *> loops;
};
} // namespace

WorkTree cost::atSizes(const WorkTree &tree, const Sizes &given) {
  const Substitution at(complete(given, tree.definitions));
  WorkTree now;
  now.name = tree.name, now.notes = tree.notes;
  for (const WorkArray &array : tree.arrays)
    now.arrays.push_back({array.name, array.type, array.bytesEach, array.place, at(array.size)});
  at(tree.body, now.body);
  return now;
}

std::vector<Limit> cost::limitsOf(const WorkTree &tree, const Machine &machine) {
  double call = 0, thread = 0, stack = 0;
  for (const WorkArray &array : tree.arrays) {
    const auto elements = static_cast<double>(array.size.evaluate({}).value_or(0));
    const double bytes = elements * static_cast<double>(array.bytesEach);
    (array.place == Place::Shared || array.place == Place::Symmetric ? call : array.place == Place::Thread ? thread : stack) += array.place <= Place::Output || (array.place == Place::Register && elements <= 1) ? 0 : bytes;
  }
  std::vector<Limit> limits = {{"registers", Registers(tree, machine).most, static_cast<double>(machine.vector.registers), ""}};
  const MachineMemory &nearest = machine.memories.front(), &main = machine.memories.back();
  limits.push_back({"stack of a thread", stack, static_cast<double>(nearest.bytes), nearest.name});
  if (machine.memories.size() > 2) {
    const MachineMemory &own = machine.memories[machine.memories.size() - 2];
    limits.push_back({"scratch of a thread", thread, static_cast<double>(own.bytes / own.sharedBy), "share of " + own.name});
  }
  const double all = call + thread * static_cast<double>(machine.units());
  limits.push_back({"scratch of the call", all, static_cast<double>(main.bytes) / 2, "half of " + main.name});
  return limits;
}
