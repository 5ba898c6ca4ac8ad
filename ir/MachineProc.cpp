// Topology from the system's own tables, for builds without hwloc: /sys and /proc on Linux, sysconf elsewhere.
#include "ir/Machine.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace moac;

namespace {
const std::string cpuFolder = "/sys/devices/system/cpu/cpu";

std::string firstLine(const std::string &path) {
  std::string text;
  std::ifstream file(path);
  std::getline(file, text);
  return text;
}

/// "48K", "1M" or a plain number.
int64_t sizeIn(const std::string &text) {
  if (text.empty() || text[0] < '0' || text[0] > '9')
    return 0;
  size_t end = 0;
  const int64_t value = std::stoll(text.substr(0, 15), &end);
  const char unit = end < text.size() ? text[end] : ' ';
  return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : unit == 'G' ? value << 30 : value;
}

/// How many a list such as "0-3,8" names.
int64_t membersOf(const std::string &list) {
  int64_t members = 0;
  for (size_t at = 0; at < list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size()), dash = list.find('-', at);
    const int64_t low = sizeIn(list.substr(at, comma - at));
    members += dash < comma ? sizeIn(list.substr(dash + 1, comma - dash - 1)) - low + 1 : 1;
    at = comma + 1;
  }
  return std::max<int64_t>(members, 1);
}

void addCaches(int64_t threadsPerCore, std::vector<MachineMemory> &to) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder = cpuFolder + "0/cache/index" + std::to_string(index) + "/";
    const std::string level = firstLine(folder + "level");
    const int64_t bytes = sizeIn(firstLine(folder + "size"));
    if (level.empty() || bytes <= 0 || firstLine(folder + "type") == "Instruction")
      continue;
    const int64_t line = sizeIn(firstLine(folder + "coherency_line_size"));
    const int64_t sharing = membersOf(firstLine(folder + "shared_cpu_list"));
    to.push_back({"L" + level, bytes, line > 0 ? line : 64, std::max<int64_t>(1, sharing / threadsPerCore), 0});
  }
}
} // namespace

const char *moac::topologySource() { return "/proc and sysconf"; }

Topology moac::readTopology() {
  Topology answer;
  answer.source = topologySource();
  const int64_t threads = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  std::set<std::string> packages, cores;
  for (int64_t cpu = 0; cpu < threads; ++cpu) {
    const std::string folder = cpuFolder + std::to_string(cpu) + "/topology/";
    packages.insert(firstLine(folder + "physical_package_id"));
    cores.insert(firstLine(folder + "physical_package_id") + ":" + firstLine(folder + "core_id"));
  }
  const auto packageCount = static_cast<int64_t>(packages.size()), coreCount = static_cast<int64_t>(cores.size());
  const int64_t perCore = (threads + coreCount - 1) / coreCount;
  answer.axes = {{"package", packageCount}, {"core", (coreCount + packageCount - 1) / packageCount}, {"thread", perCore}};
  addCaches(perCore, answer.memories);
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0)
    answer.memories.push_back({"memory", pages * page, 64, coreCount, 0});
  return answer;
}
