// Recognising contractions by what depends on what; see Contraction.h.
#include "passes/Contraction.h"
#include "passes/Decide.h"
#include "passes/OnDevice.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
using Axes = SmallVector<BlockArgument>;

bool isPlain(RedOp red) {
  return !isChecked(red.getResult()) && !red.term()
              .walk([&](Operation *op) {
                return isa<RedOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Every index runs from 0 to something that is known at entry.
bool isBox(RedOp red, IndexExprs &exprs) {
  for (unsigned i = 0; i < red.rank(); ++i) {
    if (!(exprs.toExpr(red.lower(i)) == shape::Expr(0)))
      return false;
    for (const std::string &name : exprs.toExpr(red.upper(i)).names()) {
      auto argument = dyn_cast_or_null<BlockArgument>(exprs.valueOf(name));
      if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
        return false;
    }
  }
  return true;
}

bool isSmall(const shape::Expr &extent, int64_t least) {
  std::optional<int64_t> constant = extent.constant();
  return constant && *constant < least;
}

/// An operand is computed from sums along the reduced axes of what is summed itself: a chain that runs best in one pass
/// over them, with nothing stored.
bool continuesChain(StageGraph &graph, Stage &stage, RedOp red) {
  std::vector<shape::Expr> domain;
  for (unsigned i = 0; i < red.rank(); ++i)
    domain.push_back(graph.exprs.toExpr(red.upper(i)));
  for (auto &other : graph.stages) {
    if (!other->root || other.get() == &stage || !graph.dependsOn(&stage, other.get()))
      continue;
    bool shared = false;
    for (unsigned i = 0; i < other->root.rank(); ++i)
      shared |= llvm::is_contained(domain, graph.exprs.toExpr(other->root.upper(i)));
    bool ofSums = llvm::any_of(graph.stages, [&](auto &source) {
      return source->hasReduction() && graph.dependsOn(other.get(), source.get());
    });
    if (shared && ofSums)
      return true;
  }
  return false;
}

Axes freeAxes(Value value, GenOp gen) {
  IndexSet found;
  collectFreeIndices(value, found);
  Axes axes;
  for (BlockArgument axis : gen.entry().getArguments())
    if (found.contains(axis))
      axes.push_back(axis);
  return axes;
}

/// Axes of `a` that are not in `b`.
Axes without(const Axes &a, const Axes &b) {
  Axes out;
  llvm::copy_if(a, std::back_inserter(out), [&](BlockArgument axis) { return !llvm::is_contained(b, axis); });
  return out;
}
} // namespace

std::optional<Contraction> moac::contractionOf(StageGraph &graph, Stage &stage) {
  RedOp red = stage.root;
  if (!red || red.getKind() != "add" || !isa<FloatType>(red.getResult().getType()) ||
      red.getResult().getType() != stage.gen.arrayType().getElementType())
    return std::nullopt;
  auto product = red.termValue().getDefiningOp<ScalarOp>();
  if (!product || product.getFn() != "mul" || product.getResult().getType() != red.getResult().getType() || !isPlain(red) ||
      onDevice(red) || !isBox(red, graph.exprs) || continuesChain(graph, stage, red))
    return std::nullopt;

  Contraction found;
  found.stage = &stage;
  found.rowOperand = product.getOperand(0);
  found.laneOperand = product.getOperand(1);
  Axes ofRow = freeAxes(found.rowOperand, stage.gen), ofLane = freeAxes(found.laneOperand, stage.gen);
  Axes rows = without(ofRow, ofLane), lanes = without(ofLane, ofRow);
  auto contiguous = [&](BlockArgument axis) {
    return graph.writeStride(stage, axis.getArgNumber()) == shape::Expr(1);
  };
  if (llvm::any_of(rows, contiguous)) {
    std::swap(rows, lanes);
    std::swap(found.rowOperand, found.laneOperand);
  }
  auto lane = llvm::find_if(lanes, contiguous);
  if (lane == lanes.end() || rows.empty())
    return std::nullopt;
  found.lane = *lane;
  found.row = rows.back();
  for (BlockArgument axis : stage.gen.entry().getArguments())
    if (axis != found.row && axis != found.lane)
      found.outer.push_back(axis);
  llvm::append_range(found.reduced, red.term().getArguments());

  shape::Expr points(1);
  for (unsigned i = 0; i < red.rank(); ++i)
    points = points * graph.exprs.toExpr(red.upper(i));
  std::vector<shape::Expr> extents = stage.gen.arrayType().extents();
  constexpr int64_t leastRows = 2, leastLanes = 4, leastPoints = 4;
  if (isSmall(extents[found.row.getArgNumber()], leastRows) || isSmall(extents[found.lane.getArgNumber()], leastLanes) ||
      isSmall(points, leastPoints))
    return std::nullopt;
  return found;
}

Stage *moac::contractionBefore(StageGraph &graph, Stage &stage) {
  if (stage.hasReduction() || stage.gen.getBody()
                                  .walk([](Operation *op) {
                                    return moa::isChecked(op) ? WalkResult::interrupt() : WalkResult::advance();
                                  })
                                  .wasInterrupted())
    return nullptr;
  Stage *last = nullptr;
  for (StageRead &read : stage.reads) {
    Stage *source = graph.of(read.psi.getArray());
    bool own = source->readers.size() == 1 && !source->isResult &&
               llvm::equal(read.psi.getSubscripts(), stage.gen.entry().getArguments(),
                           [](Value subscript, BlockArgument axis) { return subscript == axis; });
    if (own && source->gen.arrayType().extents() == stage.gen.arrayType().extents() && contractionOf(graph, *source))
      last = source; // the last of several: the others are whole by then
  }
  return last;
}

double moac::packedShare(StageGraph &graph, const Contraction &contraction, PsiOp psi) {
  std::vector<shape::Expr> extents = contraction.stage->gen.arrayType().extents();
  IndexSet found;
  for (Value operand : {contraction.rowOperand, contraction.laneOperand}) {
    bool inside = operand.getDefiningOp() == psi.getOperation();
    SmallVector<Value> work = {operand};
    llvm::DenseSet<Value> seen;
    while (!work.empty() && !inside) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op)
        continue;
      inside |= op == psi.getOperation() || op->isProperAncestor(psi);
      for (Value next : op->getOperands())
        if (seen.insert(next).second)
          work.push_back(next);
    }
    if (!inside)
      continue;
    BlockArgument other = operand == contraction.rowOperand ? contraction.lane : contraction.row;
    return 1 / std::max(1.0, graph.sample(extents[other.getArgNumber()]));
  }
  return 1;
}

namespace {
// Sizes in elements. The panel of one lane block, depth by lanes, is for the first-level cache; the rows of a chunk, depth
// by rows, for the second; the tile bounds scratch memory and is for the last.
constexpr int64_t depth = 256, tile = 4096;
constexpr int64_t together = 1 << 18; // elements of the panels of several indices of an axis outside row and lane
constexpr int64_t chunkRows = 8, chunkLanes = 32; // in register blocks: the unit of work of a thread
constexpr int64_t chunkRowsOfDoubles = 16;        // a lane block is half as wide: twice the rows for each time it is fetched
constexpr int64_t fewRows = 4; // not worth packing the other operand if its rows are contiguous along the sum

/// Each read in the operand of lanes runs along memory as the innermost index of the sum does.
bool runsAlongSum(const Contraction &contraction) {
  BlockArgument innermost = contraction.reduced.back();
  bool along = true;
  visitSlice(contraction.laneOperand, [&](Operation *op) {
    if (auto psi = dyn_cast<PsiOp>(op)) {
      bool columnMajor = cast<ArrayType>(psi.getArray().getType()).getColumnMajor();
      OperandRange at = psi.getSubscripts();
      along &= !at.empty() && (columnMajor ? at.front() : at.back()) == innermost;
    }
  });
  return along;
}
} // namespace

void moac::scheduleContraction(StageGraph &graph, const Contraction &contraction, Schedule &schedule) {
  std::string name = contraction.stage->name(), row = indexName(contraction.row).str(), lane = indexName(contraction.lane).str();
  std::vector<std::string> reduced;
  for (BlockArgument axis : contraction.reduced)
    reduced.push_back(indexName(axis).str());
  int64_t inner = 1; // points for each index of the first reduced axis
  for (unsigned i = 1; i < contraction.reduced.size(); ++i) {
    constexpr int64_t guess = 4;
    inner *= std::max<int64_t>(1, graph.exprs.toExpr(contraction.stage->root.upper(i)).constant().value_or(guess));
  }
  bool isDouble = contraction.stage->root.getResult().getType().isF64();
  std::string blocks = std::to_string(tile);
  std::vector<std::string> tiled = {lane, row, reduced[0]};
  std::string tiles = blocks + ", " + blocks + ", " + std::to_string(std::max<int64_t>(1, depth / inner));
  if (!contraction.outer.empty()) {
    tiled.push_back(indexName(contraction.outer.back()).str());
    tiles += ", " + std::to_string(together);
  }
  schedule.add("tile", name, tiled, tiles);
  auto packed = [&](std::string axis) {
    std::vector<std::string> axes = reduced;
    axes.push_back(std::move(axis));
    return axes;
  };
  schedule.add("pack", name, packed(lane));
  schedule.add("pack", name, packed(row));
  schedule.add("parallel", name, {row, lane}, std::to_string(isDouble ? chunkRowsOfDoubles : chunkRows) + ", " + std::to_string(chunkLanes));
  schedule.add("unroll", name, {row}, "MOAC_ROWS, 4, 1");
  schedule.add("lanes", name, {lane}, isDouble ? "MOAC_COLS_F64" : "MOAC_COLS_F32");
  if (runsAlongSum(contraction))
    schedule.add("few", name, {row}, std::to_string(fewRows));
}
