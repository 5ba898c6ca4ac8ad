// Arguments of a check case: data for every input, integers that can serve as indices, scalars that
// the constraints admit. Part of Check; apart because finding usable index data is a search of its
// own.
#ifndef MOAC_FRONTEND_CHECKARGUMENTS_H
#define MOAC_FRONTEND_CHECKARGUMENTS_H

#include "frontend/CheckCases.h"
#include "frontend/Compiler.h"

namespace moac {

using Sizes = std::vector<int64_t>;

/// How the integer inputs of a kernel are filled so that indices stay inside their axes.
class ArgumentMaker {
public:
  /// Decides the filling by trial: kernels whose integer inputs are subscripts or bounds
  /// (`x[col[t]]`, `rp[i]..rp[i + 1]`) return an error status on arbitrary integers. Candidates are
  /// plain data and values below a symbol, ascending or not; the one with which the interpreter
  /// succeeds most often and does most work is kept.
  ArgumentMaker(Program &program, const KernelSignature &kernel, const std::vector<Sizes> &cases);

  /// Nothing when an input has no shape at these sizes or no scalars are admitted.
  std::optional<CallArguments> make(const Sizes &sizes, DataKind kind, Random &random) const;

private:
  struct Filling {
    int symbol = -1; ///< values below this symbol plus `offset`; -1: plain data
    int64_t offset = 0;
    bool sorted = false;
  };
  struct Score {
    unsigned successes = 0;
    double operations = 0;
    auto operator<=>(const Score &) const = default;
  };

  std::vector<Filling> candidates() const;
  Score score(const std::vector<Sizes> &samples) const;
  void search(const std::vector<size_t> &integerInputs, const std::vector<Sizes> &samples);
  bool makeScalars(CallArguments &arguments, Random &random) const;

  Program &program;
  const KernelSignature &kernel;
  std::vector<Filling> fillings; ///< one an input
};

/// Symbols and integer scalars of a call by name: the sizes that formulas are over.
std::map<std::string, int64_t> namedSizes(const KernelSignature &kernel, const CallArguments &arguments);

} // namespace moac

#endif
