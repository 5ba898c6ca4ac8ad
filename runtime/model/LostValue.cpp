// The check of LostValue.h. It looks at complete executions only and asks, store by store, whether
// the wait could have come too late; that is linear in the stores to the waited word and needs no
// search over partial executions.
#include "runtime/model/LostValue.h"
#include "runtime/model/Values.h"

#include <algorithm>

namespace moac::model {
namespace {

class Finder {
public:
  Finder(const Graph &graph, const ReadsFrom &rf, const std::function<bool(int, int)> &ordered)
      : graph(graph), ordered(ordered), rf(rf), evaluator(graph, rf) {}

  std::optional<LostValue> run() {
    for (const WaitCondition &wait : graph.waits)
      for (int store : storesTo(wait))
        if (spoils(wait, store) && !satisfiedAgain(wait, store))
          return LostValue{wait.load, rf[wait.load], store, describe(wait, store)};
    return std::nullopt;
  }

private:
  const std::vector<int> &storesTo(const WaitCondition &wait) const {
    return graph.location(graph.event(wait.load).location).stores;
  }

  /// Certainly satisfied or certainly not; a value that depends on data reads is neither.
  std::optional<bool> satisfies(const WaitCondition &wait, int store) {
    Evaluated written = evaluator.ofEvent(store), bound = evaluator.value(wait.bound);
    if (written.state != Evaluated::Known || bound.state != Evaluated::Known)
      return std::nullopt;
    return applyOperator(wait.cmp, written.number, bound.number) != 0;
  }

  /// Whether `store` may overwrite what the wait has read, before the wait looks.
  bool spoils(const WaitCondition &wait, int store) {
    int read = rf[wait.load];
    return store != read && !ordered(wait.load, store) && (read < 0 || !ordered(store, read)) &&
           satisfies(wait, store) == false;
  }

  /// Whether some other store satisfies the wait after `store`, without the wait's help.
  bool satisfiedAgain(const WaitCondition &wait, int store) {
    const std::vector<int> &stores = storesTo(wait);
    return std::any_of(stores.begin(), stores.end(), [&](int other) {
      return other != store && ordered(store, other) && !ordered(wait.load, other) &&
             satisfies(wait, other) == true;
    });
  }

  std::string describe(const WaitCondition &wait, int store) {
    int read = rf[wait.load];
    return describeEvent(graph, wait.load) + " can miss " +
           (read < 0 ? std::string("the initial value") : describeEvent(graph, read)) + ": " +
           describeEvent(graph, store) + " may overwrite it";
  }

  const Graph &graph;
  const std::function<bool(int, int)> &ordered;
  const ReadsFrom &rf;
  Evaluator evaluator;
};

} // namespace

std::optional<LostValue> findLostValue(const Graph &graph, const ReadsFrom &rf,
                                       const std::function<bool(int, int)> &ordered) {
  return Finder(graph, rf, ordered).run();
}

} // namespace moac::model
