// One kernel as Fortran procedures.
//
// What a caller uses is `NAME` with arrays in Fortran's order (FortranNative.cpp) and the function
// `NAME_c` for C, which checks its arguments and calls the loops.
#ifndef MOAC_EMITTERS_FORTRANKERNEL_H
#define MOAC_EMITTERS_FORTRANKERNEL_H

#include "emitters/FortranLegalise.h"
#include "emitters/Printer.h"

namespace moac::emit {

/// Prints all procedures of a kernel at the printer's depth.
void printFortranKernel(Printer &printer, const FortranKernel &kernel);
/// The subroutine `native` for callers in Fortran, which calls the function `entry`.
void printFortranNative(Printer &printer, const FortranKernel &kernel, const std::string &native,
                        const std::string &entry);

/// `real(f64), value :: a, b`: one line for each kind of declaration, in the order of first
/// appearance.
class Declarations {
public:
  explicit Declarations(Printer &printer) : printer(printer) {}
  void add(const std::string &type, const std::string &name);
  void print();

private:
  Printer &printer;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
};

/// Opens `head(a, b)tail` and indents.
void openProcedure(Printer &printer, const std::string &head, const std::vector<std::string> &names,
                   const std::string &tail);
void closeProcedure(Printer &printer, const std::string &word);

} // namespace moac::emit

#endif
