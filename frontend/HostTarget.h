// What `run` and `check` need to know of a target: who compiles it, and the calling convention.
#ifndef MOAC_FRONTEND_HOSTTARGET_H
#define MOAC_FRONTEND_HOSTTARGET_H

#include "frontend/CallWrapper.h"
#include "frontend/HostCompiler.h"

namespace moac {

struct HostTarget {
  std::string_view name; ///< as in `--target`
  const HostLanguage &language;
  std::string (*wrapper)(const KernelSignature &kernel); ///< as callWrapper()
  std::string (*nested)(const KernelSignature &kernel);  ///< as nestedWrapper()
};
/// The way to run what `target` emits.
const HostTarget &hostTarget(std::string_view target);

/// The wrappers of CallWrapper.h in Fortran, for a text that ends with the module of the kernel.
std::string fortranCallWrapper(const KernelSignature &kernel);
std::string fortranNestedWrapper(const KernelSignature &kernel);

} // namespace moac

#endif
