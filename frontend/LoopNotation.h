// The loops of a kernel for a reader: what an emitter prints, without the language's ceremony.
#ifndef MOAC_FRONTEND_LOOPNOTATION_H
#define MOAC_FRONTEND_LOOPNOTATION_H

#include "emitters/LoopTree.h"

namespace moac {

/// One line for each statement, indented by nesting; offsets are those of flat row-major memory.
///
///     parallel for i < N
///       s = 0
///       for j < M
///         s += A[i*M + j]
std::string loopNotation(const tree::Kernel &kernel);

} // namespace moac

#endif
