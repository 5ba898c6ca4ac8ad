// `moac check`: every target against the interpreter, on covering sizes and random data.
//
// For each case the kernel runs with several thread counts, and twice at once inside a parallel
// region. Results must be within 8 error bounds of the oracle's, the same bits every time, and
// confined to the outputs (guard bytes around them, inputs unchanged). Arrays are placed off every
// vector boundary in every second case.
#ifndef MOAC_FRONTEND_CHECK_H
#define MOAC_FRONTEND_CHECK_H

#include "frontend/CheckCases.h"
#include "frontend/Compiler.h"
#include "frontend/HostCompiler.h"

namespace moac {

struct CheckOptions {
  std::vector<std::string> targets = {"c-openmp"};
  std::vector<int> threads = {1, 2, 3, 4};
  std::vector<std::string> compilerFlags; ///< after the recommended ones
  std::vector<std::string>
      batch; ///< symbols along which each position alone must give the same bits
  uint64_t seed = 1;
  double cap = 2e7; ///< innermost iterations of a case
  bool full = false;
  bool agree = false;  ///< all targets give the same bits
  bool stages = false; ///< also interpret the DNF and the ONF
  bool standalone = true;
};

struct CheckReport {
  bool passed = false;
  unsigned cases = 0;
  unsigned refused = 0;   ///< cases in which oracle and target returned the same error status
  unsigned tooLong = 0;   ///< cases that the interpreter did not finish: nothing is known of them
  double worst = 0;       ///< |got - want| / bound
  std::string worstPlace; ///< where the worst error is: output, index, sizes, data
  std::string failure;    ///< empty when passed
};

/// Checks one kernel of a program without errors.
CheckReport check(Program &program, const KernelSignature &kernel, const CheckOptions &options);

/// Compares one output with the oracle's: the worst error in bounds; `place` gets its index. Equal
/// infinities and two NaNs agree; an element with a bound that is not finite is not judged.
double worstError(const HostArray &got, const OracleArray &want, int64_t &place);
/// `<0 3 2>` for a row-major position.
std::string indexText(const HostShape &shape, int64_t position);

} // namespace moac

#endif
