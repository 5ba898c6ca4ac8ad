// The search of Search.h. One Searcher handles one path of a program.
//
// State per depth is a set of closed matrices, copied on the way down: `reach` is hb_api (one per
// communication id), `order` is the acyclicity axiom of the paper's model (po, rf, co, fr and the
// API relations, one per id).
#include "runtime/model/Search.h"
#include "runtime/model/Axioms.h"
#include "runtime/model/Expand.h"
#include "runtime/model/Values.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <tuple>

namespace moac::model {
namespace {

enum class Goal : uint8_t { Any, Condition };

struct State {
  std::vector<BitMatrix> reach, order;
};

// What the paths searched so far have shown: some admitted execution, and one with the condition's
// outcome.
struct Progress {
  bool existing = false, found = false;
  double seconds = 0; // that may be spent
  int64_t steps = 0;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

class Searcher {
public:
  Searcher(const Program &program, const Model &model, const Graph &graph, Progress &progress,
           Verdict &verdict)
      : program(program), model(model), graph(graph), progress(progress), verdict(verdict),
        rf(graph.events.size(), readsNothingYet) {
    collect([](const Event &e) { return e.isNormal() && e.atomic; });
    atomics = loads.size();
    collect([](const Event &e) { return e.sync; });
    synchronising = loads.size();
    collect([](const Event &e) { return !e.sync && !(e.isNormal() && e.atomic); });
  }

  /// Searches the path; returns false when nothing more need be searched (a race, or an error).
  bool run() { return chooseSync(0, State{}); }

private:
  template <typename Select> void collect(Select select) {
    for (const std::vector<int> &group : threadsAndOperations())
      for (int index : group)
        if (graph.event(index).kind == EventKind::Load && select(graph.event(index)))
          loads.push_back(index);
  }

  std::vector<std::vector<int>> threadsAndOperations() const {
    std::vector<std::vector<int>> groups = graph.threads;
    for (const Operation &op : graph.operations)
      groups.push_back(op.accesses);
    return groups;
  }

  bool overBudget() {
    if (++progress.steps % 64 != 0)
      return false;
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - progress.begin;
    if (spent.count() <= progress.seconds)
      return false;
    std::ostringstream message;
    message << program.name << ": " << modelName(model) << " is not decided within "
            << progress.seconds << " s; " << graph.size() << " events, " << loads.size()
            << " of them reads, have too many candidate executions: use fewer PEs or iterations, "
               "or raise --limit";
    verdict.error = SourceError{program.file, message.str(), program.line};
    return true;
  }

  // hb_api without aso and the axiom's order without rf, co and fr.
  bool startState(State &state) {
    const std::vector<Edge> so = languageSync(graph, rf);
    BitMatrix hb = languageHappensBefore(graph, so);
    bool paper = model.kind == ModelKind::Paper || model.kind == ModelKind::ComId;
    for (int id = 0; id < relationSets(graph, model); ++id) {
      const std::vector<Edge> relations = apiRelations(graph, model, hb, id);
      auto matrix = [&](const std::vector<Edge> &program) {
        BitMatrix m(graph.size());
        for (const auto *edges : {&program, &so, &relations})
          for (const Edge &edge : *edges)
            m.set(edge.from, edge.to);
        for (auto [from, to] : graph.opOrder)
          m.set(from, to);
        m.close();
        return m;
      };
      state.reach.push_back(matrix(preservedOrder(graph, model)));
      if (paper)
        state.order.push_back(matrix(programOrder(graph)));
    }
    return !cyclic(state);
  }

  static bool cyclic(const State &state) {
    auto bad = [](const BitMatrix &m) { return m.cyclic(); };
    return std::any_of(state.reach.begin(), state.reach.end(), bad) ||
           std::any_of(state.order.begin(), state.order.end(), bad);
  }

  bool ordered(const State &state, int a, int b) const {
    return std::any_of(state.reach.begin(), state.reach.end(),
                       [&](const BitMatrix &m) { return m.test(a, b); });
  }

  // Whether `load` may read `store` as far as hb_api says so far.
  bool visible(const State &state, int load, int store) const {
    if (store >= 0 && ordered(state, load, store))
      return false;
    for (int other : graph.location(graph.event(load).location).stores)
      if (other != store && ordered(state, other, load) &&
          (store == readsInitial || ordered(state, store, other)))
        return false;
    return true;
  }

  // Adds the consequences of load reading store; false if that closes a cycle.
  bool connect(State &state, int load, int store) const {
    if (store < 0)
      return true;
    for (size_t id = 0; id < state.reach.size(); ++id)
      if (synchronises(graph, model, store, load, static_cast<int>(id)))
        state.reach[id].addClosed(store, load);
    for (BitMatrix &m : state.order)
      m.addClosed(store, load);
    return !cyclic(state);
  }

  // Tries each store for loads[k]; `next` continues with the state reached. Returns false to stop
  // the search.
  template <typename Next> bool choose(size_t k, const State &state, Next next) {
    int load = loads[k];
    std::vector<int> stores = {readsInitial};
    for (int store : graph.location(graph.event(load).location).stores)
      if (store != graph.event(load).partner)
        stores.push_back(store);
    for (int store : stores) {
      if (overBudget())
        return false;
      rf[load] = store;
      bool bound = !state.reach.empty();
      if (bound && !visible(state, load, store))
        continue;
      if (Evaluator(graph, rf).contradicts())
        continue;
      State extended = state;
      if (!bound || connect(extended, load, store))
        if (!next(extended))
          return false;
    }
    rf[load] = readsNothingYet;
    return true;
  }

  // Language atomics, then, with the API relations in place, the synchronising reads.
  bool chooseSync(size_t k, const State &state) {
    State started;
    const State *current = &state;
    if (k == atomics && state.reach.empty()) {
      if (overBudget())
        return false;
      if (!startState(started))
        return true;
      for (size_t i = 0; i < atomics; ++i)
        if (!visible(started, loads[i], rf[loads[i]]) || !connect(started, loads[i], rf[loads[i]]))
          return true;
      current = &started;
    }
    if (k == synchronising)
      return leaf(*current);
    return choose(k, *current, [&](State &next) { return chooseSync(k + 1, next); });
  }

  // hb_api is complete: race test, then whatever is still to be found. Returns false to end the
  // search.
  bool leaf(const State &state) {
    if (auto race = findRace(state)) {
      if (!attempt(Goal::Any, state))
        return !verdict.error;
      verdict.kind = VerdictKind::Racy;
      verdict.witness = std::move(execution);
      std::tie(verdict.witness->raceA, verdict.witness->raceB) = *race;
      return false;
    }
    if (!verdict.lost)
      verdict.lost = findLostValue(graph, rf, [&](int a, int b) { return ordered(state, a, b); });
    if (graph.condition >= 0 && !progress.found && attempt(Goal::Condition, state)) {
      progress.found = progress.existing = true;
      verdict.witness = std::move(execution);
    }
    if (!progress.existing && !verdict.error && attempt(Goal::Any, state)) {
      progress.existing = true;
      if (graph.condition < 0)
        verdict.witness = std::move(execution);
    }
    return !verdict.error;
  }

  bool attempt(Goal wanted, const State &state) {
    goal = wanted;
    return !complete(synchronising, state) && !verdict.error;
  }

  std::optional<std::pair<int, int>> findRace(const State &state) const {
    for (const Location &location : graph.locations)
      for (size_t i = 0; i < location.stores.size(); ++i) {
        auto races = [&](int a, int b) {
          return conflict(graph.event(a), graph.event(b)) && !ordered(state, a, b) &&
                 !ordered(state, b, a);
        };
        int store = location.stores[i];
        for (int load : location.loads)
          if (load != graph.event(store).partner && races(store, load))
            return std::pair(store, load);
        for (size_t j = i + 1; j < location.stores.size(); ++j)
          if (races(store, location.stores[j]))
            return std::pair(store, location.stores[j]);
      }
    return std::nullopt;
  }

  // The remaining reads, then coherence. Returns false once an execution that meets the goal is
  // found.
  bool complete(size_t k, const State &state) {
    if (k < loads.size())
      return choose(k, state, [&](State &next) { return complete(k + 1, next); });
    Evaluator evaluator(graph, rf);
    if (!evaluator.satisfies() || (goal == Goal::Condition && refuted(evaluator)))
      return true;
    finals.assign(graph.locations.size(), readsInitial);
    order.assign(graph.locations.size(), {});
    return chooseOrder(0, state);
  }

  // The condition (or the negation of a forall) certainly fails.
  bool refuted(Evaluator &evaluator) const {
    Evaluated value = evaluator.value(graph.condition);
    return program.conditionKind == ConditionKind::Exists ? value.isFalse() : value.isTrue();
  }

  bool chooseOrder(size_t location, const State &state) {
    if (overBudget())
      return false;
    if (location == graph.locations.size())
      return !accept(state);
    if (graph.location(static_cast<int>(location)).stores.empty())
      return chooseOrder(location + 1, state);
    return extendOrder(static_cast<int>(location), state);
  }

  // Linear extensions of hb_api among the stores of a location, with atomic pairs adjacent.
  bool extendOrder(int location, const State &state) {
    if (overBudget())
      return false;
    const std::vector<int> &stores = graph.location(location).stores;
    std::vector<int> &placed = order[location];
    if (placed.size() == stores.size()) {
      State extended = state;
      finals[location] = placed.back();
      for (const Edge &edge : coherenceEdges(graph, rf, location, placed))
        for (BitMatrix &m : extended.order)
          m.addClosed(edge.from, edge.to);
      return cyclic(extended) || chooseOrder(location + 1, extended);
    }
    for (int store : stores) {
      auto isPlaced = [&](int s) {
        return std::find(placed.begin(), placed.end(), s) != placed.end();
      };
      if (isPlaced(store))
        continue;
      bool possible = std::all_of(stores.begin(), stores.end(), [&](int other) {
        return other == store || isPlaced(other) || !ordered(state, other, store);
      });
      int last = placed.empty() ? readsInitial : placed.back();
      if (!possible || (graph.event(store).partner >= 0 && rf[graph.event(store).partner] != last))
        continue;
      placed.push_back(store);
      bool goOn = extendOrder(location, state);
      if (!goOn)
        return false;
      placed.pop_back();
    }
    return true;
  }

  bool accept(const State &state) {
    ++verdict.candidates;
    if (!state.order.empty() ? false : !proposalAxioms(graph, model, rf, order, state.reach[0]))
      return false;
    ++verdict.consistent;
    if (goal == Goal::Condition) {
      Evaluated value = Evaluator(graph, rf, &finals).value(graph.condition);
      bool wanted =
          program.conditionKind == ConditionKind::Exists ? value.isTrue() : value.isFalse();
      if (!wanted)
        return false;
    }
    execution = Execution{graph, rf, finals, order, -1, -1, {}};
    return true;
  }

  const Program &program;
  const Model &model;
  const Graph &graph;
  Progress &progress;
  Verdict &verdict;
  ReadsFrom rf;
  std::vector<int> loads;
  size_t atomics = 0, synchronising = 0;
  Goal goal = Goal::Any;
  std::vector<int> finals;
  std::vector<std::vector<int>> order;
  Execution execution;
};

VerdictKind verdictOf(const Program &program, const Progress &progress) {
  bool found = progress.found;
  if (!progress.existing)
    return VerdictKind::Blocked;
  if (program.conditionKind == ConditionKind::None)
    return VerdictKind::RaceFree;
  if (program.conditionKind == ConditionKind::Exists)
    return found ? VerdictKind::Allowed : VerdictKind::Forbidden;
  return found ? VerdictKind::Violated : VerdictKind::Holds;
}

} // namespace

bool conflict(const Event &a, const Event &b) {
  bool stores = a.kind == EventKind::Store || b.kind == EventKind::Store;
  return stores && a.location == b.location && !(a.atomic && b.atomic) && !(a.sync && b.sync);
}

Verdict decide(const Program &program, const Model &model, double seconds) {
  Verdict verdict;
  Progress progress;
  progress.seconds = seconds;
  auto error = forEachPath(program, [&](Graph &&graph) {
    return graph.stuck || Searcher(program, model, graph, progress, verdict).run();
  });
  if (error)
    verdict.error = error;
  if (verdict.kind != VerdictKind::Racy)
    verdict.kind = verdictOf(program, progress);
  else
    verdict.lost.reset(); // nothing is defined
  return verdict;
}

} // namespace moac::model
