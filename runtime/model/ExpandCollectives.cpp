// Collectives. Barrier and sync are one event that stands in the program order of every member. Any
// other is one call per member, which accesses that member's own memory; what a member stores
// depends on what others load: `alltoall d, s` is LD s[j]@i -> ST d[i]@j for all members i and j
// (erratum E6).
#include "runtime/model/Expander.h"

#include <algorithm>
#include <utility>

namespace moac::model {

// Element `index` (or all, if negative) of the array a collective names, in the memory of `member`;
// -1 after an error.
int Expander::collectiveElement(const Place &place, int index, int member) {
  std::vector<int> at;
  int caller = std::exchange(pe, member);
  resolve(place, at, true, index >= 0);
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
  return access(op, kind, location, kind == EventKind::Load ? Role::Source : Role::Received);
}

// What member number `j` receives: a block from each member (or the root), or the sum of all.
bool Expander::receive(const Statement &s, const Collective &calls, size_t j, int root) {
  using enum OpType;
  OpType type = s.op->type;
  bool combines = type == Reduce || type == ReduceScatter;
  bool indexedSource = type == Alltoall || type == ReduceScatter;
  bool indexedTarget = type == Alltoall || type == Fcollect;
  int count = static_cast<int>(calls.members.size()), sum = -1, number = static_cast<int>(j);
  std::vector<int> loads;
  for (int i = 0; i < count; ++i) {
    if (root >= 0 && i != root)
      continue;
    auto from = static_cast<size_t>(i);
    int source = collectiveElement(s.places[1], indexedSource ? number : -1, calls.members[from]);
    int load = collectiveAccess(calls.operations[from], EventKind::Load, source);
    if (error)
      return false;
    loads.push_back(load);
    sum = sum < 0 ? loaded(load) : combine(ExprOp::Add, sum, loaded(load));
    if (combines && i + 1 < count)
      continue;
    int to = collectiveElement(s.places[0], indexedTarget ? i : -1, calls.members[j]);
    int store = collectiveAccess(calls.operations[j], EventKind::Store, to);
    if (error)
      return false;
    graph.events[store].value = combines ? sum : loaded(load);
    for (int read : combines ? loads : std::vector<int>{load})
      graph.opOrder.emplace_back(read, store);
  }
  return true;
}

bool Expander::addCollectiveAccesses(const Statement &s, const Collective &calls) {
  if (s.places.size() < 2) // barrier, sync
    return true;
  int64_t root = -1;
  if (!s.values.empty()) {
    if (!evaluateConstant(s.values[0], s.line, root))
      return false;
    if (root < 0 || root >= static_cast<int64_t>(calls.members.size()))
      return fail(s.line, "the root is not a member of the team");
  }
  for (size_t j = 0; j < calls.members.size(); ++j)
    if (!receive(s, calls, j, static_cast<int>(root)))
      return false;
  return !error;
}

// The operations of all members, in no thread yet.
void Expander::beginCollective(const Statement &s, Collective &calls) {
  bool together = s.places.empty(); // barrier, sync
  int caller = pe, callersThread = std::exchange(thread, -1);
  for (int member : calls.members) {
    pe = member;
    if (together && !calls.operations.empty()) {
      calls.operations.push_back(calls.operations[0]);
      continue;
    }
    int op = beginOperation(s, s.op->type);
    graph.operations[op].members = calls.missing;
    graph.operations[op].collective = static_cast<int>(collectives.size()) - 1;
    if (together)
      graph.operations[op].home = graph.events[graph.operations[op].event].home = -1;
    calls.operations.push_back(op);
  }
  pe = caller;
  thread = callersThread;
}

// This call in the program order of its thread, with its own context, id and line.
void Expander::joinCollective(const Statement &s, int op) {
  Operation &operation = graph.operations[op];
  Event &event = graph.events[operation.event];
  graph.threads[thread].push_back(operation.event);
  if (operation.home < 0)
    return;
  setContext(s, operation);
  event.thread = thread;
  event.line = s.line;
  event.comId = operation.comId;
  for (int access : operation.accesses) {
    graph.events[access].line = s.line;
    graph.events[access].comId = operation.comId;
  }
}

// The k-th collective call of each member of a team is the same collective.
bool Expander::runCollective(const Statement &s) {
  std::vector<int> members;
  for (const Team &team : program.teams)
    if (team.name == s.team)
      members = team.members;
  for (int i = 0; s.team.empty() && i < program.pes; ++i)
    members.push_back(i);
  auto self = std::find(members.begin(), members.end(), pe);
  if (self == members.end())
    return fail(s.line, "PE " + std::to_string(pe) + " is not a member of the team");
  int count = collectiveCounts[{s.team, pe}]++;
  auto [entry, isNew] = collectives.try_emplace({s.team, count});
  Collective &calls = entry->second;
  if (isNew) {
    calls.info = s.op;
    calls.line = s.line;
    calls.members = members;
    for (int member : members)
      calls.missing |= uint64_t{1} << member;
    beginCollective(s, calls);
    if (!addCollectiveAccesses(s, calls))
      return false;
  }
  if (calls.info != s.op)
    return fail(s.line, "PE " + std::to_string(pe) + " calls " + std::string(s.op->mnemonic) +
                            " where another PE of the team called " +
                            std::string(calls.info->mnemonic) + " (line " +
                            std::to_string(calls.line) + ")");
  calls.missing &= ~(uint64_t{1} << pe);
  joinCollective(s, calls.operations[static_cast<size_t>(self - members.begin())]);
  return !error;
}

} // namespace moac::model
