// What an online group computes row by row: values along the streamed axis, reductions of them, and the results.
#ifndef MOAC_PASSES_ONLINEROWS_H
#define MOAC_PASSES_ONLINEROWS_H

#include "passes/OnlineFrame.h"

namespace moac {

class OnlineRows {
public:
  using Value = mlir::Value;

  explicit OnlineRows(OnlineFrame &frame) : o(frame), b(frame.b) {}

  /// Sets the reductions to their neutral elements for the rows of the tile.
  void begin();
  /// Corrects the sums of a member and adds what the tile gives, term by term.
  void accumulate(const OnlineMember &member);
  /// Streamed and reduced members, one after the other for each row of the tile.
  void rowByRow(llvm::ArrayRef<OnlineMember> members);
  /// Rows whose terms are all -inf: exp(-inf - -inf) is no number, and neither are the sums of it.
  void settle();
  /// What reads the reductions, once they are done.
  void finish();

private:
  std::pair<Value, Value> keysOf(Value row);
  void together(const std::string &name, Value from, Value to, llvm::function_ref<void(Value, int64_t)> body);
  struct Moving {
    mlir::BlockArgument axis;
    Value at;
    int64_t count;
  };
  struct Along {
    mlir::BlockArgument axis;
    Value lo, hi;
  };
  void fetchAhead(Stage &stage, Value root, Moving moving, Along along, Value row);
  static bool haveOneLoop(const OnlineMember &member);
  void sums(const OnlineMember &member, Value row, Value from, Value to);
  void streamed(const OnlineMember &member, BodyEmitter &emitter, Value from, Value to);
  void reduced(const OnlineMember &member, BodyEmitter &emitter, Value from, Value to);
  void finished(const OnlineMember &member, Value row);

  OnlineFrame &o;
  mlir::OpBuilder &b;
};

} // namespace moac

#endif
