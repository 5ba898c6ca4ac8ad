// The order in which a trace is processed: each thread's records in program order, a synchronising
// read after the write it took its value from, a collective when all members have arrived,
// otherwise by stamp. Trace.md says how reads and writes are matched.
#pragma once

#include "runtime/model/TraceOrders.h"

namespace moac::model {

/// Walks `trace`, feeding `order`; `beforeRecord(i)` is called for each record just before and ends
/// the walk by answering false. Returns what could not be matched: collectives that some member
/// does not call, calls that do not fit together.
std::vector<std::string> schedule(const Trace &trace, TraceOrders &order,
                                  const std::function<bool(int)> &beforeRecord);

} // namespace moac::model
