// LitmusRunner.cpp: one PE's walk over the statements of a litmus program, calling the runtime for
// each operation.
//
// An execution starts from the initial values, which all PEs have written when they meet, and ends
// with a quiet and another meeting; each PE has left its registers in symmetric memory by then, and
// PE 0 evaluates the condition over all of it while the others prepare the second set of words.
#include "runtime/shmem/LitmusWalker.h"

#include <algorithm>

namespace moac::shmem {

using namespace model;

uint32_t comNumber(const Program &program, const std::string &name) {
  for (size_t i = 0; i < program.comIds.size(); ++i)
    if (program.comIds[i].name == name)
      return static_cast<uint32_t>(i + 1);
  return MOAC_SHMEM_COM_GLOBAL;
}

std::string comIdOf(const Program &program, const Statement &s) {
  if (!s.comId.empty())
    return s.comId;
  if (s.kind == StatementKind::Operation) {
    for (const Context &context : program.contexts)
      if (context.name == s.context)
        return context.comId;
    return "";
  }
  for (auto &[place, id] : program.allocations)
    if (place == s.places.at(0).name)
      return id;
  return "";
}

moac_shmem_status Walker::prepare() {
  void *memory = nullptr;
  must(moac_shmem_calloc(2 * (layout.words() + 1) + 2, sizeof(int64_t), &memory));
  object = static_cast<int64_t *>(memory);
  for (const Context &context : program.contexts) {
    long options = context.nostore ? MOAC_SHMEM_CONTEXT_NOSTORE : 0;
    must(moac_shmem_context_create(MOAC_SHMEM_TEAM_WORLD, options,
                                   comNumber(program, context.comId), &contexts[context.name]));
  }
  if (me == 0)
    observables = layout.observables(program);
  for (const Team &team : program.teams) {
    int stride = team.members.size() > 1 ? team.members[1] - team.members[0] : 1;
    must(moac_shmem_team_split_strided(MOAC_SHMEM_TEAM_WORLD, team.members.at(0), stride,
                                       static_cast<int>(team.members.size()), &teams[team.name]));
  }
  return status;
}

void Walker::release() {
  for (auto &[name, context] : contexts)
    moac_shmem_context_destroy(context);
  for (auto &[name, team] : teams)
    if (team != MOAC_SHMEM_TEAM_INVALID)
      moac_shmem_team_destroy(team);
  moac_shmem_free(object);
}

void Walker::initialize() {
  words = object + rounds++ % 2 * (layout.words() + 1);
  for (size_t i = 0; i <= layout.words(); ++i)
    __atomic_store_n(words + i, 0, __ATOMIC_RELAXED);
  for (const InitialValue &value : program.init)
    if (!value.place.pe || evaluate(value.place.pe, {}) == me)
      __atomic_store_n(words + layout.wordOf(value.place, {}), value.value, __ATOMIC_RELAXED);
}

/// Under coroutines a barrier of the runtime would cost a hundred steps of the scheduler; there a
/// counter on PE 0 does, and the last to come tells the others.
void Walker::meet() {
  if (!plan.coroutines)
    return must(moac_shmem_barrier(MOAC_SHMEM_TEAM_WORLD));
  must(moac_shmem_quiet(MOAC_SHMEM_CONTEXT_DEFAULT));
  int64_t *count = object + 2 * (layout.words() + 1), *met = count + 1;
  auto at = [&](int64_t *word, int pe) {
    void *address = nullptr;
    must(moac_shmem_ptr(word, pe, &address));
    return static_cast<int64_t *>(address);
  };
  int64_t all = ++meetings * program.pes;
  if (__atomic_add_fetch(at(count, 0), 1, __ATOMIC_ACQ_REL) == all)
    for (int pe = 0; pe < program.pes; ++pe)
      __atomic_store_n(at(met, pe), meetings, __ATOMIC_RELEASE);
  moac_shmem_condition here = {met, 1, nullptr, MOAC_SHMEM_I64, MOAC_SHMEM_GE, &meetings, false, 0};
  must(moac_shmem_wait(MOAC_SHMEM_ALL, &here, nullptr, nullptr));
}

moac_shmem_context Walker::contextOf(const Statement &s) {
  moac_shmem_context context = s.context.empty() ? MOAC_SHMEM_CONTEXT_DEFAULT : contexts[s.context];
  return s.comId.empty() ? context : moac_shmem_tag(context, comNumber(program, s.comId));
}

void Walker::statements(const std::vector<Statement> &body) {
  for (const Statement &s : body)
    if (!failed() && !discarded)
      statement(s);
}

void Walker::statement(const Statement &s) {
  moac_shmem_at(program.file.c_str(), s.line);
  if (!late.empty())
    settle(s);
  if (!pending.empty())
    perform(dueBefore(s));
  if (!lateGets.empty() && !mayOvertakeGets(s))
    performGets();
  if (copyRound)
    copyMemory();
  execute(s);
  if (copyRound)
    forget(s);
}

void Walker::execute(const Statement &s) {
  switch (s.kind) {
  case StatementKind::Let:
    variables[s.reg] = value(s, 0);
    return;
  case StatementKind::Assume:
    discarded = value(s, 0) == 0;
    return;
  case StatementKind::If:
    return statements(value(s, 0) != 0 ? s.body : s.otherwise);
  case StatementKind::For:
    for (int64_t v = value(s, 0), last = value(s, 1); v < last; ++v) {
      if (s.values.size() > 2 && v == value(s, 2))
        continue;
      variables[s.reg] = v;
      statements(s.body);
    }
    return;
  case StatementKind::LanguageFence:
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return;
  case StatementKind::Operation:
    return operation(s);
  default:
    return normalAccess(s);
  }
}

static int noteOfOrder(const Statement &s) {
  bool both = s.order == MemoryOrder::AcquireRelease || s.order == MemoryOrder::SeqCst;
  bool store = s.kind == StatementKind::Store;
  return (!store && (both || s.order == MemoryOrder::Acquire) ? MOAC_SHMEM_NOTE_ACQUIRE : 0) |
         (store && (both || s.order == MemoryOrder::Release) ? MOAC_SHMEM_NOTE_RELEASE : 0);
}

void Walker::normalAccess(const Statement &s) {
  const Place &place = s.places.at(0);
  void *address = nullptr;
  must(moac_shmem_ptr(local(place), peOf(place), &address));
  if (failed())
    return;
  auto *word = static_cast<int64_t *>(address);
  int order = s.order == MemoryOrder::None ? __ATOMIC_RELAXED : __ATOMIC_SEQ_CST;
  step();
  int note = (s.kind == StatementKind::Store ? MOAC_SHMEM_NOTE_STORE : 0) |
             (s.order != MemoryOrder::None ? MOAC_SHMEM_NOTE_ATOMIC : 0) | noteOfOrder(s) |
             MOAC_SHMEM_NOTE_COM(comNumber(program, comIdOf(program, s)));
  moac_shmem_note_access(local(place), sizeof *word, peOf(place), note);
  bool store = s.kind == StatementKind::Store;
  if (std::vector<int64_t> copy; s.kind == StatementKind::Load && readCopies(s, place, copy)) {
    variables[s.reg] = copy[0];
    for (Pending &p : pending) // they are before a local access now
      p.local = p.local || peOf(place) == me;
    return;
  }
  if (lateRound && s.order == MemoryOrder::None && (store || s.kind == StatementKind::Load)) {
    pending.push_back({store, peOf(place) == me, word, store ? value(s, 0) : 0, s.reg});
    if (draw() % 2 != 0)
      perform(Due::All);
    return;
  }
  if (s.kind == StatementKind::Store) {
    order == __ATOMIC_RELAXED ? __atomic_store_n(word, value(s, 0), __ATOMIC_RELAXED)
                              : __atomic_store_n(word, value(s, 0), __ATOMIC_SEQ_CST);
  } else if (s.kind == StatementKind::Load) {
    variables[s.reg] = order == __ATOMIC_RELAXED ? __atomic_load_n(word, __ATOMIC_RELAXED)
                                                 : __atomic_load_n(word, __ATOMIC_SEQ_CST);
  } else if (s.kind == StatementKind::Rmw) {
    int64_t old = s.swap ? __atomic_exchange_n(word, value(s, 0), __ATOMIC_SEQ_CST)
                         : __atomic_fetch_add(word, value(s, 0), __ATOMIC_SEQ_CST);
    if (!s.reg.empty())
      variables[s.reg] = old;
  } else {
    spin(s, word);
  }
}

void Walker::leaveRegisters() {
  if (thread < program.threads.size())
    for (auto &[name, number] : variables)
      if (size_t word = layout.registerWord(thread, name); word != Layout::npos)
        words[word] = number;
  words[layout.words()] = stuck ? 2 : discarded;
}

int64_t Walker::seen(size_t word, int pe) {
  if (pe < 0 || pe >= program.pes)
    must(MOAC_SHMEM_INVALID_PE);
  return word == Layout::npos || failed()
             ? 0
             : everything[static_cast<size_t>(pe) * (layout.words() + 1) + word];
}

int64_t Walker::condition(const ExprPtr &expr) {
  if (!expr)
    return 1;
  if (expr->kind == ExprKind::Memory)
    return seen(layout.wordOf(expr->place, {}),
                expr->place.pe ? static_cast<int>(evaluate(expr->place.pe, {})) : 0);
  for (size_t t = 0; t < program.threads.size(); ++t) {
    const Thread &owner = program.threads[t];
    bool named = expr->kind == ExprKind::ThreadRegister && owner.pe == expr->pe &&
                 owner.index == expr->thread;
    bool unique =
        expr->kind == ExprKind::Name && layout.registerWord(t, expr->name) != Layout::npos;
    if (named || unique)
      return seen(layout.registerWord(t, expr->name), owner.pe);
  }
  if (expr->kind != ExprKind::Operator)
    return evaluate(expr, {{"npes", program.pes}});
  int64_t lhs = condition(expr->lhs);
  if (!expr->rhs)
    return expr->op == ExprOp::Not ? static_cast<int64_t>(lhs == 0)
                                   : applyOperator(ExprOp::Sub, 0, lhs);
  return applyOperator(expr->op, lhs, condition(expr->rhs));
}

void Walker::judge(uint64_t seed, Tally &tally) {
  size_t size = layout.words() + 1;
  everything.resize(size * static_cast<size_t>(program.pes));
  int64_t skip = 0;
  for (int pe = 0; pe < program.pes; ++pe) {
    must(moac_shmem_get(MOAC_SHMEM_CONTEXT_DEFAULT, &everything[static_cast<size_t>(pe) * size],
                        words, size * sizeof *words, pe));
    skip = std::max(skip, seen(layout.words(), pe));
  }
  tally.runs++;
  tally.stuck += skip == 2;
  bool holds = skip == 0 && condition(program.condition) != 0;
  auto &first = holds ? tally.heldSeed : tally.missedSeed;
  if (skip != 0) {
    tally.discarded++;
    return;
  }
  if (first == 0)
    first = seed;
  tally.held += holds;
  std::vector<int64_t> outcome;
  outcome.reserve(observables.size());
  for (const Layout::Observable &what : observables)
    outcome.push_back(seen(what.word, what.pe));
  tally.outcomes.emplace(std::move(outcome), seed);
}

/// The statements, and what of them is still to be done.
void Walker::runThread() {
  statements(program.threads[thread].body);
  perform(Due::All);
  performGets();
}

void Walker::runBeside() {
  runThread();
  while (!late.empty() && !failed())
    settle(std::string(late.begin()->first));
}

/// This PE's threads of the program: the first here, the others beside it.
void Walker::runThreads() {
  if (thread >= program.threads.size())
    return;
  std::vector<Walker> others;
  for (size_t t = thread + 1; t < program.threads.size(); ++t)
    if (program.threads[t].pe == me) {
      others.push_back(*this);
      others.back().thread = t;
      others.back().draws += t * 7919;
    }
  std::vector<moac_shmem_thread *> beside(others.size());
  for (size_t i = 0; i < others.size(); ++i)
    must(moac_shmem_thread_start([](void *other) { static_cast<Walker *>(other)->runBeside(); },
                                 &others[i], &beside[i]));
  if (!failed())
    runThread();
  for (size_t i = 0; i < others.size(); ++i) {
    if (beside[i] != nullptr)
      must(moac_shmem_thread_join(beside[i]));
    others[i].leaveRegisters();
    must(others[i].status);
    discarded = discarded || others[i].discarded;
    stuck = stuck || others[i].stuck;
  }
}

moac_shmem_status Walker::round(uint64_t seed, Tally &tally) {
  discarded = stuck = false;
  lateRound = plan.lateValues && seed % 2 == 1;
  copyRound = plan.lateValues && seed % 4 == 3;
  variables = {{"me", me}, {"npes", program.pes}};
  pending.clear();
  lateGets.clear();
  copies.clear();
  written.assign(copyRound ? layout.words() * static_cast<size_t>(program.pes) : 0, false);
  fetchedRemotely = false;
  draws = seed * 2654435761u + static_cast<uint64_t>(me);
  if (me == 0)
    tally.seed = seed;
  must(moac_shmem_reseed(seed));
  initialize();
  meet();
  runThreads();
  for (uint64_t steps = lateRound ? draw() % 128 : 0; steps > 0 && !failed(); --steps)
    step(); // what is in flight arrives in the scheduler's order, not PE by PE
  for (auto &[name, context] : contexts)
    must(moac_shmem_quiet(context));
  must(moac_shmem_quiet(MOAC_SHMEM_CONTEXT_DEFAULT));
  while (!late.empty() && !failed())
    settle(std::string(late.begin()->first));
  leaveRegisters();
  meet();
  if (me == 0 && !failed())
    judge(seed, tally);
  return status;
}

moac_shmem_status runSeeds(const Program &program, const Layout &layout, const Plan &plan,
                           Tally &tally) {
  Walker walker(program, layout, plan);
  moac_shmem_status status = walker.prepare();
  for (uint64_t i = 0; i < plan.seeds && status == MOAC_SHMEM_OK; ++i)
    status = walker.round(plan.first + i, tally);
  if (status == MOAC_SHMEM_OK)
    walker.release();
  moac_shmem_at(nullptr, 0); // the program's file name may not live as long as the world
  return status;
}

void runJob(void *argument) {
  auto *job = static_cast<Job *>(argument);
  runSeeds(job->program, job->layout, job->plan, job->tally);
}

std::optional<VerdictKind> expectedVerdict(const Program &program, ModelKind kind) {
  for (const Expectation &expectation : program.expectations)
    if (expectation.verdict != VerdictKind::MayBlock && expectation.model == Model{kind})
      return expectation.verdict;
  return std::nullopt;
}

std::optional<VerdictKind> expectedVerdict(const Program &program) {
  auto paper = expectedVerdict(program, ModelKind::Paper);
  return paper ? paper : expectedVerdict(program, ModelKind::ComId);
}

bool judgedByComId(const Program &program) {
  return !expectedVerdict(program, ModelKind::Paper) && expectedVerdict(program, ModelKind::ComId);
}

bool mayBlock(const Program &program) {
  return std::any_of(program.expectations.begin(), program.expectations.end(),
                     [](const Expectation &e) {
                       return e.verdict == VerdictKind::MayBlock ||
                              e.verdict == VerdictKind::Blocked || e.verdict == VerdictKind::Racy;
                     });
}

} // namespace moac::shmem
