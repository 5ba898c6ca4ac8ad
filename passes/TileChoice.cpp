// Tiles by strides; see TileChoice.h.
#include "passes/TileChoice.h"
#include "ir/KernelFacts.h"
#include "passes/OnDevice.h"
#include "passes/Pieces.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
constexpr int64_t lineBits = 64 * 8;
/// Along the axis that is read: so many lines of the source are walked together before the next ones begin.
constexpr int64_t readLength = 256;

bool isFar(const shape::Expr &stride, int64_t line) {
  std::optional<int64_t> constant = stride.constant();
  return !constant || std::abs(*constant) >= line;
}
} // namespace

std::optional<TransposedTile> moac::transposedTile(StageGraph &graph, Stage &stage, BlockArgument innermost) {
  bool plain = !stage.hasReduction() && !onDevice(stage.gen) &&
               !stage.gen.getBody().walk([](WhereOp) { return WalkResult::interrupt(); }).wasInterrupted();
  Type element = stage.gen.arrayType().getElementType();
  if (!plain || !isa<GenOp>(innermost.getOwner()->getParentOp()) || !element.isIntOrFloat() ||
      !(graph.writeStride(stage, innermost.getArgNumber()) == shape::Expr(1)))
    return std::nullopt;
  TransposedTile tile{innermost, {}, lineBits / std::max(8u, element.getIntOrFloatBitWidth()), readLength};
  std::vector<shape::Expr> extents = stage.gen.arrayType().extents();
  auto isSmall = [&](BlockArgument axis) {
    std::optional<int64_t> extent = extents[axis.getArgNumber()].constant();
    return extent && *extent < tile.writtenLength;
  };
  stage.gen.getBody().walk([&](PsiOp psi) {
    for (BlockArgument axis : stage.gen.entry().getArguments())
      if (axis != innermost && graph.strideOf(psi, axis) == shape::Expr(1) &&
          isFar(graph.strideOf(psi, innermost), tile.writtenLength))
        tile.read = axis;
  });
  if (!tile.read || isSmall(tile.read) || isSmall(innermost))
    return std::nullopt;
  return tile;
}

std::optional<int64_t> moac::tileOfRuns(StageGraph &graph, Stage &stage) {
  constexpr int64_t length = 4096; // of elements: long enough for what begins a tile, short enough for many threads
  if (stage.rank() != 1 || stage.hasReduction() || onDevice(stage.gen))
    return std::nullopt;
  shape::Expr extent = stage.gen.arrayType().extents()[0];
  if (extent.constant().value_or(length) < length)
    return std::nullopt;
  std::string index = graph.exprs.nameOf(stage.gen.entry().getArgument(0));
  auto isArgument = [&](const std::string &name) {
    auto argument = dyn_cast_or_null<BlockArgument>(graph.exprs.valueOf(name));
    return argument && isa<KernelOp>(argument.getOwner()->getParentOp());
  };
  shape::Facts facts = entryFacts(stage.gen->getParentOfType<KernelOp>(), graph.exprs);
  std::vector<shape::Expr> asked =
      boundariesOf(Inside{stage.gen.yielded(), index, true}, {shape::Expr(0), extent, isArgument}, facts, graph.exprs);
  constexpr size_t many = 64; // pieces: too short for tiles, and proofs about them take long
  if (asked.size() > many)
    return std::nullopt;
  for (const Piece &piece : cut(shape::Expr(0), extent, asked, facts)) {
    shape::Facts inside = facts;
    piece.assume(inside, index);
    if (runsAlong(stage.gen.yielded(), index, inside, isArgument, graph.exprs))
      return length;
  }
  return std::nullopt;
}
