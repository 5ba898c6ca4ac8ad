// One candidate program path as events: what the relations of the memory model are defined over.
//
// Three kinds of events take part. Normal accesses, language fences and operations sit in the
// program order of a thread. The observable accesses of an operation do not: only the order inside
// their operation is given, everything else must come from the API relations. Initial writes are
// not events; a load that reads the initial value has no reads-from edge and precedes, in
// from-reads, every store to its location.
#pragma once

#include "runtime/model/Program.h"

#include <map>

namespace moac::model {

enum class EventKind : uint8_t { Load, Store, LanguageFence, Operation };

/// What an observable access is for its operation. Delivered accesses are the ones at the target
/// that a fence orders; Source is the local read of a transfer, Fetched the local store of a
/// non-blocking fetch. Received is what a collective stores: ordered by the reads that it depends
/// on alone.
enum class Role : uint8_t { Normal, Source, Delivered, Fetched, Received };

struct Event {
  EventKind kind = EventKind::Load;
  Role role = Role::Normal;
  int thread = -1;    // index into Graph::threads; -1 for observable accesses, barrier and sync
  int operation = -1; // index into Graph::operations; -1 for normal accesses and language fences
  int location = -1;  // index into Graph::locations; -1 if it touches no memory
  int pe = -1;        // PE whose memory is touched
  int home = -1;      // PE that issues it; -1 for a barrier or sync
  int comId = 0;      // 0 is the global id
  int partner = -1;   // other half of an atomic pair
  int value = -1;     // Store: what it writes, index into Graph::values
  int line = 0;
  bool atomic = false, acquire = false, release = false; // language level
  bool sync = false;     // a synchronising access of an operation (erratum E1: per access)
  bool returned = false; // its value is returned to the caller
  bool isAccess() const { return kind == EventKind::Load || kind == EventKind::Store; }
  bool isNormal() const { return isAccess() && operation < 0; }
  bool isObservable() const { return isAccess() && operation >= 0; }
};

/// One API call. Barrier and sync are one operation of all members; any other collective is one
/// call per member, with the accesses to that member's memory.
struct Operation {
  const OpInfo *info = nullptr;
  OpType type = OpType::Fence;
  int event = -1;
  int home = -1;        // -1 for barrier and sync
  int collective = -1;  // number of the collective that it is part of
  uint64_t members = 0; // PEs that take part, as bits
  int context = 0;      // 0 is the default context
  int comId = 0;
  int quietTarget = -1; // pe_quiet: the PE it completes; -1 for all
  int target = -1;      // PE whose memory an RMA or atomic operation addresses
  bool blocking = true, nostore = false, fenceOrdered = false;
  std::vector<int> accesses;
};

struct Location {
  std::string name;
  int pe = 0;
  int64_t initial = 0;
  std::vector<int> loads, stores;
};

enum class ValueKind : uint8_t { Constant, Loaded, Final, Operator };

/// A symbolic integer: a constant, what a load has read, the last value of a location, or an
/// operator over two others.
struct Value {
  ValueKind kind = ValueKind::Constant;
  ExprOp op = ExprOp::Add;
  int64_t number = 0;
  int index = -1; // Loaded: event; Final: location
  int lhs = -1, rhs = -1;
  int depth = 0; // nested operators
};

/// A condition a path depends on: a wait that returned, a branch that was taken.
struct Requirement {
  int value = -1; // must be non-zero
  int line = 0;
};

/// A wait of this path: the load that ended it, and the comparison it waited for.
struct WaitCondition {
  int load = -1;
  ExprOp cmp = ExprOp::Eq;
  int bound = -1; // value
};

struct Graph {
  std::vector<Event> events;
  std::vector<Operation> operations;
  std::vector<Location> locations;
  std::vector<Value> values;
  std::vector<std::vector<int>> threads;    // program order, events by index
  std::vector<std::pair<int, int>> opOrder; // order between observable accesses of one operation
  std::vector<Requirement> requirements;
  std::vector<WaitCondition> waits;
  int condition = -1;                                // value; -1 without a condition
  std::vector<std::string> comIdNames;               // [0] is the global id
  std::vector<int> comIdParents;                     // [0] is -1
  std::vector<std::string> contextDomains;           // per context
  std::vector<std::map<std::string, int>> registers; // per thread, for reports
  bool stuck = false; // a collective that not all members call: nothing completes

  /// Whether com id `a` is `b` or below it.
  bool comIdLeq(int a, int b) const {
    for (; a >= 0; a = comIdParents[a])
      if (a == b)
        return true;
    return false;
  }
  const Event &event(int index) const { return events[index]; }
  const Operation &operation(int index) const { return operations[index]; }
  const Location &location(int index) const { return locations[index]; }
  int size() const { return static_cast<int>(events.size()); }
};

/// `ST x@1 by put (line 3)`: an event in words.
std::string describeEvent(const Graph &graph, int event);

} // namespace moac::model
