// The argument checks of an emitted C function, and its parameter list.
#ifndef MOAC_EMITTERS_CCHECKS_H
#define MOAC_EMITTERS_CCHECKS_H

#include "emitters/Printer.h"

namespace moac::emit {

/// `int64_t B, const double *restrict Q, double *restrict O`, with break marks.
std::vector<std::string> cParameters(Printer &printer, const tree::Kernel &kernel,
                                     std::string_view pointer);
/// The same for the symbols and scalars only.
std::vector<std::string> cScalarParameters(Printer &printer, const tree::Kernel &kernel);
/// Prints the checks in the order of the interface: extents, constraints, sizes, empty outputs,
/// null pointers, overlap. A check that can never fail is left out.
void printChecks(Printer &printer, const tree::Kernel &kernel);
/// Prints the checks of extents alone, which return `negative` or `tooLarge`.
void printExtentChecks(Printer &printer, const tree::Kernel &kernel, std::string_view negative,
                       std::string_view tooLarge);
/// Prints `if (a || b) { return result; }`; nothing for no condition.
void printCheck(Printer &printer, const std::vector<std::string> &conditions,
                std::string_view result);
/// `8.0 * B * N`: the bytes of an array as a C double.
std::string realBytes(Printer &printer, Elem type, const std::vector<tree::Expr> &extents);

} // namespace moac::emit

#endif
