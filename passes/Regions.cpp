// Interval arithmetic on subscripts; see Regions.h.
#include "passes/Regions.h"
#include "ir/ShapeNode.h"
#include "passes/Nests.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

std::string moac::reachedName(BlockArgument axis, IndexExprs &exprs) {
  return exprs.nameOf(axis) + " reached";
}

namespace {
/// lo <= x < hi.
struct Interval {
  shape::Expr lo, hi, size;
};

class RegionFinder {
public:
  RegionFinder(const Nest &nest, unsigned level, IndexExprs &exprs)
      : nest(nest), level(level), exprs(exprs) {}

  SmallVector<AxisRegion> of(Stage &stage) {
    if (&stage == nest.root)
      return ofRoot();
    if (stage.readers.empty() || (nest.depth == 0 && nest.isReadOutside(stage)))
      return ofSibling(stage);
    SmallVector<AxisRegion> regions;
    for (BlockArgument axis : stage.gen.entry().getArguments())
      regions.push_back(ofAxis(stage, axis));
    widen(stage, regions);
    return regions;
  }

private:
  static AxisRegion wholeAxis(const shape::Expr &extent) {
    return {{}, true, shape::Expr(0), extent, extent};
  }

  /// What a checked subscript reads may be anything of the axis, and of a result all is wanted; and a loop gives the index of one axis, so that of a
  /// diagonal (T[i, i]) the other one is needed whole. What the stage reads is needed for all of that.
  void widen(Stage &stage, SmallVectorImpl<AxisRegion> &regions) {
    const SmallVector<unsigned> given = sharedAxes(nest, regions, level);
    const bool all = stage.readChecked() || stage.isResult;
    for (auto [axis, extent] : llvm::enumerate(stage.gen.arrayType().extents())) {
      AxisRegion &region = regions[axis];
      if (region.point ? !llvm::is_contained(given, axis) : !region.whole && all)
        region = wholeAxis(extent);
    }
  }

  /// A result that shares the loops of the root: at their indices.
  SmallVector<AxisRegion> ofSibling(Stage &stage) {
    SmallVector<AxisRegion> regions;
    for (const shape::Expr &extent : stage.gen.arrayType().extents())
      regions.push_back(wholeAxis(extent));
    auto axes = nest.axisOf.find(&stage);
    if (axes != nest.axisOf.end())
      for (unsigned loop = 0; loop < std::min<size_t>(level, axes->second.size()); ++loop)
        if (nest.loops[loop].last && axes->second[loop] < regions.size())
          regions[axes->second[loop]] = {nest.loops[loop].axis, false, {}, {}, {}};
    return regions;
  }

  SmallVector<AxisRegion> ofRoot() {
    SmallVector<AxisRegion> regions;
    for (BlockArgument axis : nest.root->gen.entry().getArguments())
      regions.push_back(ofRootAxis(axis));
    return regions;
  }

  AxisRegion ofRootAxis(BlockArgument axis) {
    std::vector<shape::Expr> extents = nest.root->gen.arrayType().extents();
    AxisRegion region = wholeAxis(extents[axis.getArgNumber()]);
    const StageLoop *finest = nullptr; // what is left of the axis lies within its step
    bool descending = true;
    for (const StageLoop &loop : ArrayRef(nest.loops).take_front(level)) {
      if (loop.axis != axis)
        continue;
      if (loop.last)
        return {axis, false, {}, {}, {}};
      descending &= !loop.digit.span || (finest && *loop.digit.span == finest->digit.step);
      finest = &loop;
    }
    if (!finest)
      return region;
    region.whole = false;
    region.lo = shape::Expr::name(reachedName(axis, exprs));
    if (descending) { // digits from the most significant on
      region.hi = region.lo + finest->digit.step;
      region.size = finest->digit.step;
    }
    return region;
  }

  AxisRegion ofAxis(Stage &stage, BlockArgument axis) {
    shape::Expr extent = stage.gen.arrayType().extents()[axis.getArgNumber()];
    std::optional<AxisRegion> result;
    for (StageRead &read : stage.readers) {
      AxisRegion region = ofRead(read, axis.getArgNumber(), extent);
      if (!result)
        result = region;
      else if (!join(*result, region))
        return wholeAxis(extent);
    }
    return result.value_or(wholeAxis(extent));
  }

  AxisRegion ofRead(StageRead &read, unsigned axis, const shape::Expr &extent) {
    SmallVector<AxisRegion> around = of(*read.reader);
    Value subscript = read.psi.getSubscripts()[axis];
    auto index = dyn_cast<BlockArgument>(subscript);
    if (index && binderOf(index) == read.reader->gen.getOperation()) {
      const AxisRegion &same = around[index.getArgNumber()];
      std::vector<shape::Expr> extents = read.reader->gen.arrayType().extents();
      if (same.point && extents[index.getArgNumber()] == extent)
        return same;
    }
    std::map<std::string, Interval> ranges;
    for (auto [own, region] : llvm::zip(read.reader->gen.entry().getArguments(), around)) {
      shape::Expr lo = region.lo, hi = region.hi, size = region.size;
      if (region.point) {
        lo = shape::Expr::name(exprs.nameOf(region.point));
        hi = lo + shape::Expr(1), size = shape::Expr(1);
      }
      ranges[exprs.nameOf(own)] = {lo, hi, size};
    }
    addReductions(read, ranges);
    std::optional<Interval> found = intervalOf(exprs.toExpr(subscript), ranges);
    if (!found || !knownAtEntry(found->size, exprs))
      return wholeAxis(extent);
    return {{},
            found->size == extent && found->lo == shape::Expr(0),
            found->lo,
            found->hi,
            found->size};
  }

  /// The indices of the reductions around a read.
  void addReductions(StageRead &read, std::map<std::string, Interval> &ranges) {
    Guards guards = guardsOf(read.psi);
    for (RedOp red : llvm::reverse(guards.reductions))
      for (BlockArgument index : red.term().getArguments()) {
        unsigned i = index.getArgNumber();
        auto low = intervalOf(exprs.toExpr(red.lower(i)), ranges),
             high = intervalOf(exprs.toExpr(red.upper(i)), ranges);
        if (low && high)
          ranges[exprs.nameOf(index)] = {low->lo, high->hi - shape::Expr(1),
                                         high->hi - shape::Expr(1) - low->lo};
      }
  }

  /// Nothing when `e` is not affine in what is confined.
  std::optional<Interval> intervalOf(const shape::Expr &e,
                                     const std::map<std::string, Interval> &ranges) {
    Interval sum{shape::Expr(0), shape::Expr(1), shape::Expr(1)};
    for (const shape::Term &term : e.node().terms) {
      shape::Expr product(term.coefficient);
      const Interval *ranged = nullptr;
      for (const shape::AtomRef &factor : term.factors) {
        const shape::Expr &atom = shape::fromAtom(factor);
        std::optional<std::string> name = atom.asName();
        auto known = name ? ranges.find(*name) : ranges.end();
        if (known != ranges.end()) {
          if (ranged || term.factors.size() != 1)
            return std::nullopt;
          ranged = &known->second;
        } else if (!knownAtEntry(atom, exprs)) {
          return std::nullopt;
        } else {
          product = product * atom;
        }
      }
      if (!ranged) {
        sum.lo = sum.lo + product, sum.hi = sum.hi + product;
        continue;
      }
      bool positive = term.coefficient > 0;
      shape::Expr last = ranged->hi - shape::Expr(1);
      sum.lo = sum.lo + product * (positive ? ranged->lo : last);
      sum.hi = sum.hi + product * (positive ? last : ranged->lo);
      sum.size =
          sum.size + shape::Expr(std::abs(term.coefficient)) * (ranged->size - shape::Expr(1));
    }
    return sum;
  }

  /// Widens `a` by `b`; false when it cannot be told which ends are further out.
  static bool join(AxisRegion &a, const AxisRegion &b) {
    if (a.point || b.point)
      return a.point == b.point;
    std::optional<int64_t> low = (b.lo - a.lo).constant(), longer = (b.size - a.size).constant();
    if (!low || !longer || !(b.hi - a.hi).constant())
      return false;
    int64_t high = *(b.hi - a.hi).constant();
    // b begins `low` behind a, so a range over both is as long as the one that ends later from
    // where the first begins.
    shape::Expr first = *low < 0 ? b.lo : a.lo;
    int64_t lengthA = *low < 0 ? -*low : 0, lengthB = (*low < 0 ? 0 : *low) + *longer;
    a.size = a.size + shape::Expr(std::max(lengthA, lengthB));
    a.lo = first;
    a.hi = high > 0 ? b.hi : a.hi;
    a.whole &= b.whole;
    return true;
  }

  const Nest &nest;
  unsigned level;
  IndexExprs &exprs;
};
} // namespace

SmallVector<AxisRegion> moac::regionsOf(const Nest &nest, Stage &stage, unsigned level,
                                        IndexExprs &exprs) {
  return RegionFinder(nest, level, exprs).of(stage);
}
