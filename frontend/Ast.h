// The syntax tree of a .moa file: plain structs, one per construct of the grammar.
//
// It covers the whole language (index form, operator form, derivations, schedules), whether or not
// later phases build a construct yet. Every node, name and sub-part has its source range, because a
// message points at the part that is wrong. The tree is what the user wrote: no types, shapes or
// scopes are in it. Parentheses leave no node; a parenthesised expression's range includes them.
//
// Expressions are in AstExpr.h. Statements are a small tagged hierarchy like them; items are plain
// structs.
#ifndef MOAC_FRONTEND_AST_H
#define MOAC_FRONTEND_AST_H

#include "frontend/AstExpr.h"

#include <set>

namespace moac::ast {

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
    Tile,     ///< names, amount
    Partition, ///< names, strategy (over what), amount (optional)
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
  /// Names of items that could not be read: what uses them is not wrong for that.
  std::set<std::string, std::less<>> broken;
};

} // namespace moac::ast

#endif
