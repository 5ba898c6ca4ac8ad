// The machine as an array: its parallel axes from the outside in, its memories from the inside out, what a
// core computes with, and measured rates. One description serves lifting, counts per memory level, thread
// counts and the gates that reject a schedule.
//
//     cpu:  package x core x thread,   L1, L2, L3, memory
//     gpu:  gpu x sm x warp x lane,    registers, shared, L2, memory
//
// A description comes from a JSON file (ir/machines, checked key by key) or from the host itself. Nothing here
// knows MLIR.
#ifndef MOAC_IR_MACHINE_H
#define MOAC_IR_MACHINE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moac {

/// A parallel axis, "core" with extent 8: so many for each index of the axes before it.
struct MachineAxis {
  std::string name;
  int64_t extent = 1;
};

/// A level of memory.
struct MachineMemory {
  std::string name;
  int64_t bytes = 0;
  int64_t line = 64;        ///< bytes that move together
  int64_t sharedBy = 1;     ///< units (cores of a CPU, SMs of a GPU) that share one of it
  int64_t unit = 1;         ///< what one warp or block is given at a time, in bytes
  int64_t reserved = 0;     ///< bytes that each block takes beyond what it asks for
  double bytesPerSecond = 0; ///< of one such memory, measured; 0: unknown
};

/// What one core (or SM) computes with.
struct MachineVector {
  int64_t bytes = 16;     ///< of one register; for a GPU of a warp's 32-bit register
  int64_t registers = 16; ///< architectural, for one thread
  int64_t ports = 2;      ///< vector multiply-adds begun in a cycle
  int64_t latency = 4;    ///< cycles of one
  std::string isa;        ///< "avx512f", "neon"; empty: unknown
};

struct Machine {
  std::string name;
  std::string kind = "cpu"; ///< or "gpu"
  std::vector<MachineAxis> axes;
  MachineVector vector;
  std::vector<MachineMemory> memories; ///< nearest first; the last one is main memory
  std::map<std::string, double> rates; ///< flops a second of one unit, by element type; measured
  std::map<std::string, double> costs; ///< seconds: "barrier", "atomic", "launch"

  /// Extent of an axis; 1 when there is none of that name.
  int64_t extent(std::string_view axis) const;
  /// Cores of a CPU, SMs of a GPU: the product of the axes down to that one.
  int64_t units() const;
  int64_t threads() const { return units() * extent("thread"); }
  /// Elements of `bytesEach` in a vector register.
  int64_t lanes(int64_t bytesEach) const;
  const MachineMemory *memory(std::string_view name) const;
};

/// A machine, or why there is none: each line of `error` says which key, what was found there and what was
/// expected.
struct MachineAnswer {
  std::optional<Machine> machine;
  std::string error;
  explicit operator bool() const { return machine.has_value(); }
};

/// Reads a description; `where` names it in messages.
MachineAnswer parseMachine(std::string_view json, const std::string &where);
/// `name` is a file, or the name of an installed description without ".json".
MachineAnswer loadMachine(const std::string &name, const std::vector<std::string> &folders);
/// The same that parseMachine reads.
std::string machineJson(const Machine &machine);
/// "16 MiB".
std::string bytesText(int64_t bytes);
/// For a reader: a few lines.
std::string machineText(const Machine &machine);

/// This host: topology from hwloc where moac was built with it, else from the system's own tables; vector
/// registers from the processor's features. Never fails: what is not known keeps a modest default.
Machine detectHost();

/// Topology alone (axes, memories), by the means that was built in; empty when it cannot tell.
struct Topology {
  std::vector<MachineAxis> axes;
  std::vector<MachineMemory> memories;
  std::string source; ///< "hwloc", "/proc and sysconf"
};
Topology readTopology();
const char *topologySource();

} // namespace moac

#endif
