// From a litmus program to event graphs. Loops are unrolled and every branch that depends on memory
// (if, compare_swap, test_lock, wait_any) splits the program into paths; each path is one graph,
// with the branch's condition as a requirement on the values read.
#pragma once

#include "runtime/model/Events.h"

#include <functional>

namespace moac::model {

/// Calls `visit` for each path of the program until it returns false. Errors (a PE that does not
/// exist, an index that depends on memory, too many events or paths) are returned.
std::optional<SourceError> forEachPath(const Program &program,
                                       const std::function<bool(Graph &&)> &visit);

} // namespace moac::model
