// The table of Fortran 2018 with OpenMP.
#ifndef MOAC_EMITTERS_FORTRAN_H
#define MOAC_EMITTERS_FORTRAN_H

#include "emitters/LangTraits.h"

namespace moac::emit {

const LangTraits &fortranTraits();

} // namespace moac::emit

#endif
