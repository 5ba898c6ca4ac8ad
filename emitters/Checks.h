// The checks of a kernel's arguments, for every language whose table has words for them.
#ifndef MOAC_EMITTERS_CHECKS_H
#define MOAC_EMITTERS_CHECKS_H

#include "emitters/Printer.h"

namespace moac::emit {

/// Prints the checks in the order of the interface: extents, constraints, sizes, empty outputs,
/// null pointers, overlap. A check that can never fail is left out.
void printChecks(Printer &printer, const tree::Kernel &kernel);
/// Prints the checks of extents alone, which return `negative` or `tooLarge`.
void printExtentChecks(Printer &printer, const tree::Kernel &kernel, std::string_view negative,
                       std::string_view tooLarge);
/// Prints an `if` that gives up with `result` when one of the conditions holds; nothing for no
/// condition.
void printCheck(Printer &printer, const std::vector<std::string> &conditions,
                std::string_view result);
/// `8.0 * B * N`: the bytes of an array as a real number.
std::string realBytes(Printer &printer, Elem type, const std::vector<tree::Expr> &extents);
/// The bytes of all of these buffers: rounded as they are laid out, and as a real number.
std::string roundedSum(Printer &printer, const std::vector<tree::Scratch> &buffers);
std::string realSum(Printer &printer, const std::vector<tree::Scratch> &buffers);
/// Inputs, then outputs.
std::vector<const tree::Array *> arrays(const tree::Kernel &kernel);
/// Whether an array has elements whatever the symbols are.
bool fixedSize(const tree::Array &array);
/// Those whose size printChecks() gives a name.
std::vector<const tree::Array *> arraysWithSize(const tree::Kernel &kernel);

} // namespace moac::emit

#endif
