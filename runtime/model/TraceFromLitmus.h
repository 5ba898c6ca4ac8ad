// Plays a litmus program in one sequentially consistent interleaving and writes the run down as a
// trace. It ties the two checkers together: what is racy for one must be flagged by the other, and
// nothing else.
#pragma once

#include "runtime/model/Program.h"

namespace moac::model {

/// A trace (see Trace.md) of one run of `program`, its threads interleaved by `seed`; nothing if
/// this interleaving blocks on every path of the program.
std::optional<std::string> traceOfProgram(const Program &program, unsigned seed);

} // namespace moac::model
