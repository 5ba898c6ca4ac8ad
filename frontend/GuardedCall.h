// Calling a compiled kernel under suspicion: guard bytes around every array, inputs compared
// afterwards, pointers that are aligned to the element and no further on request.
#ifndef MOAC_FRONTEND_GUARDEDCALL_H
#define MOAC_FRONTEND_GUARDEDCALL_H

#include "frontend/CallWrapper.h"

namespace moac {

struct GuardOptions {
  bool offBoundary = false; ///< place arrays one element after a multiple of 64 bytes
  unsigned copies = 1;      ///< sets of outputs, one after the other, for nestedWrapper()
};

/// Like call(), and fails when the kernel wrote outside its outputs. In a process that runs under
/// AddressSanitizer blocks have no guards but their exact size, so that reads are watched as well.
Answer<CallResult> guardedCall(KernelFunction function, const KernelSignature &kernel,
                               const CallArguments &arguments, GuardOptions options);

} // namespace moac

#endif
