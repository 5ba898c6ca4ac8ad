// From SSA values back to algebra, and from algebra to SSA values.
//
// Subscripts, bounds and guards live in the IR as values of type `index`. Proofs, extents and loop
// bounds need them as shape::Expr. An IndexExprs gives each block argument and each value the
// algebra cannot look into (an element of an integer array, a `where`) one name for the kernel at
// hand:
//
//     moa.psi %x[%2]   with   %0 = constant 2 : index; %1 = mul(%0, %i); %2 = add(%1, %p)
//     toExpr(%2)       is     2*i + p
//
// An opaque value is named by its structure, `table[b, k//P]`, so that two reads of one element are
// one name and a guard on the first bounds the second.
#ifndef MOAC_IR_INDEXEXPR_H
#define MOAC_IR_INDEXEXPR_H

#include "ir/Moa.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace moac::moa {

/// The user's word for a block argument (parameter, symbol, index of a gen, red or onf.for); empty
/// if it has none.
llvm::StringRef userName(mlir::BlockArgument argument);
/// The user's word for an array: the name of its gen or parameter; empty if it has none.
llvm::StringRef userName(mlir::Value array);

/// Names of one kernel's index values. Holds pointers to values: make a new one after ops were
/// erased.
class IndexExprs {
public:
  /// Reserves the names of the kernel's (or onf.func's) arguments, so that they are the user's
  /// words exactly.
  explicit IndexExprs(mlir::Operation *kernel);

  /// `value`, of type index, as algebra over the names given here.
  shape::Expr toExpr(mlir::Value value);
  /// The name of a block argument or opaque value, given now if it has none yet.
  std::string nameOf(mlir::Value value);
  /// A value that carries this name (of several equal opaque ones the first met); null if the name
  /// is unknown. Whether an expression may be moved out of a region follows from the values of its
  /// names.
  mlir::Value valueOf(llvm::StringRef name) const;
  /// The value that carries this name where operations are put into `block`: a domain region sees the
  /// earlier indices of its reduction by arguments of its own.
  mlir::Value valueAt(llvm::StringRef name, mlir::Block *block) const;
  /// Gives `value` the wanted name, or the next free `wanted'2`, `wanted'3`, ...; returns it.
  std::string claim(llvm::StringRef wanted, mlir::Value value);
  /// Lets `value` stand for what carries `name` already (an index seen from a domain region).
  void alias(mlir::Value value, llvm::StringRef name) { names[value] = name.str(); }
  /// The integer a scalar of an integer type (not u64) or index stands for; nothing when arithmetic
  /// may wrap.
  std::optional<shape::Expr> toInteger(mlir::Value value);
  /// Text for messages: marks that tell equal user names apart are removed.
  static std::string display(const shape::Expr &e);

private:
  void nameAround(mlir::BlockArgument index);
  using Memo = llvm::DenseMap<mlir::Value, shape::Expr>;
  shape::Expr convert(mlir::Value value, Memo &memo);
  std::optional<shape::Expr> arithmetic(ScalarOp op, Memo &memo);
  std::string structure(mlir::Value value, Memo &memo);
  std::string opaqueName(mlir::Value value, Memo &memo);

  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<unsigned> counts; ///< how many names were made from a word
};

} // namespace moac::moa

#endif
