// Checks as conditions. A read with checked subscripts can be written as what it reads behind a condition,
// `where(0 <= i and i < n, e, fail)`: so a check stays with the read when the array that is read is not there any more.
//
// Who asks for a value unguarded has to know whether computing it may fail or leave an array; that question is here too.
#ifndef MOAC_PASSES_CHECKS_H
#define MOAC_PASSES_CHECKS_H

#include "ir/Moa.h"

#include "mlir/IR/Builders.h"

namespace moac {

/// What `element` builds, an element of what `psi` reads, behind the checks of `psi`; at the builder's place. The operations that
/// `element` builds stand under the condition.
mlir::Value behindChecks(moa::PsiOp psi, mlir::OpBuilder &builder, llvm::function_ref<mlir::Value()> element);

/// `op` alone, without its regions, may only be evaluated where the conditions around it hold: it reads an array, divides by
/// what may be zero, or fails.
bool relyOnGuards(mlir::Operation *op);
/// The same of all that `value` is computed from inside its stage.
bool relyOnGuards(mlir::Value value);

} // namespace moac

#endif
