// Other ways to run a kernel than the default, in the user's syntax: what a planner tries.
//
// The choices come from the nests of the default schedule and the capacities of a machine, a few for each nest:
//
//     a contraction      its loops without register blocks, in two orders and in tiles with a packed operand
//     an online group    its members stored whole, one after the other
//     other nests        another innermost axis, tiles of two axes, what it reads computed inside of its tiles
//     a named value      stored, or computed again where it is read
//
// A choice may be illegal: the kernel is compiled with it as with any user's schedule, and refused with the reason. No
// choice knows what the kernel computes.
#ifndef MOAC_PASSES_PLANCHOICES_H
#define MOAC_PASSES_PLANCHOICES_H

#include "ir/Machine.h"
#include "ir/Moa.h"
#include "passes/PlanChoice.h"

namespace moac {

/// `kernel` has gone through the schedule passes without a user's schedule.
std::vector<PlanChoice> planChoices(moa::KernelOp kernel, const Machine &machine);

} // namespace moac

#endif
