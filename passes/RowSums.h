// A reduction of a whole array over several indices is one of its rows' reductions:
//
//     s == red f over i < N, j < M of t   ==   red f over i < N of r[i],  r[i] == red f over j < M of t
//
// Written so, it can be divided among threads along i like any reduction over one index (Online.h), and each row is combined along
// memory. The domains of the other indices may depend on i. Reductions of numbers that are read from parameters only, over a first
// index that runs from 0 to what is known at entry; their order changes as the language allows.
#ifndef MOAC_PASSES_ROWSUMS_H
#define MOAC_PASSES_ROWSUMS_H

#include "ir/Moa.h"

namespace moac {

/// Rewrites such reductions of a kernel in DNF; true if there were any.
bool sumRows(moa::KernelOp kernel);

} // namespace moac

#endif
