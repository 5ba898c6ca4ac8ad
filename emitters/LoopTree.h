// What an emitter prints: a kernel as loops over flat memory, in plain structs.
//
// The tree is the last thing the compiler builds and the only thing the printer knows. Every
// decision has been taken when it exists: names are spelled as the target allows, values are
// inlined or bound, directives stand where they hold. A language table (LangTraits.h) then says how
// each node is spelled. Nothing here depends on MLIR, so emitters compile and test in a second.
//
//     Loop i in 0..N, team          for (int64_t i = 0; i < N; ++i) {
//       Variable s = 0.0              double s = 0.0;
//       Loop j in 0..M                for (int64_t j = 0; j < M; ++j) {
//         Update add s, A[i*M + j]      s += A[i*M + j];
#ifndef MOAC_EMITTERS_LOOPTREE_H
#define MOAC_EMITTERS_LOOPTREE_H

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace moac::tree {

/// Element and value types. Index is a 64-bit integer whose arithmetic is known to stay in range
/// (offsets, loop variables, extents); I64 wraps. F16 and BF16 are storage only: patterns of 16
/// bits.
enum class Elem : uint8_t {
  Index,
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64
};
inline constexpr unsigned numElems = 14;
/// The language's word for a type: f64, u8, bool; `index` for Index.
const char *elemName(Elem type);
bool isFloat(Elem type);    // also F16, BF16
bool isSigned(Elem type);   // I8..I64 and Index
bool isUnsigned(Elem type); // U8..U64
/// Bytes of one element in memory.
int64_t elemBytes(Elem type);

/// Scalar functions of the language (ir/ScalarFunctions.def), then what only loop code has: a lazy
/// choice, division of numbers known to be non-negative by a positive one, and exponentials of what
/// is known not to be positive.
enum class Op : uint8_t {
#define SCALAR_FN(kind, arity, klass) kind##_,
#include "ir/ScalarFunctions.def"
  select_,
  quotient_,
  remainder_,
  exp_down_,
  exp2_down_,
};
inline constexpr unsigned numOps = static_cast<unsigned>(Op::exp2_down_) + 1;
const char *opName(Op op);
unsigned opArity(Op op);
/// The function of that name in ir/ScalarFunctions.def.
std::optional<Op> opFromName(std::string_view name);

/// A scalar expression without side effects.
struct Expr {
  enum class Kind : uint8_t {
    Integer, // `integer`, of type Index, Bool or an integer type (unsigned ones as bit patterns)
    Real,    // `real`, F32 or F64
    Name,    // a variable, `text`
    Load,    // element args[0] of array `text`
    Apply,   // `op` of args
    Cast,    // args[0] converted to `type`
  };
  Kind kind = Kind::Integer;
  Elem type = Elem::Index;
  Op op = Op::add_;
  std::string text;
  int64_t integer = 0;
  double real = 0;
  std::vector<Expr> args;
};

Expr integer(int64_t value, Elem type = Elem::Index);
Expr real(double value, Elem type = Elem::F64);
Expr name(std::string text, Elem type = Elem::Index);
Expr load(std::string array, Elem type, Expr offset);
Expr apply(Op op, Elem result, std::vector<Expr> args);
/// Arithmetic: the result has the type of the first operand.
Expr apply(Op op, std::vector<Expr> args);
/// `value` itself when it has that type already.
Expr cast(Elem type, Expr value);
/// Names of variables and arrays that occur in `e`.
void collectNames(const Expr &e, std::set<std::string> &names);
/// Number of nodes.
size_t weight(const Expr &e);

/// What a kernel returns; the values are those of runtime/moac.h.
enum class Status : uint8_t {
  Ok,
  NullPointer,
  Extent,
  Constraint,
  Index,
  Overflow,
  Aliasing,
  NoMemory,
  DivisionByZero,
};
inline constexpr unsigned numStatuses = 9;

struct Stmt;
using Body = std::vector<Stmt>;

/// A comment; `heading` asks for a blank line before it.
struct Note {
  std::string text;
  bool heading = false;
};
/// A name for a value.
struct Let {
  std::string name;
  Expr value;
};
/// A mutable scalar; without a value it is assigned before it is read.
struct Variable {
  std::string name;
  Elem type;
  std::optional<Expr> value;
};
/// A small array of constant size on the stack: a product of numbers and tuned constants.
struct LocalArray {
  std::string name;
  Elem type;
  Expr count;
  std::string where; // source position, for the reader; empty: unknown
};
struct Assign {
  std::string name;
  Expr value;
};
struct Store {
  std::string array;
  Expr offset;
  Expr value;
};
/// name = name op value, or with an offset name[offset] = name[offset] op value.
struct Update {
  Op op;
  std::string name;
  std::optional<Expr> offset;
  Expr value;
  bool atomic = false;
};
/// An element that will be written soon, or read.
struct Prefetch {
  std::string array;
  Expr offset;
  bool reads = false;
};
/// Gives elements of a symmetric array to every other processing element, which have them at the same place after Meet.
struct Gather {
  std::string array;
  Elem type;
  Expr first, count;
};
/// Waits for all processing elements and for what they gave.
struct Meet {};
/// Sets the kernel's status and goes on; what must not run is guarded by the enclosing If.
struct Fail {
  Status status;
};
/// Work that stands in a procedure of its own. Arguments are names, or the element at which an array
/// begins.
struct Call {
  std::string procedure;
  std::vector<Expr> arguments;
};
struct If {
  Expr condition;
  Body then, otherwise;
};
/// A reduction over vector lanes: `name` is combined in lane order of the compiler's choice.
struct LaneReduction {
  Op op;
  std::string name;
  Elem type;
};
/// An array, or a scalar, that a construct on a device uses.
struct Piece {
  enum class Way : uint8_t {
    Present, // is there already
    In,      // copied there
    Out,     // there while the construct runs, copied back at its end
    Create,  // there while the construct runs
    Scalar,  // one value, copied there and back
  };
  Way way = Way::Present;
  std::string name;
  Expr count; // elements, Index; of arrays
};
/// The units of a device that share the iterations of a loop.
enum Level : uint8_t { Gang = 1, Worker = 2, Vector = 4 };

struct Loop {
  enum class Role : uint8_t {
    Sequential,
    Team, // iterations of `collapse` perfectly nested loops divided among a new team of threads
    Workshare, // the same, among the team of the enclosing Parallel
    Lanes,     // independent iterations for vector lanes, up to `reductions`
    Unroll,    // `factor` copies of the body
  };
  std::string name;
  Expr lo, hi; // lo <= name < hi
  std::optional<Expr> step; // every step-th of them, upwards
  Body body;
  Role role = Role::Sequential;
  bool reverse = false; // from hi - 1 down to lo
  int64_t collapse = 1;
  bool uneven = false; // Team and Workshare: some iterations take much longer than others
  int64_t factor = 0;
  bool block = false;   // Lanes: as many as a register block has, a number that the compiler knows
  std::optional<Expr> work; // Team: estimate of the innermost iterations, F64
  bool fails = false;       // a Fail inside
  std::vector<LaneReduction> reductions;
  std::string where; // source position, for the reader; empty: unknown
  // Of Team and Lanes on a device (Offload.h)
  uint8_t levels = 0;        // a set of Level
  std::optional<Expr> gangs; // how many, Index
  int64_t workers = 0;       // in each gang
  std::vector<Piece> pieces; // Team: what it uses
};
/// An array that lives as long as the kernel (shared) or a Parallel (one for each thread).
struct Scratch {
  std::string name;
  Elem type;
  Expr count; // elements, Index, over the kernel's symbols and scalars; at least 0 when checks
              // passed
  std::string where; // as for LocalArray
};
/// A team of threads, each with its own copy of `scratch`; the body divides its Workshare loops.
struct Parallel {
  std::vector<Scratch> scratch;
  Body body;
  Expr work; // as for Loop
  bool fails = false;
  std::string slots = "slots"; // with scratch: name of the counter that gives threads their slices
};

/// Work in reach of a device.
struct Device {
  enum class Kind : uint8_t {
    Arguments, // the host runs the body while the arrays of its caller are on the device
    Buffers,   // the same for the kernel's own
    Serial,    // the device runs the body once
  };
  Kind kind = Kind::Serial;
  std::vector<Piece> pieces;
  Body body;
};

struct Stmt {
  std::variant<Note, Let, Variable, LocalArray, Assign, Store, Update, Prefetch, Gather, Meet, Fail, Call, If,
               Loop, Parallel, Device>
      node;
};

/// A scalar parameter. Symbols have type Index.
struct Scalar {
  std::string name;
  Elem type;
};
/// An array parameter: pointer to the first element of dense storage.
struct Array {
  std::string name;
  Elem type;
  std::vector<Expr> extents; // Index, over symbols
  std::string shape;         // for documentation: `f64[B, N, D]`
  std::string bytes;         // name of the variable that holds its size
  bool columnMajor = false;  // the first axis varies fastest
};
/// A condition on symbols and scalars, checked at entry.
struct Requirement {
  Expr condition;
  Status status;
  std::string text;
  Body before; // statements that the condition needs
};
/// One kernel. Names are spelled for the target; `name` is the interface name.
struct Kernel {
  std::string name;
  std::vector<std::string> doc; // the formula, one line each
  std::vector<std::string> symbols;
  std::vector<Scalar> scalars;
  std::vector<Array> inputs, outputs;
  std::vector<Let> extents; // long extents, named once: arrays and the body use the names

  std::vector<Requirement> requirements;
  std::vector<Scratch> scratch;
  std::vector<Scratch> symmetric; // the same on each processing element, for Gather
  std::string pe, pes;            // names of this one's number and of how many there are; empty: one machine
  Body body;
  bool fails = false; // a Fail, Gather or Meet somewhere in the body
};
struct File {
  std::string source; // name of the file the kernels come from, for the reader
  std::vector<Kernel> kernels;
  std::vector<std::string> problems; // what could not be built, for the user
};

} // namespace moac::tree

#endif
