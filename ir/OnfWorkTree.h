// From an onf.func to the tree that is counted.
#ifndef MOAC_IR_ONFWORKTREE_H
#define MOAC_IR_ONFWORKTREE_H

#include "ir/Onf.h"
#include "ir/WorkTree.h"

namespace moac::cost {

/// Counts will be those of a call that returns 0: a branch that does nothing but fail is never taken. `trips` gives
/// axes whose loops depend on data a number of iterations, `tuned` chooses a column of ir/Tuned.def (the interpreter runs
/// the first).
WorkTree workTreeOf(onf::FuncOp function, const Sizes &trips = {}, unsigned tuned = 0);

} // namespace moac::cost

#endif
