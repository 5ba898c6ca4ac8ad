// Whether a C file says what was analysed: the second reader's judgement.
//
//     CReading reading = readC(source, headers);      // clang
//     for (const std::string &wrong : verifyC(tree, reading, text)) ...
//
// Loops, statements, directives and expressions must be those of the loop tree; arguments must be
// checked as the kernels ask; support functions must be the registry's; nothing else may be there.
#ifndef MOAC_EMITTERS_VERIFY_H
#define MOAC_EMITTERS_VERIFY_H

#include "emitters/CReading.h"
#include "emitters/LoopTree.h"
#include "emitters/Work.h"

namespace moac::reading {

/// Differences, for the user; empty when the text is what was analysed. `text` is what was read.
std::vector<std::string> verifyC(const tree::File &file, const CReading &reading,
                                 const std::string &text);

/// The part of a function after its argument checks and what `checks` hold, in order.
struct Parts {
  Term checks, work;
};
Parts partsOf(const ReadFunction &function, const tree::Kernel &kernel);

/// The work of a kernel's loops in a file; nothing if it has no such function.
Work workOf(const CReading &reading, const tree::Kernel &kernel);

/// What the argument checks of a kernel must hold and do not.
std::vector<std::string> missingChecks(const tree::Kernel &kernel, const Term &checks);

} // namespace moac::reading

#endif
