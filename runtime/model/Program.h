// The litmus program as parsed: plain structs, nothing expanded. Litmus.md describes the text they
// come from.
//
// Two readers use them: the checker (Expand.h turns a program into candidate event graphs) and
// whoever wants to run the same file on a real runtime, walking the statements thread by thread.
// Expressions are integers over registers, loop variables and the names `me` and `npes`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moac::model {

/// Binary and unary operators of expressions, in no particular order.
enum class ExprOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  And,
  Or,
  Xor,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  LogicalAnd,
  LogicalOr,
  Neg,
  Not
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// What a leaf or an inner node of an expression is.
enum class ExprKind : uint8_t { Number, Name, ThreadRegister, Memory, Operator };

/// A place in symmetric memory: `in[it%2][q]@pe`. `lo` and `hi` are set for the half-open range
/// form `x[lo:hi]`; `pe` is null when the place is on the PE of the thread.
struct Place {
  std::string name;
  std::vector<ExprPtr> indices;
  ExprPtr lo, hi;
  ExprPtr pe;
  int line = 0;
  bool isRange() const { return lo != nullptr; }
};

/// An integer expression. ThreadRegister (`1:r0`) and Memory (`x@1`) occur in conditions only.
struct Expr {
  ExprKind kind = ExprKind::Number;
  ExprOp op = ExprOp::Add;
  int64_t number = 0;
  std::string name;       // Name, ThreadRegister
  int pe = 0, thread = 0; // ThreadRegister
  Place place;            // Memory
  ExprPtr lhs, rhs;       // Operator; rhs null for Neg and Not
};

/// Language-level memory order of a normal access; None is a plain access.
enum class MemoryOrder : uint8_t { None, Relaxed, Acquire, Release, AcquireRelease, SeqCst };

/// The operation types of the model. One C name family each; fetching and non-blocking are
/// properties of the mnemonic.
enum class OpType : uint8_t {
  Put,
  Get,
  AtomicFetch,
  AtomicSet,
  AtomicRmw,
  CompareSwap,
  PutSignal,
  SignalSet,
  SignalAdd,
  SignalFetch,
  Wait,
  WaitAll,
  WaitAny,
  Test,
  SetLock,
  TestLock,
  ClearLock,
  Fence,
  Quiet,
  Barrier,
  Sync,
  Alltoall,
  Broadcast,
  Fcollect,
  Reduce,
  ReduceScatter
};

/// One line of the operation table: how a mnemonic is written and what it does.
/// `form` lists the arguments: r register, l place, e expression, c `place CMP expression`, s
/// `place = e` or `place += e`.
struct OpInfo {
  std::string_view mnemonic;
  OpType type;
  std::string_view form;
  bool nonBlocking = false;
  bool hasValueForm = false; // put without a source (p), get into a register (g), fetching AMO
  ExprOp rmw = ExprOp::Add;  // AtomicRmw: new value = old rmw operand; swap uses rhs only
  bool swap = false;
};

/// The operation of that name, or null.
const OpInfo *findOperation(std::string_view mnemonic);

/// All operations, for documentation and tests.
const std::vector<OpInfo> &allOperations();

enum class StatementKind : uint8_t {
  Store,
  Load,
  Spin,
  Rmw,
  LanguageFence,
  Let,
  Assume,
  If,
  For,
  Operation
};

/// One statement of a thread. Which fields are used depends on the kind; see Litmus.md for the
/// meaning.
struct Statement {
  StatementKind kind = StatementKind::Operation;
  int line = 0;
  MemoryOrder order = MemoryOrder::None;
  const OpInfo *op = nullptr;
  std::string reg;           // destination register or loop variable
  std::vector<Place> places; // in the order written
  std::vector<ExprPtr>
      values; // in the order written; If and Assume: the condition; For: lo, hi[, except]
  ExprOp cmp = ExprOp::Eq; // comparison of wait, test and spin
  bool swap = false;       // Rmw: exchange instead of add
  bool signalAdd = false;  // put_signal with +=
  std::string context, comId, team;
  std::vector<Statement> body, otherwise;
};

struct Thread {
  int pe = 0, index = 0;
  bool everyPe = false; // only while parsing: `all:`
  std::vector<Statement> body = {};
};

struct InitialValue {
  Place place; // pe null: on every PE
  int64_t value = 0;
};

struct Context {
  std::string name, comId, domain;
  bool nostore = false;
};

/// A communication id; `parent` is empty for a child of the global id.
struct ComId {
  std::string name, parent;
};

struct Team {
  std::string name;
  std::vector<int> members;
};

enum class ModelKind : uint8_t { Paper, C11, C11Quiet, ComId };

/// A model with its options; `returnLco` orders a blocking fetch before what follows it.
struct Model {
  ModelKind kind = ModelKind::Paper;
  bool returnLco = false;
  bool operator==(const Model &) const = default;
};

/// "paper", "c11", "c11q", "comid", each optionally followed by "+ret-lco".
std::optional<Model> parseModel(std::string_view text);
std::string modelName(const Model &model);

/// MayBlock is never the verdict of a search: it stands beside one (Verdict::lost) and in
/// expectations.
enum class VerdictKind : uint8_t {
  RaceFree,
  Racy,
  Allowed,
  Forbidden,
  Holds,
  Violated,
  Blocked,
  MayBlock
};

std::string_view verdictName(VerdictKind verdict);
std::optional<VerdictKind> parseVerdict(std::string_view text);

struct Expectation {
  Model model;
  VerdictKind verdict = VerdictKind::RaceFree;
  int line = 0;
};

enum class ConditionKind : uint8_t { None, Exists, Forall };

/// One litmus program.
struct Program {
  std::string name, file;
  int line = 0;
  int pes = 1;
  std::vector<InitialValue> init;
  std::vector<Context> contexts;
  std::vector<ComId> comIds;
  std::vector<std::pair<std::string, std::string>> allocations; // place name -> com id
  std::vector<Team> teams;
  std::vector<Thread> threads;
  ConditionKind conditionKind = ConditionKind::None;
  ExprPtr condition;
  std::vector<Expectation> expectations;
};

/// An error in a litmus file or a trace: `FILE:LINE:COLUMN: error: message`, then the line with a
/// caret below the column, as far as they are known.
struct SourceError {
  std::string file, message;
  int line = 0, column = 0; // from 1; 0: not known
  std::string source = {};  // the line's text
  std::string str() const;
};

/// Fills in the text of the error's line.
void quoteLine(SourceError &error, std::string_view text);

/// ` (did you mean 'x'?)` for the candidate that one or two slips make of `name`, or nothing.
std::string suggestion(std::string_view name, const std::vector<std::string_view> &candidates);

/// Parses all programs of one file. On failure returns what was read so far and fills `error`.
std::vector<Program> parseLitmus(std::string_view text, const std::string &file,
                                 std::optional<SourceError> &error);

/// Applies an operator to integers with wrap-around; division by zero yields 0.
int64_t applyOperator(ExprOp op, int64_t lhs, int64_t rhs);

} // namespace moac::model
