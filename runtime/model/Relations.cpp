// The API relations of the model: ilv, lco, rdo, rco, and the condition of aso. Each function below
// is one definition, with the settled errata (E1 to E12, see Litmus.md) at the line they change.
#include "runtime/model/Relations.h"

namespace moac::model {
namespace {

constexpr int noId = -1;

// Shared state of the four relation builders: the events, the order they start from, the id they
// are built for.
class Builder {
public:
  Builder(const Graph &graph, const Model &model, const BitMatrix &hb, int id)
      : graph(graph), model(model), hb(hb), id(model.kind == ModelKind::ComId ? id : noId),
        contextsMatter(model.kind == ModelKind::Paper || model.kind == ModelKind::ComId) {}

  std::vector<Edge> run() {
    for (const Operation &op : graph.operations) {
      if (!induces(op))
        continue;
      ilv(op);
      if (op.blocking)
        lco(op);
      if (op.type == OpType::Fence)
        rdo(op);
      if (op.type == OpType::Quiet || op.type == OpType::Barrier)
        rco(op);
      if (op.type == OpType::Sync && id != noId)
        syncOrder(op);
    }
    return std::move(edges);
  }

private:
  void add(int from, int to, RelationKind kind) { edges.push_back({from, to, kind}); }
  // Gate 1 of communication ids: the inducing operation's id is at or above the relation's.
  bool induces(const Operation &op) const { return id == noId || graph.comIdLeq(id, op.comId); }
  // Gate 2: a non-observable endpoint's id is at or below the relation's.
  bool admits(const Event &event) const {
    return id == noId || !event.isNormal() || graph.comIdLeq(event.comId, id);
  }
  bool before(const Operation &a, const Operation &b) const { return hb.test(a.event, b.event); }

  // E6: what a collective stores may be on its way before its receiver calls.
  static bool follows(const Event &event) { return event.role != Role::Received; }

  template <typename Visit> void normalBefore(const Operation &op, Visit visit) const {
    for (int a = 0; a < graph.size(); ++a)
      if (graph.event(a).isNormal() && hb.test(a, op.event) && admits(graph.event(a)))
        visit(a);
  }

  void ilv(const Operation &op) {
    for (int b : op.accesses) {
      const Event &to = graph.event(b);
      if (to.pe != to.home || !follows(to))
        continue;
      normalBefore(op, [&](int a) {
        const Event &from = graph.event(a);
        if (from.pe == to.pe && from.home == to.pe)
          add(a, b, RelationKind::Ilv);
      });
    }
  }

  void lco(const Operation &op) {
    for (int a : op.accesses) {
      const Event &from = graph.event(a);
      bool local = from.pe == from.home;
      bool returned = from.returned && model.returnLco; // E10
      if (!local && !returned)
        continue;
      hb.forEach(op.event, [&](int b) {
        const Event &to = graph.event(b);
        if (!admits(to))
          return;
        add(a, b, RelationKind::Lco);
        if (to.kind == EventKind::Operation)
          for (int inner : graph.operation(to.operation).accesses)
            if (follows(graph.event(inner)))
              add(a, inner, RelationKind::Lco);
      });
    }
  }

  // E2: context handles are per PE, so equal contexts means equal handles on one PE. Collectives are
  // on none: a fence delivers nothing before them.
  bool sameStream(const Operation &a, const Operation &b) const {
    if (b.collective >= 0)
      return false;
    return !contextsMatter || (a.context == b.context && a.home == b.home);
  }

  // E4: what a fence delivers. The source of a transfer and the place a non-blocking fetch stores
  // to are not delivered anywhere; the proposal (c11) leaves sources in.
  bool delivered(const Event &event) const {
    return event.role == Role::Delivered || (!contextsMatter && event.role == Role::Source);
  }

  void rdo(const Operation &fence) {
    for (const Operation &after : graph.operations) {
      if (!before(fence, after))
        continue;
      for (const Operation &earlier : graph.operations)
        if (earlier.fenceOrdered && before(earlier, fence) && sameStream(earlier, fence) &&
            sameStream(fence, after))
          for (int a : earlier.accesses)
            for (int b : after.accesses)
              if (delivered(graph.event(a)) && graph.event(a).pe == graph.event(b).pe &&
                  follows(graph.event(b)))
                add(a, b, RelationKind::Rdo);
      if (fence.nostore) // E9
        continue;
      normalBefore(fence, [&](int a) {
        for (int b : after.accesses)
          if (follows(graph.event(b)))
            add(a, b, RelationKind::Rdo);
      });
    }
  }

  // Whether quiet or barrier `q` waits for `op`. E3: equal contexts are asked for
  // here, and only here.
  bool completes(const Operation &q, const Operation &op) const {
    if (op.accesses.empty() || !before(op, q) || (q.quietTarget >= 0 && op.target != q.quietTarget))
      return false;
    if (!contextsMatter)
      return true;
    return op.context == q.context && (q.members >> op.home & 1);
  }

  void rco(const Operation &q) {
    std::vector<int> completed;
    for (const Operation &op : graph.operations)
      if (completes(q, op))
        for (int a : op.accesses) {
          completed.push_back(a);
          add(a, q.event, RelationKind::Rco);
        }
    if (!q.nostore)
      normalBefore(q, [&](int a) { add(a, q.event, RelationKind::Rco); });
    hb.forEach(q.event, [&](int b) {
      const Event &to = graph.event(b);
      if (to.isNormal() && admits(to))
        add(q.event, b, RelationKind::Rco);
      if (to.kind != EventKind::Operation)
        return;
      for (int inner : graph.operation(to.operation).accesses) {
        if (!follows(graph.event(inner)))
          continue;
        if (!q.nostore)
          add(q.event, inner, RelationKind::Rco);
        else // E9: what the quiet event itself follows may be a plain store, so only operations
             // carry over
          for (int a : completed)
            add(a, inner, RelationKind::Rco);
      }
    });
  }

  // E5: sync orders the callers' own accesses, not operations. Elsewhere program order through the
  // fused event does it.
  void syncOrder(const Operation &sync) {
    normalBefore(sync, [&](int a) { add(a, sync.event, RelationKind::Po); });
    hb.forEach(sync.event, [&](int b) {
      if (graph.event(b).isNormal() && admits(graph.event(b)))
        add(sync.event, b, RelationKind::Po);
    });
  }

  const Graph &graph;
  const Model &model;
  const BitMatrix &hb;
  int id;
  bool contextsMatter; // the proposal knows no contexts
  std::vector<Edge> edges;
};

// A wait, a test and a lock name no context and go with any (E2).
bool anyContext(const Operation &op) {
  using enum OpType;
  return op.type == Wait || op.type == WaitAll || op.type == WaitAny || op.type == Test ||
         op.type == SignalFetch || op.type == SetLock || op.type == TestLock ||
         op.type == ClearLock;
}

bool fenceLike(const Graph &graph, const Event &event) {
  return event.kind == EventKind::LanguageFence ||
         (event.kind == EventKind::Operation &&
          graph.operation(event.operation).type == OpType::Fence);
}

// What reordering hardware keeps of the order of two events of one thread.
bool preserved(const Graph &graph, const Event &a, const Event &b) {
  if (a.isNormal() && b.isNormal())
    return a.location == b.location || a.acquire || b.release;
  return (a.isNormal() && fenceLike(graph, b)) || (fenceLike(graph, a) && b.isNormal());
}

} // namespace

int relationSets(const Graph &graph, const Model &model) {
  return model.kind == ModelKind::ComId ? static_cast<int>(graph.comIdNames.size()) : 1;
}

std::vector<Edge> programOrder(const Graph &graph) {
  std::vector<Edge> edges;
  for (const std::vector<int> &thread : graph.threads)
    for (size_t i = 1; i < thread.size(); ++i)
      edges.push_back({thread[i - 1], thread[i], RelationKind::Po});
  return edges;
}

std::vector<Edge> languageSync(const Graph &graph, const ReadsFrom &rf) {
  std::vector<Edge> edges;
  std::vector<int> position(graph.events.size());
  for (const std::vector<int> &thread : graph.threads)
    for (size_t i = 0; i < thread.size(); ++i)
      position[thread[i]] = static_cast<int>(i);
  auto fences = [&](int access, bool after, auto visit) {
    const Event &event = graph.event(access);
    for (int other : graph.threads[event.thread]) {
      const Event &fence = graph.event(other);
      bool rightSide = (position[other] > position[access]) == after;
      if (fence.kind == EventKind::LanguageFence && rightSide &&
          (after ? fence.acquire : fence.release))
        visit(other);
    }
  };
  for (int load = 0; load < graph.size(); ++load) {
    const Event &reader = graph.event(load);
    if (reader.kind != EventKind::Load || !reader.isNormal() || !reader.atomic)
      continue;
    std::vector<int> sinks;
    if (reader.acquire)
      sinks.push_back(load);
    fences(load, true, [&](int fence) { sinks.push_back(fence); });
    int store = rf[load];
    for (int hops = 0; store >= 0 && hops < graph.size(); ++hops) {
      const Event &writer = graph.event(store);
      if (!writer.isNormal() || !writer.atomic)
        break;
      for (int sink : sinks) {
        if (writer.release && writer.thread != reader.thread)
          edges.push_back({store, sink, RelationKind::So});
        fences(store, false, [&](int fence) {
          if (writer.thread != reader.thread)
            edges.push_back({fence, sink, RelationKind::So});
        });
      }
      store = writer.partner >= 0 ? rf[writer.partner] : readsInitial;
    }
  }
  return edges;
}

BitMatrix languageHappensBefore(const Graph &graph, const std::vector<Edge> &so) {
  BitMatrix hb(graph.size());
  for (const Edge &edge : programOrder(graph))
    hb.set(edge.from, edge.to);
  for (const Edge &edge : so)
    hb.set(edge.from, edge.to);
  hb.close();
  return hb;
}

std::vector<Edge> apiRelations(const Graph &graph, const Model &model, const BitMatrix &hb,
                               int id) {
  return Builder(graph, model, hb, id).run();
}

std::vector<Edge> preservedOrder(const Graph &graph, const Model &model) {
  if (model.kind != ModelKind::ComId)
    return programOrder(graph);
  std::vector<Edge> edges;
  for (const std::vector<int> &thread : graph.threads)
    for (size_t i = 0; i < thread.size(); ++i)
      for (size_t j = i + 1; j < thread.size(); ++j)
        if (preserved(graph, graph.event(thread[i]), graph.event(thread[j])))
          edges.push_back({thread[i], thread[j], RelationKind::Po});
  return edges;
}

bool synchronises(const Graph &graph, const Model &model, int store, int load, int id) {
  const Event &from = graph.event(store), &to = graph.event(load);
  if (!from.sync || !to.sync) // E1: the synchronising access itself, not its operation's payload
    return false;
  const Operation &writer = graph.operation(from.operation);
  const Operation &reader = graph.operation(to.operation);
  if (model.kind == ModelKind::ComId &&
      (!graph.comIdLeq(id, writer.comId) || !graph.comIdLeq(id, reader.comId)))
    return false;
  bool contextsMatter = model.kind == ModelKind::Paper || model.kind == ModelKind::ComId;
  return !contextsMatter || anyContext(writer) || anyContext(reader) ||
         graph.contextDomains[writer.context] == graph.contextDomains[reader.context];
}

} // namespace moac::model
