// LitmusCheck.h: litmus programs on the runtime with a trace, and the trace checker's opinion of
// each run.
#pragma once

#include "runtime/shmem/LitmusRunner.h"

namespace moac::shmem {

struct CheckResult {
  uint64_t runs = 0, flagged = 0;
  std::string wrong; // empty if exactly the racy programs are flagged
};

/// Runs the program once per seed and holds each trace to the file's verdicts of models paper and
/// comid: a racy program must be flagged in some run, if need be of two thousand times as many
/// seeds, any other in none.
CheckResult checkProgram(const model::Program &program, const Layout &layout, uint64_t first,
                         uint64_t seeds);

/// Why a trace of the runtime cannot tell what the program's verdict says; empty if it can.
std::string uncheckable(const model::Program &program);

} // namespace moac::shmem
