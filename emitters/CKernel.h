// One kernel as C functions.
#ifndef MOAC_EMITTERS_CKERNEL_H
#define MOAC_EMITTERS_CKERNEL_H

#include "emitters/Printer.h"

namespace moac::emit {

/// True if the kernel has buffers beside its arguments, and so the forms `_ws` and `_ws_size`.
bool needsScratch(const tree::Kernel &kernel);
/// Prints the kernel's functions: `NAME`, with scratch also `NAME_ws` and `NAME_ws_size`.
void printCKernel(Printer &printer, const tree::Kernel &kernel);

} // namespace moac::emit

#endif
