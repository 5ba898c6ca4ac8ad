// The subroutine that Fortran programs call: arrays in Fortran's order, extents read off them.
//
// An array [B, N, D] of the kernel is (D, N, B) here and the same memory; a caller's array may have
// any lower bounds and need not be contiguous (the compiler then makes a copy for `contiguous`). A
// symbol is read off the first array that has it as an extent; the others must agree. A symbol that
// no array shows is an argument.
#include "emitters/Checks.h"
#include "emitters/FortranKernel.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace moac::emit {
using namespace tree;

namespace {

class NativePrinter {
public:
  NativePrinter(Printer &printer, const FortranKernel &legal, const std::string &native,
                const std::string &entry)
      : printer(printer), kernel(legal.kernel), native(native), entry(entry) {
    for (const Let &extent : kernel.extents)
      named.emplace(extent.name, extent.value);
    for (const Array *array : arrays(kernel))
      for (size_t axis = 0; axis < array->extents.size(); ++axis)
        readOff(*array, axis);
  }

  void print() {
    printer.blank();
    for (const std::string &line : kernel.doc)
      printer.comment(line, 4);
    for (const Array *array : arrays(kernel))
      printer.comment(fmt::format("  {}: {}", array->name, array->shape), 4);
    open();
    for (const std::string &symbol : kernel.symbols)
      if (auto found = sources.find(symbol); found != sources.end())
        printer.line(symbol + " = " + found->second);
    call();
    printer.lines("if (present(status)) then\n  status = code\nelse if (code /= MOAC_OK) then");
    printer.line(fmt::format("  call moac_stop(\"{}\", code)", kernel.name));
    printer.line("end if");
    closeProcedure(printer, "subroutine");
  }

private:
  std::string size(const Array &array, size_t axis) const {
    const size_t dimension = array.columnMajor ? axis + 1 : array.extents.size() - axis;
    return fmt::format("size({}, {}, i64)", array.name, dimension);
  }

  /// The extent of an axis gives a symbol or is compared with what the symbols make it.
  void readOff(const Array &array, size_t axis) {
    const Expr extent = resolved(array.extents[axis]);
    const bool symbol = extent.kind == Expr::Kind::Name;
    if (!symbol || !sources.emplace(extent.text, size(array, axis)).second)
      compared.push_back({&array, axis});
  }

  /// An extent without the names that the checks give to long ones.
  Expr resolved(Expr e) const {
    if (const auto found = named.find(e.text); e.kind == Expr::Kind::Name && found != named.end())
      return resolved(found->second);
    for (Expr &arg : e.args)
      arg = resolved(std::move(arg));
    return e;
  }

  void open() {
    std::vector<std::string> names;
    Declarations dummies(printer);
    for (const std::string &symbol : kernel.symbols)
      if (!sources.count(symbol)) {
        names.push_back(symbol);
        dummies.add("integer(i64), intent(in)", symbol);
      }
    for (const Scalar &scalar : kernel.scalars) {
      names.push_back(scalar.name);
      dummies.add(printer.typeName(scalar.type) + ", intent(in)", scalar.name);
    }
    for (const std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
      for (const Array &array : *list) {
        names.push_back(array.name);
        dummies.add(printer.typeName(array.type) +
                        (list == &kernel.inputs ? ", intent(in)" : ", intent(inout)") +
                        (array.extents.empty() ? ", target" : ", contiguous, target"),
                    array.name + shape(array));
      }
    names.push_back("status");
    openProcedure(printer, "subroutine " + native, names, "");
    dummies.print();
    printer.line("integer, intent(out), optional :: status");
    Declarations locals(printer);
    for (const std::string &symbol : kernel.symbols)
      if (sources.count(symbol))
        locals.add("integer(i64)", symbol);
    locals.add("integer(c_int)", "code");
    locals.print();
  }

  static std::string shape(const Array &array) {
    std::string text;
    for (size_t axis = 0; axis < array.extents.size(); ++axis)
      text += axis ? ", :" : "(:";
    return text.empty() ? "" : text + ")";
  }

  void call() {
    std::vector<std::string> conditions, passed = kernel.symbols;
    for (const auto &[array, axis] : compared)
      conditions.push_back(size(*array, axis) +
                           " == " + printer.expression(resolved(array->extents[axis]), 12));
    for (const Scalar &scalar : kernel.scalars)
      passed.push_back(scalar.name);
    for (const Array *array : arrays(kernel))
      passed.push_back("c_loc(" + array->name + ")");
    const std::string work = "code = " + entry + "(" + join(passed, ",") + ")";
    if (conditions.empty())
      return printer.line(work);
    printer.line("code = " + printer.statusName(Status::Extent));
    printer.line("if (" + join(conditions, " .and.") + ") then");
    printer.indent();
    printer.line(work);
    printer.outdent();
    printer.line("end if");
  }

  Printer &printer;
  const Kernel &kernel;
  const std::string &native, &entry;
  std::map<std::string, Expr> named;
  std::map<std::string, std::string> sources; // of symbols
  std::vector<std::pair<const Array *, size_t>> compared;
};

} // namespace

void printFortranNative(Printer &printer, const FortranKernel &kernel, const std::string &native,
                        const std::string &entry) {
  NativePrinter(printer, kernel, native, entry).print();
}

} // namespace moac::emit
