// Finds waits that can miss their value.
//
// A wait returns when it sees a value that satisfies it; it need not see a value that passes by.
// The verdicts of Search.h speak of executions that complete, so a program may hold and still hang:
// `wait f == 1` while somebody stores 1 and then, without having heard of the wait, 2.
#pragma once

#include "runtime/model/Relations.h"

#include <functional>

namespace moac::model {

/// The wait, the store it wants to see, and the one that may come between the two.
struct LostValue {
  int wait = -1, store = -1, overwriter = -1;
  std::string text;
};

/// A wait of this (admitted, complete) execution that could also have blocked for good: a store
/// that does not satisfy it may follow the one it read, is not ordered after the wait, and no store
/// that satisfies it again must follow. `ordered` is hb_api.
std::optional<LostValue> findLostValue(const Graph &graph, const ReadsFrom &rf,
                                       const std::function<bool(int, int)> &ordered);

} // namespace moac::model
