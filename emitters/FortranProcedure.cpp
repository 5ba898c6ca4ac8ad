// What every procedure of a Fortran file has: a head, declarations by type, an end.
#include "emitters/FortranKernel.h"

namespace moac::emit {

void Declarations::add(const std::string &type, const std::string &name) {
  for (auto &[known, names] : groups)
    if (known == type)
      return names.push_back(name);
  groups.push_back({type, {name}});
}

void Declarations::print() {
  for (const auto &[type, names] : groups)
    printer.line(type + " :: " + join(names, ","));
  groups.clear();
}

void openProcedure(Printer &printer, const std::string &head, const std::vector<std::string> &names,
                   const std::string &tail) {
  printer.line(head + "(" + join(names, ",") + ")" + tail);
  printer.indent();
}

void closeProcedure(Printer &printer, const std::string &word) {
  printer.outdent();
  printer.line("end " + word);
}

} // namespace moac::emit
