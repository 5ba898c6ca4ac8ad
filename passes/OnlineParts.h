// Online groups whose axis is divided: each part of it gives states of the reductions, which are combined afterwards.
//
//     for other axes, part of k                            divided among threads
//       m, l, O of the part, tile by tile                   as in OnlineLoops.h, without register blocks
//     for other axes                                        divided among threads
//       m = max of the parts' m
//       l, O = sums of the parts' l and O, corrected from the part's m to this m
//       what reads m, l and O
//
// The number of parts depends on the extent of the axis alone and they are combined in their order: so the result is the same
// for every number of threads.
#ifndef MOAC_PASSES_ONLINEPARTS_H
#define MOAC_PASSES_ONLINEPARTS_H

#include "passes/OnlineTile.h"

namespace moac {

class OnlineParts {
public:
  using Value = mlir::Value;

  explicit OnlineParts(OnlineFrame &frame) : o(frame), b(frame.b), tile(frame), byRow(frame) {}
  void run();

private:
  bool isState(const OnlineMember &member) const {
    return member.role == OnlineRole::Reduced || member.role == OnlineRole::Accumulated;
  }
  void allocateStates();
  Value openShared(bool withParts);
  void foldPart(Value part);
  void save(Value part);
  void combine();
  void reference(Stage &stage, OnlineReference &reference);
  Value indexOf(unsigned loop);
  Value stateAt(const OnlineMember &member, Value part, Value element);
  void finish();
  void storeRoot();
  Storage rootPlace; ///< where the nest's root is stored

  OnlineFrame &o;
  mlir::OpBuilder &b;
  OnlineTile tile;
  OnlineRows byRow;
  llvm::DenseMap<Stage *, Value> states; ///< of all parts, for each index of the loops and row
};

} // namespace moac

#endif
