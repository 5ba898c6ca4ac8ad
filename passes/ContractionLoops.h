// The loops of a contraction: tiles, packed panels, register blocks.
#ifndef MOAC_PASSES_CONTRACTIONLOOPS_H
#define MOAC_PASSES_CONTRACTIONLOOPS_H

#include "passes/BodyEmitter.h"
#include "passes/Contraction.h"

namespace moac {

/// Emits the contraction at the builder's place (the top of a function), with the `follower` that finishes its elements, if
/// any. `values` says what the kernel's symbols and scalars are, `entry` what holds once its requirements are checked;
/// `partial`: the elements are finished by somebody else.
struct ContractionSite {
  mlir::OpBuilder &builder;
  const llvm::DenseMap<mlir::Value, mlir::Value> &values;
  EmitterContext &context;
  shape::Facts facts;
  mlir::Value work; ///< for the team
  Stage *follower = nullptr;
};
mlir::LogicalResult emitContraction(const Contraction &contraction, const Schedule &schedule, ContractionSite site);

} // namespace moac

#endif
