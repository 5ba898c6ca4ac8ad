// Happens-before of a recorded run, record by record: the relations of the model (see Litmus.md) as
// sets that each thread carries along.
//
// The litmus checker builds matrices over all events; a trace has too many. Here every thread
// keeps, for each relation, the set of accesses that its next access will have before it through
// that relation. A fence, for instance, moves what has been delivered to PE p into the set that
// precedes all later accesses at p. Records must come in an order that respects synchronisation: a
// read after the write whose value it took, a barrier once all members have arrived.
#pragma once

#include "runtime/model/Events.h"
#include "runtime/model/Knowledge.h"
#include "runtime/model/Trace.h"

#include <functional>
#include <unordered_map>

namespace moac::model {

/// One access of the run: what the race test compares.
struct TraceAccess {
  AccessId id;
  int record = -1;
  ByteRange range;
  Role role = Role::Normal;
  bool store = false, sync = false, atomic = false;
};

class TraceOrder {
public:
  /// `sink` receives every access with the set of accesses that happen before it.
  using Sink = std::function<void(const TraceAccess &, const Knowledge &)>;
  /// `comId`: the relations of that communication id (model comid); nothing: those of model paper.
  TraceOrder(const Trace &trace, std::optional<int64_t> comId, Sink sink)
      : trace(trace), comId(comId), sink(std::move(sink)) {}

  /// Processes one record of thread `thread` that is no collective. `source` is the record whose
  /// synchronising write it has read, or whose release it acquires; -1 for none.
  void process(int record, int thread, int source);

  /// Processes the matching calls of one collective: (record, thread) pairs, one per member.
  void processCollective(const std::vector<std::pair<int, int>> &calls);

  /// Processes one call of a broadcast; that of the root comes first. Nobody waits for a leaf.
  void processBroadcast(int record, int thread, int root);
  /// All have called it.
  void endBroadcast(int root) { broadcastReads.erase(root); }

  /// The synchronising write of `record` has read from that of `source`, which came to be processed
  /// later.
  void inherit(int record, int source) {
    auto from = syncWrites.find(source);
    if (from != syncWrites.end())
      syncWrites[record].unite(from->second);
  }

  /// Drops what the synchronising write or release of a record carries: nothing will ask.
  void forget(int record) {
    syncWrites.erase(record);
    releases.erase(record);
  }

  /// The record that issued an access.
  int recordOf(AccessId id) const { return issuers.at(id.stream)[id.index]; }
  /// Of the accesses and calls of `thread` in `known`, the record of the latest; -1 if none.
  int lastKnown(const Knowledge &known, int thread) const;
  /// The thread an access belongs to.
  int threadOf(AccessId id) const { return static_cast<int>(id.stream / streamsPerThread()); }

private:
  // What an operation's stream towards one PE has delivered, had fenced, and issued at all.
  struct Stream {
    Knowledge delivered, fenced, issued;
  };
  // Model comid: what the language itself keeps of the order of plain accesses.
  struct Preserved {
    Knowledge all;   // plain accesses so far, whatever their id
    Knowledge ahead; // before any later one: those before a fence or a release elsewhere
    std::map<std::pair<int, int>, std::map<uint64_t, std::pair<uint64_t, Knowledge>>> places;
  };
  struct ThreadState {
    Knowledge po;                   // before the next event of the thread
    Knowledge lco;                  // local accesses of blocking operations
    Knowledge normal, fencedNormal; // normal accesses so far, and before the last fence
    Knowledge completed;            // before the last quiet or barrier
    Knowledge synced;               // model comid: plain accesses before the last sync
    Preserved preserved;
    std::map<int, Knowledge> ilv; // per PE, its own normal accesses to its memory
    std::map<std::pair<int64_t, int>, Stream> streams; // (context, PE)
  };
  struct Call {
    int record, thread;
    const Record &r;
    ThreadState &state;
    int target;
    bool blocking, fenceOrdered;
    Knowledge inner; // accesses of this operation so far
  };

  uint32_t streamsPerThread() const { return static_cast<uint32_t>(trace.pes) + 2; }
  ThreadState &stateOf(int thread) { return states[thread]; }
  AccessId nextId(int thread, uint32_t lane, int record);
  AccessId enter(int record, int thread);
  Knowledge before(const Call &call, int pe, bool local);
  void access(Call &call, const ByteRange &range, Role role, bool store, bool sync,
              int source = -1);
  void transfer(Call &call);
  void atomic(Call &call, int source);
  void normal(Call &call);
  // The gates of communication ids: on what an operation induces, on which plain accesses it binds.
  bool induces(const Record &r) const { return !comId || below(*comId, r.com); }
  bool admits(const Record &r) const { return !comId || below(r.com, *comId); }
  bool below(int64_t id, int64_t other) const;
  Knowledge &samePlace(ThreadState &state, const ByteRange &range);
  void fence(const Record &r, ThreadState &state);
  void quiet(const Record &r, ThreadState &state);
  static void join(ThreadState &to, const ThreadState &from, bool samePe);
  using Calls = std::vector<std::pair<int, int>>; // record, thread
  std::vector<ByteRange> blocksReceived(const Calls &calls, const Record &r) const;
  void collectiveAccesses(Calls calls);
  Knowledge collectiveReads(int record, int thread);
  void collectiveStores(int record, int thread, Knowledge own, const std::vector<ByteRange> &ranges,
                        const std::function<const Knowledge &(size_t)> &reads);
  void remember(int record, const Knowledge &known);

  const Trace &trace;
  std::optional<int64_t> comId;
  Sink sink;
  std::unordered_map<int, ThreadState> states;
  std::unordered_map<uint32_t, std::vector<int>> issuers; // stream -> record of each access
  std::unordered_map<int, Knowledge> syncWrites;          // record -> what its write carries
  std::unordered_map<int, ThreadState> releases;          // record -> state handed over
  std::unordered_map<int, Knowledge> broadcastReads;      // by the root's record
};

} // namespace moac::model
