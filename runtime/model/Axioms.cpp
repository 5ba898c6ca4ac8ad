// Consistency of finished candidates. The paper's axiom is plain acyclicity and is checked by the
// search as it goes; the proposal's axioms speak about single pairs and are checked here at the
// end.
#include "runtime/model/Axioms.h"

#include <algorithm>

namespace moac::model {

std::vector<Edge> coherenceEdges(const Graph &graph, const ReadsFrom &rf, int location,
                                 const std::vector<int> &order) {
  std::vector<Edge> edges;
  for (size_t i = 1; i < order.size(); ++i)
    edges.push_back({order[i - 1], order[i], RelationKind::Co});
  for (int load : graph.location(location).loads) {
    if (rf[load] == readsNothingYet || order.empty())
      continue;
    size_t next = 0;
    if (rf[load] >= 0)
      next = std::find(order.begin(), order.end(), rf[load]) - order.begin() + 1;
    if (next < order.size() && order[next] != graph.event(load).partner)
      edges.push_back({load, order[next], RelationKind::Fr});
    else if (next + 1 < order.size()) // its own store comes first; the next one is still later
      edges.push_back({load, order[next + 1], RelationKind::Fr});
  }
  return edges;
}

namespace {

// irreflexive((rf^-1)? ; mo ; rf? ; hb): per location, hb never goes against coherence, counting a
// load as standing at the store it reads (a load after its store, a later store after both).
bool coherent(const Graph &graph, const ReadsFrom &rf, const std::vector<int> &order, int location,
              const BitMatrix &hb) {
  std::vector<std::pair<int, int>> events; // (event, position of its store; 0 is the initial write)
  for (size_t i = 0; i < order.size(); ++i)
    events.emplace_back(order[i], static_cast<int>(i) + 1);
  for (int load : graph.location(location).loads) {
    auto found = std::find(order.begin(), order.end(), rf[load]);
    int position = found == order.end() ? 0 : static_cast<int>(found - order.begin()) + 1;
    events.emplace_back(load, position);
  }
  for (auto [a, positionA] : events)
    for (auto [b, positionB] : events) {
      if (a == b || !hb.test(a, b))
        continue;
      bool readThenWrite =
          graph.event(a).kind == EventKind::Load && graph.event(b).kind == EventKind::Store;
      if (positionA > positionB || (readThenWrite && positionA == positionB))
        return false;
    }
  return true;
}

// E8: a total order of the quiets must contain Q1 -> Q2 whenever hb? ; eco ; hb? leads from Q1 to
// Q2.
bool quietsOrderable(const Graph &graph, const ReadsFrom &rf,
                     const std::vector<std::vector<int>> &order, const BitMatrix &hb) {
  BitMatrix eco(graph.size());
  for (size_t location = 0; location < graph.locations.size(); ++location)
    for (const Edge &edge : coherenceEdges(graph, rf, static_cast<int>(location), order[location]))
      eco.set(edge.from, edge.to);
  for (int load = 0; load < graph.size(); ++load)
    if (graph.event(load).kind == EventKind::Load && rf[load] >= 0)
      eco.set(rf[load], load);
  eco.close();
  std::vector<int> quiets;
  for (const Operation &op : graph.operations)
    if (op.type == OpType::Quiet)
      quiets.push_back(op.event);
  BitMatrix before(graph.size());
  for (int from : quiets)
    for (int to : quiets) {
      if (from != to && hb.test(from, to))
        before.set(from, to);
      hb.forEach(from, [&](int a) {
        eco.forEach(a, [&](int b) {
          if (hb.test(b, to))
            before.set(from, to);
        });
      });
    }
  before.close();
  return !before.cyclic();
}

} // namespace

bool proposalAxioms(const Graph &graph, const Model &model, const ReadsFrom &rf,
                    const std::vector<std::vector<int>> &order, const BitMatrix &hbApi) {
  for (size_t location = 0; location < graph.locations.size(); ++location)
    if (!coherent(graph, rf, order[location], static_cast<int>(location), hbApi))
      return false;
  return model.kind != ModelKind::C11Quiet || quietsOrderable(graph, rf, order, hbApi);
}

std::vector<Edge> executionEdges(const Graph &graph, const Model &model, const ReadsFrom &rf,
                                 const std::vector<std::vector<int>> &order, int id) {
  std::vector<Edge> edges = programOrder(graph), so = languageSync(graph, rf);
  BitMatrix hb = languageHappensBefore(graph, so);
  edges.insert(edges.end(), so.begin(), so.end());
  for (auto [from, to] : graph.opOrder)
    edges.push_back({from, to, RelationKind::OpOrder});
  int first = id < 0 ? 0 : id, last = id < 0 ? relationSets(graph, model) : id + 1;
  for (int set = first; set < last; ++set) {
    std::vector<Edge> relations = apiRelations(graph, model, hb, set);
    edges.insert(edges.end(), relations.begin(), relations.end());
  }
  for (int load = 0; load < graph.size(); ++load) {
    if (graph.event(load).kind != EventKind::Load || rf[load] < 0)
      continue;
    bool aso = false;
    for (int set = first; set < last; ++set)
      aso = aso || synchronises(graph, model, rf[load], load, set);
    edges.push_back({rf[load], load, aso ? RelationKind::Aso : RelationKind::Rf});
  }
  for (size_t location = 0; location < graph.locations.size(); ++location)
    for (const Edge &edge : coherenceEdges(graph, rf, static_cast<int>(location), order[location]))
      edges.push_back(edge);
  return edges;
}

} // namespace moac::model
