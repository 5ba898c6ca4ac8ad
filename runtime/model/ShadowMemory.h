// Who has accessed which bytes, as far as a later access could still race with it.
#pragma once

#include "runtime/model/TraceOrder.h"

namespace moac::model {

/// Byte ranges of all PEs with their latest accesses. An access is forgotten once a later one
/// stands for it: whatever would race with the forgotten one races with that one too.
class ShadowMemory {
public:
  /// Records `access`, calling `conflict(earlier)` for each recorded access that overlaps it,
  /// conflicts with it (one of them stores, not both synchronising, not both language atomics) and
  /// is not in `known`. It stands for those earlier ones that are `before` it in every order.
  template <typename Before, typename Conflict>
  void record(const TraceAccess &access, const Knowledge &known, const Before &before,
              Conflict conflict) {
    if (access.range.begin == access.range.end)
      return;
    Cells &cells = memory[{access.range.pe, access.range.space}];
    split(cells, access.range.begin);
    split(cells, access.range.end);
    fill(cells, access.range);
    for (auto at = cells.find(access.range.begin);
         at != cells.end() && at->first < access.range.end; ++at)
      touch(at->second.accesses, access, known, before, conflict);
  }

  /// The range comes into use anew: nothing before counts.
  void reset(const ByteRange &range) {
    Cells &cells = memory[{range.pe, range.space}];
    split(cells, range.begin);
    split(cells, range.end);
    cells.erase(cells.lower_bound(range.begin), cells.lower_bound(range.end));
  }

private:
  struct Cell {
    uint64_t end = 0;
    std::vector<TraceAccess> accesses;
  };
  using Cells = std::map<uint64_t, Cell>; // by begin; disjoint
  static constexpr std::size_t maxPerCell = 64;

  // Makes `at` a boundary between cells.
  static void split(Cells &cells, uint64_t at) {
    auto next = cells.lower_bound(at);
    if (next == cells.begin())
      return;
    auto &[begin, cell] = *std::prev(next);
    if (begin == at || cell.end <= at)
      return;
    cells.emplace_hint(next, at, cell);
    cell.end = at;
  }

  // Adds empty cells where the range has none.
  static void fill(Cells &cells, const ByteRange &range) {
    for (uint64_t at = range.begin; at < range.end;) {
      auto next = cells.lower_bound(at);
      uint64_t end = next == cells.end() ? range.end : std::min(range.end, next->first);
      if (next != cells.end() && next->first == at)
        end = next->second.end;
      else
        cells.emplace_hint(next, at, Cell{end, {}});
      at = end;
    }
  }

  static bool exempt(const TraceAccess &a, const TraceAccess &b) {
    return (a.sync && b.sync) || (a.atomic && b.atomic);
  }

  template <typename Before, typename Conflict>
  static void touch(std::vector<TraceAccess> &accesses, const TraceAccess &access,
                    const Knowledge &known, const Before &before, Conflict conflict) {
    auto stands = [&](const TraceAccess &earlier) {
      bool plain = !access.sync && !access.atomic;
      bool sameClass = access.sync == earlier.sync && access.atomic == earlier.atomic;
      return (plain || sameClass) && (access.store || !earlier.store);
    };
    std::size_t kept = 0;
    for (TraceAccess &earlier : accesses) {
      bool ordered = known.contains(earlier.id);
      bool sameCall = earlier.record == access.record;
      if (!ordered && !sameCall && (earlier.store || access.store) && !exempt(earlier, access))
        conflict(earlier);
      if (!ordered || !stands(earlier) || !before(earlier.id))
        accesses[kept++] = earlier;
    }
    accesses.resize(kept);
    if (accesses.size() == maxPerCell)
      accesses.erase(accesses.begin());
    accesses.push_back(access);
  }

  std::map<std::pair<int, int>, Cells> memory; // by (PE, space)
};

} // namespace moac::model
