// Between the driver's view of a kernel (Compiler.h) and the compiler's: signatures, arrays, sizes.
#ifndef MOAC_FRONTEND_COMPILERDATA_H
#define MOAC_FRONTEND_COMPILERDATA_H

#include "frontend/Compiler.h"
#include "ir/Interpreter.h"
#include "ir/Moa.h"

namespace moac {

KernelSignature signatureOf(moa::KernelOp kernel);

Tensor toTensor(const HostArray &array);
OracleArray toOracle(const Tensor &tensor);
Arguments toArguments(const CallArguments &arguments);
/// "op add.f64", "load A", "store A", "update A"; what was never met is left out.
std::map<std::string, uint64_t> flatCounts(const Counts &counts);

/// Whether the requirements and extents hold at these sizes, as far as integers decide them.
/// `scalars` may be empty.
bool admitsSizes(moa::KernelOp kernel, const std::vector<int64_t> &symbols,
                 const std::vector<HostArray> &scalars);

/// A named value that is no result, or one of a called kernel, has elements that may fail. Results need perhaps not all of
/// them, but a schedule that stores the value computes all.
bool mayFailUnneeded(moa::KernelOp kernel);
/// A scalar that may fail stands inside an array, before the arrays and reductions there that need it.
/// A schedule may evaluate it ahead of them, also where they turn out to be empty.
bool mayFailAhead(moa::KernelOp kernel);

/// Leaves out the checks of subscripts: the user vouches for every one.
void dropIndexChecks(mlir::ModuleOp module);

/// Innermost loop points of a kernel in DNF at these sizes; a data-dependent bound counts as the
/// largest symbol.
double countIterations(moa::KernelOp kernel, const std::vector<int64_t> &symbols);

} // namespace moac

#endif
