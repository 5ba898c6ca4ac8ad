// The sums of products of an online group, for one tile: register blocks whose operands are panels and the tile itself.
#ifndef MOAC_PASSES_ONLINEPRODUCTS_H
#define MOAC_PASSES_ONLINEPRODUCTS_H

#include "passes/OnlineFrame.h"

namespace moac {

class OnlineProducts {
public:
  using Value = mlir::Value;

  explicit OnlineProducts(OnlineFrame &frame) : o(frame), b(frame.b) {}

  /// The tile of a streamed sum of products, finished by the stage that reads it alone.
  void scores(const OnlineMember &member);
  /// Corrects the sums of a member and adds what the tile gives.
  void accumulate(const OnlineMember &member);

private:
  std::pair<Value, Value> commonKeys(Value first, Value size);
  void ragged(const OnlineMember &member, OnlineBlocks &own, Value first, Value size, std::pair<Value, Value> common, Value p, Value end,
              Value y0, llvm::function_ref<Value(Value, Value)> weight);

  OnlineFrame &o;
  mlir::OpBuilder &b;
};

} // namespace moac

#endif
