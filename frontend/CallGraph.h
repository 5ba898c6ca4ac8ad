// Who calls whom among fns and kernels: recursion is refused before anything is expanded.
#ifndef MOAC_FRONTEND_CALLGRAPH_H
#define MOAC_FRONTEND_CALLGRAPH_H

#include "frontend/Signature.h"

namespace moac::sema {

/// Reports every cycle of calls (once, at the call that closes it), and names in fn bodies that are
/// not its parameters. Returns the kernels' names, callees before their callers.
std::vector<std::string> checkCalls(const std::vector<ast::File> &files, const Items &items,
                                    Diagnostics &diags);

} // namespace moac::sema

#endif
