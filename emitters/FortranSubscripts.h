// Divisions in subscripts as statements.
//
// gfortran tries every subscript with the first and the last value of the loops around it, where
// those are constants, and warns of divisions that leave a remainder then: x(j/2) in a loop from 1.
// A variable that stands for the division is not tried.
#ifndef MOAC_EMITTERS_FORTRANSUBSCRIPTS_H
#define MOAC_EMITTERS_FORTRANSUBSCRIPTS_H

#include "emitters/FortranLazy.h"

namespace moac::emit {

/// Gives a name to each division by a number in a subscript that depends on a loop with a constant
/// bound.
void separateDivisions(tree::Body &body, const FreshName &fresh);

} // namespace moac::emit

#endif
