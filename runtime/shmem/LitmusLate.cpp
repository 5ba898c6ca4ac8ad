// LitmusLate.cpp: values that arrive late, and waits that give up.
//
// The model lets a blocking fetch of another PE's word be overtaken by what follows (its value
// orders nothing, erratum E10), but a C function that returns the value cannot show that. Under odd
// seeds the runner therefore issues such fetches in their non-blocking form and looks at the value
// when a statement needs it, which makes load buffering and reordered reads observable.
#include "runtime/shmem/LitmusWalker.h"

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
                                  MOAC_SHMEM_NE, &unset, false};
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
