// One kernel as C functions.
#ifndef MOAC_EMITTERS_CKERNEL_H
#define MOAC_EMITTERS_CKERNEL_H

#include "emitters/Printer.h"

namespace moac::emit {

/// `int64_t B, const double *restrict Q, double *restrict O`, with break marks.
std::vector<std::string> cParameters(Printer &printer, const tree::Kernel &kernel,
                                     std::string_view pointer);
/// The same for the symbols and scalars only.
std::vector<std::string> cScalarParameters(Printer &printer, const tree::Kernel &kernel);
/// Prints the kernel's functions: `NAME`, with scratch also `NAME_ws` and `NAME_ws_size`.
void printCKernel(Printer &printer, const tree::Kernel &kernel);

} // namespace moac::emit

#endif
