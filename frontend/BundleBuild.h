// Programs and libraries of a bundle: runs the compilers.
#ifndef MOAC_FRONTEND_BUNDLEBUILD_H
#define MOAC_FRONTEND_BUNDLEBUILD_H

#include "frontend/Compiler.h"

namespace moac {

class BundleBuild {
public:
  /// `flags` of the compilers; empty: those for nvptx devices.
  BundleBuild(std::string folder, std::string target, std::vector<std::string> flags);

  /// Makes bin/STEM-TARGET. The message of what went wrong, or nothing.
  std::string program(const std::string &stem, const std::vector<KernelSignature> &kernels,
                      const EmittedSource &text);
  std::string caseName(const std::string &stem) const { return stem + "-" + target + ".cases"; }
  /// Copies the libraries and writes run.sh, which runs every program that the folder has.
  std::string finish();

private:
  std::string command(const std::string &words) const;
  std::string library(const std::string &name, bool needed) const;

  std::string folder, target;
  std::string flags;
  bool fortran;
  std::string c, fc; ///< the compilers' commands
  std::string problem;
};

} // namespace moac

#endif
