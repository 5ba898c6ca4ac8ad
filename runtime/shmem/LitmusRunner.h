// LitmusRunner.h: runs a litmus program (runtime/model/Litmus.md) on the runtime itself and counts
// its outcomes, so that the model's verdicts become tests of the runtime: what the model forbids
// must never be seen, what it allows should be.
#pragma once

#include "runtime/model/Program.h"
#include "runtime/shmem/moac_shmem.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace moac::shmem {

/// Variables of one thread: registers, loop variables, `me` and `npes`.
using Variables = std::map<std::string, int64_t>;
int64_t evaluate(const model::ExprPtr &expr, const Variables &variables);

/// Where the program's places and registers live: 8-byte words of one symmetric object.
class Layout {
public:
  /// Walks all statements; `reason` says why a program cannot run here (empty if it can).
  explicit Layout(const model::Program &program);
  std::string reason;
  size_t words() const { return total; }
  /// The word of a place, and for ranges how many follow.
  size_t wordOf(const model::Place &place, const Variables &variables) const;
  size_t countOf(const model::Place &place, const Variables &variables) const;
  /// The word in which thread `thread` leaves register `name`; npos if it has none.
  size_t registerWord(size_t thread, const std::string &name) const;
  /// What an outcome consists of: every register, and every place on every PE but for locks, whose
  /// words are the runtime's own affair. As atoms of conditions, with the word and its PE.
  struct Observable {
    int pe = 0;
    size_t word = 0;
    model::ExprPtr atom;
  };
  std::vector<Observable> observables(const model::Program &program) const;
  static constexpr size_t npos = SIZE_MAX;

private:
  struct Array {
    std::vector<size_t> extents;
    size_t base = 0, size = 1;
    bool word = true, lock = false; // word: never indexed
  };
  void walk(const std::vector<model::Statement> &body, Variables &variables, size_t thread,
            int pes);
  void note(const model::Place &place, const Variables &variables, size_t least = 1);
  void noteOperation(const model::Statement &statement, const Variables &variables, int pes);
  std::map<std::string, Array> arrays;
  std::vector<std::map<std::string, size_t>> registers;
  size_t total = 0;
};

/// What was seen. Updated by PE 0 only. A discarded run failed an `assume`, a stuck one a wait's
/// deadline. The seeds are the first that showed the condition true or false (0: none), or an
/// outcome: the values of the layout's observables.
struct Tally {
  std::atomic<uint64_t> runs{0}, held{0}, discarded{0}, stuck{0};
  std::atomic<uint64_t> heldSeed{0}, missedSeed{0}, seed{0}; // seed: the one that runs now
  std::map<std::vector<int64_t>, uint64_t> outcomes;
};

/// How executions are made. Seeds first, first + 1, ... give one execution each.
struct Plan {
  uint64_t first = 1, seeds = 1;
  bool coroutines = false; // PEs meet between executions without deliveries of their own
  bool lateValues = false; // under odd seeds remote fetches deliver their value when it is needed
  bool deadlines = false;  // waits give up after 100 ms: the program may block
};

/// One PE's part of the executions. Every PE of a world of program.pes under chaos calls it; PE 0
/// counts. Returns the first failing status (DEADLOCK: the program blocked).
moac_shmem_status runSeeds(const model::Program &program, const Layout &layout, const Plan &plan,
                           Tally &tally);

/// The same as the argument of moac_shmem_run(&options, runJob, &job).
struct Job {
  const model::Program &program;
  const Layout &layout;
  Plan plan;
  Tally &tally;
};
void runJob(void *job);

/// The verdict that the runtime is held to: that of model paper, else of comid; none if the file
/// has neither.
std::optional<model::VerdictKind> expectedVerdict(const model::Program &program);
std::optional<model::VerdictKind> expectedVerdict(const model::Program &program,
                                                  model::ModelKind kind);

/// Whether that verdict is of comid: communication ids bind, where else they are only carried
/// along.
bool judgedByComId(const model::Program &program);

/// Asks the checker for each outcome whether the model admits it; what is wrong, or an empty text.
/// Of a racy program it admits all.
std::string foreignOutcome(const model::Program &program, const Layout &layout, const Tally &tally,
                           const model::Model &model);

/// Whether an execution may hang: the model says so, or says nothing since the program races.
bool mayBlock(const model::Program &program);

} // namespace moac::shmem
