// How a reduction changes when another one, which its terms use, is replaced: the law behind online groups.
//
// If a term of s = sum[k](e) is a product with exp(t[k] - m) in it and m becomes m', each term is multiplied by exp(m - m'),
// which is free of k, and the sum distributes over it:
//
//     sum[k](exp(t[k] - m') * x[k]) == exp(m - m') * sum[k](exp(t[k] - m) * x[k])
//
// So s may be summed while m is not yet known, and corrected whenever m grows. Required: m is the maximum of just these t[k]
// over the terms' domain. Then t[k] - m <= 0 and nothing overflows; and m is -inf only if every t[k] is, when each term is
// exp(-inf + inf), a NaN: the one value that the correction does not give by itself. Where the formula says
// where(m == -inf, 0, exp(t[k] - m)) for it, it does.
#ifndef MOAC_PASSES_RESCALE_H
#define MOAC_PASSES_RESCALE_H

#include "passes/Nests.h"

namespace moac {

/// What corrects a reduction when `by` changes: the factor fn(old - new) to this power, fn one of exp and exp2.
struct Rescale {
  Stage *by;
  unsigned power;
  llvm::StringRef fn;
  bool guarded; ///< a term is 0 where the maximum is -inf, whatever the exponential would be
};

/// An expression's dependence on the reductions of a group, through the stages of its nest.
class RescaleFinder {
public:
  RescaleFinder(StageGraph &graph, const Nest &nest) : graph(graph), nest(nest) {}

  /// The index along which a member is streamed: an axis of its gen, or the index of its root reduction.
  llvm::DenseMap<Stage *, mlir::BlockArgument> streamed;

  /// The correction of `value`, in the body of `stage`, when the maximum `by` changes; nothing when there is none by this law.
  std::optional<Rescale> of(mlir::Value value, Stage &stage, Stage &by);
  bool dependsOn(mlir::Value value, Stage &by);

private:
  std::optional<int> degree(mlir::Value value, Stage &stage);
  std::optional<int> productDegree(moa::ScalarOp op, Stage &stage);
  std::optional<int> exponentDegree(moa::ScalarOp op, Stage &stage);
  bool isShiftedTerm(mlir::Value exponent, Stage &stage);
  std::optional<int> guardedDegree(moa::WhereOp where, Stage &stage);
  std::optional<int> chosenDegree(moa::WhereOp where, std::optional<int> power, Stage &stage);
  bool isTerm(mlir::Value value, Stage &stage);
  Stage *memberRead(mlir::Value value);

  StageGraph &graph;
  const Nest &nest;
  Stage *by = nullptr;
  llvm::StringRef fn;
  bool guarded = false;
};

} // namespace moac

#endif
