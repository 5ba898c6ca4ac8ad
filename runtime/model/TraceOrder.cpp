// The rules of model `paper`, or of `comid` for one id, applied to one record at a time. The
// comments name the relation each line implements.
#include "runtime/model/TraceOrder.h"

#include <algorithm>

namespace moac::model {
namespace {

// Lanes of a thread's streams: its own timeline, its local observable accesses, those at PE p.
constexpr uint32_t timelineLane = 0, localLane = 1, firstRemoteLane = 2;

bool isFenceOrdered(RecordKind kind) {
  using enum RecordKind;
  return kind == Put || kind == Set || kind == Fetch || kind == Amo || kind == PutSignal ||
         kind == SignalSet || kind == SignalAdd;
}

bool isLock(RecordKind kind) {
  return kind == RecordKind::SetLock || kind == RecordKind::ClearLock;
}

// E2: contexts synchronise within one atomicity domain; waits, tests and locks go with all.
bool synchronise(const Record &writer, const Record &reader) {
  using enum RecordKind;
  auto anyContext = [](const Record &r) {
    return r.kind == Wait || r.kind == Test || r.kind == SignalFetch || isLock(r.kind);
  };
  return writer.domain == reader.domain || anyContext(writer) || anyContext(reader);
}

// The quiet inside a barrier or an unlock: on the default context, with the id of the call.
Record completion(const Record &r) {
  Record quiet;
  quiet.com = r.com;
  return quiet;
}

int targetOf(const Record &r) {
  if (r.word)
    return r.word->pe;
  const std::vector<ByteRange> &remote =
      r.kind == RecordKind::Get || r.kind == RecordKind::Fetch ? r.from : r.to;
  return remote.empty() ? r.pe : remote.front().pe;
}

} // namespace

AccessId TraceOrder::nextId(int thread, uint32_t lane, int record) {
  uint32_t stream = static_cast<uint32_t>(thread) * streamsPerThread() + lane;
  std::vector<int> &issuer = issuers[stream];
  issuer.push_back(record);
  return {stream, static_cast<uint32_t>(issuer.size()) - 1};
}

AccessId TraceOrder::enter(int record, int thread) {
  AccessId id = nextId(thread, timelineLane, record);
  stateOf(thread).po.add(id);
  return id;
}

int TraceOrder::lastKnown(const Knowledge &known, int thread) const {
  int last = -1;
  uint32_t first = static_cast<uint32_t>(thread) * streamsPerThread(), index = 0;
  for (uint32_t lane = 0; lane < streamsPerThread(); ++lane)
    if (known.last(first + lane, index))
      last = std::max(last, issuers.at(first + lane)[index]);
  return last;
}

void TraceOrder::remember(int record, const Knowledge &known) { syncWrites[record].unite(known); }

// What happens before an observable access at `pe`, apart from the order inside its operation.
Knowledge TraceOrder::before(const Call &call, int pe, bool local) {
  const ThreadState &state = call.state;
  Knowledge known = state.completed; // rco
  known.unite(state.lco);            // lco
  known.unite(state.fencedNormal);   // rdo, normal accesses
  auto stream = state.streams.find({call.r.context, pe});
  if (stream != state.streams.end() && call.r.kind != RecordKind::Collective) // on no context
    known.unite(stream->second.fenced); // rdo, deliveries to the same PE
  auto ilv = state.ilv.find(pe);
  if (local && induces(call.r) && ilv != state.ilv.end())
    known.unite(ilv->second); // ilv
  return known;
}

void TraceOrder::access(Call &call, const ByteRange &range, Role role, bool store, bool sync,
                        int source) {
  bool local = range.pe == call.r.pe || isLock(call.r.kind);
  Knowledge known = before(call, local ? call.r.pe : range.pe, local);
  if (store)
    known.unite(call.inner);
  auto written = syncWrites.find(source);
  if (written != syncWrites.end() && synchronise(trace.records[source], call.r) &&
      induces(call.r) && induces(trace.records[source]))
    known.unite(written->second); // aso
  uint32_t lane = local ? localLane : firstRemoteLane + static_cast<uint32_t>(range.pe);
  TraceAccess access{
      nextId(call.thread, lane, call.record), call.record, range, role, store, sync, false};
  sink(access, known);
  known.add(access.id);
  if (store && sync)
    remember(call.record, known);
  if (local && call.blocking && induces(call.r)) {
    call.state.lco.unite(known);
    call.state.po.unite(known);
  }
  Stream &stream = call.state.streams[{call.r.context, call.target}];
  if (call.fenceOrdered && role == Role::Delivered)
    stream.delivered.unite(known);
  stream.issued.unite(known);
  call.inner.unite(known);
}

void TraceOrder::transfer(Call &call) {
  bool isGet = call.r.kind == RecordKind::Get;
  for (const ByteRange &range : call.r.from)
    access(call, range, isGet ? Role::Delivered : Role::Source, false, false);
  for (const ByteRange &range : call.r.to)
    access(call, range, isGet ? Role::Fetched : Role::Delivered, true, false);
}

// Everything with a synchronising word.
void TraceOrder::atomic(Call &call, int source) {
  using enum RecordKind;
  const Record &r = call.r;
  if (r.kind == PutSignal)
    transfer(call);
  ByteRange word = r.word ? *r.word : r.kind == Set ? r.to.front() : r.from.front();
  bool adds =
      r.kind == Amo || r.kind == SignalAdd || r.kind == SetLock || (r.kind == PutSignal && r.old);
  bool reads = adds || r.kind == Fetch || r.kind == SignalFetch || r.kind == Wait || r.kind == Test;
  bool writes = (adds && !r.fails) || r.kind == Set || r.kind == SignalSet || r.kind == PutSignal ||
                r.kind == ClearLock;
  if (reads)
    access(call, word, Role::Delivered, false, true, source);
  if (writes)
    access(call, word, Role::Delivered, true, true);
  if (r.kind == Fetch || r.kind == Amo)
    for (const ByteRange &range : r.to)
      access(call, range, Role::Fetched, true, false);
}

void TraceOrder::normal(Call &call) {
  bool store = call.r.kind != RecordKind::Load;
  TraceAccess access{enter(call.record, call.thread),
                     call.record,
                     *call.r.word,
                     Role::Normal,
                     store,
                     false,
                     call.r.atomic};
  ThreadState &state = call.state;
  if (!comId) {
    sink(access, state.po); // po; the set contains the access itself, which does not matter
    state.normal = state.po;
    if (call.r.word->pe == call.r.pe)
      state.ilv[call.r.pe] = state.po;
    return;
  }
  Knowledge &place = samePlace(state, *call.r.word);
  Knowledge known = place; // preserved program order
  known.unite(state.preserved.ahead);
  if (call.r.release)
    known.unite(state.preserved.all);
  if (admits(call.r))
    for (const Knowledge *relation : {&state.lco, &state.completed, &state.synced})
      known.unite(*relation);
  sink(access, known);
  known.add(access.id);
  place = known;
  state.preserved.all.unite(known);
  if (call.r.acquire)
    state.preserved.ahead.unite(known);
  if (!admits(call.r))
    return;
  state.normal.unite(known);
  if (call.r.word->pe == call.r.pe)
    state.ilv[call.r.pe].unite(known);
}

bool TraceOrder::below(int64_t id, int64_t other) const {
  while (id != other && id != 0) {
    auto parent = trace.comParents.find(id);
    id = parent == trace.comParents.end() ? 0 : parent->second;
  }
  return id == other;
}

// Ranges of one thread that overlap count as one place.
Knowledge &TraceOrder::samePlace(ThreadState &state, const ByteRange &range) {
  auto &places = state.preserved.places[{range.pe, range.space}];
  uint64_t begin = range.begin, end = range.end;
  Knowledge known;
  auto at = places.upper_bound(begin);
  if (at != places.begin() && std::prev(at)->second.first > begin)
    --at;
  while (at != places.end() && at->first < end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second.first);
    known.unite(at->second.second);
    at = places.erase(at);
  }
  auto &entry = places[begin];
  entry = {end, std::move(known)};
  return entry.second;
}

void TraceOrder::fence(const Record &r, ThreadState &state) {
  Preserved &kept = state.preserved;
  for (const Knowledge *earlier : {&kept.all, &state.lco})
    if (comId)
      kept.ahead.unite(*earlier);
  if (!induces(r))
    return;
  for (auto &[key, stream] : state.streams)
    if (key.first == r.context)
      stream.fenced.unite(stream.delivered);
  if (!r.nostore)
    state.fencedNormal.unite(state.normal);
}

void TraceOrder::quiet(const Record &r, ThreadState &state) {
  if (!induces(r))
    return;
  for (auto &[key, stream] : state.streams) {
    bool named = r.quietTargets.empty() || std::find(r.quietTargets.begin(), r.quietTargets.end(),
                                                     key.second) != r.quietTargets.end();
    if (key.first != r.context || !named)
      continue;
    state.po.unite(stream.issued);
    state.completed.unite(stream.issued);
    stream.issued.clear();
  }
  if (r.nostore)
    return;
  if (!comId)
    return state.completed.unite(state.po);
  for (const Knowledge *earlier : {&state.normal, &state.lco})
    state.completed.unite(*earlier);
}

void TraceOrder::join(ThreadState &to, const ThreadState &from, bool samePe) {
  to.po.unite(from.po);
  to.lco.unite(from.lco);
  to.normal.unite(from.normal);
  to.fencedNormal.unite(from.fencedNormal);
  to.completed.unite(from.completed);
  to.synced.unite(from.synced);
  for (auto &[pe, known] : from.ilv)
    to.ilv[pe].unite(known);
  if (!samePe)
    return;
  for (auto &[key, stream] : from.streams) { // contexts are shared by the threads of a PE
    to.streams[key].delivered.unite(stream.delivered);
    to.streams[key].fenced.unite(stream.fenced);
    to.streams[key].issued.unite(stream.issued);
  }
}

void TraceOrder::process(int record, int thread, int source) {
  using enum RecordKind;
  const Record &r = trace.records[record];
  ThreadState &state = stateOf(thread);
  Call call{record, thread, r, state, targetOf(r), !r.nonBlocking, isFenceOrdered(r.kind), {}};
  if (r.kind == Load || r.kind == Store || r.kind == Free)
    return normal(call);
  enter(record, thread);
  switch (r.kind) {
  case Put:
  case Get:
    return transfer(call);
  case Fence:
    return fence(r, state);
  case Quiet:
    return quiet(r, state);
  case ClearLock: // completes the caller's operations first
    quiet(completion(r), state);
    return atomic(call, source);
  case Release:
    releases[record] = state;
    return;
  case Acquire: {
    auto from = releases.find(source);
    if (from == releases.end())
      return;
    join(state, from->second, trace.records[source].pe == r.pe);
    state.preserved.ahead.unite(from->second.preserved.all);
    state.preserved.ahead.unite(from->second.preserved.ahead);
    return;
  }
  case Alloc:
    return;
  default:
    return atomic(call, source);
  }
}

// What a member receives, block by block in the order of the members, where each member sends one.
std::vector<ByteRange> TraceOrder::blocksReceived(const Calls &calls, const Record &r) const {
  const std::string &name = trace.words[static_cast<size_t>(r.token)];
  const size_t members = calls.size();
  if (name != "fcollect" && name != "alltoall")
    return {};
  if (r.to.size() == members)
    return r.to;
  if (r.to.size() != 1 || (r.to[0].end - r.to[0].begin) % members != 0)
    return {};
  std::vector<ByteRange> blocks(members, r.to[0]);
  uint64_t bytes = (r.to[0].end - r.to[0].begin) / members;
  for (size_t i = 0; i < members; ++i) {
    blocks[i].begin += i * bytes;
    blocks[i].end = blocks[i].begin + bytes;
  }
  return blocks;
}

// E6: each member reads its own memory as in any operation; what it stores depends on reads only:
// on the sender's, where blocks have one, else on all.
void TraceOrder::collectiveAccesses(Calls calls) {
  const Record &any = trace.records[calls.front().first];
  auto team = trace.teams.find(any.team);
  auto rank = [&](const std::pair<int, int> &call) {
    int pe = trace.records[call.first].pe;
    return team == trace.teams.end()
               ? pe
               : static_cast<int>(std::find(team->second.begin(), team->second.end(), pe) -
                                  team->second.begin());
  };
  std::sort(calls.begin(), calls.end(),
            [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  std::vector<Knowledge> reads(calls.size());
  Knowledge allReads;
  for (size_t i = 0; i < calls.size(); ++i) {
    reads[i] = collectiveReads(calls[i].first, calls[i].second);
    allReads.unite(reads[i]);
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    const Record &r = trace.records[calls[i].first];
    std::vector<ByteRange> blocks = blocksReceived(calls, r);
    collectiveStores(
        calls[i].first, calls[i].second, reads[i], blocks.empty() ? r.to : blocks,
        [&](size_t j) -> const Knowledge & { return blocks.empty() ? allReads : reads[j]; });
  }
}

Knowledge TraceOrder::collectiveReads(int record, int thread) {
  const Record &r = trace.records[record];
  Call call{record, thread, r, stateOf(thread), r.pe, true, false, {}};
  Knowledge reads;
  for (const ByteRange &range : r.from) {
    Knowledge known = before(call, range.pe, true);
    AccessId id = nextId(thread, localLane, record);
    sink({id, record, range, Role::Source, false, false, false}, known);
    known.add(id);
    reads.unite(known);
  }
  return reads;
}

void TraceOrder::collectiveStores(int record, int thread, Knowledge own,
                                  const std::vector<ByteRange> &ranges,
                                  const std::function<const Knowledge &(size_t)> &reads) {
  const Record &r = trace.records[record];
  for (size_t j = 0; j < ranges.size(); ++j) {
    Knowledge known = reads(j);
    AccessId id = nextId(thread, localLane, record);
    sink({id, record, ranges[j], Role::Received, true, false, false}, known);
    known.add(id);
    own.unite(known);
  }
  ThreadState &state = stateOf(thread);
  if (induces(r)) {
    state.lco.unite(own);
    state.po.unite(own);
  }
  state.streams[{r.context, r.pe}].issued.unite(own);
}

void TraceOrder::processBroadcast(int record, int thread, int root) {
  enter(record, thread);
  Knowledge own;
  if (record == root)
    own = broadcastReads[root] = collectiveReads(record, thread);
  collectiveStores(record, thread, own, trace.records[record].to,
                   [&](size_t) -> const Knowledge & { return broadcastReads[root]; });
}

void TraceOrder::processCollective(const Calls &calls) {
  RecordKind kind = trace.records[calls.front().first].kind;
  for (auto [record, thread] : calls)
    enter(record, thread);
  if (kind == RecordKind::Collective)
    return collectiveAccesses(calls);
  ThreadState merged;
  for (auto [record, thread] : calls) {
    if (kind == RecordKind::Barrier)
      quiet(completion(trace.records[record]), stateOf(thread));
    join(merged, stateOf(thread), false);
  }
  bool binds = induces(trace.records[calls.front().first]);
  if (kind == RecordKind::Barrier && !comId)
    merged.completed.unite(merged.po); // rco
  if (kind == RecordKind::Sync && comId && binds)
    merged.synced.unite(merged.normal); // E5
  for (auto [record, thread] : calls) {
    ThreadState &state = stateOf(thread);
    ThreadState next = merged;
    next.streams = std::move(state.streams);
    next.preserved = std::move(state.preserved);
    state = std::move(next);
  }
}

} // namespace moac::model
