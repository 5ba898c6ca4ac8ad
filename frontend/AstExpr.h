// Expressions of the syntax tree; Ast.h has statements and items, and says what the tree is.
//
// Usable with llvm::isa / cast / dyn_cast (`if (auto *call = llvm::dyn_cast<ast::Call>(&expr))`)
// and with a switch over `expr.kind`. The parser bounds the height of a tree (maxHeight), so
// recursion over it is safe.
#ifndef MOAC_FRONTEND_ASTEXPR_H
#define MOAC_FRONTEND_ASTEXPR_H

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

} // namespace moac::ast

#endif
