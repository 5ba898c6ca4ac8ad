// Bytes per memory level, by working sets.
//
// A cache keeps what one iteration of a loop touches if that fits into it; then everything the whole loop touches enters
// once. If it does not fit, each iteration brings its own again:
//
//     bytes(loop) = footprint(loop)          if footprint(body) <= capacity
//                   trips * bytes(body)      otherwise
//
// A footprint counts distinct elements of affine accesses (trips of the loops that move the offset, once for each group of
// accesses that these loops do not bring together), in whole lines where the stride is not 1. A line that is written is read
// first and written back. Conditions count as in the middle of the loops. The model is for one thread with its share of each
// cache; it knows no conflicts.
#include "ir/Cost.h"
#include "ir/ShapeNode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace moac;
using namespace moac::cost;

namespace {
struct Loop {
  const WorkLoop *loop;
  double trips;     ///< on average
  std::string text; ///< a formula that is not smaller
};

/// An access as the loops around it move it.
struct Reference {
  unsigned array = 0;
  bool known = true, written = false;
  std::map<std::string, Expr> slopes; ///< by loop variable; 0 is left out
  Expr base;
};

/// Bytes of an array that come in, and that go back because they were written.
struct Amount {
  double bytes = 0, back = 0;
  std::string formula, backFormula;
};
using Amounts = std::map<unsigned, Amount>;

class Model {
public:
  Model(const WorkTree &tree, const Sizes &sizes, int64_t capacity, int64_t line)
      : tree(tree), sizes(sizes), capacity(static_cast<double>(capacity)), line(static_cast<double>(line)) {}

  Amounts run() { return ofBlock(tree.body); }

private:
  // ---- what a subtree touches ----

  void gather(const WorkBlock &block, std::vector<Loop> &inside, std::vector<std::pair<Reference, std::vector<Loop>>> &to) {
    for (const Access &access : block.accesses)
      if (tree.arrays[access.array].place != Place::Register)
        to.push_back({reference(access, inside), inside});
    for (const WorkBlock::Child &child : block.children) {
      if (child.branch) {
        if (isTaken(child.branch->taken))
          gather(*child.branch->body, inside, to);
        continue;
      }
      inside.push_back(loopOf(*child.loop));
      enter(child.loop->range);
      gather(*child.loop->body, inside, to);
      middles.erase(child.loop->range.variable);
      inside.pop_back();
    }
  }

  Reference reference(const Access &access, const std::vector<Loop> &inside) {
    Reference r;
    r.array = access.array;
    r.written = access.kind != AccessKind::Load;
    r.known = access.offset.has_value();
    if (!r.known)
      return r;
    r.base = fromTheirBegin(*access.offset, inside);
    for (const Loop &loop : inside) {
      const std::string &v = loop.loop->range.variable;
      const Expr slope = r.base.substitute({{v, Expr::name(v) + Expr(1)}}) - r.base;
      if (slope.mentions(v))
        r.known = false;
      if (!(slope == Expr(0)))
        r.slopes[v] = slope;
      r.base = r.base.substitute({{v, Expr(0)}});
    }
    return r;
  }

  /// With loops counted from where they begin: inside a tile, the loop over tiles moves what the loop over its indices moves.
  Expr fromTheirBegin(Expr offset, const std::vector<Loop> &inside) {
    for (size_t i = inside.size(); i-- > 1;) {
      const LoopRange &range = inside[i].loop->range;
      Expr begin = range.lo;
      bool moved = false;
      for (size_t outer = 0; outer < i; ++outer) {
        const std::string &v = inside[outer].loop->range.variable;
        if (!range.lo.mentions(v))
          continue;
        moved = true;
        if ((next(range.lo, v) - range.lo).mentions(v)) // clipped: as it moves in the middle of the loops
          begin = begin.substitute({{v, Expr(middles[v])}}) + Expr(static_cast<int64_t>(number(next(range.lo, v)) - number(range.lo))) * (Expr::name(v) - Expr(middles[v]));
      }
      if (moved)
        offset = offset.substitute({{range.variable, begin + Expr::name(range.variable)}});
    }
    return offset;
  }
  static Expr next(const Expr &e, const std::string &v) { return e.substitute({{v, Expr::name(v) + Expr(1)}}); }

  /// Loops stand in the middle of their ranges while what is inside is looked at.
  void enter(const LoopRange &range) {
    ranges[range.variable] = range;
    const double low = number(range.lo), high = number(range.hi);
    middles[range.variable] = static_cast<int64_t>((low + std::max(low, high - 1)) / 2);
  }

  /// A branch counts when it is taken there: the full block, not the one at the edge.
  bool isTaken(const Indicator &when) {
    int64_t taken = 0;
    for (const Indicator::Term &term : when.terms)
      taken += term.sign * std::all_of(term.conditions.begin(), term.conditions.end(), [&](const Expr &e) { return number(e) >= 0; });
    return taken > 0;
  }

  Loop loopOf(const WorkLoop &loop) {
    const Expr length = loop.range.hi - loop.range.lo;
    Loop result{&loop, std::max(0.0, number(length)), ""};
    std::set<std::string> variables;
    for (const std::string &name : length.names())
      if (!sizes.contains(name))
        variables.insert(name);
    Expr most = length;
    for (const std::string &name : variables) // indices of loops outside: their largest effect
      most = widest(most, name);
    result.text = most.str();
    return result;
  }

  Expr widest(const Expr &e, const std::string &variable) {
    auto range = ranges.find(variable);
    if (range == ranges.end())
      return e;
    const Expr low = e.substitute({{variable, range->second.lo}}), high = e.substitute({{variable, range->second.hi - Expr(1)}});
    return number(high) > number(low) ? high : low;
  }

  /// Value at the sizes, loop variables at the middle of their ranges.
  double number(const Expr &e) {
    std::map<std::string, int64_t> at = sizes;
    for (const auto &[name, value] : middles)
      at[name] = value;
    for (const std::string &name : e.names())
      at.try_emplace(name, 0);
    return static_cast<double>(e.evaluate(at).value_or(0));
  }

  Amounts footprint(const std::vector<std::pair<Reference, std::vector<Loop>>> &references) {
    struct Group {
      Reference shape;
      std::vector<Loop> inside;
      std::vector<Expr> bases;
    };
    std::vector<Group> groups;
    Amounts amounts;
    for (const auto &[r, inside] : references) {
      auto same = std::find_if(groups.begin(), groups.end(), [&](const Group &g) {
        return g.shape.array == r.array && g.shape.known == r.known && g.shape.slopes == r.slopes;
      });
      if (same == groups.end())
        groups.push_back({r, inside, {r.base}});
      else if (same->shape.written |= r.written; std::none_of(same->bases.begin(), same->bases.end(), [&](const Expr &b) { return near(b - r.base, *same, inside); }))
        same->bases.push_back(r.base);
    }
    for (const Group &group : groups)
      add(amounts[group.shape.array], group.shape, group.inside, group.bases.size());
    for (auto &[array, amount] : amounts) {
      atMostAll(tree.arrays[array], amount.bytes, amount.formula);
      atMostAll(tree.arrays[array], amount.back, amount.backFormula);
    }
    return amounts;
  }

  void atMostAll(const WorkArray &array, double &bytes, std::string &formula) {
    const double whole = number(array.size) * static_cast<double>(array.bytesEach);
    if (bytes < whole || bytes == 0)
      return;
    bytes = whole;
    formula = (array.size * Expr(array.bytesEach)).str();
  }

  /// Two accesses this far apart meet the same elements while the group's loops run.
  template <class Group> bool near(const Expr &distance, const Group &group, const std::vector<Loop> &inside) {
    const double d = std::fabs(number(distance));
    if (d == 0)
      return true;
    for (const Loop &loop : inside) {
      auto slope = group.shape.slopes.find(loop.loop->range.variable);
      const double s = slope == group.shape.slopes.end() ? 0 : std::fabs(number(slope->second));
      if (s > 0 && std::fmod(d, s) == 0 && d / s < loop.trips)
        return true;
    }
    return d * 8 < line;
  }

  void add(Amount &amount, const Reference &r, const std::vector<Loop> &inside, size_t copies) {
    const auto each = static_cast<double>(tree.arrays[r.array].bytesEach);
    double elements = 1, run = 1;
    std::string formula;
    for (const Loop &loop : inside) {
      auto slope = r.slopes.find(loop.loop->range.variable);
      if (r.known && slope == r.slopes.end())
        continue;
      elements *= loop.trips;
      if (r.known && std::fabs(number(slope->second)) == 1)
        run = std::max(1.0, loop.trips);
      formula += (formula.empty() ? "" : "*") + factor(loop.text);
    }
    const double lines = std::ceil(run * each / line) * line;
    // Runs that follow each other share the lines at their ends; lone elements take one each.
    const double bytes = run * each < line ? elements / run * lines : elements * each;
    amount.bytes += static_cast<double>(copies) * bytes;
    amount.back += r.written ? static_cast<double>(copies) * bytes : 0;
    const double unit = elements > 0 ? bytes / elements : each;
    formula = fmt::format("{:.4g}{}{}", unit * static_cast<double>(copies), formula.empty() ? "" : "*", formula);
    append(amount.formula, formula);
    if (r.written)
      append(amount.backFormula, formula);
  }

  static void append(std::string &sum, const std::string &term) {
    if (!term.empty())
      sum += (sum.empty() ? "" : " + ") + term;
  }

  static std::string factor(const std::string &text) {
    return text.find_first_of(" ") == text.npos ? text : "(" + text + ")";
  }

  static double total(const Amounts &amounts) {
    double sum = 0;
    for (const auto &[array, amount] : amounts)
      sum += amount.bytes;
    return sum;
  }

  // ---- what crosses the border ----

  Amounts touched(const WorkBlock &block) {
    std::vector<std::pair<Reference, std::vector<Loop>>> references;
    std::vector<Loop> inside;
    gather(block, inside, references);
    return footprint(references);
  }

  Amounts ofBlock(const WorkBlock &block) {
    Amounts whole = touched(block);
    if (total(whole) <= capacity)
      return whole;
    WorkBlock own;
    own.accesses = block.accesses;
    Amounts sum = touched(own);
    for (const WorkBlock::Child &child : block.children)
      if (child.loop)
        merge(sum, ofLoop(*child.loop));
      else if (isTaken(child.branch->taken))
        merge(sum, ofBlock(*child.branch->body));
    return sum;
  }

  Amounts ofLoop(const WorkLoop &loop) {
    const Loop self = loopOf(loop);
    const std::string &v = loop.range.variable;
    enter(loop.range);
    Amounts amounts;
    if (total(touched(*loop.body)) <= capacity) {
      std::vector<std::pair<Reference, std::vector<Loop>>> references;
      std::vector<Loop> inside = {self};
      gather(*loop.body, inside, references);
      amounts = footprint(references);
    } else {
      amounts = ofBlock(*loop.body);
      for (auto &[array, amount] : amounts) {
        amount.bytes *= self.trips, amount.back *= self.trips;
        for (std::string *formula : {&amount.formula, &amount.backFormula})
          if (!formula->empty())
            *formula = factor(self.text) + "*" + factor(*formula);
      }
    }
    middles.erase(v);
    return amounts;
  }

  static void merge(Amounts &to, const Amounts &from) {
    for (const auto &[array, amount] : from) {
      Amount &sum = to[array];
      sum.bytes += amount.bytes, sum.back += amount.back;
      append(sum.formula, amount.formula);
      append(sum.backFormula, amount.backFormula);
    }
  }

  const WorkTree &tree;
  const Sizes &sizes;
  double capacity, line;
  std::map<std::string, LoopRange> ranges;
  std::map<std::string, int64_t> middles;
};
} // namespace

double LevelTraffic::total() const {
  double sum = 0;
  for (const OfArray &array : arrays)
    sum += array.bytes;
  return sum;
}

std::optional<std::vector<LevelTraffic>> moac::cost::trafficOf(const WorkTree &tree, const Machine &machine, const Sizes &sizes) {
  for (const std::string &symbol : tree.symbols)
    if (!sizes.contains(symbol))
      return std::nullopt;
  const Sizes at = complete(sizes, tree.definitions);
  std::vector<LevelTraffic> levels;
  for (size_t k = 0; k + 1 < machine.memories.size(); ++k) {
    const MachineMemory &memory = machine.memories[k];
    Amounts amounts = Model(tree, at, memory.bytes / memory.sharedBy, memory.line).run();
    LevelTraffic level{memory.name, {}};
    for (const auto &[array, amount] : amounts) {
      const std::string formula = amount.backFormula.empty() ? amount.formula
                                  : amount.formula == amount.backFormula ? "2*(" + amount.formula + ")"
                                                                         : amount.formula + " + " + amount.backFormula;
      level.arrays.push_back({tree.arrays[array].name, amount.bytes + amount.back, formula});
    }
    if (!levels.empty()) // a larger cache moves no more, however coarse a footprint is
      for (size_t a = 0; a < level.arrays.size(); ++a)
        if (const auto &nearer = levels.back().arrays; a < nearer.size() && nearer[a].array == level.arrays[a].array && nearer[a].bytes < level.arrays[a].bytes)
          level.arrays[a] = nearer[a];
    levels.push_back(std::move(level));
  }
  return levels;
}
