// What the loops of a contraction share: sizes, indices that are bound, index arithmetic and names.
//
// All indices of blocks are relative to what is around them: the element is at i_tile + i_chunk + i_block + ii. The last
// axis outside row and lane (a batch, the rows of an image) runs in tiles as well: a panel holds what several of its
// indices need, and threads share them out, so that many small sums cost few barriers and an operand that does not depend
// on the axis is packed once for all of them.
#ifndef MOAC_PASSES_CONTRACTIONFRAME_H
#define MOAC_PASSES_CONTRACTIONFRAME_H

#include "passes/LoopFrame.h"
#include "passes/Slice.h"

#include "llvm/ADT/MapVector.h"

namespace moac {

class ContractionFrame : public LoopFrame {
public:
  ContractionFrame(const Contraction &c, const Schedule &schedule, ContractionSite &site);
  /// Sizes from the schedule, extents from the stage; before any loop. Fails when the schedule lacks something.
  mlir::LogicalResult sizes();
  /// Of the register blocks alone; tiles are for the caller to fill in.
  mlir::LogicalResult blockSizes();

  Value extentOf(mlir::BlockArgument axis) { return materialized(gen.arrayType().extents()[axis.getArgNumber()]); }
  /// The extent of the batch axis, 1 when there is none.
  Value batchExtent() { return batch ? extentOf(batch) : number(1); }
  /// Distance of two rows of a panel of so many indices of the first reduced axis: one more than the points, so that rows do
  /// not fall on one set of a cache.
  Value pitchFor(Value depths) { return add(inner ? mul(depths, inner) : depths, number(1)); }

  /// A loop divided among threads.
  Value openShared(const std::string &name, Value hi, Value step = {}) { return open(name, number(0), hi, step, "parallel", 1); }
  /// The rows of a block; no loop for one.
  Value openRows(Value size, llvm::StringRef role = "unroll");
  /// One loop for each size of block: full ones, then smaller ones for what is left. `shared` opens the loop over blocks.
  void eachRowBlock(Value count, llvm::function_ref<Value(const std::string &, Value, Value, Value)> openBlocks,
                    llvm::function_ref<void(Value, Value)> body);

  void store(Value value, Value buffer, Value offset);
  Value zero() { return moa::ConstantOp::create(b, loc, mlir::cast<mlir::TypedAttr>(b.getZeroAttr(type))); }
  /// The value of a factor where `axis` is at `index` and the others are as bound.
  Value operand(Value factor, mlir::BlockArgument axis, Value index);

  std::string rowName() const { return indexName(c.row).str(); }
  std::string laneName() const { return indexName(c.lane).str(); }
  std::string depthName() const { return indexName(c.reduced[0]).str(); }
  /// Of a loop over all points of the sum.
  std::string pointName() const;

  const Contraction &c;
  const Schedule &schedule;
  moa::GenOp gen;
  mlir::Type type;
  mlir::BlockArgument batch = {}; ///< the outer axis that runs in tiles
  std::vector<std::string> rowBlocks;
  Value laneBlock, tileLanes, tileRows, tileDepth, chunkRows, chunkLanes;
  Value together, mostBatch; ///< indices of the batch axis in a tile, and the elements of a panel that limit them
  Value rows, lanes, depth;
  Value inner; ///< points for each index of the first reduced axis; null: one
  llvm::SmallVector<Value> innerExtents;
  llvm::MapVector<Value, Value> bound; ///< what the axes are at the place of emission
  shape::Facts facts, pointFacts;      ///< of an element, and of a term of its sum
  Value i0, j0, k0, t0;                ///< where the tiles begin
  Value rowCount, laneCount, depthCount, batchCount, pitch;

  /// `tile`, spelled `tileWord`, or the next size that holds whole blocks of `blockWord`.
  Value multipleUp(Value tile, const std::string &tileWord, const std::string &blockWord);
};

} // namespace moac

#endif
