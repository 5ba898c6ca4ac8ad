// Tiles by strides; see TileChoice.h.
#include "passes/OnDevice.h"
#include "passes/TileChoice.h"

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
