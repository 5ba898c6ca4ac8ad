// Kernels for a device as a C file.
//
// A kernel has two forms: NAME copies the arrays of the host to the device and the results back,
// NAME_device finds all of them there. Both are NAME_run, whose data construct asks which. Buffers
// exist on the device for the time of a call; their addresses on the host are those of a block that
// nothing is written to.
#include "emitters/Acc.h"
#include "emitters/Checks.h"
#include "emitters/CKernel.h"
#include "emitters/Offload.h"
#include "emitters/TreeWalk.h"

#include <algorithm>
#include <fmt/format.h>

namespace moac::emit {
using namespace tree;

namespace {

/// Support functions that only the host calls.
constexpr std::string_view hostOnly[] = {"moac_overlap", "moac_round64", "moac_align64", "moac_take",
                                         "moac_scratch_acquire", "moac_scratch_release"};

std::string opening(const File &file, const COptions &options, Printer &printer) {
  printer.comment(fmt::format("Kernels of {}, written by moac; change the source, not this file.",
                              file.source.empty() ? "a .moa file" : file.source));
  printer.comment("");
  printer.comment("OpenACC 2.7. With gcc: -O3 -std=gnu11 -fopenacc, and for a GPU "
                  "-foffload=nvptx-none \"-foffload-options=nvptx-none=-O3 -misa=sm_80 -lm\" "
                  "-no-pie; without a device the host does the work.");
  printer.comment(options.standalone ? "Link with -lm." : "Link with -lmoac-runtime -lm.");
  return printer.take();
}

const char *const pragmaGuard = R"(
#if !defined(_OPENACC) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas" // the OpenACC directives below
#endif
)";

class KernelPrinter {
public:
  KernelPrinter(Printer &printer, const Kernel &kernel) : printer(printer), kernel(kernel) {}

  void print() {
    std::vector<std::string> parameters = cParameters(printer, kernel, "*restrict ");
    std::vector<std::string> withForm = parameters;
    withForm.push_back("bool resident");
    printer.blank();
    for (const std::string &line : kernel.doc)
      printer.comment(line, 4);
    open("static int " + kernel.name + "_run", withForm);
    unused();
    printer.line("(void)resident; // a question of the directives");
    printChecks(printer, kernel);
    if (!kernel.scratch.empty())
      buffers();
    if (kernel.fails)
      printer.line(fmt::format("int status = {};", printer.statusName(Status::Ok)));
    printer.body(kernel.body);
    if (!kernel.scratch.empty())
      printer.line("moac_scratch_release(ws);");
    printer.line(kernel.fails ? "return status;"
                              : fmt::format("return {};", printer.statusName(Status::Ok)));
    close();
    forward(kernel.name, parameters, "false");
    for (const std::string &form : printer.language().residentForms)
      forward(kernel.name + form, parameters, "true");
    printer.addWords("bool true false NULL");
  }

private:
  void open(const std::string &head, const std::vector<std::string> &parameters) {
    printer.line(head + "(" + join(parameters, ",") + ") {", head.size() + 1);
    printer.indent();
  }
  void close() {
    printer.outdent();
    printer.line("}");
  }

  void unused() {
    std::set<std::string> names = namesIn(kernel.body);
    for (const Requirement &requirement : kernel.requirements)
      collectNames(requirement.condition, names);
    for (const Scratch &scratch : kernel.scratch)
      collectNames(scratch.count, names);
    for (const Scalar &scalar : kernel.scalars)
      if (!names.count(scalar.name))
        printer.line(fmt::format("(void){};", scalar.name));
  }

  void buffers() {
    const std::string noMemory = printer.statusName(Status::NoMemory);
    printer.blank();
    printer.comment("Buffers on the device, known to it by addresses in a block of the host");
    printCheck(printer, {realSum(printer, kernel.scratch) + " > MOAC_MAX_BYTES"}, noMemory);
    printer.line("void *const ws = moac_scratch_acquire(64 +" + breakMark() +
                 roundedSum(printer, kernel.scratch) + ");");
    printer.lines("if (ws == NULL) {\n  return " + noMemory + ";\n}\nchar *top = moac_align64(ws);");
    for (const Scratch &scratch : kernel.scratch)
      printer.line(fmt::format("{} *restrict {} = moac_take(&top, {});",
                               printer.typeName(scratch.type), scratch.name,
                               printer.scratchBytes(scratch)) +
                   printer.place(scratch.where));
    printer.addWords("MOAC_MAX_BYTES moac_round64 moac_scratch_acquire moac_scratch_release "
                     "moac_align64 moac_take");
  }

  void forward(const std::string &name, const std::vector<std::string> &parameters,
               const std::string &resident) {
    printer.blank();
    open("int " + name, parameters);
    std::vector<std::string> passed = kernel.symbols;
    for (const Scalar &scalar : kernel.scalars)
      passed.push_back(scalar.name);
    for (const Array *array : arrays(kernel))
      passed.push_back(array->name);
    passed.push_back(resident);
    printer.line("return " + kernel.name + "_run(" + join(passed, ",") + ");");
    close();
  }

  Printer &printer;
  const Kernel &kernel;
};

/// A support function as one that the device can call.
std::string deviceText(std::string_view text) {
  std::string out(text);
  const std::string head = "static inline ";
  const bool onHost = std::any_of(std::begin(hostOnly), std::end(hostOnly), [&](std::string_view name) {
    return out.find(std::string(name) + "(") != out.npos;
  });
  const std::string mark = "#pragma acc routine seq\n";
  for (size_t at = out.find(head); !onHost && at != out.npos;
       at = out.find(head, at + mark.size() + head.size()))
    out.insert(at, mark);
  return out;
}

} // namespace

Emitted printAccCFile(const File &file, const COptions &options, const LangTraits &lang) {
  Printer printer(lang);
  CParts parts;
  parts.opening = opening(file, options, printer);
  parts.guard = pragmaGuard;
  std::vector<std::string> problems = file.problems;
  for (const Kernel &kernel : file.kernels) {
    const Offloaded offloaded = offload(kernel, true);
    KernelPrinter(printer, offloaded.kernel).print();
    problems.insert(problems.end(), offloaded.problems.begin(), offloaded.problems.end());
  }
  parts.kernels = printer.take();
  parts.words = printer.words();
  parts.support = deviceText;
  Emitted out{cFileText(parts, options), std::move(problems)};
  for (const std::string &problem : printer.problems())
    out.problems.push_back(problem);
  for (std::string &problem : cNameProblems(file, lang))
    out.problems.push_back(std::move(problem));
  return out;
}

} // namespace moac::emit
