// The loop tree as terms: what the functions of an emitted C file must say.
//
// Written from the meaning of the tree's nodes, not from the language table that printed them, so
// that a wrong row of the table is a difference too.
#ifndef MOAC_EMITTERS_TREETERMS_H
#define MOAC_EMITTERS_TREETERMS_H

#include "emitters/LoopTree.h"
#include "emitters/Term.h"

namespace moac::reading {

Term termOf(const tree::Expr &e);
/// What `op` is called on operands of a type: `mul f64`, `add i64 wrapping`, `exp f32`.
std::string opWord(tree::Op op, tree::Elem operand);
/// A status as C names it.
std::string statusWord(tree::Status status);
/// The sizeof product that an array of `count` elements takes.
Term bytesTerm(tree::Elem type, const std::vector<tree::Expr> &extents);

/// A function that a kernel becomes.
struct Expected {
  std::string name;
  /// Statements from the first that is no argument check to the end; for functions that only
  /// check and forward (`forwards`) all statements.
  Term block;
  const tree::Kernel *kernel = nullptr;
  bool forwards = false;
};
std::vector<Expected> expectedFunctions(const tree::Kernel &kernel);

} // namespace moac::reading

#endif
