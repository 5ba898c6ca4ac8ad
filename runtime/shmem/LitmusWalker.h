// LitmusWalker.h: one PE's walk over the statements of a litmus program. Statements and rounds are
// in LitmusRunner.cpp, operations in LitmusOperations.cpp.
#pragma once

#include "runtime/shmem/LitmusRunner.h"

namespace moac::shmem {

class Walker {
public:
  Walker(const model::Program &program, const Layout &layout, const Plan &plan)
      : program(program), layout(layout), plan(plan), me(moac_shmem_my_pe()) {
    for (thread = 0; thread < program.threads.size() && program.threads[thread].pe != me; ++thread)
      ;
  }
  moac_shmem_status prepare();
  moac_shmem_status round(uint64_t seed, Tally &tally);
  void release();

private:
  /// All PEs have come here and completed their operations.
  void meet();
  void judge(uint64_t seed, Tally &tally);
  /// Remote values that are still on their way: a register's word holds `unset`. It lies in
  /// symmetric memory, which outlives the walk, since a failed walk leaves deliveries behind.
  int64_t *landingFor(const model::Statement &s, int at);
  void settle(const model::Statement &s);
  void settle(const std::string &reg);
  /// Plain accesses that are still to be performed. Before each statement those are that the model
  /// orders before it.
  struct Pending {
    bool store, local;
    int64_t *word, value;
    std::string reg;
  };
  enum class Due { None, Local, All };
  Due dueBefore(const model::Statement &s);
  Due dueBeforeOperation(const model::Statement &s);
  void perform(Due due);
  uint64_t draw();
  /// A blocking get that is put off, with the variables that its places depend on.
  struct LateGet {
    const model::Statement *statement;
    Variables variables;
  };
  bool mayOvertakeGets(const model::Statement &s) const;
  void performGets();
  /// Copies of all memory, which plain loads and gets may read instead; see LitmusCopies.cpp.
  void copyMemory();
  void forget(const model::Statement &s);
  void markWritten(const model::Statement &s);
  bool takesFromOthers(const model::Statement &s);
  bool isCopied(size_t word, int pe, const model::Statement &s) const;
  bool readCopies(const model::Statement &s, const model::Place &from, std::vector<int64_t> &into);
  void runThread();
  void runBeside();
  void runThreads();
  void spin(const model::Statement &s, const int64_t *word);
  void waitFor(const moac_shmem_condition &condition, moac_shmem_which which, size_t *hits);
  void initialize();
  void statements(const std::vector<model::Statement> &body);
  void statement(const model::Statement &s);
  void execute(const model::Statement &s);
  void normalAccess(const model::Statement &s);
  void operation(const model::Statement &s);
  void transfer(const model::Statement &s);
  void atomic(const model::Statement &s);
  void waiting(const model::Statement &s);
  void collective(const model::Statement &s);
  void leaveRegisters();
  int64_t condition(const model::ExprPtr &expr);
  int64_t seen(size_t word, int pe);
  bool failed() const { return status != MOAC_SHMEM_OK; }
  void must(moac_shmem_status answer) {
    if (status == MOAC_SHMEM_OK)
      status = answer;
  }
  int64_t value(const model::Statement &s, size_t i) { return evaluate(s.values.at(i), variables); }
  int64_t *local(const model::Place &place) { return words + layout.wordOf(place, variables); }
  int peOf(const model::Place &place) {
    return place.pe ? static_cast<int>(evaluate(place.pe, variables)) : me;
  }
  moac_shmem_context contextOf(const model::Statement &s);
  /// A switch point between plain accesses, for coroutines.
  void step() { moac_shmem_step(); }

  const model::Program &program;
  const Layout &layout;
  const Plan &plan;
  int me;
  size_t thread;
  int64_t *object =
      nullptr;              // two sets of words, used in turn, then the words that meet() counts in
  int64_t *words = nullptr; // the set of this round
  uint64_t rounds = 0;
  int64_t meetings = 0;
  std::vector<int64_t> everything; // the words of all PEs when a round has ended
  std::vector<Layout::Observable> observables;
  Variables variables;
  std::map<std::string, int64_t *> late;
  std::vector<Pending> pending;
  std::vector<LateGet> lateGets;
  std::vector<int64_t> copies;          // word + pe * layout.words(); empty: none
  std::vector<bool> written;            // by this PE in this round
  std::vector<std::string> acquiredIds; // since the copies were made
  std::map<const model::Statement *, bool> takers;
  bool fetchedRemotely = false; // a fence or quiet would order what follows behind the fetch
  uint64_t draws = 0;           // of whether a plain access waits
  std::map<std::string, moac_shmem_context> contexts;
  std::map<std::string, moac_shmem_team> teams;
  moac_shmem_status status = MOAC_SHMEM_OK;
  bool discarded = false, stuck = false, lateRound = false, copyRound = false,
       performingLate = false;
};

/// The communication id of an operation (its own, or its context's) or plain access (its own, or
/// its allocation's); empty for the global one.
std::string comIdOf(const model::Program &program, const model::Statement &s);

/// The number that stands for a communication id of the program; 0 for none.
uint32_t comNumber(const model::Program &program, const std::string &name);

} // namespace moac::shmem
