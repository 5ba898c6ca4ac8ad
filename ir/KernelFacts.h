// What the algebra may assume inside a kernel: extents are not negative, constraints hold, indices lie in their domains.
//
// The same facts serve every proof on IR: reads in range, boxes not empty, guards that may be dropped.
#ifndef MOAC_IR_KERNELFACTS_H
#define MOAC_IR_KERNELFACTS_H

#include "ir/IndexExpr.h"

namespace moac::moa {

/// Facts of the kernel's entry: every extent of a parameter or result is >= 0, and the requirements hold.
shape::Facts entryFacts(KernelOp kernel, IndexExprs &exprs);

/// Adds that `condition` has the value `holds`, as far as it compares integers; `and` and `or` are looked into. Both the
/// strict moa.scalar forms and the lazy forms (`moa.where c {d} else {false}`) are understood.
void assume(shape::Facts &facts, mlir::Value condition, bool holds, IndexExprs &exprs);

/// Adds the domain of an index of a gen or red: lo <= i < hi and not empty.
void assumeDomain(shape::Facts &facts, mlir::BlockArgument index, IndexExprs &exprs);

/// All that holds where `op` is evaluated: the entry's facts, the domains of the indices around it and the conditions it
/// stands under.
shape::Facts factsAt(mlir::Operation *op, IndexExprs &exprs);

/// The extent of axis `axis` that `psi` reads is respected under these facts.
bool provesInRange(const shape::Facts &facts, PsiOp psi, unsigned axis, IndexExprs &exprs);

} // namespace moac::moa

#endif
