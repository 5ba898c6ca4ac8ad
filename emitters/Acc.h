// C11 and Fortran 2018 with OpenACC: the tables, derived from those for OpenMP.
#ifndef MOAC_EMITTERS_ACC_H
#define MOAC_EMITTERS_ACC_H

#include "emitters/CFile.h"
#include "emitters/LangTraits.h"

namespace moac::emit {

/// The table for C with the directives of OpenACC.
const LangTraits &accCTraits();
/// The same for Fortran.
const LangTraits &accFortranTraits();
/// Kernels for a device. `lang` is accCTraits() or derived from it.
Emitted printAccCFile(const tree::File &file, const COptions &options, const LangTraits &lang);
Emitted printAccFortranFile(const tree::File &file, const COptions &options,
                            const LangTraits &lang);

} // namespace moac::emit

#endif
