// Scalar code of the DNF as statements and expressions of the ONF.
//
// A value is emitted where it is first needed. Reads become loads at flat offsets, reductions become loops around a
// register, and what must be checked before it is done (a subscript that may leave its axis, a divisor that may be zero)
// guards the rest of the statement: `if (ok) { ... } else fail`. A `where` stays an expression as long as both sides are
// plain; otherwise it becomes an if around two assignments, so that nothing of the other side runs.
//
// The emitter knows the facts of the place: a condition that they decide costs nothing, a modulus
// or minimum that they decide is arithmetic, and loops are cut at the schedule's boundaries
// (Pieces.h) so that they do.
#ifndef MOAC_PASSES_BODYEMITTER_H
#define MOAC_PASSES_BODYEMITTER_H

#include "ir/KernelFacts.h"
#include "passes/Digits.h"
#include "passes/Pieces.h"
#include "passes/Storage.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace moac {

/// What an emitter shares with the others of its kernel.
struct EmitterContext {
  moa::IndexExprs &exprs;
  const llvm::DenseMap<mlir::Value, Storage> &storage; ///< where an array (parameter or stage) lives
  Cuts cuts, lifts;                                    ///< boundaries and quotients of the schedule
  std::map<shape::Expr, mlir::Value> hoisted;          ///< divisions computed before the nest
  LiftedAxes lifted;
};

/// A loop over one axis of a gen or red, or over one digit of it.
struct AxisLoop {
  mlir::BlockArgument axis;
  mlir::Value lo, hi;
  mlir::Value root = {}; ///< the value of the DNF that is computed inside
  bool deepest = false;
  llvm::StringRef role = "sequential";
  bool reverse = false;
  moa::RedOp accumulates = {}; ///< when set: pieces whose terms are its identity are left out
  Digit digit = {};
  bool last = true; ///< the other digits of the axis have their loops around this one
  unsigned collapse = 0; ///< of the first of perfectly nested parallel loops
  unsigned copies = 0;   ///< of the body of a loop that is unrolled; 0: as many as seem good
  mlir::Value parts = {}; ///< lanes of a reduction in parts
};

class BodyEmitter {
public:
  BodyEmitter(mlir::OpBuilder &builder, llvm::DenseMap<mlir::Value, mlir::Value> values,
              EmitterContext &context, shape::Facts facts)
      : b(builder), known{std::move(values), {}, {std::move(facts), {}, {}}}, context(context) {}

  /// Says what a DNF value (an index, a symbol) is in the ONF.
  void bind(mlir::Value dnf, mlir::Value onf) { known.values[dnf] = onf; }
  /// Binds an axis to the loop around the builder's place.
  void enter(mlir::BlockArgument axis, mlir::Value index) {
    bind(axis, index);
    known.around.axes.push_back(context.exprs.nameOf(axis));
  }
  /// The same for an axis that is not cut into pieces: only from here on it is known to have an element.
  void enterWhole(mlir::BlockArgument axis, mlir::Value index) {
    moa::assumeDomain(known.around.facts, axis, context.exprs);
    enter(axis, index);
  }
  /// The ONF value of a DNF value, emitted at the builder's place unless it is there already.
  mlir::Value emit(mlir::Value value);
  /// The value of an expression over `leaves` (names of DNF values) and block arguments. A division whose divisor may be 0
  /// gives 0 there: bounds are computed before it is known that the loop runs.
  using Leaves = std::map<std::string, mlir::Value>;
  mlir::Value emit(const shape::Expr &e, const Leaves &leaves, mlir::Location loc);
  /// Opens the loop, in one piece, and binds the axis or what is reached of it.
  void open(const AxisLoop &loop);
  /// The axis is where another one is in the loops of `other`.
  void follow(mlir::BlockArgument axis, const BodyEmitter &other, mlir::BlockArgument like);
  /// The index of an axis, or what its loops have reached of it.
  mlir::Value reachedBy(mlir::BlockArgument axis) const {
    mlir::Value index = known.values.lookup(axis);
    return index ? index : known.reached.lookup(axis);
  }
  /// The axis stands at `index` so far; more of its digits follow.
  void reach(mlir::BlockArgument axis, mlir::Value index) { known.reached[axis] = index; }
  /// The loop of the axis runs from `lo` to `hi` only.
  void confine(mlir::BlockArgument axis, mlir::Value lo, mlir::Value hi) { known.confined[axis] = {lo, hi}; }
  /// Runs `inside` in one loop for each piece of an axis, with the axis bound and the piece's facts known. An axis is cut
  /// in its last loop, where this steps by one.
  void forPieces(const AxisLoop &loop, llvm::function_ref<void()> inside);
  /// Runs `inside`, which opens a loop and computes `root` in it, once for each answer of the conditions that are settled
  /// before it and choose between numbers that are read or computed: a loop without a branch runs on vector lanes. At most
  /// `most` conditions, since each doubles the loops; other choices stay inside.
  void unswitch(mlir::Value root, llvm::function_ref<void()> inside, unsigned most = 3);
  /// Runs `inside`, which opens `loop`, the last of a tiled axis: where the tile is whole its length is a constant.
  void wholeTiles(const AxisLoop &loop, llvm::function_ref<void()> inside);
  bool inTile(mlir::BlockArgument axis) { return known.reached.contains(axis); }
  /// Computes divisions of `root` that depend only on what is bound: before the loops that follow.
  void hoistDivisions(mlir::Value root);
  /// Something that `root` needs here is checked at run time.
  bool mayFail(mlir::Value root);
  /// Runs `emission`; what it binds and where it leaves the builder is forgotten.
  void apart(llvm::function_ref<void()> emission);
  /// Bounds of index `i` of a reduction; earlier indices must be bound.
  std::pair<mlir::Value, mlir::Value> emitBounds(moa::RedOp red, unsigned i);
  /// Reductions along lanes combine so many elements side by side, in a register each; what is left goes one by one.
  void reduceInParts(mlir::Value count) { partCount = count; }
  /// Checks fail the kernel at its entry instead of guarding statements.
  void atEntry() { entry = true; }

  /// `identityOf` as a value.
  static mlir::Value identity(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef kind, mlir::Type type);

private:
  mlir::Value emitScalar(moa::ScalarOp op);
  mlir::Value emitDecided(moa::ScalarOp op);
  mlir::Value emitDivision(const shape::Expr &atom, const Leaves &leaves, mlir::Location loc);
  /// Where the loop of a digit begins, ends, and how far it steps (null: by one).
  struct Range {
    mlir::Value lo, hi, step;
  };
  Range rangeOf(const AxisLoop &loop);
  void forPiece(const AxisLoop &loop, const Piece &piece, const Range &range, llvm::function_ref<void()> inside);
  mlir::Value forParts(const AxisLoop &loop, const Range &range, llvm::function_ref<void()> inside);
  void forQuotients(const AxisLoop &loop, Quotient along, std::pair<mlir::Value, mlir::Value> bounds, bool mayBeZero,
                    llvm::function_ref<void()> inside);
  bool isBound(const std::string &name);
  mlir::Value flatOffset(moa::PsiOp op, const Storage &place);
  mlir::Value emitRead(moa::PsiOp op);
  mlir::Value emitWhere(moa::WhereOp op);
  bool isSettledBefore(mlir::Value condition);
  bool isProvedHere(mlir::Value value);
  mlir::Value emitBehind(moa::WhereOp op, mlir::Value condition, bool taken, llvm::StringRef status);
  mlir::Value emitPlainWhere(moa::WhereOp op, mlir::Value condition);
  mlir::Value emitBranchingWhere(moa::WhereOp op, mlir::Value condition);
  mlir::Value emitReduction(moa::RedOp op);
  mlir::Value emitCombined(moa::RedOp op);
  mlir::Value emitArg(moa::RedOp op);
  mlir::Value emitFold(moa::RedOp op);
  /// The loops of a reduction; `body` runs with the indices bound.
  using Bounds = llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>;
  void emitLoops(moa::RedOp op, bool reverse, llvm::function_ref<void(const Bounds &)> body);
  void emitLoopsFrom(moa::RedOp op, bool reverse, llvm::ArrayRef<StageLoop> loops, Bounds &bounds,
                     llvm::function_ref<void(const Bounds &)> body);
  void guard(mlir::Location loc, mlir::Value condition, llvm::StringRef status);
  void emitCaptured(mlir::Operation *op);
  mlir::Value registerVariable(mlir::Location loc, mlir::Type type, llvm::StringRef name, mlir::Value initial);
  mlir::Value load(mlir::Location loc, mlir::Value buffer);

  template <class T> static llvm::DenseMap<mlir::Value, T> none() { return llvm::DenseMap<mlir::Value, T>(); }
  /// What is known where the builder stands: emitted values, and subscripts that have been checked against an extent.
  struct Known {
    llvm::DenseMap<mlir::Value, mlir::Value> values;
    llvm::DenseSet<std::pair<mlir::Value, mlir::Value>> inside;
    Surroundings around;
    llvm::DenseMap<mlir::Value, mlir::Value> reached = none<mlir::Value>(); ///< by the loops of an axis that has more of them
    llvm::DenseMap<mlir::Value, std::pair<mlir::Value, mlir::Value>> confined = none<std::pair<mlir::Value, mlir::Value>>();
    llvm::DenseMap<mlir::Operation *, bool> answers = llvm::DenseMap<mlir::Operation *, bool>(); ///< side of a `where` this code is for
    llvm::DenseMap<mlir::Value, bool> whole = llvm::DenseMap<mlir::Value, bool>(); ///< the tile of an axis is, or is cut off
  };

  mlir::OpBuilder &b;
  Known known;
  EmitterContext &context;
  bool entry = false;
  mlir::Value partCount = {}, part = {}; ///< how many parts a reduction has, and the one at hand
};

} // namespace moac

#endif
