// A discrete scheduler over the threads of a trace. `SyncMatcher` answers which write a read has
// seen, `Scheduler` picks the next thread.
#include "runtime/model/TraceSchedule.h"

#include <algorithm>
#include <deque>
#include <set>

namespace moac::model {
namespace {

// No source; a source that has not been processed yet and is not known; one that is, number r:
// notYet - 1 - r.
constexpr int none = -1, notYet = -2;
constexpr std::size_t rememberedWrites = 256;

using WordKey = std::tuple<int, int, uint64_t>; // PE, space, address

std::optional<ByteRange> syncWord(const Record &r) {
  using enum RecordKind;
  if (r.kind == Set)
    return r.to.front();
  if (r.kind == Fetch)
    return r.from.front();
  bool plain = r.kind == Load || r.kind == Store || r.kind == Alloc || r.kind == Free;
  return plain ? std::nullopt : r.word;
}

// A signal without a value was never delivered.
bool writesWord(const Record &r) {
  using enum RecordKind;
  return r.value && (r.kind == Set || (r.kind == Amo && !r.fails) || r.kind == PutSignal ||
                     r.kind == SignalSet || r.kind == SignalAdd || r.kind == ClearLock);
}

// The value a record has read from its word, if it reads one and says so.
std::optional<int64_t> readValue(const Record &r) {
  using enum RecordKind;
  if (r.kind == Amo || r.kind == SignalAdd || r.kind == PutSignal)
    return r.old;
  bool reads = r.kind == Fetch || r.kind == SignalFetch || r.kind == Wait || r.kind == Test ||
               r.kind == SetLock;
  return reads ? r.value : std::nullopt;
}

class SyncMatcher {
public:
  explicit SyncMatcher(const Trace &trace) : trace(trace), done(trace.records.size()) {
    for (size_t i = 0; i < trace.records.size(); ++i) {
      const Record &r = trace.records[i];
      if (writesWord(r))
        words[keyOf(*syncWord(r))].byValue[*r.value].push_back(static_cast<int>(i));
      if (r.kind == RecordKind::Release)
        tokens[r.token].byValue[0].push_back(static_cast<int>(i));
    }
    auto byStamp = [&](int a, int b) {
      return std::pair(trace.records[a].stamp, a) < std::pair(trace.records[b].stamp, b);
    };
    for (auto &[key, word] : words)
      for (auto &[value, writes] : word.byValue)
        std::sort(writes.begin(), writes.end(), byStamp);
    for (auto &[key, token] : tokens)
      std::sort(token.byValue[0].begin(), token.byValue[0].end(), byStamp);
  }

  /// The record that `reader` has read from, none, or at most notYet.
  int source(int reader) const {
    const Record &r = trace.records[reader];
    if (r.kind == RecordKind::Acquire)
      return choose(tokens, r.token, 0, reader, false);
    auto word = syncWord(r);
    if (!word)
      return none;
    if (auto value = readValue(r))
      return choose(words, keyOf(*word), *value, reader, *value == 0);
    auto found = words.find(keyOf(*word)); // an atomic update that does not tell what it found
    return found == words.end() || found->second.recent.empty() ? none
                                                                : found->second.recent.back();
  }

  /// Notes that `record` has been processed; returns a record whose write or release is no longer
  /// of interest, or none.
  int processed(int record) {
    const Record &r = trace.records[record];
    done[record] = true;
    if (r.kind == RecordKind::Release)
      return note(tokens[r.token], record, 0);
    return writesWord(r) ? note(words[keyOf(*syncWord(r))], record, *r.value) : none;
  }

private:
  struct Writes {
    std::map<int64_t, std::vector<int>> byValue; // by stamp
    std::map<int64_t, int> latest;               // by value, the latest processed
    std::deque<int> recent;                      // processed, oldest first
  };

  static WordKey keyOf(const ByteRange &range) { return {range.pe, range.space, range.begin}; }

  static int note(Writes &writes, int record, int64_t value) {
    writes.latest[value] = record;
    writes.recent.push_back(record);
    if (writes.recent.size() <= rememberedWrites)
      return none;
    int old = writes.recent.front();
    writes.recent.pop_front();
    return old;
  }

  template <typename Map, typename Key>
  int choose(const Map &map, const Key &key, int64_t value, int record, bool maybeInitial) const {
    const Record &reader = trace.records[record];
    auto found = map.find(key);
    if (found == map.end())
      return none;
    auto candidates = found->second.byValue.find(value);
    if (candidates == found->second.byValue.end())
      return none;
    const std::vector<int> &writes = candidates->second;
    std::optional<int64_t> seen = reader.seen ? reader.seen : reader.stamp;
    if (seen && trace.records[writes.front()].stamp) {
      auto after =
          std::upper_bound(writes.begin(), writes.end(), *seen, [&](int64_t stamp, int write) {
            return stamp < trace.records[write].stamp;
          });
      if (after != writes.begin() && *(after - 1) == record) // a swap that writes what it found
        --after;
      if (after == writes.begin())
        return none;
      return done[*(after - 1)] ? *(after - 1) : notYet - 1 - *(after - 1);
    }
    auto latest = found->second.latest.find(value);
    if (latest != found->second.latest.end())
      return latest->second;
    return maybeInitial ? none : notYet;
  }

  const Trace &trace;
  std::vector<char> done; // by record
  std::map<WordKey, Writes> words;
  std::map<int, Writes> tokens;
};

bool isCollective(const Record &r) {
  return r.kind == RecordKind::Barrier || r.kind == RecordKind::Sync ||
         r.kind == RecordKind::Collective;
}

class Scheduler {
public:
  Scheduler(const Trace &trace, TraceOrders &order, const std::function<bool(int)> &beforeRecord)
      : trace(trace), order(order), beforeRecord(beforeRecord), matcher(trace) {
    std::map<std::pair<int, int>, int> index;
    for (size_t i = 0; i < trace.records.size(); ++i) {
      const Record &r = trace.records[i];
      auto [entry, isNew] = index.try_emplace({r.pe, r.thread}, static_cast<int>(queues.size()));
      if (isNew)
        queues.emplace_back();
      queues[entry->second].push_back(static_cast<int>(i));
    }
    for (size_t t = 0; t < queues.size(); ++t)
      ready.insert(keyOf(static_cast<int>(t)));
  }

  std::vector<std::string> run() {
    while (!stopped && (!ready.empty() || !waiting.empty())) {
      bool forced = ready.empty();
      std::set<Key> &from = forced ? waiting : ready;
      Key key = *from.begin();
      from.erase(from.begin());
      step(std::get<2>(key), forced);
    }
    for (auto &[id, calls] : arrived)
      if (!stopped)
        incomplete(calls);
    return std::move(problems);
  }

private:
  using Key = std::tuple<int64_t, int, int>; // stamp, record, thread
  Key keyOf(int thread) const {
    int record = queues[thread].front();
    return {trace.records[record].stamp.value_or(0), record, thread};
  }

  void advance(int thread) {
    queues[thread].pop_front();
    if (!queues[thread].empty())
      ready.insert(keyOf(thread));
  }

  // `forced`: every thread waits, so this one goes on without its source.
  void step(int thread, bool forced) {
    int record = queues[thread].front();
    const Record &r = trace.records[record];
    if (isCollective(r))
      return arrive(record, thread);
    int source = matcher.source(record);
    bool own = isOwnLater(r, source);
    if (source <= notYet && !own && !forced) {
      waiting.insert(keyOf(thread));
      return;
    }
    stopped = !beforeRecord(record);
    if (stopped)
      return;
    order.process(record, thread, source <= notYet ? none : source);
    if (own)
      overtaken[notYet - 1 - source].push_back(record);
    else
      finish(record);
    if (!waiting.empty()) {
      ready.merge(waiting);
      waiting.clear();
    }
    advance(thread);
  }

  // A non-blocking add of this thread that a later one has overtaken, and whose value it has found.
  bool isOwnLater(const Record &r, int source) const {
    if (!r.nonBlocking || source >= notYet)
      return false;
    const Record &later = trace.records[notYet - 1 - source];
    return later.pe == r.pe && later.thread == r.thread;
  }

  // The write of `record` may be read from, and so may those of the adds that it has overtaken.
  void finish(int record) {
    std::vector<int> open = {record};
    while (!open.empty()) {
      int next = open.back();
      open.pop_back();
      int old = matcher.processed(next);
      if (old != none)
        order.forget(old);
      auto behind = overtaken.extract(next);
      for (int other : behind ? behind.mapped() : std::vector<int>{}) {
        order.inherit(other, next);
        open.push_back(other);
      }
    }
  }

  struct Broadcast {
    int root = -1; // record
    std::set<int> done;
  };

  bool isBroadcast(const Record &r) const {
    return r.kind == RecordKind::Collective && trace.words[r.token] == "broadcast";
  }

  // From a broadcast the root returns at once, and each of the others once the root has called.
  void leaveEarly(const std::vector<std::pair<int, int>> &calls, Broadcast &broadcast) {
    auto leave = [&](int record, int thread) {
      stopped = stopped || !beforeRecord(record);
      if (stopped || !broadcast.done.insert(record).second)
        return;
      order.processBroadcast(record, thread, broadcast.root);
      advance(thread);
    };
    for (bool root : {true, false})
      for (auto [record, thread] : calls)
        if ((record == broadcast.root) == root && isBroadcast(trace.records[record]) &&
            !broadcast.done.contains(record))
          leave(record, thread);
  }

  void arrive(int record, int thread) {
    const Record &r = trace.records[record];
    auto &calls = arrived[{r.team, r.sequence}];
    calls.emplace_back(record, thread);
    Broadcast broadcast;
    if (isBroadcast(r)) {
      Broadcast &known = broadcasts[{r.team, r.sequence}];
      if (!r.from.empty() && known.root < 0)
        known.root = record;
      if (known.root >= 0)
        leaveEarly(calls, known);
    }
    auto team = trace.teams.find(r.team);
    size_t members =
        team == trace.teams.end() ? static_cast<size_t>(trace.pes) : team->second.size();
    if (calls.size() < members)
      return;
    auto complete = std::move(calls);
    arrived.erase({r.team, r.sequence});
    if (auto entry = broadcasts.extract({r.team, r.sequence}))
      broadcast = std::move(entry.mapped());
    const Record &first = trace.records[complete.front().first];
    for (auto [other, otherThread] : complete)
      if (trace.records[other].kind != first.kind || trace.records[other].token != first.token)
        mismatch(first, trace.records[other]);
    if (broadcast.root >= 0) {
      order.endBroadcast(broadcast.root);
      for (auto [other, otherThread] : complete)
        if (!broadcast.done.contains(other)) // does not match
          advance(otherThread);
      return;
    }
    for (auto [other, otherThread] : complete)
      stopped = stopped || !beforeRecord(other);
    if (stopped)
      return;
    order.processCollective(complete);
    for (auto [other, otherThread] : complete)
      advance(otherThread);
  }

  std::string callText(const Record &r) const {
    std::string name = r.token ? trace.words[r.token] : std::string(recordName(r.kind));
    return name + " by PE " + std::to_string(r.pe) + " (" + trace.words[r.position] + ")";
  }

  void mismatch(const Record &a, const Record &b) {
    problems.push_back(trace.words[b.position] + ": error: collective " +
                       std::to_string(b.sequence) + " of team " + std::to_string(b.team) +
                       " does not match: " + callText(a) + ", " + callText(b));
  }

  void incomplete(const std::vector<std::pair<int, int>> &calls) {
    const Record &r = trace.records[calls.front().first];
    problems.push_back(trace.words[r.position] + ": error: collective " +
                       std::to_string(r.sequence) + " of team " + std::to_string(r.team) + ": " +
                       callText(r) + " is not called by all members; " +
                       std::to_string(calls.size()) + " have called it");
  }

  const Trace &trace;
  TraceOrders &order;
  const std::function<bool(int)> &beforeRecord;
  SyncMatcher matcher;
  std::vector<std::deque<int>> queues;
  std::set<Key> ready, waiting;
  std::map<int, std::vector<int>> overtaken; // by the add that was earlier
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<int, int>>> arrived;
  std::map<std::pair<int64_t, int64_t>, Broadcast> broadcasts;
  std::vector<std::string> problems;
  bool stopped = false;
};

} // namespace

std::vector<std::string> schedule(const Trace &trace, TraceOrders &order,
                                  const std::function<bool(int)> &beforeRecord) {
  return Scheduler(trace, order, beforeRecord).run();
}

} // namespace moac::model
