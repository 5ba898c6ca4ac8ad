// Values of one candidate execution: what each load has read, what each store writes, what a
// condition comes to.
#pragma once

#include "runtime/model/Relations.h"

namespace moac::model {

/// The result of evaluating a symbolic value: known, not known yet (a load has no source yet), or
/// impossible (a value that depends on itself, out of thin air).
struct Evaluated {
  enum State : uint8_t { Known, Unknown, Cyclic } state = Unknown;
  int64_t number = 0;
  bool isFalse() const { return state == Cyclic || (state == Known && number == 0); }
  bool isTrue() const { return state == Known && number != 0; }
};

/// Evaluates symbolic values of `graph` under a (possibly partial) reads-from. `finals` holds the
/// last store of each location (or one of the readsInitial/readsNothingYet marks) once coherence is
/// chosen.
class Evaluator {
public:
  Evaluator(const Graph &graph, const ReadsFrom &rf, const std::vector<int> *finals = nullptr)
      : graph(graph), rf(rf), finals(finals), memo(graph.values.size()) {}
  Evaluated value(int index) { return value(index, 0); }
  /// What the load or store event reads or writes.
  Evaluated ofEvent(int event);
  /// Whether some requirement of the path is certainly not met.
  bool contradicts();
  /// Whether all requirements are met.
  bool satisfies();

private:
  struct Memo {
    enum : uint8_t { New, Open, Done } state = New;
    Evaluated result;
  };
  Evaluated value(int index, int depth);
  Evaluated compute(const Value &v, int depth);
  Evaluated written(int location, int store, int depth);

  const Graph &graph;
  const ReadsFrom &rf;
  const std::vector<int> *finals;
  std::vector<Memo> memo; // values are shared: without it evaluation could take exponential time
};

} // namespace moac::model
