// What an online group computes row by row: values along the streamed axis, reductions of them, and the results.
#ifndef MOAC_PASSES_ONLINEROWS_H
#define MOAC_PASSES_ONLINEROWS_H

#include "passes/OnlineFrame.h"

namespace moac {

class OnlineRows {
public:
  using Value = mlir::Value;

  explicit OnlineRows(OnlineFrame &frame) : o(frame), b(frame.b) {}

  /// Streamed and reduced members, one after the other for each row of the tile.
  void rowByRow(llvm::ArrayRef<OnlineMember> members);
  /// Rows whose terms are all -inf: exp(-inf - -inf) is no number, and neither are the sums of it.
  void settle();
  /// What reads the reductions, once they are done.
  void finish();

private:
  void streamed(const OnlineMember &member, BodyEmitter &emitter, Value from, Value to);
  void reduced(const OnlineMember &member, BodyEmitter &emitter, Value from, Value to);
  void finished(const OnlineMember &member, Value row);

  OnlineFrame &o;
  mlir::OpBuilder &b;
};

} // namespace moac

#endif
