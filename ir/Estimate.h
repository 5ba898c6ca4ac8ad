// How long loops take on a machine, as far as their counts tell: operations at the rate of the vector units, bytes across
// each border between memories at that border's rate, and threads that wake. The slowest of these bounds the call.
//
//     arithmetic   operations / (lanes * ports * cycles a second), scalar loops without the lanes
//     registers    bytes that loads and stores move, against L1; the model of Traffic.cpp with the registers as first level
//     L1, L2, ..   bytes that cross the border behind it
//     waking       parallel regions entered, when more than one thread runs
//
// It ranks schedules of one kernel, it does not predict times: what a machine does not say is assumed (`assumed` tells).
// Everything is counted from the tree of an ONF; nothing knows what the loops compute. No MLIR.
#ifndef MOAC_IR_ESTIMATE_H
#define MOAC_IR_ESTIMATE_H

#include "ir/Cost.h"

namespace moac::cost {

struct Estimate {
  struct Part {
    std::string what;
    double amount = 0; ///< cycles of one core, bytes, or regions entered
    double seconds = 0;
  };
  std::vector<Part> parts;
  int64_t threads = 1;
  double seconds = 0; ///< of the slowest part, and waking
  double sum = 0;     ///< of all parts: decides between equals
  std::string bound;  ///< the slowest part
};

/// A number that a schedule may not exceed.
struct Limit {
  std::string name; ///< "registers"
  double value = 0, limit = 0;
  std::string memory; ///< where the bytes are: "half of memory"; empty: numbers of vectors
  bool passed() const { return value <= limit; }
};

/// The machine with what it does not say filled in: rates of its memories, cycles.
struct AssumedMachine {
  Machine machine; ///< its first memory are the registers
  double cyclesPerSecond = 0;
  double barrier = 0;                ///< seconds to wake a team and wait for it
  std::vector<std::string> assumed;  ///< for a reader
};
AssumedMachine assumeMissing(const Machine &machine);

/// The tree with numbers in place of symbols and definitions.
WorkTree atSizes(const WorkTree &tree, const Sizes &sizes);

/// For each number of threads from one to the machine's cores; `tree` has no symbols left. Empty when a loop has no length.
std::vector<Estimate> estimates(const WorkTree &tree, const AssumedMachine &machine);
/// The fastest: fewest threads among equals.
const Estimate &best(const std::vector<Estimate> &all);

/// Registers, stack, memory of a thread and of the call.
std::vector<Limit> limitsOf(const WorkTree &tree, const Machine &machine);

} // namespace moac::cost

#endif
