// Verdicts in words and pictures: one line for the table, a paragraph on demand, a DOT graph, JSON.
#pragma once

#include "runtime/model/Search.h"

namespace moac::model {

/// One line that says what the witness shows: the two racing accesses, the values read, or the
/// excluding cycle.
std::string summarize(const Program &program, const Verdict &verdict);

/// The witness in full: who reads from whom, coherence, the race or the cycle, one item per line,
/// indented.
std::string describe(const Verdict &verdict);

/// The witness as a DOT digraph: one cluster per thread and per operation, edges labelled with
/// their relation, the race or cycle in red. Orders that follow from others are left out.
std::string toDot(const Program &program, const Model &model, const Verdict &verdict);

/// Text as a JSON string with its quotes.
std::string jsonString(std::string_view text);

} // namespace moac::model
