// LitmusLate.cpp: values that arrive late, plain accesses that are performed late, and waits that
// give up.
//
// The model lets a blocking fetch of another PE's word be overtaken by what follows (its value
// orders nothing, erratum E10), but a C function that returns the value cannot show that. Under odd
// seeds the runner therefore issues such fetches in their non-blocking form and looks at the value
// when a statement needs it, which makes load buffering and reordered reads observable.
//
// Likewise a plain load or store is not ordered with a later operation that touches only another
// PE, nor one through a pointer to another PE with any operation short of a fence: under odd seeds
// it may be performed behind them.
#include "runtime/shmem/LitmusWalker.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace moac::shmem {

using namespace model;

namespace {

constexpr int64_t unset = 0x5eed5eed5eed5eed;

bool mentions(const ExprPtr &expr, const std::string &reg) {
  return expr && ((expr->kind == ExprKind::Name && expr->name == reg) || mentions(expr->lhs, reg) ||
                  mentions(expr->rhs, reg));
}

bool mentions(const Statement &s, const std::string &reg) {
  bool found = s.reg == reg;
  for (const ExprPtr &value : s.values)
    found = found || mentions(value, reg);
  for (const Place &place : s.places) {
    found = found || mentions(place.pe, reg) || mentions(place.lo, reg) || mentions(place.hi, reg);
    for (const ExprPtr &index : place.indices)
      found = found || mentions(index, reg);
  }
  return found;
}

} // namespace

int64_t *Walker::landingFor(const Statement &s, int at) {
  if (!lateRound || at == me)
    return nullptr;
  int64_t *landing = words + layout.registerWord(thread, s.reg);
  __atomic_store_n(landing, unset, __ATOMIC_RELAXED);
  return late[s.reg] = landing;
}

void Walker::settle(const std::string &reg) {
  auto entry = late.find(reg);
  moac_shmem_condition arrived = {entry->second, 1,      nullptr, MOAC_SHMEM_I64,
                                  MOAC_SHMEM_NE, &unset, false,   0};
  must(moac_shmem_wait(MOAC_SHMEM_ALL, &arrived, nullptr, nullptr));
  if (failed())
    return;
  variables[reg] = *entry->second;
  late.erase(entry);
}

void Walker::settle(const Statement &s) {
  std::vector<std::string> needed;
  for (auto &[reg, landing] : late)
    if (mentions(s, reg))
      needed.push_back(reg);
  for (const std::string &reg : needed)
    if (!failed())
      settle(reg);
}

Walker::Due Walker::dueBeforeOperation(const Statement &s) {
  auto context = std::find_if(program.contexts.begin(), program.contexts.end(),
                              [&](const Context &c) { return c.name == s.context; });
  bool nostore = context != program.contexts.end() && context->nostore;
  bool remote = peOf(s.places.empty() ? Place{} : s.places[0]) != me;
  bool moves = s.places.size() > 1; // between this PE and another
  switch (s.op->type) {
  case OpType::Fence:
  case OpType::Quiet:
    return nostore ? Due::None : Due::All;
  case OpType::Put:
  case OpType::Get:
  case OpType::AtomicFetch:
  case OpType::AtomicSet:
  case OpType::AtomicRmw:
  case OpType::CompareSwap:
  case OpType::SignalSet:
  case OpType::SignalAdd:
    return remote && !moves ? Due::None : Due::Local;
  case OpType::PutSignal: // E12: without data there is no local access
    return remote && layout.countOf(s.places[0], variables) == 0 ? Due::None : Due::Local;
  default:
    return Due::All; // waits and collectives: others may be waiting for the access
  }
}

Walker::Due Walker::dueBefore(const Statement &s) {
  for (const Pending &p : pending)
    if (!p.reg.empty() && mentions(s, p.reg))
      return Due::All;
  switch (s.kind) {
  case StatementKind::Let:
  case StatementKind::Assume:
  case StatementKind::If:
  case StatementKind::For:
    return Due::None;
  case StatementKind::Operation:
    return dueBeforeOperation(s);
  case StatementKind::Load:
  case StatementKind::Store: {
    void *address = nullptr;
    must(moac_shmem_ptr(local(s.places.at(0)), peOf(s.places.at(0)), &address));
    bool same = std::any_of(pending.begin(), pending.end(),
                            [&](const Pending &p) { return p.word == address; });
    return same || s.order != MemoryOrder::None ? Due::All : Due::None;
  }
  default:
    return Due::All;
  }
}

uint64_t Walker::draw() {
  draws = draws * 6364136223846793005u + 1442695040888963407u;
  return draws >> 33;
}

void Walker::perform(Due due) {
  if (due == Due::None || pending.empty())
    return;
  for (uint64_t steps = draw() % 32; steps > 0; --steps)
    step(); // others see what has overtaken the accesses
  // With a local access goes what is before it in program order.
  size_t last = pending.size();
  while (due == Due::Local && last > 0 && !pending[last - 1].local)
    --last;
  std::vector<Pending> rest(pending.begin() + static_cast<std::ptrdiff_t>(last), pending.end());
  pending.resize(last);
  for (const Pending &p : pending) {
    if (p.store)
      __atomic_store_n(p.word, p.value, __ATOMIC_RELAXED);
    else
      variables[p.reg] = __atomic_load_n(p.word, __ATOMIC_RELAXED);
  }
  pending = std::move(rest);
}

void Walker::spin(const Statement &s, const int64_t *word) {
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  int polls = 0;
  while (applyOperator(s.cmp, __atomic_load_n(word, __ATOMIC_SEQ_CST), value(s, 0)) == 0 &&
         !failed()) {
    bool over = plan.coroutines ? ++polls > 1000000 : std::chrono::steady_clock::now() > limit;
    over ? must(MOAC_SHMEM_DEADLOCK) : step();
    if (!plan.coroutines)
      std::this_thread::yield();
  }
}

void Walker::waitFor(const moac_shmem_condition &condition, moac_shmem_which which, size_t *hits) {
  if (plan.coroutines || !plan.deadlines)
    return must(moac_shmem_wait(which, &condition, nullptr, hits));
  auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  auto held = [&] {
    must(moac_shmem_test(which, &condition, nullptr, hits));
    return which == MOAC_SHMEM_ANY ? *hits != SIZE_MAX : *hits != 0;
  };
  while (!held() && !failed() && !stuck) {
    std::this_thread::yield(); // so that this thread sees a value before the next one hides it
    stuck = std::chrono::steady_clock::now() > deadline;
  }
  discarded = discarded || stuck;
}

} // namespace moac::shmem
