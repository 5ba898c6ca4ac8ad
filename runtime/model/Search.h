// Decides a litmus program under a model: enumerates candidate executions, keeps those the model
// admits, and looks for a data race or for the outcome that the program's condition names.
//
// The order of work keeps the numbers small. Language atomics choose their stores first (they fix
// `so` and with it all API relations), then the synchronising reads (they add `aso`, after which
// hb_api is complete and the race test can be made), then the data reads, which in a race-free
// candidate have one possible store each, and coherence last.
#pragma once

#include "runtime/model/LostValue.h"
#include "runtime/model/Relations.h"

namespace moac::model {

/// One execution shown to the user.
struct Execution {
  Graph graph;
  ReadsFrom rf;
  std::vector<int> finals;             // last store per location, or readsInitial
  std::vector<std::vector<int>> order; // coherence per location
  int raceA = -1, raceB = -1;          // the race, if the verdict is racy
  std::vector<Edge> cycle;             // what excludes it, if the verdict is forbidden
};

struct Verdict {
  VerdictKind kind = VerdictKind::Blocked;
  int64_t candidates = 0, consistent = 0; // executions looked at and admitted by the model
  std::optional<Execution> witness;
  std::optional<LostValue> lost; // an execution that may never complete, beside the verdict
  std::optional<SourceError> error;
};

/// The verdict of one program under one model. Work is bounded: a program that is not decided
/// within so many seconds is an error.
Verdict decide(const Program &program, const Model &model, double seconds = 10);

/// For a forbidden outcome: a candidate that would show it, with the cycle that excludes it. Empty
/// if no assignment of reads shows the outcome at all, or none was found within bounds.
std::optional<Execution> explainForbidden(const Program &program, const Model &model);

/// Whether two accesses conflict and are not exempt (both language atomics, or both synchronising).
bool conflict(const Event &a, const Event &b);

} // namespace moac::model
