// Plays a litmus program in one sequentially consistent interleaving and writes the run down as a
// trace. It ties the two checkers together: what is racy for one must be flagged by the other, and
// nothing else.
#pragma once

#include "runtime/model/Relations.h"

namespace moac::model {

/// One run: its path through the program, who read from whom, and the trace (see Trace.md).
struct PlayedRun {
  Graph graph;
  ReadsFrom rf;
  std::string trace;
};

/// Its threads are interleaved by `seed`; nothing if this interleaving blocks on every path.
std::optional<PlayedRun> playProgram(const Program &program, unsigned seed);
std::optional<std::string> traceOfProgram(const Program &program, unsigned seed);

} // namespace moac::model
