// The C11 table, with OpenMP for threads and lanes; emitted by CFile.cpp.
#ifndef MOAC_EMITTERS_C_H
#define MOAC_EMITTERS_C_H

#include "emitters/LangTraits.h"

namespace moac::emit {

const LangTraits &cTraits();

} // namespace moac::emit

#endif
