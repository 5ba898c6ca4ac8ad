// Kernels as a Fortran module, and the C header of its functions.
#ifndef MOAC_EMITTERS_FORTRANFILE_H
#define MOAC_EMITTERS_FORTRANFILE_H

#include "emitters/CFile.h"

namespace moac::emit {

/// What modules differ in besides their tables.
struct FortranStyle {
  const char *compile;                             // how to compile it
  std::string (*support)(const std::string &text); // how a support function is written
};
Emitted fortranFile(const tree::File &file, const COptions &options, const LangTraits &lang,
                    const FortranStyle &style);

/// The module STEM_kernels for kernels of STEM.moa. `lang` is the Fortran table or one derived from
/// it.
Emitted printFortranFile(const tree::File &file, const COptions &options, const LangTraits &lang);

} // namespace moac::emit

#endif
