// This host as a machine: topology by the means that was built in, vectors by the processor's features.
#include "ir/Machine.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Host.h"

using namespace moac;

namespace {
/// Vector multiply-adds of the widest kind that a core begins in a cycle. Processors that run 512-bit operations in two
/// halves, or on one port, begin one.
int64_t portsOf(llvm::StringRef cpu, llvm::StringRef isa) {
  static const llvm::StringSet<> onePort = {"znver4", "icelake-client", "rocketlake", "tigerlake", "cannonlake"};
  return isa == "avx512f" && onePort.contains(cpu) ? 1 : 2;
}

MachineVector hostVector() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](llvm::StringRef name) { return features.lookup(name); };
  MachineVector v;
  if (has("avx512f"))
    v.bytes = 64, v.registers = 32, v.isa = "avx512f";
  else if (has("avx"))
    v.bytes = 32, v.registers = 16, v.isa = has("fma") ? "avx2" : "avx";
  else if (has("neon"))
    v.bytes = 16, v.registers = 32, v.isa = "neon";
  else if (has("sse2"))
    v.isa = "sse2";
  v.ports = portsOf(llvm::sys::getHostCPUName(), v.isa);
  return v;
}
} // namespace

Machine moac::detectHost() {
  Machine m;
  m.name = "host " + llvm::sys::getHostCPUName().str();
  m.vector = hostVector();
  Topology topology = readTopology();
  m.axes = std::move(topology.axes);
  m.memories = std::move(topology.memories);
  if (m.axes.empty())
    m.axes = {{"core", 1}, {"thread", 1}};
  if (m.memories.empty())
    m.memories = {{"L1", 32 << 10, 64, 1, 0}, {"L2", 256 << 10, 64, 1, 0}, {"memory", 1ll << 30, 64, 1, 0}};
  return m;
}
