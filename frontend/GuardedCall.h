// Calling a compiled kernel under suspicion: guard bytes around every array, inputs compared
// afterwards, pointers that are aligned to the element and no further on request.
#ifndef MOAC_FRONTEND_GUARDEDCALL_H
#define MOAC_FRONTEND_GUARDEDCALL_H

#include "frontend/CallWrapper.h"

namespace moac {

/// Like call(), and fails when the kernel wrote outside its outputs.
Answer<CallResult> guardedCall(KernelFunction function, const KernelSignature &kernel,
                               const CallArguments &arguments, bool offBoundary);

} // namespace moac

#endif
