// Loading the reader of C that `--verify` uses; it brings clang along, so it is not linked.
#ifndef MOAC_FRONTEND_SECONDREADER_H
#define MOAC_FRONTEND_SECONDREADER_H

#include "emitters/CReading.h"
#include "frontend/Compiler.h"

namespace moac {

/// The reader from the library beside the running program; stays loaded. The error says where the
/// library was looked for.
Answer<reading::CReader> loadCReader();

} // namespace moac

#endif
