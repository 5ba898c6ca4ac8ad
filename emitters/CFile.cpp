// The C file around the printed loops.
#include "emitters/CFile.h"
#include "emitters/CKernel.h"
#include "emitters/Demand.h"
#include "emitters/CSupport.h"
#include "emitters/Names.h"
#include "emitters/Printer.h"

#include <fmt/format.h>

namespace moac::emit {
using namespace tree;

namespace {

/// Every external name of a file, with the kernel it belongs to.
std::vector<std::pair<std::string, std::string>> externalNames(const File &file) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Kernel &kernel : file.kernels) {
    out.emplace_back(kernel.name, kernel.name);
    if (needsScratch(kernel))
      for (const char *suffix : {"_ws", "_ws_size", "_run"})
        out.emplace_back(kernel.name + suffix, kernel.name);
  }
  return out;
}

} // namespace

std::vector<std::string> cNameProblems(const File &file, const LangTraits &lang) {
  std::vector<std::string> problems;
  const auto names = externalNames(file);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto &[name, kernel] = names[i];
    if (auto problem = interfaceNameProblem(lang.names, name))
      problems.push_back(
          fmt::format("kernel '{}' cannot keep its name in C: {}", kernel, *problem));
    for (size_t j = 0; j < i; ++j)
      if (names[j].first == name)
        problems.push_back(fmt::format("kernels '{}' and '{}' would both define '{}' in C",
                                       names[j].second, kernel, name));
  }
  return problems;
}

namespace {

const char *const statusEnum = R"(
// What a kernel returns.
enum {
  MOAC_OK = 0,
  MOAC_NULL_POINTER = -1,     // an array with elements is null
  MOAC_EXTENT = -2,           // an extent is negative
  MOAC_CONSTRAINT = -3,       // a condition of the signature does not hold
  MOAC_INDEX = -4,            // an index read from data left its axis
  MOAC_OVERFLOW = -5,         // an array would be too large to exist
  MOAC_ALIASING = -6,         // an output overlaps another array
  MOAC_NO_MEMORY = -7,        // no scratch memory
  MOAC_DIVISION_BY_ZERO = -8, // an integer division by zero
};
)";

std::string opening(const File &file, const COptions &options, Printer &printer) {
  printer.comment(fmt::format("Kernels of {}, written by moac; change the source, not this file.",
                              file.source.empty() ? "a .moa file" : file.source));
  printer.comment("");
  printer.comment("Compile with -O3 -std=gnu11 -fopenmp, or with -std=c11 -ffp-contract=fast "
                  "instead of -std=gnu11: plain -std=c11 splits fused multiply-adds. "
                  "-ffast-math is not needed.");
  printer.comment(options.standalone ? "Link with -lm." : "Link with -lmoac-runtime -lm.");
  return printer.take();
}

const char *const pragmaGuard = R"(
#if !defined(_OPENMP) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas" // the OpenMP directives below
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" // a simd loop that stays scalar is no fault
#endif
)";

} // namespace

Emitted printCFile(const File &file, const COptions &options, const LangTraits &lang) {
  Printer printer(lang);
  std::string text = opening(file, options, printer);
  for (const Kernel &kernel : file.kernels)
    printCKernel(printer, kernel);
  const std::string kernels = printer.take();
  std::set<std::string> words = printer.words();
  const Prologue prologue = cPrologue(words, options.standalone);
  text += '\n';
  if (!options.headerName.empty())
    text += fmt::format("#include \"{}\"\n\n", options.headerName);
  if (!options.standalone)
    text += "#include \"moac.h\"\n\n";
  for (const std::string &header : prologue.headers)
    text += fmt::format("#include {}\n", header);
  if (kernels.find("#pragma") != std::string::npos)
    text += pragmaGuard;
  if (options.standalone)
    text += statusEnum;
  text += prologue.tuned;
  for (std::string_view definition : prologue.definitions)
    text += definition;
  Emitted out{text + '\n' + kernels, file.problems};
  for (const std::string &problem : printer.problems())
    out.problems.push_back(problem);

  for (std::string &problem : cNameProblems(file, lang))
    out.problems.push_back(std::move(problem));
  return out;
}

} // namespace moac::emit
