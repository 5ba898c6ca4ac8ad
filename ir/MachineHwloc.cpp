// Topology through hwloc, which knows every system's tables, containers' limits and virtual machines' lies.
//
// Axes: package, core, thread, each the largest number below one of the level before, so that a lopsided machine has the
// shape of its largest part. Data caches and main memory become memories, the nearest first.
#include "ir/Machine.h"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>

using namespace moac;

namespace {
int64_t atLeastOne(int count) { return std::max(count, 1); }

MachineMemory cacheOf(hwloc_topology_t topology, hwloc_obj_t cache) {
  MachineMemory level;
  level.name = "L" + std::to_string(cache->attr->cache.depth);
  level.bytes = static_cast<int64_t>(cache->attr->cache.size);
  if (cache->attr->cache.linesize > 0)
    level.line = cache->attr->cache.linesize;
  level.sharedBy = atLeastOne(hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE));
  return level;
}
} // namespace

const char *moac::topologySource() { return "hwloc"; }

Topology moac::readTopology() {
  Topology answer;
  answer.source = topologySource();
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0)
    return answer;
  if (hwloc_topology_load(topology) == 0) {
    const int64_t packages = atLeastOne(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
    const int64_t cores = atLeastOne(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
    const int64_t threads = atLeastOne(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
    answer.axes = {{"package", packages}, {"core", (cores + packages - 1) / packages}, {"thread", (threads + cores - 1) / cores}};
    const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE};
    for (hwloc_obj_type_t type : caches)
      if (hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0); cache && cache->attr->cache.size > 0)
        answer.memories.push_back(cacheOf(topology, cache));
    // Virtual machines may tell their nodes less than they have.
    const int64_t physical = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    const int64_t total = std::max(static_cast<int64_t>(hwloc_get_root_obj(topology)->total_memory), physical);
    if (total > 0)
      answer.memories.push_back({"memory", total, 64, cores, 0});
  }
  hwloc_topology_destroy(topology);
  return answer;
}
