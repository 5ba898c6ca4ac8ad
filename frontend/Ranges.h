// Where a value is computed: the indices around it and the conditions it stands under; and what
// follows from that.
//
// While a definition is translated, extents of its indices may still be unknown (they follow from
// the subscripts). So a read or a division only leaves an obligation behind, with the context it
// stands in; when the definition is complete every obligation is judged: proved, refuted (an
// error), or to be checked at run time.
#ifndef MOAC_FRONTEND_RANGES_H
#define MOAC_FRONTEND_RANGES_H

#include "frontend/Extents.h"
#include "frontend/Typing.h"

#include <deque>
#include <memory>

namespace moac::sema {

/// Where the shape of an array can be looked up by a reader: its declaration.
struct ArrayOrigin {
  std::string name; ///< empty when the array has none
  SourceRange declared;

  std::string text() const { return name.empty() ? "this array" : "'" + name + "'"; }
};

/// An index that has been bound, on a left side or by a reduction.
struct IndexInfo {
  enum class Source { Inferred, Explicit, Declared };
  /// The index standing alone as a subscript of an axis.
  struct Use {
    shape::Expr extent;
    moa::ArrayType array;
    unsigned axis;
    SourceRange range;
    ArrayOrigin origin;
    bool guarded; ///< inside a where branch or right side of and/or that its binder is not in
  };

  ast::Name name;
  mlir::Value arg; ///< stands for it in the region being filled
  std::string algebraName;
  Source source = Source::Inferred;
  std::optional<shape::Expr> lo, hi; ///< known when resolved
  std::vector<Use> uses;
  bool tainted = false;            ///< a read with it failed: uses are not complete
  unsigned guardDepth = 0;         ///< of its binder
  const ast::Bind *bind = nullptr; ///< of a reduction
};

/// A place in a definition: a list from the inside out, shared by everything that stands there.
struct Context {
  std::shared_ptr<const Context> outer;
  IndexInfo *index = nullptr; ///< either an index that is bound here
  mlir::Value guard;          ///< or a condition
  bool holds = true;          ///< whether it is true or false here
  unsigned guardDepth = 0;
  mutable std::shared_ptr<const shape::Facts> facts; ///< computed on demand
};
using ContextRef = std::shared_ptr<const Context>;

class Ranges {
public:
  Ranges(Emit &emit, moa::IndexExprs &exprs) : emit(emit), exprs(exprs) {}

  /// Facts that hold everywhere in the kernel.
  shape::Facts entry;
  /// What is known not to be zero, beyond what `entry` can say.
  std::vector<shape::Expr> nonZero;
  bool provesNonZero(const shape::Expr &e, const shape::Facts &facts);
  /// Whether the user stated constraints: then not every size is an example.
  bool constrained = false;

  IndexInfo &newIndex(const ast::Name &name, mlir::Value arg);
  void enterIndex(IndexInfo &index);
  /// A null condition is one of which nothing is known.
  void enterGuard(mlir::Value condition, bool holds);
  void leave();
  unsigned guardDepth() const { return current ? current->guardDepth : 0; }
  bool guarded() const { return guardDepth() != 0; }

  /// One subscripted axis of a read.
  struct Axis {
    mlir::Value subscript; ///< of a slice its start
    SourceRange range;
    IndexInfo *direct = nullptr;     ///< the index that the subscript consists of
    std::optional<shape::Expr> span; ///< of a slice: its end less its start
  };
  /// Remembers a read by a moa.psi or moa.slice, to be judged.
  void addRead(mlir::Operation *op, std::vector<Axis> axes, ArrayOrigin origin);
  /// Remembers a `//` or `%` whose divisor may be zero.
  void addDivision(moa::ScalarOp op, SourceRange divisor);
  /// Remembers that a reduction by a function without identity needs `extent` >= 1 at this place,
  /// unless one of `others` is 0.
  void addNonEmpty(const shape::Expr &extent, std::vector<shape::Expr> others, SourceRange range,
                   std::string function);
  /// Remembers a callee's constraint that depends on more than the kernel's symbols and scalars.
  void addCondition(mlir::Value condition, SourceRange range, std::string text, std::string callee);
  /// Whether a condition holds at entry. And: makes it a fact from here on.
  bool proves(mlir::Value condition) { return proves(condition, true, entry); }
  void assumeEntry(mlir::Value condition);
  /// Called for what can only be required at entry: `extent` >= 1 unless one of `others` is 0.
  std::function<void(const shape::Expr &extent, const std::vector<shape::Expr> &others,
                     SourceRange range)>
      requireNonEmpty;
  /// Drops the obligations left by a definition that failed.
  void forget();
  /// Judges all obligations left since the last call.
  void settle();

  /// What is known at the present place. All indices around it must be resolved.
  const shape::Facts &facts() { return factsAt(current.get()); }
  /// Settles an index from its uses; false after a report.
  bool resolve(IndexInfo &index, std::string_view howToGive);

private:
  struct Read {
    mlir::Operation *op; ///< its first operand is the array
    ContextRef context;
    std::vector<Axis> axes;
    ArrayOrigin origin;

    moa::ArrayType array() const { return llvm::cast<moa::ArrayType>(op->getOperand(0).getType()); }
  };
  struct Division {
    moa::ScalarOp op;
    ContextRef context;
    SourceRange divisor;
  };

  struct NonEmpty {
    shape::Expr extent;
    std::vector<shape::Expr> others;
    ContextRef context;
    SourceRange range;
    std::string function;
  };
  struct Condition {
    mlir::Value condition;
    ContextRef context;
    SourceRange range;
    std::string text, callee;
  };

  const shape::Facts &factsAt(const Context *context);
  void settle(const Read &read);
  void settle(const Division &division);
  void settle(const NonEmpty &need);
  void settle(const Condition &condition);
  bool proves(mlir::Value condition, bool holds, const shape::Facts &facts);
  bool inRange(const Read &read, unsigned axis, const shape::Facts &facts);
  bool refute(const Read &read, unsigned axis, const shape::Expr &subscript,
              const shape::Expr &extent, const shape::Facts &facts);
  bool refuteSlice(const Read &read, unsigned axis, const shape::Facts &facts);
  void reportShort(const Read &read, unsigned axis, const shape::Expr &extent);
  std::string counterexample(const Read &read, const shape::Expr &subscript,
                             const shape::Expr &extent);
  bool agree(const std::vector<const IndexInfo::Use *> &uses, const IndexInfo &index);
  void noteOrigin(DiagnosticBuilder &report, const ArrayOrigin &origin, moa::ArrayType type);

  Emit &emit;
  moa::IndexExprs &exprs;
  ContextRef current;
  std::deque<IndexInfo> indices;
  std::vector<Read> reads;
  std::vector<Division> divisions;
  std::vector<NonEmpty> nonEmpty;
  std::vector<Condition> conditions;
};

} // namespace moac::sema

#endif
