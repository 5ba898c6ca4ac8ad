// The symbolic execution behind forEachPath, shared by its two halves: Expand.cpp walks threads,
// control and normal accesses, ExpandOperations.cpp turns operations into observable accesses.
// Internal to the library.
#pragma once

#include "runtime/model/Expand.h"

namespace moac::model {

/// Runs all threads of a program once, following `decisions` at each branch and extending it with
/// zeros; the caller counts `decisions` up to reach the next path. Functions return false after the
/// first error.
class Expander {
public:
  Expander(const Program &program, std::vector<std::pair<int, int>> &decisions)
      : program(program), decisions(decisions) {}

  bool run();
  Graph graph;
  std::optional<SourceError> error;

private:
  // Expand.cpp
  bool fail(int line, const std::string &message);
  void declare();
  bool runBody(const std::vector<Statement> &body);
  bool runStatement(const Statement &statement);
  bool runFor(const Statement &statement);
  bool runIf(const Statement &statement);
  bool runNormal(const Statement &statement);
  int decide(int alternatives);
  void require(int value, int line);
  int makeValue(const Value &value);
  int constant(int64_t number);
  int combine(ExprOp op, int lhs, int rhs);
  int loaded(int event);
  int evaluate(const ExprPtr &expr, int line);
  bool evaluateConstant(const ExprPtr &expr, int line, int64_t &out);
  int leafOfCondition(const Expr &expr);
  bool resolve(const Place &place, std::vector<int> &locations, bool localOnly = false,
               bool wholeArray = false);
  int locate(const std::string &name, int pe);
  int addEvent(Event event);
  int comIdOf(const std::string &name) const;
  int normalComId(const Statement &statement, const std::string &place) const;
  Event normalEvent(const Statement &statement, EventKind kind, int location);
  bool buildCondition();

  // ExpandOperations.cpp
  bool runOperation(const Statement &statement);
  bool runTransfer(const Statement &statement, int op);
  bool runAtomic(const Statement &statement, int op);
  bool runCompareSwap(const Statement &statement, int op, int location, size_t firstValue);
  bool runSignal(const Statement &statement, int op);
  bool runWait(const Statement &statement, int op);
  bool runLock(const Statement &statement, int op);
  bool runQuiet(const Statement &statement, int op);

  // ExpandCollectives.cpp
  bool runCollective(const Statement &statement);
  int collectiveElement(const Place &place, int index, int member);
  int collectiveAccess(int op, EventKind kind, int location);
  struct Collective {
    const OpInfo *info = nullptr;
    int line = 0;
    std::vector<int> members, operations; // of each member; barrier and sync: the same
    uint64_t missing = 0;                 // PEs yet to call it
  };
  bool receive(const Statement &statement, const Collective &calls, size_t j, int root);
  bool addCollectiveAccesses(const Statement &statement, const Collective &calls);
  void beginCollective(const Statement &statement, Collective &calls);
  void joinCollective(const Statement &statement, int op);
  void setContext(const Statement &statement, Operation &op);
  int beginOperation(const Statement &statement, OpType type);
  int access(int op, EventKind kind, int location, Role role);
  int pairStore(int op, int load, int value);
  void deliverFetched(int op, int load, int location);

  const Program &program;
  std::vector<std::pair<int, int>> &decisions; // (taken, alternatives)
  size_t nextDecision = 0;
  std::map<std::pair<std::string, int>, int> locationIndex;
  std::map<std::string, size_t> dimensions; // of each place, by its first use
  std::map<std::string, int> environment; // registers and loop variables of the current thread
  std::map<std::pair<std::string, int>, Collective> collectives; // by team and count
  std::map<std::pair<std::string, int>, int> collectiveCounts;   // (team, pe) -> calls so far
  int pe = 0, thread = 0, steps = 0;
};

} // namespace moac::model
