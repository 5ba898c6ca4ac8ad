// The module around the procedures of kernels.
#include "emitters/FortranFile.h"
#include "emitters/C.h"
#include "emitters/Demand.h"
#include "emitters/FortranKernel.h"
#include "emitters/FortranSupport.h"

#include <fmt/format.h>

namespace moac::emit {
using namespace tree;

namespace {

std::string opening(const File &file, const COptions &options, Printer &printer,
                    const char *compile) {
  printer.comment(fmt::format("Kernels of {}, written by moac; change the source, not this file.",
                              file.source.empty() ? "a .moa file" : file.source));
  printer.comment("");
  printer.comment(compile);
  printer.comment(options.standalone ? "Needs no other library." : "Link with -lmoac-runtime.");
  printer.comment("");
  printer.comment(
      "Each kernel is a subroutine of its name: an array [B, N, D] of the kernel is (D, N, B) "
      "here and the same memory, with any lower bounds, contiguous or not. The optional status is "
      "0 or");
  for (const char *line :
       {"  -1  an array that has elements is null",
        "  -2  an extent is negative or does not fit the others",
        "  -3  a condition of the signature does not hold",
        "  -4  an index read from data left its axis", "  -5  an array would be too large to exist",
        "  -6  an output overlaps another array", "  -7  scratch memory could not be had",
        "  -8  an integer division by zero"})
    printer.comment(line);
  printer.comment(
      "Without it an error stops the program. NAME_c is the function that C knows as NAME; "
      "see the header. f16 and bf16 elements are patterns of 16 bits, unsigned ones signed of the "
      "same bits.");
  return printer.take();
}

/// Names in C that Fortran compilers take for one.
std::vector<std::string> labelProblems(const File &file, const NameRules &rules) {
  std::vector<std::string> problems;
  for (size_t i = 0; i < file.kernels.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (nameKey(rules, file.kernels[i].name) == nameKey(rules, file.kernels[j].name))
        problems.push_back(
            fmt::format("kernels '{}' and '{}' differ by case only, which Fortran does not see",
                        file.kernels[j].name, file.kernels[i].name));
  return problems;
}

/// `softmax.moa` as `softmax_kernels`.
std::string moduleWord(const File &file) {
  const std::string stem = file.source.substr(0, file.source.rfind('.'));
  return (stem.empty() ? "moa" : stem) + "_kernels";
}

std::vector<FortranInterface> interfaces(const File &file, Names &names, const LangTraits &lang) {
  std::vector<std::string> words;
  for (const Kernel &kernel : file.kernels)
    words.push_back(kernel.name);
  const std::vector<std::string> natives = names.pickAll(words);
  std::vector<FortranInterface> out;
  for (size_t i = 0; i < words.size(); ++i) {
    FortranInterface one{natives[i], names.pick(words[i] + "_c"), "", "", "", {}};
    for (const std::string &form : lang.residentForms) {
      one.run = names.pick(words[i] + "_run");
      one.resident.push_back({form, names.pick(words[i] + form), names.pick(words[i] + form + "_c")});
    }
    if (needsScratch(file.kernels[i]) && !lang.memoryForms.empty()) {
      one.run = names.pick(words[i] + "_run");
      one.size = names.pick(words[i] + "_ws_size_c");
      one.workspace = names.pick(words[i] + "_ws_c");
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::string publicNames(const std::vector<FortranInterface> &all, Printer &printer) {
  std::vector<std::string> names;
  for (const FortranInterface &one : all) {
    for (const std::string &name : {one.native, one.entry, one.size, one.workspace})
      if (!name.empty())
        names.push_back(name);
    for (const FortranInterface::Resident &form : one.resident)
      names.insert(names.end(), {form.native, form.entry});
  }
  if (!names.empty())
    printer.line("public :: " + join(names, ","));
  return printer.take();
}

} // namespace

Emitted printFortranFile(const File &file, const COptions &options, const LangTraits &lang) {
  const char *const compile =
      "Compile with gfortran -O3 -fopenmp -march=native --param max-inline-insns-auto=400 (the "
      "last for exponentials). Fortran 2018; no flag changes a result "
      "beyond fused multiply-adds (-ffp-contract=off splits them).";
  return fortranFile(file, options, lang, {compile, [](const std::string &text) { return text; }});
}

Emitted fortranFile(const File &file, const COptions &options, const LangTraits &lang,
                    const FortranStyle &style) {
  Printer printer(lang);
  Names names(lang.names);
  const std::vector<FortranInterface> all = interfaces(file, names, lang);
  const std::string module = names.pick(moduleWord(file));
  std::string text = opening(file, options, printer, style.compile);
  printer.indent();
  for (size_t i = 0; i < all.size(); ++i)
    printFortranKernel(printer, legaliseForFortran(file.kernels[i], all[i], names,
                                                   options.standalone));
  const std::string kernels = printer.take();
  const FortranPrologue prologue = fortranPrologue(fortranWords(kernels), options.standalone, style.support);
  text += fmt::format("module {}\n{}  implicit none\n  private\n{}", module, prologue.imports,
                      publicNames(all, printer));
  text += "\n" + prologue.declarations + "\ncontains\n\n" + kernels;
  if (!prologue.procedures.empty())
    text += "\n" + prologue.procedures;
  Emitted out{text + "\nend module\n", file.problems};
  for (const std::string &problem : printer.problems())
    out.problems.push_back(problem);
  // C knows the kernels by their own names.
  LangTraits forC = cTraits();
  forC.residentForms = lang.residentForms;
  forC.memoryForms = lang.memoryForms;
  for (std::vector<std::string> problems :
       {cNameProblems(file, forC), labelProblems(file, lang.names)})
    for (std::string &problem : problems)
      out.problems.push_back(std::move(problem));
  return out;
}

} // namespace moac::emit
