// A kernel's schedule in the language's syntax.
//
// Everything that a user may decide is printed as a directive, so that the text, given back as the
// kernel's schedule, makes the same loops. What follows from it (where loops are cut, the blocks of
// contractions) is printed as comments. Names are the short ones where these mean exactly what is
// meant, else `S.i`.
#ifndef MOAC_PASSES_SCHEDULETEXT_H
#define MOAC_PASSES_SCHEDULETEXT_H

#include "ir/Moa.h"

#include <string>

namespace moac {

/// Lines of directives, each with two blanks before it. The kernel has gone through the schedule
/// passes.
std::string scheduleText(moa::KernelOp kernel);

} // namespace moac

#endif
