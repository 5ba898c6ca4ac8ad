// A block of sums in registers: so many rows by the lanes of the machine, while the points of a sum run.
#ifndef MOAC_PASSES_REGISTERBLOCK_H
#define MOAC_PASSES_REGISTERBLOCK_H

#include "passes/ContractionFrame.h"

namespace moac {

class RegisterBlock {
public:
  using Value = mlir::Value;
  using Operand = llvm::function_ref<Value(Value index, Value point)>;

  /// Sums of `size` rows, all zero.
  RegisterBlock(ContractionFrame &frame, Value size);
  /// Adds x(row, p)*y(lane, p) for from <= p < to.
  void accumulate(Value from, Value to, Operand x, Operand y);
  /// Runs `inside` once for whole blocks of lanes and once for `width` lanes, each where it applies.
  void eachWidth(Value width, llvm::function_ref<void(Value end)> inside);
  /// Loops over the rows and the first `end` lanes.
  void each(Value end, llvm::function_ref<void(Value row, Value lane, Value sum)> body);

private:
  void over(Value end, llvm::function_ref<void(Value row, Value lane, Value at)> body);

  ContractionFrame &f;
  Value size, sums;
};

} // namespace moac

#endif
