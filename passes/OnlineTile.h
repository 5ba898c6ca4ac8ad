// One tile of an online group: its places, which part of the streamed axis it has, and what happens in it.
#ifndef MOAC_PASSES_ONLINETILE_H
#define MOAC_PASSES_ONLINETILE_H

#include "passes/OnlineProducts.h"
#include "passes/OnlineRows.h"

namespace moac {

class OnlineTile {
public:
  using Value = mlir::Value;

  explicit OnlineTile(OnlineFrame &frame) : o(frame), products(frame), byRow(frame) {}

  /// Places of all members; `suffix` ends their names.
  void allocate(const std::string &suffix = "");
  /// A loop over the tiles of [from, to) that some row of this tile needs.
  void openKeys(Value from, Value to);
  /// Folds what the tile holds into the reductions.
  void fold();

private:
  Stage *overwritten(Stage &stage);

  OnlineFrame &o;
  OnlineProducts products;
  OnlineRows byRow;
};

} // namespace moac

#endif
