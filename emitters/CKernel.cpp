// Functions of one kernel in C.
//
// Without scratch memory there is one function: checks, loops, status. With it the work is in
// `NAME_run`, which takes a workspace or gets one itself; all that can fail has failed before the
// workspace is had, so that there is one way out. Buffers of a team's threads are slices of 64-byte
// multiples; a thread takes the next slice when it enters, so no thread number is needed, and the
// team can never be larger than the number of slices.
#include "emitters/CKernel.h"
#include "emitters/Checks.h"
#include "emitters/Demand.h"
#include "emitters/TreeWalk.h"

#include <fmt/format.h>

namespace moac::emit {
using namespace tree;

namespace {

class CKernelPrinter {
public:
  CKernelPrinter(Printer &printer, const Kernel &kernel)
      : printer(printer), kernel(kernel), demand(demandOf(kernel)) {}

  void print() {
    printer.blank();
    for (const std::string &line : kernel.doc)
      printer.comment(line, 4);
    if (!demand.any()) {
      open("int " + kernel.name, cParameters(printer, kernel, "*restrict "));
      unused(mentioned());
      printChecks(printer, kernel);
      world(mentioned(), "MOAC_COMMUNICATION");
      symmetric("");
      body();
      releaseSymmetric();
      printer.line(result());
      close();
    } else {
      printWithScratch();
    }
  }

private:
  void open(const std::string &head, const std::vector<std::string> &parameters) {
    printer.line(head + "(" + (parameters.empty() ? "void" : join(parameters, ",")) + ") {",
                 head.size() + 1);
    printer.indent();
  }
  void close() {
    printer.outdent();
    printer.line("}");
  }

  std::set<std::string> mentioned() const {
    std::set<std::string> names = namesIn(kernel.body);
    for (const Requirement &requirement : kernel.requirements)
      collectNames(requirement.condition, names);
    for (const std::vector<Scratch> *list : {&kernel.scratch, &kernel.symmetric})
      for (const Scratch &scratch : *list)
        collectNames(scratch.count, names);
    names.merge(demand.names());
    return names;
  }

  void unused(const std::set<std::string> &names) {
    for (const Scalar &scalar : kernel.scalars)
      if (!names.count(scalar.name))
        printer.line(fmt::format("(void){};", scalar.name));
  }

  /// Who this processing element is, as far as `names` ask.
  void world(const std::set<std::string> &names, const std::string &failed) {
    if (kernel.pe.empty())
      return;
    for (const auto &[name, call] : {std::pair(kernel.pes, "n_pes"), std::pair(kernel.pe, "my_pe")})
      if (names.count(name) || name == kernel.pes)
        printer.line(fmt::format("const int64_t {} = moac_shmem_{}();", name, call));
    printer.lines(fmt::format("if ({} < 1) {{\n  return {};\n}}", kernel.pes, failed));
    printer.addWords("int64_t moac_shmem_n_pes MOAC_MAX_BYTES");
    if (failed != "SIZE_MAX")
      checkSymmetric();
  }

  /// Memory that all processing elements take together; `giveBack` is what has been taken before.
  void symmetric(const std::string &giveBack) {
    if (kernel.symmetric.empty())
      return;
    printer.line(fmt::format("int moac_failed = {};", printer.statusName(Status::Ok)));
    printer.line("char *const moac_block = moac_symmetric(" + roundedSum(printer, kernel.symmetric) +
                 ", &moac_failed);");
    printer.lines(fmt::format("if (moac_block == NULL) {{\n  {}return moac_failed;\n}}", giveBack));
    printer.line("char *moac_next = moac_block;");
    for (const Scratch &scratch : kernel.symmetric)
      printer.line(fmt::format("{0} *{1} = moac_take(&moac_next, {2});", printer.typeName(scratch.type),
                               scratch.name, printer.scratchBytes(scratch)) +
                   printer.place(scratch.where));
    printer.addWords("moac_symmetric moac_round64 moac_take MOAC_MAX_BYTES NULL");
  }
  void releaseSymmetric() {
    if (!kernel.symmetric.empty())
      printer.line("moac_shmem_free(moac_block);");
  }

  void body() {
    if (kernel.fails)
      printer.line(fmt::format("int status = {};", printer.statusName(Status::Ok)));
    printer.body(kernel.body);
  }

  std::string result() {
    return kernel.fails ? "return status;"
                        : fmt::format("return {};", printer.statusName(Status::Ok));
  }

  /// Gives up when symmetric memory would be absurdly large.
  void checkSymmetric() {
    if (!kernel.symmetric.empty())
      printCheck(printer, {realSum(printer, kernel.symmetric) + " > MOAC_MAX_BYTES"},
                 printer.statusName(Status::NoMemory));
  }

  /// Declares shared_bytes, thread_bytes and team, and gives up when they are absurd.
  void sizes(std::string_view tooLarge) {
    std::vector<std::string> largest;
    for (const std::vector<Scratch> &buffers : demand.thread)
      largest.push_back(realSum(printer, buffers));
    std::vector<std::string> bounds;
    if (!demand.shared.empty())
      bounds.push_back(realSum(printer, demand.shared) + " > MOAC_MAX_BYTES");
    if (!demand.thread.empty())
      printer.line("const size_t thread_bytes = " + threadBytes() + ";");
    if (!demand.thread.empty()) {
      printer.line(
          fmt::format("{} team = moac_threads({});", ws ? "int" : "const int", totalWork()));
      for (const std::string &sum : largest)
        bounds.push_back("team * (" + sum + " + 4096.0) > MOAC_MAX_BYTES");
    }
    printCheck(printer, bounds, tooLarge);
    printer.line(
        "const size_t shared_bytes = 64" +
        (demand.shared.empty() ? ";" : " +" + breakMark() + roundedSum(printer, demand.shared) + ";"));
    printer.addWords("size_t MOAC_MAX_BYTES moac_round64 moac_threads SIZE_MAX NULL");
  }

  std::string threadBytes() {
    std::string text = roundedSum(printer, demand.thread[0]);
    for (size_t i = 1; i < demand.thread.size(); ++i)
      text += " +" + breakMark() + roundedSum(printer, demand.thread[i]);
    return text;
  }

  std::string totalWork() { return printer.realValue(1, demand.totalWork()); }

  void printWithScratch();
  void printRun();
  void printWorkspaceForms();
  void acquire();

  Printer &printer;
  const Kernel &kernel;
  Demand demand;
  bool ws = true; // inside the function that has a workspace
};

void CKernelPrinter::printWithScratch() {
  printRun();
  printWorkspaceForms();
}

/// Takes the caller's workspace, or one of its own when `own`.
void CKernelPrinter::acquire() {
  const std::string fail = fmt::format("return {};", printer.statusName(Status::NoMemory));
  const bool teams = !demand.thread.empty();
  printer.lines("if (own) {");
  printer.lines(std::string("  ws = moac_scratch_acquire(shared_bytes") +
                (teams ? " + (size_t)team * thread_bytes" : "") + ");");
  printer.lines("  if (ws == NULL) {\n    " + fail + "\n  }");
  printer.lines(std::string("} else if (ws == NULL || ws_bytes < shared_bytes") +
                (teams ? " + thread_bytes" : "") + ") {\n  " + fail);
  if (teams) {
    printer.lines("} else {\n  const size_t fit = (ws_bytes - shared_bytes) / thread_bytes;");
    printer.lines("  team = fit < (size_t)team ? (int)fit : team;");
  }
  printer.line("}");
  printer.line("char *top = moac_align64(ws);");
  printer.addWords("moac_scratch_acquire moac_scratch_release moac_align64 moac_take bool NULL");
}

void CKernelPrinter::printRun() {
  std::vector<std::string> parameters = cParameters(printer, kernel, "*restrict ");
  for (const char *extra : {"void *ws", "size_t ws_bytes", "bool own"})
    parameters.push_back(extra);
  open("static int " + kernel.name + "_run", parameters);
  unused(mentioned());
  printChecks(printer, kernel);
  printer.blank();
  printer.comment("Scratch memory");
  world(mentioned(), "MOAC_COMMUNICATION");
  sizes(printer.statusName(Status::NoMemory));
  acquire();
  for (const Scratch &scratch : kernel.scratch)
    printer.line(fmt::format("{} *restrict {} = moac_take(&top, {});",
                             printer.typeName(scratch.type), scratch.name,
                             printer.scratchBytes(scratch)) +
                 printer.place(scratch.where));
  if (!demand.thread.empty()) {
    printer.line("char *const threads = top;");
  }
  symmetric("if (own) {\n    moac_scratch_release(ws);\n  }\n  ");
  body();
  releaseSymmetric();
  printer.lines("if (own) {\n  moac_scratch_release(ws);\n}");
  printer.line(result());
  close();
}

void CKernelPrinter::printWorkspaceForms() {
  std::vector<std::string> arguments;
  for (const std::string &symbol : kernel.symbols)
    arguments.push_back(symbol);
  for (const Scalar &scalar : kernel.scalars)
    arguments.push_back(scalar.name);
  printer.blank();
  open("size_t " + kernel.name + "_ws_size", cScalarParameters(printer, kernel));
  unused(demand.names());
  printExtentChecks(printer, kernel, "0", "SIZE_MAX");
  ws = false;
  if (demand.names().count(kernel.pe) || demand.names().count(kernel.pes))
    world(demand.names(), "SIZE_MAX");
  sizes("SIZE_MAX");
  printer.line(demand.thread.empty() ? "return shared_bytes;"
                                     : "return shared_bytes + (size_t)team * thread_bytes;");
  close();

  for (const std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
    for (const Array &array : *list)
      arguments.push_back(array.name);
  std::vector<std::string> parameters = cParameters(printer, kernel, "*restrict ");
  const auto forward = [&](const std::string &name, std::vector<std::string> extra) {
    printer.blank();
    open("int " + name, parameters);
    std::vector<std::string> passed = arguments;
    passed.insert(passed.end(), extra.begin(), extra.end());
    printer.line("return " + kernel.name + "_run(" + join(passed, ",") + ");");
    close();
  };
  forward(kernel.name, {"NULL", "0", "true"});
  parameters.push_back("void *ws");
  parameters.push_back("size_t ws_bytes");
  forward(kernel.name + "_ws", {"ws", "ws_bytes", "false"});
}

} // namespace

std::vector<std::string> cScalarParameters(Printer &printer, const Kernel &kernel) {
  std::vector<std::string> out;
  for (const std::string &symbol : kernel.symbols)
    out.push_back(printer.typeName(Elem::Index) + ' ' + symbol);
  for (const Scalar &scalar : kernel.scalars)
    out.push_back(printer.typeName(scalar.type) + ' ' + scalar.name);
  return out;
}

std::vector<std::string> cParameters(Printer &printer, const Kernel &kernel,
                                     std::string_view pointer) {
  std::vector<std::string> out = cScalarParameters(printer, kernel);
  for (const Array &array : kernel.inputs)
    out.push_back(fmt::format("const {} {}{}", printer.typeName(array.type), pointer, array.name));
  for (const Array &array : kernel.outputs)
    out.push_back(fmt::format("{} {}{}", printer.typeName(array.type), pointer, array.name));
  return out;
}

void printCKernel(Printer &printer, const Kernel &kernel) {
  CKernelPrinter(printer, kernel).print();
}

} // namespace moac::emit
