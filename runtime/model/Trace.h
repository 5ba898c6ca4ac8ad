// A recorded run: what Trace.md describes, as structs. Reading checks the form of every line;
// whether the run was right is TraceCheck.h's business.
#pragma once

#include "runtime/model/Program.h"

#include <map>

namespace moac::model {

enum class RecordKind : uint8_t {
  Load,
  Store,
  Put,
  Get,
  Set,
  Fetch,
  Amo,
  PutSignal,
  SignalSet,
  SignalAdd,
  SignalFetch,
  Wait,
  Test,
  SetLock,
  ClearLock,
  Fence,
  Quiet,
  Barrier,
  Sync,
  Collective,
  Release,
  Acquire,
  Alloc,
  Free
};

/// The word a record starts with.
std::string_view recordName(RecordKind kind);

/// Bytes [begin, end) of one address space of one PE.
struct ByteRange {
  int pe = 0, space = 0;
  uint64_t begin = 0, end = 0;
};

/// One line of a trace. Words that occur often (positions, tokens, names) are numbers into
/// Trace::words.
struct Record {
  RecordKind kind = RecordKind::Load;
  int pe = 0, thread = 0;
  int position = 0; // word: FILE:LINE in the program
  int domain = 0;   // word: atomicity domain of the context
  int token = 0;    // word: release/acquire token, or the name of a collective
  int64_t context = 0, team = 0, sequence = 0;
  int64_t com = 0; // communication id, 0 is the global one
  std::optional<int64_t> stamp, seen, value, old; // seen: stamp after the read of an update
  int64_t add = 0; // number of an add whose value and old value come in a line of their own
  bool nostore = false, nonBlocking = false, fails = false, atomic = false;
  bool acquire = false, release = false; // of a plain access that is atomic
  std::vector<ByteRange> to, from; // dst and src
  std::optional<ByteRange> word;   // mem, sig or lock
  std::vector<int> quietTargets;
};

struct Trace {
  int pes = 0;
  std::map<int64_t, std::vector<int>> teams; // without team 0, all PEs
  std::map<int64_t, int64_t> comParents;     // of those that do not stand directly below 0
  std::vector<std::string> words = {""};
  std::vector<std::string> spaces = {""};
  std::vector<Record> records; // the records of one thread are in program order
};

/// Adds one trace file to `trace`. Every file begins with `moac-trace 1`.
std::optional<SourceError> readTrace(std::string_view text, const std::string &file, Trace &trace);

/// Checks what only the whole trace can tell: PE numbers, team members, fields that a record needs.
std::optional<SourceError> validateTrace(const Trace &trace, const std::string &file);

/// `1:h/0x40+8`.
std::string rangeText(const Trace &trace, const ByteRange &range);

} // namespace moac::model
