// SSA values as loop-tree expressions: what is inlined, what gets a name.
//
// A value that is used once is printed where it is used, if that means the same: nothing that it
// reads may be written in between, and it must not move into a loop unless it is cheap. Constants
// and short index arithmetic are always inlined. Any other value becomes a Let.
//
// Index arithmetic is plain where its size is known (loop variables, symbols, small constants,
// offsets into arrays) and wraps elsewhere: `i * 6364136223846793005` must not be undefined in C.
#ifndef MOAC_EMITTERS_SCALARTREE_H
#define MOAC_EMITTERS_SCALARTREE_H

#include "emitters/LoopTree.h"
#include "emitters/Names.h"
#include "ir/IndexExpr.h"
#include "ir/Onf.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace moac::emit {

Elem elemOf(mlir::Type type);
/// The operation of an onf.update of this kind.
Op updateOp(llvm::StringRef kind);
/// The function of an operation; where an exponent is known not to be positive, the cheaper one.
Op opOf(moa::ScalarOp op);

/// What is known of the size of an index value.
struct IndexFacts {
  bool bounded = false; // |value| is below 2^bits times the product of its names
  bool nonNegative = false;
  unsigned bits = 0;
  llvm::SmallVector<mlir::Value, 2> loops; // loop variables it depends on, sorted by address
};

class ScalarTree {
public:
  ScalarTree(onf::FuncOp function, Names &names)
      : function(function), names(names), algebra(function) {}

  /// Marks what the function needs; everything else is left out. Call first.
  void findLive();
  /// The operations that define() takes.
  static bool isPure(mlir::Operation *op);
  bool isLive(mlir::Operation *op) const { return live.contains(op); }
  /// While set, no value is named: for what must be one expression.
  void inlineEverything(bool always) { allInline = always; }

  struct Buffer {
    std::string name;
    Elem storage;
    bool readOnly;
    bool scalar;
  };
  void declare(mlir::Value buffer, Buffer facts) { buffers[buffer] = std::move(facts); }
  const Buffer &buffer(mlir::Value value) const { return buffers.find(value)->second; }
  /// Gives a value over the kernel's symbols a name that the checks have declared.
  void nameExtent(const shape::Expr &extent, std::string spelling) { extents[extent] = spelling; }
  /// Gives a block argument its spelling.
  void bind(mlir::Value value, tree::Expr name, IndexFacts facts = {});
  void bindLoop(onf::ForOp loop, std::string spelling);

  /// Digests a pure operation: remembers its expression, or names it by a statement in `body`.
  void define(mlir::Operation *op, tree::Body &body);
  /// The expression of a value that has been defined.
  tree::Expr expr(mlir::Value value);
  /// The same without the names that parts of it have got: a formula of the arguments, if it is one. Sizes of memory are
  /// asked for before any local exists.
  tree::Expr spelledOut(mlir::Value value);
  bool isNonNegative(mlir::Value index) { return known.find(index)->second.facts.nonNegative; }
  /// The same as an offset into an array; plain arithmetic. No value: 0.
  tree::Expr offset(mlir::Value value);

  /// An element as its value type.
  tree::Expr read(mlir::Value buffer, mlir::Value offset);

private:
  struct Known {
    tree::Expr expr;
    llvm::SmallVector<mlir::Value, 2> reads; // buffers whose contents the expression depends on
    IndexFacts facts;
  };

  using Renamed = llvm::MapVector<mlir::Value, Known>;
  void spellOut(mlir::Value value, Renamed &before);
  Known build(mlir::Operation *op);
  Known buildScalar(moa::ScalarOp op);
  Known buildCast(moa::CastOp op);
  Known buildLoad(onf::LoadOp op);
  std::optional<Known> buildWhere(moa::WhereOp op);
  Known indexArithmetic(moa::ScalarOp op, tree::Op fn, std::vector<tree::Expr> args);
  IndexFacts factsOf(tree::Op fn, llvm::ArrayRef<IndexFacts> operands);
  bool defineInside(mlir::Block &block, unsigned &budget);
  void branchOn(moa::WhereOp op, tree::Body &body);
  void assignSide(mlir::Region &region, const std::string &variable, tree::Body &body);

  bool isNamedExtent(mlir::Operation *op);
  bool inlines(mlir::Operation *op, const Known &known);
  bool isOnlySpelledOut(mlir::Operation *op);
  bool reaches(mlir::Operation *from, mlir::Operation *use, const Known &known);
  bool writtenBetween(mlir::Operation *from, mlir::Operation *to,
                      llvm::ArrayRef<mlir::Value> reads);
  unsigned liveUses(mlir::Value value);
  void name(mlir::Operation *op, Known known, tree::Body &body);
  void markLive(mlir::Operation *op);

  onf::FuncOp function;
  Names &names;
  llvm::DenseMap<mlir::Value, Known> known;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseSet<mlir::Operation *> live;
  moa::IndexExprs algebra;
  std::map<shape::Expr, std::string> extents;
  bool allInline = false;
};

} // namespace moac::emit

#endif
