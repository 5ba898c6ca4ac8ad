// The player walks an event graph: an operation performs all its accesses when its turn comes, a
// wait has its turn once its word has the right value, a collective when all members stand before
// it. Only non-blocking signals that add may be under way for longer, and overtake each other,
// until their thread does something else: what an adding signal finds is the one thing that a trace
// says of the order of deliveries.
#include "runtime/model/TraceFromLitmus.h"
#include "runtime/model/Expand.h"
#include "runtime/model/Values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>

namespace moac::model {
namespace {

class Player {
public:
  Player(const Program &program, const Graph &graph, unsigned seed)
      : program(program), graph(graph), random(seed), rf(graph.events.size(), readsNothingYet),
        finals(graph.locations.size(), readsInitial), next(graph.threads.size()) {}

  // Returns false if all threads are stuck before the end.
  bool play() {
    for (size_t left = total(); left > 0; left = total()) {
      std::vector<int> threads;
      for (size_t t = 0; t < graph.threads.size(); ++t)
        if (next[t] < graph.threads[t].size())
          threads.push_back(static_cast<int>(t));
      std::shuffle(threads.begin(), threads.end(), random);
      if (random() % 2 && !underWay.empty() && !deliver(random() % underWay.size()))
        return false;
      if (std::none_of(threads.begin(), threads.end(), [&](int t) { return step(t); }) &&
          (underWay.empty() || !deliver(0)))
        return false;
    }
    while (!underWay.empty())
      if (!deliver(random() % underWay.size()))
        return false;
    return true;
  }

  const ReadsFrom &readsFrom() const { return rf; }

  std::string trace() const {
    std::string head = "moac-trace 1\npes " + std::to_string(program.pes) + "\n";
    for (size_t i = 0; i < program.teams.size(); ++i) {
      head += "team " + std::to_string(i + 1) + " ";
      for (int member : program.teams[i].members)
        head += (head.back() == ' ' ? "" : ",") + std::to_string(member);
      head += "\n";
    }
    for (size_t i = 1; i < graph.comIdParents.size(); ++i)
      head += "com " + std::to_string(i) + " under " + std::to_string(graph.comIdParents[i]) + "\n";
    return head + text;
  }

private:
  size_t total() const {
    size_t left = 0;
    for (size_t t = 0; t < next.size(); ++t)
      left += graph.threads[t].size() - next[t];
    return left;
  }

  bool step(int thread) {
    int event = graph.threads[thread][next[thread]];
    const Event &e = graph.event(event);
    if (isUnderWayForLong(e)) {
      ++next[thread];
      write(thread, event);
      underWay.push_back({thread, e.operation, adds});
      return true;
    }
    while (auto own = oneUnderWay(thread))
      if (!deliver(*own))
        return false;
    if (e.kind == EventKind::Operation && graph.operation(e.operation).collective >= 0)
      return collective(graph.operation(e.operation));
    std::vector<int> accesses;
    if (e.isAccess())
      accesses = {event};
    else if (e.kind == EventKind::Operation)
      accesses = graph.operation(e.operation).accesses;
    if (!perform(accesses))
      return false;
    ++next[thread];
    write(thread, event);
    return true;
  }

  struct Signal {
    int thread, operation, number;
  };

  bool isUnderWayForLong(const Event &e) const {
    if (e.kind != EventKind::Operation)
      return false;
    const Operation &op = graph.operation(e.operation);
    return op.type == OpType::PutSignal && !op.blocking && adding(op) >= 0;
  }

  // The load of the signal word, if there is one.
  int adding(const Operation &op) const {
    for (int access : op.accesses)
      if (graph.event(access).sync && graph.event(access).kind == EventKind::Load)
        return access;
    return -1;
  }

  std::optional<size_t> oneUnderWay(int thread) {
    std::vector<size_t> own;
    for (size_t i = 0; i < underWay.size(); ++i)
      if (underWay[i].thread == thread)
        own.push_back(i);
    return own.empty() ? std::nullopt : std::optional(own[random() % own.size()]);
  }

  bool deliver(size_t index) {
    Signal signal = underWay[index];
    underWay.erase(underWay.begin() + static_cast<std::ptrdiff_t>(index));
    const Operation &op = graph.operation(signal.operation);
    if (!perform(op.accesses))
      return false;
    int load = adding(op);
    text += "added pe=" + std::to_string(op.home) + " t=" + std::to_string(++clock) +
            " add=" + std::to_string(signal.number) + " val=" + value(graph.event(load).partner) +
            " old=" + value(load) + "\n";
    return true;
  }

  // Loads take the latest stores; undone if that contradicts what the path requires.
  bool perform(const std::vector<int> &accesses) {
    std::vector<int> saved = finals;
    for (int access : accesses) {
      const Event &e = graph.event(access);
      if (e.kind == EventKind::Load)
        rf[access] = finals[e.location];
      else
        finals[e.location] = access;
    }
    if (!Evaluator(graph, rf).contradicts())
      return true;
    for (int access : accesses)
      rf[access] = readsNothingYet;
    finals = saved;
    return false;
  }

  bool collective(const Operation &op) {
    std::vector<int> callers, accesses;
    for (size_t t = 0; t < graph.threads.size(); ++t) {
      if (next[t] == graph.threads[t].size())
        continue;
      const Event &e = graph.event(graph.threads[t][next[t]]);
      if (e.kind != EventKind::Operation ||
          graph.operation(e.operation).collective != op.collective)
        continue;
      callers.push_back(static_cast<int>(t));
      const std::vector<int> &own = graph.operation(e.operation).accesses;
      accesses.insert(accesses.end(), own.begin(), own.end());
    }
    std::sort(accesses.begin(), accesses.end(), [&](int a, int b) {
      return std::pair(graph.event(a).kind, a) < std::pair(graph.event(b).kind, b); // loads first
    });
    if (static_cast<int>(callers.size()) != std::popcount(op.members) || !perform(accesses))
      return false;
    for (int thread : callers)
      write(thread, graph.threads[thread][next[thread]++]);
    return true;
  }

  std::string range(int access) const {
    const Location &location = graph.location(graph.event(access).location);
    return std::to_string(location.pe) + ":" + location.name + "/0+8";
  }

  std::string value(int access) {
    return std::to_string(Evaluator(graph, rf).ofEvent(access).number);
  }

  void begin(std::string_view word, int thread, int line) {
    text += std::string(word) + " pe=" + std::to_string(program.threads[thread].pe) +
            " thr=" + std::to_string(program.threads[thread].index) + " at=" + program.file + ":" +
            std::to_string(line) + " t=" + std::to_string(++clock);
  }

  void write(int thread, int event) {
    const Event &e = graph.event(event);
    if (e.kind == EventKind::LanguageFence)
      return;
    if (e.kind == EventKind::Operation)
      return writeOperation(thread, event);
    bool takes =
        e.acquire && e.kind == EventKind::Load && rf[event] >= 0 && graph.event(rf[event]).release;
    if (takes) {
      begin("acquire", thread, e.line);
      text += " tok=e" + std::to_string(rf[event]) + "\n";
    }
    begin(e.kind == EventKind::Load ? "ld" : "st", thread, e.line);
    writeComId(e.comId);
    text += " mem=" + range(event) + (e.atomic ? " atomic" : "") + (e.acquire ? " acq" : "") +
            (e.release ? " rel\n" : "\n");
    if (e.release && e.kind == EventKind::Store) {
      begin("release", thread, e.line);
      text += " tok=e" + std::to_string(event) + "\n";
    }
  }

  void writeComId(int id) {
    if (id != 0)
      text += " com=" + std::to_string(id);
  }

  // In the order of OpType.
  static std::string_view wordOf(OpType type) {
    static constexpr std::array<std::string_view, 26> words = {
        "put",        "get",        "fetch",        "set",   "amo",   "amo",     "put_signal",
        "signal_set", "signal_add", "signal_fetch", "wait",  "wait",  "wait",    "test",
        "set_lock",   "set_lock",   "clear_lock",   "fence", "quiet", "barrier", "sync",
        "coll",       "coll",       "coll",         "coll",  "coll"};
    return words[static_cast<size_t>(type)];
  }

  void writeOperation(int thread, int event) {
    const Operation &op = graph.operation(graph.event(event).operation);
    int line = graph.event(event).line;
    bool failedTest = op.type == OpType::TestLock && graph.event(op.accesses.front()).partner < 0;
    if (failedTest) // orders nothing
      return;
    if (op.type == OpType::WaitAll) { // one record per word
      for (int access : op.accesses)
        writeCall(op, thread, line, {access});
      return;
    }
    writeCall(op, thread, line, op.accesses);
  }

  void writeCall(const Operation &op, int thread, int line, const std::vector<int> &accesses) {
    using enum OpType;
    std::string_view word = wordOf(op.type);
    begin(word, thread, line);
    if (!op.blocking)
      text += " nbi";
    if (op.context)
      text += " ctx=" + std::to_string(op.context) + (op.nostore ? " nostore" : "");
    writeComId(op.comId);
    if (!graph.contextDomains[op.context].empty())
      text += " dom=" + graph.contextDomains[op.context];
    if (op.quietTarget >= 0)
      text += " to=" + std::to_string(op.quietTarget);
    if (op.collective >= 0)
      writeMembership(op, thread);
    bool later = op.type == PutSignal && !op.blocking && adding(op) >= 0;
    for (int access : accesses)
      if (!later || !graph.event(access).sync)
        writeAccess(op, thread, word, access);
    if (later)
      text += " sig=" + range(adding(op)) + " add=" + std::to_string(++adds);
    if (op.type == CompareSwap && graph.event(accesses.front()).partner < 0)
      text += " fail val=" + value(accesses.front()) + " old=" + value(accesses.front());
    text += "\n";
  }

  void writeMembership(const Operation &op, int thread) {
    int team = 0, pe = program.threads[thread].pe;
    for (size_t i = 0; i < program.teams.size(); ++i) {
      uint64_t mask = 0;
      for (int member : program.teams[i].members)
        mask |= uint64_t{1} << member;
      if (mask == op.members)
        team = static_cast<int>(i) + 1;
    }
    text += " team=" + std::to_string(team) + " seq=" + std::to_string(counts[{team, pe}]++) +
            " name=" + std::string(op.info->mnemonic);
  }

  void writeAccess(const Operation &op, int thread, std::string_view word, int access) {
    const Event &e = graph.event(access);
    bool load = e.kind == EventKind::Load;
    if (!e.sync) {
      text += (load ? " src=" : " dst=") + range(access);
    } else {
      bool pairs = e.partner >= 0;
      if (load && pairs)
        text += " old=" + value(access);
      if (!load || !pairs)
        text += " " + std::string(wordField(word)) + "=" + range(access) +
                " val=" + lockValue(op, access);
    }
  }

  static std::string_view wordField(std::string_view word) {
    if (word == "set")
      return "dst";
    if (word == "fetch")
      return "src";
    if (word == "put_signal" || word == "signal_set" || word == "signal_add")
      return "sig";
    return word == "set_lock" || word == "clear_lock" ? "lock" : "mem";
  }

  // Locks count hand-overs instead of holding 0 and 1.
  std::string lockValue(const Operation &op, int access) {
    if (op.type == OpType::SetLock || op.type == OpType::TestLock)
      return std::to_string(handOvers[graph.event(access).location]);
    if (op.type == OpType::ClearLock)
      return std::to_string(++handOvers[graph.event(access).location]);
    return value(access);
  }

  const Program &program;
  const Graph &graph;
  std::mt19937 random;
  ReadsFrom rf;
  std::vector<int> finals;
  std::vector<size_t> next;
  std::map<std::pair<int, int>, int> counts;
  std::map<int, int> handOvers;
  std::vector<Signal> underWay;
  int adds = 0;
  std::string text;
  int64_t clock = 0;
};

} // namespace

std::optional<PlayedRun> playProgram(const Program &program, unsigned seed) {
  std::optional<PlayedRun> result;
  forEachPath(program, [&](Graph &&graph) {
    Player player(program, graph, seed);
    if (!graph.stuck && player.play())
      result = {graph, player.readsFrom(), player.trace()};
    return !result;
  });
  return result;
}

std::optional<std::string> traceOfProgram(const Program &program, unsigned seed) {
  auto run = playProgram(program, seed);
  return run ? std::optional(std::move(run->trace)) : std::nullopt;
}

} // namespace moac::model
