// A set of accesses, as the trace checker needs it: which accesses happen before this one?
//
// Every access has a number within a stream (the program order of a thread, its local accesses, its
// accesses to PE p). What is known of a stream is almost always a prefix, so a set is a sorted list
// of intervals, and a vector clock is the special case in which every interval starts at 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace moac::model {

/// Access number `index` of stream `stream`.
struct AccessId {
  uint32_t stream = 0, index = 0;
  bool operator==(const AccessId &) const = default;
};

/// A set of AccessIds.
class Knowledge {
public:
  bool contains(AccessId id) const {
    auto after = std::upper_bound(
        intervals.begin(), intervals.end(), id, [](AccessId i, const Interval &in) {
          return i.stream < in.stream || (i.stream == in.stream && i.index < in.begin);
        });
    return after != intervals.begin() && (after - 1)->stream == id.stream &&
           id.index < (after - 1)->end;
  }

  void add(AccessId id) { unite(Knowledge(id)); }

  void unite(const Knowledge &other) {
    if (other.intervals.empty())
      return;
    if (intervals.empty()) {
      intervals = other.intervals;
      return;
    }
    std::vector<Interval> merged;
    merged.reserve(intervals.size() + other.intervals.size());
    auto a = intervals.cbegin(), b = other.intervals.cbegin();
    auto before = [](const Interval &x, const Interval &y) {
      return x.stream < y.stream || (x.stream == y.stream && x.begin < y.begin);
    };
    while (a != intervals.cend() || b != other.intervals.cend()) {
      bool first = b == other.intervals.cend() || (a != intervals.cend() && before(*a, *b));
      const Interval &next = first ? *a++ : *b++;
      if (!merged.empty() && merged.back().stream == next.stream && merged.back().end >= next.begin)
        merged.back().end = std::max(merged.back().end, next.end);
      else
        merged.push_back(next);
    }
    intervals = std::move(merged);
  }

  /// The highest number known of a stream, or nothing.
  bool last(uint32_t stream, uint32_t &index) const {
    for (const Interval &interval : intervals)
      if (interval.stream == stream)
        index = interval.end - 1;
    return std::any_of(intervals.begin(), intervals.end(),
                       [&](const Interval &i) { return i.stream == stream; });
  }

  bool empty() const { return intervals.empty(); }
  void clear() { intervals.clear(); }
  Knowledge() = default;
  explicit Knowledge(AccessId id) : intervals{{id.stream, id.index, id.index + 1}} {}

private:
  struct Interval {
    uint32_t stream, begin, end; // end excluded
  };
  std::vector<Interval> intervals;
};

} // namespace moac::model
