// Index-set splitting: where a loop is cut so that no test is left inside.
//
// Code inside a loop asks questions whose answer changes at one index: a condition that is affine
// in it, the quotient of a modulus, which argument of a minimum is the least. These indices are
// boundaries. Cut at them, the loop becomes pieces, in each of which the prover decides the
// question:
//
//     C[i] = where(i < N, A[i], B[i - N])     is asked at N:  0 <= i < N  and  N <= i < N + M
//     A[(i + s) % N]                          at N - s % N
//
// A piece holds the indices whose first boundary above them is its own, so any set of boundaries,
// in any order, cuts a range into disjoint pieces that cover it; some may be empty.
#ifndef MOAC_PASSES_PIECES_H
#define MOAC_PASSES_PIECES_H

#include "passes/Decide.h"

#include "llvm/ADT/DenseMap.h"

namespace moac {

struct Piece {
  /// The loop of this piece: from the greatest of the one to the least of the other.
  llvm::SmallVector<shape::Expr> los, his;
  shape::Expr first, end;           ///< the loop that was cut
  std::vector<shape::Expr> from;    ///< boundaries that its indices have reached
  std::optional<shape::Expr> below; ///< the boundary that they have not

  /// Adds what is known of an index of the piece, and that there is one.
  void assume(shape::Facts &facts, const std::string &index) const;
  /// It has one index at most.
  bool isSingle(const shape::Facts &facts) const;
  /// `1 <= i and i < N - 1`, as a reader writes it.
  std::string text(const std::string &index) const;
};

/// The pieces of [lo, hi) under facts that hold outside the loop; those proved empty are left out.
std::vector<Piece> cut(const shape::Expr &lo, const shape::Expr &hi,
                       llvm::ArrayRef<shape::Expr> boundaries, const shape::Facts &facts);

/// A value that is computed inside the loop, and the loop's index as it sees it.
struct Inside {
  mlir::Value root;
  std::string index;
  bool deepest = false; ///< no loop of this value runs inside: its index arithmetic counts
  moa::RedOp masks = {}; ///< the reduction that combines it, when terms may be left out: then masks in
                         ///< the stages that it reads count as well
};

struct LoopRange {
  shape::Expr lo, hi;
  /// Whether a name is known outside the loop.
  llvm::function_ref<bool(const std::string &)> outside;
};

/// Boundaries that the code inside asks for, sorted as far as their order is proved. `facts` hold
/// outside the loop.
std::vector<shape::Expr> boundariesOf(llvm::ArrayRef<Inside> code, const LoopRange &range,
                                      const shape::Facts &facts, moa::IndexExprs &exprs);

/// Boundaries of the axes of a kernel's stages, by the axis (an index of a gen or of a red).
using Cuts = llvm::DenseMap<mlir::Value, std::vector<shape::Expr>>;

/// The reduction's term is its identity under these facts and cannot fail, so that leaving it out
/// changes nothing but the sign of a zero.
bool termIsIdentity(moa::RedOp red, const shape::Facts &facts, moa::IndexExprs &exprs);

/// The first `x // m` on which the innermost loop's index arithmetic still depends, x growing with
/// the index by one: the loop can be lifted, a loop over the quotient with one over the rest inside.
std::optional<Quotient> divisionAlong(mlir::Value root, const std::string &index,
                                      const Surroundings &around, moa::IndexExprs &exprs);

/// The quotient along which the loop is worth lifting: its runs are not known to be short, and only
/// names that `outside` knows, or the index, occur in it.
std::optional<Quotient> runsAlong(mlir::Value root, const std::string &index, const shape::Facts &facts,
                                  llvm::function_ref<bool(const std::string &)> outside, moa::IndexExprs &exprs);

/// Visits what `value` needs under these facts: sides of a `where` that are not taken are left out.
/// Facts grow inside guarded sides and reductions; `depth` counts the reductions entered.
void visitLive(mlir::Value value, const shape::Facts &facts, moa::IndexExprs &exprs,
               llvm::function_ref<void(mlir::Operation *, const shape::Facts &, unsigned depth)> see);

} // namespace moac

#endif
