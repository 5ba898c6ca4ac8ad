// Packed panels: one operand of a contraction, evaluated once for a tile and stored as the register blocks read it.
//
//     blocks  [i/B][k][i%B]    when B elements are read together: lanes, and rows that are contiguous in memory
//     rows    [i][k]           for rows that are contiguous along the sum: packing is then a copy
#ifndef MOAC_PASSES_CONTRACTIONPANELS_H
#define MOAC_PASSES_CONTRACTIONPANELS_H

#include "passes/ContractionFrame.h"

namespace moac {

class Panel {
public:
  using Value = mlir::Value;

  Panel(ContractionFrame &frame, Value operand, mlir::BlockArgument axis);
  /// The buffer, as large as the largest tile needs; before the loops, or where one for each thread is allocated. A panel
  /// of one thread is packed by it alone, inside the loops over the batch.
  void allocate(bool ofThread = false);
  /// The loops that fill it for the tile around the builder's place.
  void pack();
  /// Where the block that begins at `block` begins, for the index `batch` inside its tile.
  Value blockAt(Value batch, Value block);
  /// An element: `index` of a block of `size` that begins at `base`, at point `point` of the sum.
  Value load(Value base, Value size, Value index, Value point);

  Value buffer;

private:
  bool isLanes() const { return axis == f.c.lane; }
  bool contiguous(mlir::BlockArgument along);
  Value elementAt(Value base, Value size, Value index, Value point);
  Value openDepth(llvm::StringRef innermost = "sequential", Value first = {});
  Value openOver(const std::string &name, Value lo, Value hi, Value step, Value &batch);
  Value evaluate(Value index) { return f.operand(operand, axis, index); }
  Value longest();
  void packLanes();
  void packBlockOfLanes(Value block, Value batch);
  void packRows();
  void packRowBlocks();

  ContractionFrame &f;
  Value operand;
  mlir::BlockArgument axis;
  bool batched = false; ///< depends on the batch axis
  bool along = false;   ///< some read is contiguous along the axis
  bool rowsAsTheyAre = false;
  bool local = false; ///< to a thread
};

} // namespace moac

#endif
