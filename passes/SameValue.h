// Whether two scalars are the same expression, wherever they stand.
//
// Two stages may compute one value under indices of their own: exp(S[i, k] - m[i]) as the term of a sum over k, and as the
// element [i, k] of a stage. Told which indices correspond, this compares the expressions, not what they are equal to.
#ifndef MOAC_PASSES_SAMEVALUE_H
#define MOAC_PASSES_SAMEVALUE_H

#include "ir/Moa.h"

#include "llvm/ADT/DenseMap.h"

namespace moac {

class SameValue {
public:
  /// `a`, met on the left, stands for `b` on the right.
  void match(mlir::Value a, mlir::Value b) { pairs[a] = b; }
  bool operator()(mlir::Value a, mlir::Value b);

private:
  bool sameBlock(mlir::Block &a, mlir::Block &b);
  llvm::DenseMap<mlir::Value, mlir::Value> pairs;
};

} // namespace moac

#endif
