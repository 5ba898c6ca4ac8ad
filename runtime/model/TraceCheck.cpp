// Joins schedule, order and shadow memory, and guesses from the shape of a race what would have
// prevented it.
#include "runtime/model/TraceCheck.h"
#include "runtime/model/ShadowMemory.h"
#include "runtime/model/TraceSchedule.h"

#include <chrono>
#include <sstream>
#include <tuple>

namespace moac::model {
namespace {

bool isSynchronising(RecordKind kind) {
  using enum RecordKind;
  return kind == Set || kind == Amo || kind == PutSignal || kind == SignalSet ||
         kind == SignalAdd || kind == ClearLock;
}

int flagPe(const Record &r) { return r.word ? r.word->pe : r.to.empty() ? r.pe : r.to.front().pe; }

class Checker {
public:
  Checker(const Trace &trace, TraceModel model, double seconds)
      : trace(trace), seconds(seconds),
        order(trace, model == TraceModel::ComId,
              [this](const TraceAccess &a, const Knowledge &k, const Knowledge &plainly,
                     const auto &everywhere) { see(a, k, plainly, everywhere); }) {}

  TraceReport run() {
    size_t done = 0;
    std::string givenUp;
    report.problems = schedule(trace, order, [&](int record) {
      std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      if (spent.count() > seconds) {
        std::ostringstream text;
        text << trace.words[trace.records[record].position] << ": error: given up after " << seconds
             << " s, before this record: " << done << " of " << trace.records.size()
             << " are checked; raise --limit, or trace a shorter run or fewer PEs";
        givenUp = text.str();
        return false;
      }
      ++done;
      if (trace.records[record].kind == RecordKind::Alloc)
        shadow.reset(*trace.records[record].word);
      return true;
    });
    if (!givenUp.empty())
      report.problems.push_back(givenUp);
    return std::move(report);
  }

private:
  void see(const TraceAccess &access, const Knowledge &known, const Knowledge &plainly,
           const TraceOrders::Everywhere &everywhere) {
    ++report.accesses;
    shadow.record(access, known, everywhere,
                  [&](const TraceAccess &earlier) { race(earlier, access, plainly); });
  }

  void race(const TraceAccess &first, const TraceAccess &second, const Knowledge &known) {
    const Record &a = trace.records[first.record], &b = trace.records[second.record];
    auto key = std::tuple(a.position, b.position, a.kind, b.kind, first.store, second.store);
    auto [entry, isNew] = seen.try_emplace(key, report.findings.size());
    if (!isNew) {
      ++report.findings[entry->second].count;
      return;
    }
    Finding finding;
    finding.first = first.record;
    finding.second = second.record;
    finding.firstRange = first.range;
    finding.secondRange = second.range;
    finding.firstStores = first.store;
    finding.secondStores = second.store;
    int last = order.plain().lastKnown(known, order.plain().threadOf(first.id));
    if (last > first.record)
      finding.flag = last;
    finding.missing = known.contains(first.id) ? Missing::CommunicationId
                                               : classify(first, second, finding.flag, last);
    report.findings.push_back(finding);
  }

  // `flag`: the latest record of the first access's thread, after that access, that the second one
  // has heard of; `last`: the latest at all.
  Missing classify(const TraceAccess &first, const TraceAccess &second, int flag, int last) const {
    const Record &a = trace.records[first.record], &b = trace.records[second.record];
    if (first.sync != second.sync)
      return Missing::AtomicFlag;
    if (second.role == Role::Received)
      return Missing::BarrierBeforeCollective;
    if (first.role == Role::Received && a.pe != b.pe)
      return Missing::BarrierAfterCollective;
    if (a.pe == b.pe && a.nonBlocking && first.role == Role::Source)
      return Missing::QuietBeforeReuse;
    if (a.pe == b.pe && a.nonBlocking && first.role == Role::Fetched)
      return Missing::QuietBeforeUse;
    if (a.pe == b.pe)
      return Missing::FenceBetweenTransfers;
    if (flag >= 0) {
      const Record &f = trace.records[flag];
      if (f.kind == RecordKind::Sync)
        return Missing::SyncInsteadOfBarrier;
      return first.role == Role::Normal || flagPe(f) == first.range.pe ? Missing::Fence
                                                                       : Missing::Quiet;
    }
    bool overwrites = !first.store && second.store;
    bool overwritten =
        first.store && !second.store && last >= 0 && isSynchronising(trace.records[last].kind);
    return overwrites || overwritten ? Missing::Credit : Missing::Synchronisation;
  }

  const Trace &trace;
  double seconds;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  TraceOrders order;
  ShadowMemory shadow;
  std::map<std::tuple<int, int, RecordKind, RecordKind, bool, bool>, size_t> seen;
  TraceReport report;
};

} // namespace

TraceReport checkTrace(const Trace &trace, TraceModel model, double seconds) {
  return Checker(trace, model, seconds).run();
}

std::string advice(const Trace &trace, const Finding &finding) {
  const Record &a = trace.records[finding.first], &b = trace.records[finding.second];
  auto call = [&](const Record &r) {
    std::string name = r.token ? trace.words[r.token] : std::string(recordName(r.kind));
    return name + (r.nonBlocking ? "_nbi" : "") + " (" + trace.words[r.position] + ")";
  };
  std::string peA = "PE " + std::to_string(a.pe), peB = "PE " + std::to_string(b.pe);
  switch (finding.missing) {
  case Missing::Fence:
    return "missing fence: put a fence, on the context of the transfer, between " + call(a) +
           " and " + call(trace.records[finding.flag]);
  case Missing::Quiet:
    return "missing quiet: " + call(trace.records[finding.flag]) + " signals another PE than " +
           call(a) + " addresses, so a fence is not enough; put a quiet between them";
  case Missing::QuietBeforeReuse:
    return "early reuse: " + call(a) + " may still be reading its source; put a quiet before " +
           call(b);
  case Missing::QuietBeforeUse:
    return "missing quiet: " + call(a) + " may not have stored yet; put a quiet before " + call(b);
  case Missing::Credit: {
    const Record &reader = finding.firstStores ? b : a, &writer = finding.firstStores ? a : b;
    return "missing credit: PE " + std::to_string(writer.pe) + " does not know that PE " +
           std::to_string(reader.pe) + " has read; after " + call(reader) +
           " send a flag behind a fence, and wait for it before " + call(writer);
  }
  case Missing::SyncInsteadOfBarrier:
    return "missing quiet: sync completes no operations; put a quiet before " +
           call(trace.records[finding.flag]) + " or call barrier";
  case Missing::AtomicFlag:
    return "plain access to a flag: only atomic operations, signals, waits, tests and locks "
           "synchronise";
  case Missing::FenceBetweenTransfers:
    return "missing fence: put a fence between " + call(a) + " and " + call(b);
  case Missing::BarrierBeforeCollective:
    return "missing barrier: the destination of " + call(b) +
           " must be ready before any member calls; put a barrier between it and " + call(a);
  case Missing::BarrierAfterCollective:
    return "missing barrier: " + call(a) + " tells " + peB + " nothing about what " + peA +
           " has received; put a barrier before " + call(b);
  case Missing::CommunicationId:
    return "communication ids: what orders " + call(a) + ", com " + std::to_string(a.com) +
           ", and " + call(b) + ", com " + std::to_string(b.com) +
           ", carries ids that do not bind both; give calls and data one id, or the calls none";
  case Missing::Synchronisation:
    break;
  }
  return "missing synchronisation: nothing " + peB + " has waited for tells it that " + call(a) +
         " by " + peA + " is over; a value fetched from another PE does not count";
}

} // namespace moac::model
