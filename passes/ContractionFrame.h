// What the loops of a contraction share: sizes, indices that are bound, index arithmetic and names.
//
// All indices of blocks are relative to what is around them: the element is at i_tile + i_chunk + i_block + ii. The last
// axis outside row and lane (a batch, the rows of an image) runs in tiles as well: a panel holds what several of its
// indices need, and threads share them out, so that many small sums cost few barriers and an operand that does not depend
// on the axis is packed once for all of them.
#ifndef MOAC_PASSES_CONTRACTIONFRAME_H
#define MOAC_PASSES_CONTRACTIONFRAME_H

#include "passes/ContractionLoops.h"
#include "passes/Slice.h"

#include "ir/Onf.h"

#include "llvm/ADT/MapVector.h"

namespace moac {

class ContractionFrame {
public:
  using Value = mlir::Value;

  ContractionFrame(const Contraction &c, const Schedule &schedule, ContractionSite &site);
  /// Sizes from the schedule, extents from the stage; before any loop. Fails when the schedule lacks something.
  mlir::LogicalResult sizes();
  /// Of the register blocks alone; tiles are for the caller to fill in.
  mlir::LogicalResult blockSizes();

  // ---- index arithmetic
  Value number(int64_t value);
  Value apply(moa::ScalarFn fn, Value x, Value y);
  Value add(Value x, Value y) { return apply(moa::ScalarFn::add_, x, y); }
  Value sub(Value x, Value y) { return apply(moa::ScalarFn::sub_, x, y); }
  Value mul(Value x, Value y) { return apply(moa::ScalarFn::mul_, x, y); }
  Value min(Value x, Value y) { return apply(moa::ScalarFn::min_, x, y); }
  Value max(Value x, Value y) { return apply(moa::ScalarFn::max_, x, y); }
  /// The largest multiple of `block` that is not above `x`.
  Value multiple(Value x, Value block) { return mul(apply(moa::ScalarFn::floordiv_, x, block), block); }
  Value compare(moa::ScalarFn fn, Value x, Value y);
  Value named(const std::string &name, Value value);
  Value materialized(const shape::Expr &e);
  Value extentOf(mlir::BlockArgument axis) { return materialized(gen.arrayType().extents()[axis.getArgNumber()]); }
  /// The extent of the batch axis, 1 when there is none.
  Value batchExtent() { return batch ? extentOf(batch) : number(1); }
  /// Distance of two rows of a panel of so many indices of the first reduced axis: one more than the points, so that rows do
  /// not fall on one set of a cache.
  Value pitchFor(Value depths) { return add(inner ? mul(depths, inner) : depths, number(1)); }

  // ---- loops
  Value open(const std::string &name, Value lo, Value hi, Value step = {}, llvm::StringRef role = "sequential", unsigned collapse = 0);
  /// Runs `inside` at the end of what is emitted here, then comes back.
  void apart(llvm::function_ref<void()> inside);
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

  /// The index inside a block.
  static std::string inside(const std::string &axis) { return axis.size() == 1 ? axis + axis : axis + "_in"; }
  static std::string nameOf(Value buffer) { return buffer.getDefiningOp<onf::AllocOp>().getName().str(); }
  std::string rowName() const { return indexName(c.row).str(); }
  std::string laneName() const { return indexName(c.lane).str(); }
  std::string depthName() const { return indexName(c.reduced[0]).str(); }
  /// Of a loop over all points of the sum.
  std::string pointName() const;

  const Contraction &c;
  const Schedule &schedule;
  ContractionSite &site;
  mlir::OpBuilder &b;
  mlir::Location loc;
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

  /// A size as the schedule spells it.
  Value size(const std::string &word);

private:
  Value multipleUp(Value tile, const std::string &tileWord, const std::string &blockWord);
};

} // namespace moac

#endif
