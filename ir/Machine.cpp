// Questions about a machine, and its description for a reader.
#include "ir/Machine.h"

#include <fmt/format.h>

#include <algorithm>

using namespace moac;

int64_t Machine::extent(std::string_view axis) const {
  auto found = std::ranges::find(axes, axis, &MachineAxis::name);
  return found == axes.end() ? 1 : found->extent;
}

int64_t Machine::units() const {
  const std::string_view last = kind == "gpu" ? "sm" : "core";
  int64_t product = 1;
  for (const MachineAxis &axis : axes) {
    product *= axis.extent;
    if (axis.name == last)
      break;
  }
  return product;
}

int64_t Machine::lanes(int64_t bytesEach) const {
  if (kind == "gpu")
    return extent("lane");
  return std::max<int64_t>(1, vector.bytes / std::max<int64_t>(1, bytesEach));
}

const MachineMemory *Machine::memory(std::string_view wanted) const {
  auto found = std::ranges::find(memories, wanted, &MachineMemory::name);
  return found == memories.end() ? nullptr : &*found;
}

std::string moac::bytesText(int64_t bytes) {
  const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string moac::machineText(const Machine &m) {
  std::string axes;
  for (const MachineAxis &axis : m.axes)
    axes += fmt::format("{}{} {}", axes.empty() ? "" : " x ", axis.extent, axis.name);
  const char *unit = m.kind == "gpu" ? "SM" : "core";
  std::string out = fmt::format("{} ({})\n  axes      {}\n", m.name, m.kind, axes);
  out += fmt::format("  vectors   {} of {} B{}: {} lanes of f32, {} of f64; {} multiply-add{} a cycle, latency {}\n",
                     m.vector.registers, m.vector.bytes, m.vector.isa.empty() ? "" : " (" + m.vector.isa + ")", m.lanes(4),
                     m.lanes(8), m.vector.ports, m.vector.ports == 1 ? "" : "s", m.vector.latency);
  for (const MachineMemory &level : m.memories) {
    out += fmt::format("  {:<9} {}, lines of {} B, one for {} {}{}", level.name, bytesText(level.bytes), level.line, level.sharedBy,
                       unit, level.sharedBy == 1 ? "" : "s");
    out += level.bytesPerSecond > 0 ? fmt::format(", {:.4g} GB/s\n", level.bytesPerSecond / 1e9) : "\n";
  }
  for (const auto &[type, rate] : m.rates)
    out += fmt::format("  rate      {} {:.4g} GF/s a {}\n", type, rate / 1e9, unit);
  for (const auto &[what, seconds] : m.costs)
    out += fmt::format("  cost      {} {:.3g} us\n", what, seconds * 1e6);
  return out;
}
