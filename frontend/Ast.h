// The syntax tree of a .moa file: plain structs, one per construct of the grammar.
//
// It covers the whole language (index form, operator form, derivations, schedules), whether or not
// later phases build a construct yet. Every node, name and sub-part has its source range, because a
// message points at the part that is wrong. The tree is what the user wrote: no types, shapes or
// scopes are in it. Parentheses leave no node; a parenthesised expression's range includes them.
//
// Expressions and statements are small tagged hierarchies usable with llvm::isa / cast / dyn_cast
// (`if (auto *call = llvm::dyn_cast<ast::Call>(&expr))`) and with a switch over `expr.kind`. The
// parser bounds the height of a tree (maxHeight), so recursion over it is safe.
#ifndef MOAC_FRONTEND_AST_H
#define MOAC_FRONTEND_AST_H

#include "frontend/Source.h"
#include "frontend/Words.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace moac::ast {

/// No expression tree is higher than this; the parser refuses what would be.
inline constexpr unsigned maxHeight = 1000;

/// An identifier where it stands.
struct Name {
  std::string text;
  SourceRange range;
};

struct TypeRef {
  ElementType type = ElementType::f64_;
  SourceRange range;
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// Scalar operators, as infix symbols and as functions in sections. `Cat` (`++`) never stands in a
/// section.
enum class Op { Add, Sub, Mul, Div, FloorDiv, Mod, Cat, Eq, Ne, Lt, Le, Gt, Ge, And, Or };

/// `+`, `//`, `and`, ... as the language spells it.
std::string_view spelling(Op op);

/// A function named without arguments: callee of a call, f of `red f`, parts of `f.g`.
struct FnRef {
  enum class Kind {
    Symbol,   ///< `op`
    WordName, ///< `word`: `max`, `softmax`, `transpose`, ...
    FuncName, ///< `func`: `exp`, `where`, ...
    Cast,     ///< `type`: `f32(x)`; only as a callee
    UserName, ///< `name`: a fn or kernel
  };
  Kind kind = Kind::UserName;
  SourceRange range;
  Op op = Op::Add;
  Word word = Word::Sum;
  Func func = Func::Where;
  ElementType type = ElementType::f64_;
  std::string name;
};

/// The operator of a section, `(+.* omega<2 2>)`. Parentheses inside it leave no node.
struct Operator {
  enum class Kind {
    Fn,      ///< `f`
    Product, ///< `f.g`
    Red,     ///< `red f`
    Scan,    ///< `scan f`
    Outer,   ///< `outer f`
    Omega,   ///< `operand omega<ranks>`
  };
  Kind kind = Kind::Fn;
  SourceRange range;                 ///< for the outermost operator, with its parentheses
  FnRef f;                           ///< Fn, Product, Red, Scan, Outer
  FnRef g;                           ///< Product
  std::unique_ptr<Operator> operand; ///< Omega
  std::vector<ExprPtr> ranks;        ///< Omega
  SourceRange ranksRange;            ///< Omega: the vector with its brackets
};
using OperatorPtr = std::unique_ptr<Operator>;

/// Base of all expressions. `range` covers the whole expression.
struct Expr {
  enum class Kind {
    Number,
    Constant,
    NameUse,
    Unary,
    Binary,
    Compare,
    Logical,
    Call,
    Reduce,
    Index,
    Vector,
    PrefixWord,
    InfixWord,
    Section,
  };
  const Kind kind;
  SourceRange range;
  unsigned height = 1; ///< 1 for a leaf; at most maxHeight

  virtual ~Expr() = default;

protected:
  Expr(Kind kind, SourceRange range) : kind(kind), range(range) {}
};

/// Fixes the kind of an expression struct and gives it `classof`.
template <Expr::Kind K> struct ExprOf : Expr {
  explicit ExprOf(SourceRange range) : Expr(K, range) {}
  static bool classof(const Expr *expr) { return expr->kind == K; }
};

/// `12`, `0.5`, `1e-6`. An integer fits int64_t; a decimal is finite. (`-9223372036854775808` is
/// one Number.)
struct Number : ExprOf<Expr::Kind::Number> {
  using ExprOf::ExprOf;
  bool isInteger = true;
  int64_t integer = 0; ///< value when isInteger
  double decimal = 0;  ///< value when not isInteger
  std::string text;    ///< as written
};

/// `inf`, `nan`, `pi`, `true`, `false`.
struct Constant : ExprOf<Expr::Kind::Constant> {
  using ExprOf::ExprOf;
  enum class Value { Inf, Nan, Pi, True, False };
  Value value = Value::Inf;
};

/// A name read as a value: parameter, symbol, index or named value.
struct NameUse : ExprOf<Expr::Kind::NameUse> {
  using ExprOf::ExprOf;
  std::string name;
};

/// `-a`, `not a`.
struct Unary : ExprOf<Expr::Kind::Unary> {
  using ExprOf::ExprOf;
  enum class Op { Neg, Not };
  Op op = Op::Neg;
  SourceRange opRange;
  ExprPtr operand;
};

/// `a op b` with op one of `+ - * / // % ++`; left-associative.
struct Binary : ExprOf<Expr::Kind::Binary> {
  using ExprOf::ExprOf;
  Op op = Op::Add;
  SourceRange opRange;
  ExprPtr lhs, rhs;
};

/// `a <= b < c`: operands[i] ops[i] operands[i + 1], all of them; at least one operator.
struct Compare : ExprOf<Expr::Kind::Compare> {
  using ExprOf::ExprOf;
  std::vector<ExprPtr> operands;
  std::vector<Op> ops;
  std::vector<SourceRange> opRanges;
};

/// `a and b`, `a or b`; left-associative.
struct Logical : ExprOf<Expr::Kind::Logical> {
  using ExprOf::ExprOf;
  Op op = Op::And; ///< And or Or
  SourceRange opRange;
  ExprPtr lhs, rhs;
};

/// `exp(x)`, `f32(x)`, `silu(x)`, `max(a, b, c)`. `max` / `min` as callee always have two arguments
/// or more (with one they are reductions: PrefixWord). The number of arguments is not checked here.
struct Call : ExprOf<Expr::Kind::Call> {
  using ExprOf::ExprOf;
  FnRef callee;
  std::vector<ExprPtr> args;
};

/// One bound variable of a reduction: `k`, `k < n`, `k in lo..hi`.
struct Bind {
  Name name;
  ExprPtr lo; ///< null unless `in`
  ExprPtr hi; ///< exclusive; null when the extent is to be inferred
  SourceRange range;
};

/// `sum[j, k < n: f64](body)`, `red[f, k](body)`.
struct Reduce : ExprOf<Expr::Kind::Reduce> {
  using ExprOf::ExprOf;
  bool isRed = false; ///< `red[f, ..]`: fn is any function; else fn is a reduction word
  FnRef fn;
  std::vector<Bind> binds;
  std::optional<TypeRef> accumulator;
  ExprPtr body;
};

/// One subscript: an index, or a slice `lo:hi:step` each part of which may be missing.
struct Subscript {
  bool isSlice = false;
  ExprPtr index;        ///< when not isSlice
  ExprPtr lo, hi, step; ///< when isSlice; null when missing
  SourceRange range;
};

/// `A[i, 2:, ::2]`.
struct Index : ExprOf<Expr::Kind::Index> {
  using ExprOf::ExprOf;
  ExprPtr base;
  std::vector<Subscript> subscripts;
};

/// `<2 0 1>`, `<M*P, N*Q>`, `<>`.
struct Vector : ExprOf<Expr::Kind::Vector> {
  using ExprOf::ExprOf;
  std::vector<ExprPtr> elements;
};

/// `shape A`, `sum A`, `max(A)`, `transpose A`.
struct PrefixWord : ExprOf<Expr::Kind::PrefixWord> {
  using ExprOf::ExprOf;
  Word word = Word::Sum;
  SourceRange wordRange;
  ExprPtr operand;
};

/// `s reshape A`, `<2 0 1> transpose A`.
struct InfixWord : ExprOf<Expr::Kind::InfixWord> {
  using ExprOf::ExprOf;
  Word word = Word::Reshape;
  SourceRange wordRange;
  ExprPtr lhs, rhs;
};

/// `(red +) A` (lhs is null) and `A (+.*) B`.
struct Section : ExprOf<Expr::Kind::Section> {
  using ExprOf::ExprOf;
  OperatorPtr op;
  ExprPtr lhs;
  ExprPtr rhs;
};

/// Calls `visit` for every direct sub-expression, in source order: also subscripts, bounds of binds
/// and the ranks of operators.
void forEachChild(const Expr &expr, const std::function<void(const Expr &)> &visit);

//===-- Statements
//----------------------------------------------------------------------------------------===//

/// Base of all statements of a kernel's body.
struct Stmt {
  enum class Kind { Define, DefineMany, Iterate };
  const Kind kind;
  SourceRange range;

  virtual ~Stmt() = default;

protected:
  Stmt(Kind kind, SourceRange range) : kind(kind), range(range) {}
};
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

template <Stmt::Kind K> struct StmtOf : Stmt {
  explicit StmtOf(SourceRange range) : Stmt(K, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == K; }
};

/// A left-side index with its optional extent: `q` or `q: H`.
struct LhsIndex {
  Name name;
  ExprPtr extent; ///< null when inferred
  SourceRange range;
};

/// `A = e` (indexed is false) and `A[i, j: H] = e`.
struct Define : StmtOf<Stmt::Kind::Define> {
  using StmtOf::StmtOf;
  Name target;
  bool indexed = false;
  std::vector<LhsIndex> indices;
  SourceRange lhsRange; ///< target with its brackets
  ExprPtr value;
};

/// `(m, v) = stats(x)`.
struct DefineMany : StmtOf<Stmt::Kind::DefineMany> {
  using StmtOf::StmtOf;
  std::vector<Name> targets;
  Name callee;
  std::vector<ExprPtr> args;
  SourceRange callRange;
};

/// A carried value of `iterate` with its start.
struct Carry {
  Name name;
  ExprPtr init;
  SourceRange range;
};

/// `iterate p in lo..hi carry L = A { ... }`.
struct Iterate : StmtOf<Stmt::Kind::Iterate> {
  using StmtOf::StmtOf;
  Name index;
  ExprPtr lo, hi;
  std::vector<Carry> carries;
  Block body;
};

//===-- Items
//---------------------------------------------------------------------------------------------===//

/// `Q: f64[B, N, D] layout col`. Rank 0 when there are no extents.
struct Param {
  Name name;
  TypeRef type;
  std::vector<ExprPtr> extents;
  SourceRange shapeRange; ///< `[B, N, D]`; invalid for rank 0
  std::optional<Name> layout;
  SourceRange range;
};

/// `inplace(O = X)`.
struct Inplace {
  Name output, input;
  SourceRange range;
};

struct Kernel {
  Name name;
  std::vector<Param> params;
  std::vector<Param> results; ///< at least one
  std::vector<ExprPtr> constraints;
  std::vector<Inplace> inplace;
  Block body;
  /// False when an error was reported in it: parts may be missing, so it must not be analysed.
  bool complete = true;
  SourceRange headRange; ///< `kernel` to the end of the head
  SourceRange range;
};

/// `fn silu(x) = x * sigmoid(x)`.
struct Fn {
  Name name;
  std::vector<Name> params;
  ExprPtr body;
  SourceRange range;
};

/// `import "other.moa"`.
struct Import {
  std::string path; ///< without quotes; no escapes exist
  SourceRange pathRange;
  SourceRange range;
};

/// `seed O <- G`.
struct Seed {
  Name output, cotangent;
  SourceRange range;
};

/// `derive X = grad K wrt A, B seed O <- G save L` and `derive X = join K1, K2`.
struct Derive {
  enum class Kind { Grad, Join };
  Kind kind = Kind::Grad;
  Name name;
  Name kernel;             ///< Grad
  std::vector<Name> wrt;   ///< Grad
  std::vector<Name> save;  ///< Grad
  std::vector<Seed> seeds; ///< Grad
  std::vector<Name> parts; ///< Join
  SourceRange range;
};

/// One line of a schedule. Which fields hold is said per kind.
struct Directive {
  enum class Kind {
    Lift,     ///< names = {axis}, amount, cyclic, outer, inner
    Order,    ///< names
    Online,   ///< names
    Parallel, ///< names
    Lanes,    ///< names
    Place,    ///< names, placement, at (when placement is At)
    Pack,     ///< names = {array}, at (optional), axes
    Unroll,   ///< names, amount (optional)
    Reduce,   ///< names, strategy
  };
  enum class Placement { At, Inline, Store };
  Kind kind = Kind::Order;
  SourceRange keywordRange;
  SourceRange range;
  std::vector<Name> names;
  ExprPtr amount;
  bool cyclic = false;
  Name outer, inner;
  Placement placement = Placement::At;
  std::optional<Name> at;
  std::vector<Name> axes;
  Name strategy;
};

/// `schedule attention for cpu { ... }`.
struct Schedule {
  Name kernel;
  Name machine;
  std::vector<Directive> directives;
  SourceRange range;
};

/// A parsed file. Each list is in source order; ranges order items of different lists.
struct File {
  FileId id = SourceRange::noFile;
  std::vector<Import> imports;
  std::vector<Fn> fns;
  std::vector<Kernel> kernels;
  std::vector<Derive> derives;
  std::vector<Schedule> schedules;
};

} // namespace moac::ast

#endif
