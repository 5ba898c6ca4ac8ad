// Observable accesses of the SHMEM operations, one function per family.
//
// Every operation is an event of its thread plus accesses that are not. `put x@1, s` becomes LD
// s@me -> ST x@1 with the data dependency between them; `put_signal` adds an edge from every
// payload access to the signal; a collective is one operation in the program order of every member.
#include "runtime/model/Expander.h"

namespace moac::model {

void Expander::setContext(const Statement &s, Operation &op) {
  op.comId = comIdOf(s.comId);
  for (size_t i = 0; i < program.contexts.size(); ++i)
    if (program.contexts[i].name == s.context) {
      op.context = static_cast<int>(i) + 1;
      op.nostore = program.contexts[i].nostore;
      if (s.comId.empty())
        op.comId = comIdOf(program.contexts[i].comId);
    }
}

int Expander::beginOperation(const Statement &s, OpType type) {
  Operation op;
  op.info = s.op;
  op.type = type;
  op.home = pe;
  op.members = uint64_t{1} << pe;
  op.blocking = !s.op->nonBlocking;
  setContext(s, op);
  using enum OpType;
  op.fenceOrdered = type == Put || type == AtomicFetch || type == AtomicSet || type == AtomicRmw ||
                    type == CompareSwap || type == PutSignal || type == SignalSet ||
                    type == SignalAdd;
  int index = static_cast<int>(graph.operations.size());
  Event event;
  event.kind = EventKind::Operation;
  event.thread = thread;
  event.home = pe;
  event.operation = index;
  event.comId = op.comId;
  event.line = s.line;
  op.event = addEvent(event);
  graph.operations.push_back(std::move(op));
  return index;
}

int Expander::access(int op, EventKind kind, int location, Role role) {
  Operation &operation = graph.operations[op];
  Event event;
  event.kind = kind;
  event.role = role;
  event.operation = op;
  event.location = location;
  event.pe = graph.locations[location].pe;
  event.home = operation.home;
  event.comId = operation.comId;
  event.line = graph.events[operation.event].line;
  int index = addEvent(event);
  operation.accesses.push_back(index);
  return index;
}

// The store of an atomic pair, right after its load.
int Expander::pairStore(int op, int load, int value) {
  int store = access(op, EventKind::Store, graph.events[load].location, Role::Delivered);
  graph.events[store].value = value;
  graph.events[store].sync = graph.events[load].sync;
  graph.events[store].partner = load;
  graph.events[load].partner = store;
  graph.opOrder.emplace_back(load, store);
  return store;
}

// A non-blocking fetch stores what it fetched; that store is plain data.
void Expander::deliverFetched(int op, int load, int location) {
  int store = access(op, EventKind::Store, location, Role::Fetched);
  graph.events[store].value = loaded(load);
  graph.opOrder.emplace_back(load, store);
}

bool Expander::runTransfer(const Statement &s, int op) {
  bool isPut = graph.operations[op].type == OpType::Put;
  std::vector<int> to, from;
  if (s.op->form == "ll") {
    if (!resolve(s.places[0], to, !isPut) || !resolve(s.places[1], from, isPut))
      return false;
    if (to.size() != from.size())
      return fail(s.line, "source and destination have different lengths");
    for (size_t i = 0; i < to.size(); ++i) {
      int load = access(op, EventKind::Load, from[i], isPut ? Role::Source : Role::Delivered);
      int store = access(op, EventKind::Store, to[i], isPut ? Role::Delivered : Role::Fetched);
      graph.events[store].value = loaded(load);
      graph.opOrder.emplace_back(load, store);
    }
    const std::vector<int> &remote = isPut ? to : from;
    if (!remote.empty())
      graph.operations[op].target = graph.locations[remote.front()].pe;
    return !error;
  }
  if (!resolve(s.places[0], to))
    return false;
  if (to.size() != 1)
    return fail(s.line, "this operation touches one element");
  graph.operations[op].target = graph.locations[to[0]].pe;
  int event = access(op, isPut ? EventKind::Store : EventKind::Load, to[0], Role::Delivered);
  if (isPut) {
    graph.events[event].value = evaluate(s.values[0], s.line);
  } else {
    graph.events[event].returned = true;
    environment[s.reg] = loaded(event);
  }
  return !error;
}

// fetch, set and the read-modify-write family. Non-blocking fetching forms name a local place
// first.
bool Expander::runAtomic(const Statement &s, int op) {
  OpType type = graph.operations[op].type;
  bool fetchesToPlace = s.op->form.starts_with("ll");
  std::vector<int> fetched, target;
  if ((fetchesToPlace && !resolve(s.places[0], fetched, true)) || !resolve(s.places.back(), target))
    return false;
  if (target.size() != 1 || (fetchesToPlace && fetched.size() != 1))
    return fail(s.line, "an atomic operation touches one element");
  int location = target[0];
  graph.operations[op].target = graph.locations[location].pe;
  if (type == OpType::AtomicSet) {
    int store = access(op, EventKind::Store, location, Role::Delivered);
    graph.events[store].sync = true;
    graph.events[store].value = evaluate(s.values[0], s.line);
    return !error;
  }
  int load = access(op, EventKind::Load, location, Role::Delivered);
  graph.events[load].sync = true;
  int result = loaded(load);
  if (s.op->hasValueForm) {
    graph.events[load].returned = true;
    environment[s.reg] = result;
  }
  if (type == OpType::AtomicRmw) {
    int operand = s.values.empty() ? constant(1) : evaluate(s.values[0], s.line);
    pairStore(op, load, s.op->swap ? operand : combine(s.op->rmw, result, operand));
  } else if (type == OpType::CompareSwap) {
    int equal = combine(ExprOp::Eq, result, evaluate(s.values[0], s.line));
    bool stores = decide(2) == 0;
    require(stores ? equal : combine(ExprOp::Not, equal, -1), s.line);
    if (stores)
      pairStore(op, load, evaluate(s.values[1], s.line));
  }
  if (fetchesToPlace)
    deliverFetched(op, load, fetched[0]);
  return !error;
}

// put_signal dst@pe, src, sig += v: the signal word is on the PE of dst.
bool Expander::runSignal(const Statement &s, int op) {
  std::vector<int> to, from, word;
  if (!resolve(s.places[0], to) || !resolve(s.places[1], from, true) || to.size() != from.size())
    return fail(s.line, "source and destination have different lengths");
  Place signal = s.places[2];
  if (!signal.pe)
    signal.pe = s.places[0].pe;
  if (!resolve(signal, word))
    return false;
  if (word.size() != 1)
    return fail(s.line, "a signal is one word");
  if (!to.empty() && graph.locations[to[0]].pe != graph.locations[word[0]].pe)
    return fail(s.line, "payload and signal go to the same PE");
  graph.operations[op].target = graph.locations[word[0]].pe;
  std::vector<int> payload;
  for (size_t i = 0; i < to.size(); ++i) {
    int load = access(op, EventKind::Load, from[i], Role::Source);
    int store = access(op, EventKind::Store, to[i], Role::Delivered);
    graph.events[store].value = loaded(load);
    graph.opOrder.emplace_back(load, store);
    payload.push_back(store);
  }
  int value = evaluate(s.values[0], s.line);
  int first = -1;
  if (s.signalAdd) {
    first = access(op, EventKind::Load, word[0], Role::Delivered);
    graph.events[first].sync = true;
    pairStore(op, first, combine(ExprOp::Add, loaded(first), value));
  } else {
    first = access(op, EventKind::Store, word[0], Role::Delivered);
    graph.events[first].sync = true;
    graph.events[first].value = value;
  }
  for (int store : payload)
    graph.opOrder.emplace_back(store, first);
  return !error;
}

// wait, wait_all, wait_any, test, signal_fetch: reads of local words. A wait is its one successful
// read.
bool Expander::runWait(const Statement &s, int op) {
  OpType type = graph.operations[op].type;
  std::vector<int> words;
  if (!resolve(s.places[0], words, true))
    return false;
  if (type == OpType::WaitAny && !words.empty()) {
    int chosen = decide(static_cast<int>(words.size()));
    environment[s.reg] = constant(chosen);
    words = {words[chosen]};
  }
  if (words.size() != 1 && type != OpType::WaitAll)
    return fail(s.line, "this operation reads one word");
  int bound = s.values.empty() ? -1 : evaluate(s.values[0], s.line);
  for (int word : words) {
    int load = access(op, EventKind::Load, word, Role::Delivered);
    graph.events[load].sync = true;
    int value = loaded(load);
    if (type == OpType::Test || type == OpType::SignalFetch)
      graph.events[load].returned = true;
    if (type == OpType::SignalFetch)
      environment[s.reg] = value;
    else if (type == OpType::Test)
      environment[s.reg] = combine(s.cmp, value, bound);
    else {
      require(combine(s.cmp, value, bound), s.line);
      if (type != OpType::WaitAny)
        graph.waits.push_back({load, s.cmp, bound});
    }
  }
  return !error;
}

// A lock is one word; every PE regards it as its own (the proposal places it on my_pe), so that
// taking it orders what follows and releasing it carries what came before.
bool Expander::runLock(const Statement &s, int op) {
  OpType type = graph.operations[op].type;
  std::vector<int> words;
  if (!resolve(s.places[0], words))
    return false;
  if (words.size() != 1)
    return fail(s.line, "a lock is one word");
  auto own = [&](int event) {
    graph.events[event].sync = true;
    graph.events[event].pe = pe;
    return event;
  };
  if (type == OpType::ClearLock) {
    graph.events[own(access(op, EventKind::Store, words[0], Role::Delivered))].value = constant(0);
    return !error;
  }
  int load = own(access(op, EventKind::Load, words[0], Role::Delivered));
  bool taken = type == OpType::SetLock || decide(2) == 0;
  require(combine(taken ? ExprOp::Eq : ExprOp::Ne, loaded(load), constant(0)), s.line);
  if (taken)
    own(pairStore(op, load, constant(1)));
  if (type == OpType::TestLock)
    environment[s.reg] = constant(taken ? 0 : 1);
  return !error;
}

bool Expander::runQuiet(const Statement &s, int op) {
  int64_t target = -1;
  if (!s.values.empty() && !evaluateConstant(s.values[0], s.line, target))
    return false;
  graph.operations[op].quietTarget = static_cast<int>(target);
  return !error;
}

bool Expander::runOperation(const Statement &s) {
  using enum OpType;
  OpType type = s.op->type;
  if (type >= Barrier)
    return runCollective(s);
  if (type == ClearLock) // releasing a lock completes the caller's operations first
    beginOperation(s, Quiet);
  if (type == SignalSet || type == SignalAdd) // an atomic set, an atomic add
    type = type == SignalSet ? AtomicSet : AtomicRmw;
  int op = beginOperation(s, type);
  switch (type) {
  case Fence:
    return !error;
  case Quiet:
    return runQuiet(s, op);
  case Put:
  case Get:
    return runTransfer(s, op);
  case PutSignal:
    return runSignal(s, op);
  case Wait:
  case WaitAll:
  case WaitAny:
  case Test:
  case SignalFetch:
    return runWait(s, op);
  case SetLock:
  case TestLock:
  case ClearLock:
    return runLock(s, op);
  default:
    return runAtomic(s, op);
  }
}

} // namespace moac::model
