// Collectives: one operation event that stands in the program order of every member, with accesses
// to the members' own memories. `alltoall d, s` is LD s[j]@i -> ST d[i]@j for all members i and j.
#include "runtime/model/Expander.h"

#include <utility>

namespace moac::model {

// Element `index` (or all, if negative) of the array a collective names, in the memory of `member`;
// -1 after an error.
int Expander::collectiveElement(const Place &place, int index, int member) {
  std::vector<int> at;
  int caller = std::exchange(pe, member);
  resolve(place, at, true);
  pe = caller;
  if (at.size() != 1) {
    fail(place.line, "a collective names its arrays without a range");
    return -1;
  }
  std::string name = graph.locations[at[0]].name;
  return index < 0 ? at[0] : locate(name + "[" + std::to_string(index) + "]", member);
}

// A member's access to its own memory; -1 after an error.
int Expander::collectiveAccess(int op, EventKind kind, int location) {
  if (location < 0)
    return -1;
  int event = access(op, kind, location, kind == EventKind::Load ? Role::Source : Role::Delivered);
  graph.events[event].home = graph.events[event].pe;
  return event;
}

// What member number `j` receives: a block from each member (or the root), or the sum of all.
bool Expander::receive(const Statement &s, int op, const std::vector<int> &members, int j,
                       int root) {
  using enum OpType;
  OpType type = graph.operations[op].type;
  bool combines = type == Reduce || type == ReduceScatter;
  bool indexedSource = type == Alltoall || type == ReduceScatter;
  bool indexedTarget = type == Alltoall || type == Fcollect;
  int count = static_cast<int>(members.size()), sum = -1;
  std::vector<int> loads;
  for (int i = 0; i < count; ++i) {
    if (root >= 0 && i != root)
      continue;
    int from = collectiveElement(s.places[1], indexedSource ? j : -1, members[i]);
    int load = collectiveAccess(op, EventKind::Load, from);
    if (error)
      return false;
    loads.push_back(load);
    sum = sum < 0 ? loaded(load) : combine(ExprOp::Add, sum, loaded(load));
    if (combines && i + 1 < count)
      continue;
    int to = collectiveElement(s.places[0], indexedTarget ? i : -1, members[j]);
    int store = collectiveAccess(op, EventKind::Store, to);
    if (error)
      return false;
    graph.events[store].value = combines ? sum : loaded(load);
    for (int source : combines ? loads : std::vector<int>{load})
      graph.opOrder.emplace_back(source, store);
  }
  return true;
}

bool Expander::addCollectiveAccesses(const Statement &s, int op, const std::vector<int> &members) {
  if (s.places.size() < 2) // barrier, sync
    return true;
  int64_t root = -1;
  if (!s.values.empty()) {
    if (!evaluateConstant(s.values[0], s.line, root))
      return false;
    if (root < 0 || root >= static_cast<int64_t>(members.size()))
      return fail(s.line, "the root is not a member of the team");
  }
  for (size_t j = 0; j < members.size(); ++j)
    if (!receive(s, op, members, static_cast<int>(j), static_cast<int>(root)))
      return false;
  return !error;
}

// The k-th collective call of each member of a team is the same operation event.
bool Expander::runCollective(const Statement &s) {
  std::vector<int> members;
  for (const Team &team : program.teams)
    if (team.name == s.team)
      members = team.members;
  for (int i = 0; s.team.empty() && i < program.pes; ++i)
    members.push_back(i);
  uint64_t mask = 0;
  for (int member : members)
    mask |= uint64_t{1} << member;
  if (!(mask >> pe & 1))
    return fail(s.line, "PE " + std::to_string(pe) + " is not a member of the team");
  int count = collectiveCounts[{s.team, pe}]++;
  auto [entry, isNew] = collectives.try_emplace({s.team, count}, -1);
  if (isNew) {
    int op = entry->second = beginOperation(s, s.op->type);
    graph.events[graph.operations[op].event].home = -1;
    graph.events[graph.operations[op].event].thread = -1;
    graph.operations[op].home = -1;
    graph.operations[op].members = mask;
    missing[op] = mask & ~(uint64_t{1} << pe);
    return addCollectiveAccesses(s, op, members);
  }
  Operation &op = graph.operations[entry->second];
  if (op.info != s.op)
    return fail(s.line, "PE " + std::to_string(pe) + " calls " + std::string(s.op->mnemonic) +
                            " where another PE of the team called " +
                            std::string(op.info->mnemonic) + " (line " +
                            std::to_string(graph.events[op.event].line) + ")");
  missing[entry->second] &= ~(uint64_t{1} << pe);
  graph.threads[thread].push_back(op.event);
  return !error;
}

} // namespace moac::model
