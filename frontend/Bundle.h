// Bundles: kernels for a device with drivers, cases and run-time libraries, to be run on another machine.
//
// The machine with the device need not have the compiler that makes code for it. A bundle holds for
// each file a program, made here, and a case file: sizes, data and what the interpreter says that
// must come out, with error bounds. `run.sh` runs them all and forbids the host to stand in.
#ifndef MOAC_FRONTEND_BUNDLE_H
#define MOAC_FRONTEND_BUNDLE_H

#include "frontend/Commands.h"

namespace moac {

struct BundleCommand {
  std::vector<std::string> files;
  SourceOptions source; ///< `file` is taken from `files`
  std::string target = "c-openacc";
  std::string folder = "bundle";
  std::vector<std::string> timed; ///< "matmul:M=4096,K=4096,N=4096": no cases but these, timed
  std::vector<std::string> flags; ///< of the compilers, instead of those for nvptx
  uint64_t seed = 1;
  double cap = 1e4; ///< innermost iterations of a case
};
int bundle(const BundleCommand &command);

} // namespace moac

#endif
