// The orders of a run under a model, kept in step. Model `paper` has one. Model `comid` has one per
// communication id, each closed by itself, and happens-before is their union; the order of `paper`
// is carried along to tell a race that only the ids make.
#pragma once

#include "runtime/model/TraceOrder.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

namespace moac::model {

class TraceOrders {
public:
  /// `sink` receives every access with what happens before it, what would without ids, and whether
  /// an access does for every id: being before is not transitive in a union of orders, so that only
  /// then the later access stands for the earlier one.
  using Everywhere = std::function<bool(AccessId)>;
  using Sink = std::function<void(const TraceAccess &, const Knowledge &, const Knowledge &,
                                  const Everywhere &)>;

  TraceOrders(const Trace &trace, bool comIds, Sink sink) : sink(std::move(sink)) {
    std::set<int64_t> ids;
    if (comIds)
      ids.insert(0);
    for (const Record &record : trace.records)
      if (comIds)
        ids.insert(record.com);
    seen.resize(ids.size() + 1);
    add(trace, std::nullopt);
    for (int64_t id : ids)
      add(trace, id);
  }

  void process(int record, int thread, int source) {
    for (auto &order : orders)
      order->process(record, thread, source);
    report();
  }
  void processCollective(const std::vector<std::pair<int, int>> &calls) {
    for (auto &order : orders)
      order->processCollective(calls);
    report();
  }
  void processBroadcast(int record, int thread, int root) {
    for (auto &order : orders)
      order->processBroadcast(record, thread, root);
    report();
  }
  void endBroadcast(int root) {
    for (auto &order : orders)
      order->endBroadcast(root);
  }
  void inherit(int record, int source) {
    for (auto &order : orders)
      order->inherit(record, source);
  }
  void forget(int record) {
    for (auto &order : orders)
      order->forget(record);
  }
  /// The order of model paper; its numbers of accesses are those of all.
  const TraceOrder &plain() const { return *orders.front(); }

private:
  void add(const Trace &trace, std::optional<int64_t> id) {
    auto &list = seen[orders.size()];
    orders.push_back(std::make_unique<TraceOrder>(
        trace, id, [&list](const TraceAccess &a, const Knowledge &k) { list.emplace_back(a, k); }));
  }

  void report() {
    for (size_t i = 0; i < seen.front().size(); ++i) {
      auto &[access, plainly] = seen.front()[i];
      Knowledge known;
      const size_t first = seen.size() == 1 ? 0 : 1;
      for (size_t order = first; order < seen.size(); ++order)
        known.unite(seen[order][i].second);
      sink(access, known, plainly, [&](AccessId id) {
        return std::all_of(seen.begin() + static_cast<std::ptrdiff_t>(first), seen.end(),
                           [&](const auto &list) { return list[i].second.contains(id); });
      });
    }
    for (auto &list : seen)
      list.clear();
  }

  Sink sink;
  std::vector<std::vector<std::pair<TraceAccess, Knowledge>>> seen; // per order
  std::vector<std::unique_ptr<TraceOrder>> orders;
};

} // namespace moac::model
