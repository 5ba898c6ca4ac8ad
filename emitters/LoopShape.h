// Questions about finished statements: where directives are legal, what is left unused.
#ifndef MOAC_EMITTERS_LOOPSHAPE_H
#define MOAC_EMITTERS_LOOPSHAPE_H

#include "emitters/LoopTree.h"

namespace moac::tree {

bool containsFail(const Body &body);
/// Appends a team; one that has a single loop and no buffers becomes a loop with its own team.
void appendTeam(Parallel team, Body &body);
/// Makes directives true: a collapse spans only perfectly nested loops with independent bounds, a
/// lane loop writes nothing that another lane writes, failing loops are marked. Removes Lets that
/// nothing mentions. Of nested lane loops the inner one keeps the lanes, or with `outerLanes` the
/// outer one.
void finishLoops(Body &body, bool outerLanes = false);

} // namespace moac::tree

#endif
