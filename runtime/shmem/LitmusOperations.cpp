// LitmusOperations.cpp: the operations of litmus programs as calls of the runtime.
#include "runtime/shmem/LitmusWalker.h"

namespace moac::shmem {

using namespace model;

namespace {

moac_shmem_comparison comparisonOf(ExprOp op) {
  switch (op) {
  case ExprOp::Ne:
    return MOAC_SHMEM_NE;
  case ExprOp::Lt:
    return MOAC_SHMEM_LT;
  case ExprOp::Le:
    return MOAC_SHMEM_LE;
  case ExprOp::Gt:
    return MOAC_SHMEM_GT;
  case ExprOp::Ge:
    return MOAC_SHMEM_GE;
  default:
    return MOAC_SHMEM_EQ;
  }
}

} // namespace

void Walker::operation(const Statement &s) {
  switch (s.op->type) {
  case OpType::Fence:
    return must(moac_shmem_fence(contextOf(s)));
  case OpType::Quiet: {
    if (s.values.empty())
      return must(moac_shmem_quiet(contextOf(s)));
    int named = static_cast<int>(value(s, 0));
    return must(moac_shmem_pe_quiet(contextOf(s), &named, 1));
  }
  case OpType::Put:
  case OpType::Get:
  case OpType::PutSignal:
  case OpType::SignalSet:
  case OpType::SignalAdd:
    return transfer(s);
  case OpType::AtomicFetch:
  case OpType::AtomicSet:
  case OpType::AtomicRmw:
  case OpType::CompareSwap:
    return atomic(s);
  case OpType::SetLock:
  case OpType::TestLock:
  case OpType::ClearLock:
  case OpType::SignalFetch:
  case OpType::Wait:
  case OpType::WaitAll:
  case OpType::WaitAny:
  case OpType::Test:
    return waiting(s);
  default:
    return collective(s);
  }
}

void Walker::transfer(const Statement &s) {
  const Place &first = s.places.at(0);
  moac_shmem_context context = contextOf(s);
  if (s.op->type == OpType::SignalSet || s.op->type == OpType::SignalAdd) {
    moac_shmem_signal signal = {
        reinterpret_cast<uint64_t *>(local(first)), static_cast<uint64_t>(value(s, 0)),
        s.op->type == OpType::SignalAdd ? MOAC_SHMEM_SIGNAL_ADD : MOAC_SHMEM_SIGNAL_SET};
    return must(moac_shmem_signal_send(context, signal, peOf(first)));
  }
  if (s.op->hasValueForm && s.op->type == OpType::Put) {
    int64_t single = value(s, 0);
    return must(moac_shmem_put(context, local(first), &single, sizeof single, peOf(first)));
  }
  std::vector<int64_t> copy;
  bool copied = s.op->type == OpType::Get && !s.op->nonBlocking && !performingLate &&
                readCopies(s, s.places.back(), copy);
  if (copied && s.op->hasValueForm) {
    variables[s.reg] = copy[0];
    return;
  }
  if (s.op->hasValueForm) {
    int64_t single = 0;
    if (int64_t *landing = landingFor(s, peOf(first)))
      return must(moac_shmem_get_nbi(context, landing, local(first), sizeof single, peOf(first)));
    must(moac_shmem_get(context, &single, local(first), sizeof single, peOf(first)));
    variables[s.reg] = single;
    return;
  }
  const Place &second = s.places.at(1);
  size_t bytes = layout.countOf(first, variables) * sizeof(int64_t);
  bool later = s.op->nonBlocking;
  if (s.op->type == OpType::Get && !later && !copied && copyRound && !performingLate &&
      draw() % 2 == 0) {
    lateGets.push_back({&s, variables});
    return;
  }
  if (s.op->type == OpType::Get) {
    must((later ? moac_shmem_get_nbi : moac_shmem_get)(context, local(first), local(second), bytes,
                                                       peOf(second)));
    for (size_t i = 0; i < copy.size() && copied; ++i) // where and when it stores, stays
      __atomic_store_n(local(first) + i, copy[i], __ATOMIC_RELAXED);
    return;
  }
  if (s.op->type == OpType::Put)
    return must((later ? moac_shmem_put_nbi : moac_shmem_put)(context, local(first), local(second),
                                                              bytes, peOf(first)));
  moac_shmem_signal signal = {reinterpret_cast<uint64_t *>(local(s.places.at(2))),
                              static_cast<uint64_t>(value(s, 0)),
                              s.signalAdd ? MOAC_SHMEM_SIGNAL_ADD : MOAC_SHMEM_SIGNAL_SET};
  must((later ? moac_shmem_put_signal_nbi : moac_shmem_put_signal)(
      context, local(first), local(second), bytes, signal, peOf(first)));
}

void Walker::atomic(const Statement &s) {
  bool toPlace = s.op->nonBlocking; // the fetched value goes to the first place
  const Place &place = s.places.at(toPlace ? 1 : 0);
  int64_t operand = 1, compare = 0, fetched = 0;
  moac_shmem_atomic a = {MOAC_SHMEM_ATOMIC_FETCH, MOAC_SHMEM_I64, &operand, &compare, nullptr};
  if (s.op->type == OpType::CompareSwap) {
    a.op = MOAC_SHMEM_ATOMIC_COMPARE_SWAP;
    compare = value(s, 0);
    operand = value(s, 1);
  } else if (!s.values.empty()) {
    operand = value(s, 0);
  }
  if (s.op->type == OpType::AtomicSet)
    a.op = MOAC_SHMEM_ATOMIC_SET;
  if (s.op->type == OpType::AtomicRmw)
    a.op = s.op->swap                 ? MOAC_SHMEM_ATOMIC_SWAP
           : s.op->rmw == ExprOp::And ? MOAC_SHMEM_ATOMIC_AND
           : s.op->rmw == ExprOp::Or  ? MOAC_SHMEM_ATOMIC_OR
           : s.op->rmw == ExprOp::Xor ? MOAC_SHMEM_ATOMIC_XOR
                                      : MOAC_SHMEM_ATOMIC_ADD;
  bool fetches = !s.reg.empty();
  if (int64_t *landing = fetches ? landingFor(s, peOf(place)) : nullptr) {
    a.fetched = landing;
    return must(moac_shmem_atomic_apply_nbi(contextOf(s), local(place), a, peOf(place)));
  }
  a.fetched = toPlace ? local(s.places[0]) : fetches ? &fetched : nullptr;
  must((toPlace ? moac_shmem_atomic_apply_nbi : moac_shmem_atomic_apply)(contextOf(s), local(place),
                                                                         a, peOf(place)));
  if (fetches)
    variables[s.reg] = fetched;
}

void Walker::waiting(const Statement &s) {
  const Place &place = s.places.at(0);
  auto *lock = reinterpret_cast<long *>(local(place));
  bool taken = false;
  uint64_t seen = 0;
  switch (s.op->type) {
  case OpType::SetLock:
    return must(moac_shmem_lock(lock));
  case OpType::ClearLock:
    return must(moac_shmem_unlock(lock));
  case OpType::TestLock:
    must(moac_shmem_try_lock(lock, &taken));
    variables[s.reg] = !taken;
    return;
  case OpType::SignalFetch:
    must(moac_shmem_signal_fetch(reinterpret_cast<uint64_t *>(lock), &seen));
    variables[s.reg] = static_cast<int64_t>(seen);
    return;
  default:
    break;
  }
  int64_t operand = value(s, 0);
  size_t hits = 0;
  moac_shmem_condition c = {lock,
                            layout.countOf(place, variables),
                            nullptr,
                            MOAC_SHMEM_I64,
                            comparisonOf(s.cmp),
                            &operand,
                            false,
                            comNumber(program, comIdOf(program, s))};
  if (s.op->type == OpType::Test) {
    must(moac_shmem_test(MOAC_SHMEM_ALL, &c, nullptr, &hits));
    variables[s.reg] = hits != 0;
    return;
  }
  bool any = s.op->type == OpType::WaitAny;
  waitFor(c, any ? MOAC_SHMEM_ANY : MOAC_SHMEM_ALL, &hits);
  if (any)
    variables[s.reg] = static_cast<int64_t>(hits);
}

void Walker::collective(const Statement &s) {
  moac_shmem_team team = s.team.empty() ? MOAC_SHMEM_TEAM_WORLD : teams[s.team];
  if (s.op->type == OpType::Barrier)
    return must(moac_shmem_barrier(team));
  if (s.op->type == OpType::Sync)
    return must(moac_shmem_sync(team));
  int64_t *target = local(s.places.at(0)), *source = local(s.places.at(1));
  constexpr size_t block = sizeof(int64_t);
  switch (s.op->type) {
  case OpType::Alltoall:
    return must(moac_shmem_alltoall(team, target, source, block));
  case OpType::Broadcast:
    return must(moac_shmem_broadcast(team, target, source, block, static_cast<int>(value(s, 0))));
  case OpType::Fcollect:
    return must(moac_shmem_fcollect(team, target, source, block));
  case OpType::Reduce:
    return must(moac_shmem_reduce(team, MOAC_SHMEM_SUM, MOAC_SHMEM_I64, target, source, 1));
  default:
    return must(moac_shmem_reduce_scatter(team, MOAC_SHMEM_SUM, MOAC_SHMEM_I64, target, source, 1));
  }
}

} // namespace moac::shmem
