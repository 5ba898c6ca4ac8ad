// Checks a recorded run: finds every pair of conflicting accesses that the model does not order,
// and says what is probably missing.
#pragma once

#include "runtime/model/Trace.h"

namespace moac::model {

/// What the programmer probably forgot.
enum class Missing : uint8_t {
  Fence,
  Quiet,
  QuietBeforeReuse,
  QuietBeforeUse,
  Credit,
  Synchronisation,
  SyncInsteadOfBarrier,
  AtomicFlag,
  FenceBetweenTransfers,
  BarrierBeforeCollective, // its destination was not ready
  BarrierAfterCollective,  // another member's part
  CommunicationId          // ordered, were it not for the ids
};

struct Finding {
  Missing missing = Missing::Synchronisation;
  int first = -1, second = -1; // records of the two accesses
  ByteRange firstRange, secondRange;
  bool firstStores = false, secondStores = false;
  int flag = -1; // the record through which the second thread has heard of the first; -1 for none
  int64_t count = 1;
};

struct TraceReport {
  std::vector<Finding> findings;     // in the order found; equal ones once, with their count
  std::vector<std::string> problems; // collectives that do not match, reads of values nobody wrote
  int64_t accesses = 0;
};

/// The models that traces can be judged by; without ids all calls count as global.
enum class TraceModel : uint8_t { Paper, ComId };

/// Work is bounded: a trace that is not checked within so many seconds is a problem of its own.
TraceReport checkTrace(const Trace &trace, TraceModel model = TraceModel::Paper,
                       double seconds = 600);

/// A sentence that says what to add, with source lines.
std::string advice(const Trace &trace, const Finding &finding);

} // namespace moac::model
