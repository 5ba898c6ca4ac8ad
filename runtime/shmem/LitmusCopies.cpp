// LitmusCopies.cpp: old values of data, and gets that are put off: what a race lets a program see.
//
// Nobody may rely on when data accesses are performed but through synchronisation. So a machine may
// keep copies of all memory, remote or not, and let plain loads and gets read them until it takes a
// value from another PE that orders what follows: a wait, a test, a local fetch, a collective. What
// the PE itself has written it never reads from a copy. Likewise a blocking get may be performed as
// late as before the next operation that could tell others about it: fences and puts of other data
// may overtake it. Race-free programs cannot tell; for racy ones the model promises nothing, and
// mapped memory alone would show too little of that.
//
// A synchronising read of a word that nothing in the program could have written for it takes
// nothing from others: a flag set by put, by a language atomic, in another atomicity domain, or
// under an incomparable communication id. Ids count where the program is judged by model comid.
#include "runtime/shmem/LitmusWalker.h"

#include <algorithm>

namespace moac::shmem {

using namespace model;

namespace {

bool isAtOrBelow(const Program &program, std::string id, const std::string &other) {
  while (id != other && !id.empty())
    for (const ComId &known : program.comIds)
      if (known.name == id) {
        id = known.parent;
        break;
      }
  return id == other;
}

std::string domainOf(const Program &program, const Statement &s) {
  for (const Context &context : program.contexts)
    if (context.name == s.context)
      return context.domain;
  return "";
}

bool waits(OpType type) {
  return type == OpType::Wait || type == OpType::WaitAll || type == OpType::WaitAny ||
         type == OpType::Test || type == OpType::SignalFetch;
}

bool fetches(OpType type) {
  return type == OpType::AtomicFetch || type == OpType::AtomicRmw || type == OpType::CompareSwap ||
         type == OpType::SignalAdd || type == OpType::PutSignal;
}

/// The array that a synchronising write goes to; empty for other operations.
std::string synchronises(const Statement &s) {
  switch (s.op->type) {
  case OpType::AtomicSet:
  case OpType::SignalSet:
  case OpType::SignalAdd:
    return s.places.at(0).name;
  case OpType::AtomicRmw:
  case OpType::CompareSwap:
    return s.places.back().name;
  case OpType::PutSignal:
    return s.places.at(2).name;
  default:
    return "";
  }
}

/// Whether the read `to` can synchronise with a write in `body`.
bool anyPartner(const Program &program, bool idsBind, const std::vector<Statement> &body,
                const Statement &to) {
  bool operation = to.kind == StatementKind::Operation;
  const std::string &name = to.places.back().name;
  return std::any_of(body.begin(), body.end(), [&](const Statement &from) {
    if (anyPartner(program, idsBind, from.body, to) ||
        anyPartner(program, idsBind, from.otherwise, to))
      return true;
    if ((from.kind == StatementKind::Operation) != operation)
      return false;
    if (!operation)
      return (from.kind == StatementKind::Store || from.kind == StatementKind::Rmw) &&
             from.order != MemoryOrder::None && from.places[0].name == name;
    std::string a = comIdOf(program, from), b = comIdOf(program, to);
    return synchronises(from) == name &&
           (waits(to.op->type) || domainOf(program, from) == domainOf(program, to)) &&
           (!idsBind || isAtOrBelow(program, a, b) || isAtOrBelow(program, b, a));
  });
}

} // namespace

bool Walker::takesFromOthers(const Statement &s) {
  auto [entry, fresh] = takers.emplace(&s, false);
  if (fresh)
    entry->second =
        std::any_of(program.threads.begin(), program.threads.end(), [&](const Thread &other) {
          return anyPartner(program, judgedByComId(program), other.body, s);
        });
  return entry->second;
}

void Walker::copyMemory() {
  if (!copies.empty() || draw() % 2 != 0)
    return;
  copies.resize(layout.words() * static_cast<size_t>(program.pes));
  for (int pe = 0; pe < program.pes; ++pe) {
    void *there = nullptr;
    must(moac_shmem_ptr(words, pe, &there));
    for (size_t word = 0; word < layout.words() && !failed(); ++word)
      copies[word + static_cast<size_t>(pe) * layout.words()] =
          __atomic_load_n(static_cast<int64_t *>(there) + word, __ATOMIC_RELAXED);
  }
  acquiredIds.clear();
  for (uint64_t steps = draw() % 32; steps > 0 && !failed(); --steps)
    step(); // others change what was copied
}

/// After a statement: what it wrote is never read from copies, and what it took from others makes
/// them useless.
void Walker::forget(const Statement &s) {
  bool operation = s.kind == StatementKind::Operation;
  if (operation || s.kind == StatementKind::Store || s.kind == StatementKind::Rmw)
    markWritten(s);
  bool takes = s.kind == StatementKind::LanguageFence;
  if (operation && s.op->type == OpType::Fence && !acquiredIds.empty()) {
    copies.clear(); // what was taken is before the fence, and any plain access behind it
    return;
  }
  if (operation && fetches(s.op->type)) {
    bool here = peOf(s.places.back()) == me && s.op->type != OpType::PutSignal;
    takes = here && !s.op->nonBlocking && takesFromOthers(s);
    fetchedRemotely = fetchedRemotely || !here || s.op->nonBlocking;
  } else if (operation && (s.op->type == OpType::Fence || s.op->type == OpType::Quiet)) {
    takes = fetchedRemotely;
    fetchedRemotely = false;
  } else if (operation && waits(s.op->type)) {
    takes = takesFromOthers(s);
  } else if (operation) {
    takes = s.op->type != OpType::Put && s.op->type != OpType::Get &&
            s.op->type != OpType::AtomicSet && s.op->type != OpType::SignalSet;
  } else if (s.order != MemoryOrder::None) {
    takes = takesFromOthers(s);
  }
  if (!takes)
    return;
  if (std::string id = comIdOf(program, s); judgedByComId(program) && operation && !id.empty())
    acquiredIds.push_back(id);
  else
    copies.clear();
}

/// Every place of an operation but the source of a get, on either PE that it may be meant on.
void Walker::markWritten(const Statement &s) {
  bool get = s.kind == StatementKind::Operation && s.op->type == OpType::Get;
  for (size_t i = 0; i < s.places.size(); ++i) {
    if (get && i + 1 == s.places.size())
      continue;
    size_t first = layout.wordOf(s.places[i], variables);
    size_t count = layout.countOf(s.places[i], variables);
    for (int pe : {peOf(s.places[i]), peOf(s.places[0])})
      for (size_t word = first; word < first + count; ++word)
        written[word + static_cast<size_t>(pe) * layout.words()] = true;
  }
}

/// Whether the copy may stand for this word now, as the operand of this load or get.
bool Walker::isCopied(size_t word, int pe, const Statement &s) const {
  if (copies.empty() || written[word + static_cast<size_t>(pe) * layout.words()])
    return false;
  bool load = s.kind == StatementKind::Load; // an id binds plain accesses at or below it
  return std::none_of(acquiredIds.begin(), acquiredIds.end(), [&](const std::string &id) {
    return !load || isAtOrBelow(program, comIdOf(program, s), id);
  });
}

/// Fills `into` if this load or get is to read copies.
bool Walker::readCopies(const Statement &s, const Place &from, std::vector<int64_t> &into) {
  if (copies.empty() || s.order != MemoryOrder::None || draw() % 2 != 0)
    return false;
  size_t first = layout.wordOf(from, variables), count = layout.countOf(from, variables);
  int pe = peOf(from);
  for (size_t word = first; word < first + count; ++word) {
    if (!isCopied(word, pe, s))
      return false;
    into.push_back(copies[word + static_cast<size_t>(pe) * layout.words()]);
  }
  return true;
}

bool Walker::mayOvertakeGets(const Statement &s) const {
  switch (s.kind) {
  case StatementKind::Let:
  case StatementKind::Assume:
  case StatementKind::If:
  case StatementKind::For:
    return true;
  case StatementKind::Operation:
    break;
  default:
    return false;
  }
  auto meets = [&](const Place &place) {
    return std::any_of(lateGets.begin(), lateGets.end(), [&](const LateGet &get) {
      return std::any_of(get.statement->places.begin(), get.statement->places.end(),
                         [&](const Place &own) { return own.name == place.name; });
    });
  };
  return s.op->type == OpType::Fence || (s.op->type == OpType::Put && !s.op->nonBlocking &&
                                         std::none_of(s.places.begin(), s.places.end(), meets));
}

void Walker::performGets() {
  for (uint64_t steps = lateGets.empty() ? 0 : draw() % 32; steps > 0 && !failed(); --steps)
    step();
  std::vector<LateGet> gets;
  gets.swap(lateGets);
  for (LateGet &get : gets) {
    std::swap(variables, get.variables);
    performingLate = true;
    transfer(*get.statement);
    performingLate = false;
    std::swap(variables, get.variables);
  }
}

} // namespace moac::shmem
