// Why an outcome is forbidden: a candidate execution that shows it, and the cycle of orders that
// excludes it.
//
// The search here ignores the model: any read may take any store, stores come in any order. What it
// finds is then held against the model's orders, and the shortest contradiction is the explanation,
// for example
//   ST x@1 -rdo-> ST f@1 -aso-> LD f@1 -lco-> LD x@1 -fr-> ST x@1
#include "runtime/model/Axioms.h"
#include "runtime/model/Expand.h"
#include "runtime/model/Search.h"
#include "runtime/model/Values.h"

#include <algorithm>

namespace moac::model {
namespace {

constexpr int maxWork = 20000;

bool isCommunication(RelationKind kind) {
  return kind == RelationKind::Rf || kind == RelationKind::Aso || kind == RelationKind::Co ||
         kind == RelationKind::Fr;
}

bool isHappensBefore(RelationKind kind) {
  return kind != RelationKind::Rf && kind != RelationKind::Co && kind != RelationKind::Fr;
}

// Shortest path over the edges that `select` admits; empty if there is none. From an event to
// itself: a cycle.
template <typename Select>
std::vector<Edge> shortestPath(int n, const std::vector<Edge> &edges, int from, int to,
                               Select select) {
  std::vector<std::vector<int>> out(n);
  for (size_t e = 0; e < edges.size(); ++e)
    if (select(edges[e].kind))
      out[edges[e].from].push_back(static_cast<int>(e));
  std::vector<int> reachedBy(n, -1), queue = {from};
  for (size_t head = 0; head < queue.size(); ++head)
    for (int e : out[queue[head]]) {
      int next = edges[e].to;
      if (reachedBy[next] >= 0)
        continue;
      reachedBy[next] = e;
      if (next == to) {
        std::vector<Edge> path;
        for (int at = to; path.empty() || at != from; at = path.back().from)
          path.push_back(edges[reachedBy[at]]);
        std::reverse(path.begin(), path.end());
        return path;
      }
      if (next != from)
        queue.push_back(next);
    }
  return {};
}

template <typename Select>
std::vector<Edge> shortestCycle(int n, const std::vector<Edge> &edges, Select select) {
  std::vector<Edge> best;
  for (int start = 0; start < n; ++start) {
    std::vector<Edge> cycle = shortestPath(n, edges, start, start, select);
    if (!cycle.empty() && (best.empty() || cycle.size() < best.size()))
      best = std::move(cycle);
  }
  return best;
}

// The proposal's axioms: happens-before one way, communication the other way.
std::vector<Edge> shortestDisagreement(int n, const std::vector<Edge> &edges) {
  std::vector<Edge> best = shortestCycle(n, edges, isHappensBefore);
  BitMatrix hb(n);
  for (const Edge &edge : edges)
    if (isHappensBefore(edge.kind))
      hb.set(edge.from, edge.to);
  hb.close();
  for (int a = 0; a < n && best.empty(); ++a)
    hb.forEach(a, [&](int b) {
      std::vector<Edge> back = shortestPath(n, edges, b, a, isCommunication);
      if (back.empty() || !best.empty())
        return;
      best = shortestPath(n, edges, a, b, isHappensBefore);
      best.insert(best.end(), back.begin(), back.end());
    });
  return best;
}

class Explainer {
public:
  Explainer(const Program &program, const Model &model, Graph &&path)
      : program(program), model(model) {
    execution.graph = std::move(path);
    const Graph &graph = execution.graph;
    execution.rf.assign(graph.events.size(), readsNothingYet);
    execution.finals.assign(graph.locations.size(), readsInitial);
    execution.order.resize(graph.locations.size());
    for (int e = 0; e < graph.size(); ++e)
      if (graph.event(e).kind == EventKind::Load)
        loads.push_back(e);
  }

  bool chooseRead(size_t k) {
    const Graph &graph = execution.graph;
    if (k == loads.size())
      return Evaluator(graph, execution.rf).satisfies() && chooseOrder(0);
    int load = loads[k];
    std::vector<int> stores = graph.location(graph.event(load).location).stores;
    stores.insert(stores.begin(), readsInitial);
    for (int store : stores) {
      if (++work > maxWork)
        return false;
      execution.rf[load] = store;
      Evaluator evaluator(graph, execution.rf);
      if (store != readsInitial && store == graph.event(load).partner)
        continue;
      if (!evaluator.contradicts() && !misses(evaluator) && chooseRead(k + 1))
        return true;
    }
    execution.rf[load] = readsNothingYet;
    return false;
  }

  Execution execution;

private:
  bool misses(Evaluator &evaluator) const {
    Evaluated value = evaluator.value(execution.graph.condition);
    return program.conditionKind == ConditionKind::Exists ? value.isFalse() : value.isTrue();
  }

  bool chooseOrder(size_t location) {
    const Graph &graph = execution.graph;
    if (location == graph.locations.size())
      return explain();
    const std::vector<int> &stores = graph.locations[location].stores;
    std::vector<int> &placed = execution.order[location];
    if (placed.size() == stores.size()) {
      execution.finals[location] = placed.empty() ? readsInitial : placed.back();
      return chooseOrder(location + 1);
    }
    for (int store : stores) {
      int last = placed.empty() ? readsInitial : placed.back();
      int partner = graph.event(store).partner;
      if (std::find(placed.begin(), placed.end(), store) != placed.end() ||
          (partner >= 0 && execution.rf[partner] != last))
        continue;
      if (++work > maxWork)
        return false;
      placed.push_back(store);
      if (chooseOrder(location))
        return true;
      placed.pop_back();
    }
    return false;
  }

  bool explain() {
    const Graph &graph = execution.graph;
    Evaluator evaluator(graph, execution.rf, &execution.finals);
    bool holds = evaluator.value(graph.condition).isTrue();
    if (holds != (program.conditionKind == ConditionKind::Exists))
      return false;
    bool paper = model.kind == ModelKind::Paper || model.kind == ModelKind::ComId;
    for (int id = 0; id < relationSets(graph, model) && execution.cycle.empty(); ++id) {
      auto edges = executionEdges(graph, model, execution.rf, execution.order, id);
      if (!paper)
        execution.cycle = shortestDisagreement(graph.size(), edges);
      if (execution.cycle.empty())
        execution.cycle = shortestCycle(graph.size(), edges, [](RelationKind) { return true; });
    }
    return !execution.cycle.empty();
  }

  const Program &program;
  const Model &model;
  std::vector<int> loads;
  int work = 0;
};

} // namespace

std::optional<Execution> explainForbidden(const Program &program, const Model &model) {
  std::optional<Execution> result;
  forEachPath(program, [&](Graph &&graph) {
    if (graph.stuck || graph.condition < 0)
      return true;
    Explainer explainer(program, model, std::move(graph));
    if (explainer.chooseRead(0))
      result = std::move(explainer.execution);
    return !result;
  });
  return result;
}

} // namespace moac::model
