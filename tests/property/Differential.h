// Differential testing of whole programs: interpret(moa) = interpret(DNF) = interpret(scheduled) =
// interpret(ONF) = run(C).
//
// Programs are emitted many to a C file, since the C compiler is what takes time. The interpreter
// of moa is the oracle. That of ONF is also a memory checker: it refuses to finish an element
// twice, to read what nobody wrote and to race; and it may not visit more reduction points than the
// formula has. Compiled code runs with guards around its arrays, with one thread and with several.
// MOAC_TARGET=fortran-openmp emits Fortran instead of C.
#ifndef MOAC_TESTS_PROPERTY_DIFFERENTIAL_H
#define MOAC_TESTS_PROPERTY_DIFFERENTIAL_H

#include "frontend/CheckCases.h"
#include "frontend/Compiler.h"
#include "frontend/HostCompiler.h"
#include "ir/Cost.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace moac::property {

using SymbolSizes = std::map<std::string, int64_t>;

struct Subject {
  std::string kernel; ///< the one to run
  std::string text;   ///< of it and of what it needs
  bool exact = true; ///< small integers, bit for bit; else Gaussian data within the oracle's bounds
  /// Inputs whose elements index an axis of this extent.
  std::map<std::string, shape::Expr> indexArrays = {};
  /// Sizes to run at; empty: drawn from 0, 1, 2, 3, 5, 7, 17 and 33.
  std::vector<SymbolSizes> sizes = {};
  bool divided = false;    ///< among PEs: interpreted as PE 0 of 1, not compiled
  bool recomputes = false; ///< its schedule may visit points more than once
  /// Elements of the largest value at these sizes.
  std::function<double(const SymbolSizes &)> elements = [](const SymbolSizes &) { return 0.0; };
};

/// The programs of one file, compiled.
struct Batch {
  std::unique_ptr<Program> program;
  std::optional<LoadedLibrary> library;
  std::string failure; ///< refused, not emitted or not compiled; empty when all is well
  std::map<std::string, Answer<cost::Cost>> costs = {}; ///< formulas by kernel, as they are asked for
};

Batch build(const std::vector<Subject> &subjects, const std::string &optimisation = "-O1");
/// A number from the environment: MOAC_SEED and its like.
uint64_t setting(const char *name, uint64_t otherwise);

/// What is wrong with one program of a batch; empty when nothing is. `ran` counts the runs that
/// returned 0, if given.
std::string examine(Batch &batch, const Subject &subject, uint64_t seed, unsigned *ran = nullptr);

/// What is wrong with one call: the stages differ, or the compiled kernel with 1 and with `threads`
/// threads does. `want` gets what the oracle says.
std::string examineCall(Batch &batch, const KernelSignature &kernel, const CallArguments &arguments,
                        bool exact, int threads, InterpretResult *want = nullptr, bool recomputes = false);

/// What is wrong with a program on its own.
std::string judge(const Subject &subject, uint64_t seed, unsigned *ran = nullptr,
                  const std::string &optimisation = "-O1");

/// Replaces `failing` by smaller ones of `shrink` while they fail in the same way: a program that
/// is refused stays refused for the same reason, one that computes wrongly still computes wrongly.
template <class T>
std::string shrinkFailure(T failing, std::string failure, uint64_t seed, int budget,
                          const std::function<std::vector<T>(const T &)> &shrink,
                          const std::function<Subject(const T &)> &subject,
                          const std::string &optimisation = "-O1");

/// The failure is a refusal, for nothing but reasons that a generator of legal programs does not
/// foresee: each is right, and is about sizes or constants that meet in ways it does not follow.
///   [division-by-zero]  a divisor that is 0 at every size: `X // (Y - Y)`
///   [count-too-large], [out-of-range]  what is taken or read is not there at any size that a
///                       constraint, or what a called kernel requires, leaves
/// Anything else that is wrong, a crash above all, is no refusal.
bool isUnforeseen(const std::string &failure);

/// The first `[kind]` of a refusal, else the stage that is wrong: `c`, `dnf`.
std::string failureKind(const std::string &failure);

template <class T>
std::string shrinkFailure(T failing, std::string failure, uint64_t seed, int budget,
                          const std::function<std::vector<T>(const T &)> &shrink,
                          const std::function<Subject(const T &)> &subject,
                          const std::string &optimisation) {
  const std::string kind = failureKind(failure);
  for (bool progress = true; progress && budget > 0;) {
    progress = false;
    for (const T &candidate : shrink(failing)) {
      if (--budget < 0)
        break;
      std::string wrong = judge(subject(candidate), seed, nullptr, optimisation);
      if (wrong.empty() || failureKind(wrong) != kind)
        continue;
      failing = candidate;
      failure = wrong;
      progress = true;
      break;
    }
  }
  return failure + "\n" + subject(failing).text;
}

} // namespace moac::property

#endif
