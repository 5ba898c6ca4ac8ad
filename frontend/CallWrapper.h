// One calling convention for all kernels.
//
// A kernel's C function has as many parameters as its signature, in their own types; a program that
// loads kernels at run time cannot write that call. So a small C function with a fixed type is
// appended to the emitted text:
//
//     int attention__call(const int64_t *symbols, const void *const *scalars, const void *const
//     *inputs,
//                         void *const *outputs);
#ifndef MOAC_FRONTEND_CALLWRAPPER_H
#define MOAC_FRONTEND_CALLWRAPPER_H

#include "frontend/Compiler.h"

namespace moac {

using KernelFunction = int (*)(const int64_t *symbols, const void *const *scalars,
                               const void *const *inputs, void *const *outputs);

/// Name of the wrapper's symbol.
std::string callWrapperName(const KernelSignature &kernel);
/// The wrapper's C text. It is to follow the kernel's prototype or definition.
std::string callWrapper(const KernelSignature &kernel);

/// The same for two calls at once, by two threads of a parallel region: the second writes to the
/// second half of `outputs`, which is twice as long. It is to follow the wrapper.
std::string nestedWrapperName(const KernelSignature &kernel);
std::string nestedWrapper(const KernelSignature &kernel);

/// Extents of an array of the signature at these symbol values; nothing when one is not defined
/// (division by zero).
std::optional<HostShape> shapeOf(const KernelSignature &kernel, const ArraySignature &array,
                                 const std::vector<int64_t> &symbols);

struct CallResult {
  int status = 0; ///< enum moac_status
  std::vector<HostArray> outputs;
};
/// Inputs as the kernel's memory has them, and outputs back from it: HostArrays are row-major, a
/// `layout col` parameter is not.
std::vector<HostArray> inMemoryOrder(const KernelSignature &kernel,
                                     const std::vector<HostArray> &inputs);
void fromMemoryOrder(const KernelSignature &kernel, std::vector<HostArray> &outputs);

/// Allocates the outputs and calls. Fails (with a message) when an output's shape is not defined or
/// negative.
Answer<CallResult> call(KernelFunction function, const KernelSignature &kernel,
                        const CallArguments &arguments);

} // namespace moac

#endif
