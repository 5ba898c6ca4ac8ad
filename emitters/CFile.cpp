// The C file around the printed loops.
#include "emitters/CFile.h"
#include "emitters/CKernel.h"
#include "emitters/Demand.h"
#include "emitters/CSupport.h"
#include "emitters/Names.h"
#include "emitters/Printer.h"
#include "emitters/TreeWalk.h"

#include <algorithm>
#include <fmt/format.h>

namespace moac::emit {
using namespace tree;

namespace {

/// Every external name of a file, with the kernel it belongs to.
std::vector<std::pair<std::string, std::string>> externalNames(const File &file,
                                                               const LangTraits &lang) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Kernel &kernel : file.kernels) {
    out.emplace_back(kernel.name, kernel.name);
    for (const std::string &form : lang.residentForms)
      for (const std::string &ending : {form, std::string("_run")})
        out.emplace_back(kernel.name + ending, kernel.name);
    for (const std::string &form : lang.memoryForms)
      if (needsScratch(kernel))
        out.emplace_back(kernel.name + form, kernel.name);
  }
  return out;
}

} // namespace

std::vector<std::string> cNameProblems(const File &file, const LangTraits &lang) {
  std::vector<std::string> problems;
  const auto names = externalNames(file, lang);
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
  const bool divided = std::any_of(file.kernels.begin(), file.kernels.end(),
                                   [](const Kernel &kernel) { return !kernel.pe.empty(); });
  printer.comment(std::string("Link with ") + (divided ? "-lmoac-shmem " : "") +
                  (options.standalone ? "-lm." : "-lmoac-runtime -lm."));
  return printer.take();
}

// Written only where it helps, so that other files compile as the user's options say.
const char *const trapsUnread = R"(
#if defined(__GNUC__) && !defined(__clang__)
// No kernel asks for floating-point exceptions, so comparisons of floats may run on vector lanes.
#pragma GCC optimize("no-trapping-math")
#endif
)";

bool comparesFloats(const Expr &e) {
  const bool compares =
      e.kind == Expr::Kind::Apply && isFloat(e.args.back().type) &&
      ((e.op >= Op::eq_ && e.op <= Op::ge_) || e.op == Op::min_ || e.op == Op::max_ ||
       e.op == Op::exp_ || e.op == Op::exp2_ || e.op == Op::sigmoid_ || e.op == Op::tanh_ || e.op == Op::exp_down_ ||
       e.op == Op::exp2_down_);
  return compares || std::any_of(e.args.begin(), e.args.end(), comparesFloats);
}

bool comparesFloats(const File &file) {
  bool found = false;
  for (const Kernel &kernel : file.kernels)
    forEachStatement(kernel.body, [&](const Stmt &statement) {
      forEachExpr(statement, [&](const Expr &e) { found |= comparesFloats(e); });
      if (const auto *update = std::get_if<Update>(&statement.node))
        found |= (update->op == Op::max_ || update->op == Op::min_) && isFloat(update->value.type);
    });
  return found;
}

const char *const pragmaGuard = R"(
#if !defined(_OPENMP) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas" // the OpenMP directives below
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" // a simd loop that stays scalar is no fault
#endif
)";

// Compilers for AVX-512 machines use half of each vector register unless told otherwise.
const char *const wideVectors = R"(
#if defined(__AVX512F__) && defined(__clang__)
#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)
#elif defined(__AVX512F__) && defined(__GNUC__)
#pragma GCC target("prefer-vector-width=512")
#endif
)";
const char *const wideVectorsEnd = R"(
#if defined(__AVX512F__) && defined(__clang__)
#pragma clang attribute pop
#endif
)";

} // namespace

std::string cFileText(const CParts &parts, const COptions &options) {
  const Prologue prologue = cPrologue(parts.words, options.standalone);
  std::string text = parts.opening + '\n';
  if (!options.headerName.empty())
    text += fmt::format("#include \"{}\"\n\n", options.headerName);
  if (!options.standalone)
    text += "#include \"moac.h\"\n\n";
  for (const std::string &header : prologue.headers)
    text += fmt::format("#include {}\n", header);
  if (parts.kernels.find("#pragma") != std::string::npos)
    text += parts.guard;
  const bool lanes = parts.kernels.find("omp simd") != std::string::npos ||
                     parts.words.count("MOAC_BLOCK_LANES") != 0;
  if (lanes)
    text += wideVectors;
  if (options.standalone)
    text += statusEnum;
  text += prologue.tuned;
  for (std::string_view definition : prologue.definitions)
    text += parts.support(definition);
  return text + '\n' + parts.kernels + (lanes ? wideVectorsEnd : "");
}

Emitted printCFile(const File &file, const COptions &options, const LangTraits &lang) {
  Printer printer(lang);
  CParts parts;
  parts.opening = opening(file, options, printer) + (comparesFloats(file) ? trapsUnread : "");
  parts.guard = pragmaGuard;
  for (const Kernel &kernel : file.kernels)
    printCKernel(printer, kernel);
  parts.kernels = printer.take();
  parts.words = printer.words();
  parts.support = [](std::string_view definition) { return std::string(definition); };
  Emitted out{cFileText(parts, options), file.problems};
  for (const std::string &problem : printer.problems())
    out.problems.push_back(problem);
  for (std::string &problem : cNameProblems(file, lang))
    out.problems.push_back(std::move(problem));
  return out;
}

} // namespace moac::emit
