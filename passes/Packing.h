// `pack K at it as [j, kk]`: a copy of an array with another γ, made where it is needed.
//
// The copy is a stage like any other, K_pack, whose axes stand in the wanted order; it is read in place of
// K and placed like any other, so that its part for a tile is all that exists at a time.
#ifndef MOAC_PASSES_PACKING_H
#define MOAC_PASSES_PACKING_H

#include "passes/UserSchedule.h"

namespace moac {

/// Makes the copies that the user asks for and places them; the directives become `place`. The loops must have
/// their names.
mlir::LogicalResult makePacks(moa::KernelOp kernel);

} // namespace moac

#endif
