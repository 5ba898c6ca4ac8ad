// Random small programs: the pruned search agrees with plain enumeration of every reads-from and
// coherence, and stronger ordering never adds behaviour. Seeds are printed on failure.
#include "runtime/model/Axioms.h"
#include "runtime/model/Expand.h"
#include "runtime/model/Search.h"
#include "runtime/model/Values.h"
#include "tests/unit/model/RandomProgram.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace moac::model;
using moac::model::test::parseOne;
using moac::model::test::randomProgram;

namespace {

// Every assignment of stores to loads and every order of stores, checked against the definitions.
class Enumerator {
public:
  Enumerator(const Program &program, const Model &model) : program(program), model(model) {}

  VerdictKind run() {
    forEachPath(program, [&](Graph &&path) {
      graph = std::move(path);
      rf.assign(graph.events.size(), readsNothingYet);
      order.assign(graph.locations.size(), {});
      if (!graph.stuck)
        chooseRead(0);
      return true;
    });
    return racy        ? VerdictKind::Racy
           : !existing ? VerdictKind::Blocked
           : found     ? VerdictKind::Allowed
                       : VerdictKind::Forbidden;
  }

private:
  void chooseRead(int event) {
    if (event == graph.size())
      return chooseOrder(0);
    if (graph.event(event).kind != EventKind::Load)
      return chooseRead(event + 1);
    rf[event] = readsInitial;
    chooseRead(event + 1);
    for (int store : graph.location(graph.event(event).location).stores) {
      rf[event] = store;
      chooseRead(event + 1);
    }
  }

  void chooseOrder(size_t location) {
    if (location == graph.locations.size())
      return judge();
    order[location] = graph.locations[location].stores;
    std::sort(order[location].begin(), order[location].end());
    do
      chooseOrder(location + 1);
    while (std::next_permutation(order[location].begin(), order[location].end()));
  }

  bool pairsAreAtomic() const {
    for (const std::vector<int> &stores : order)
      for (size_t i = 0; i < stores.size(); ++i) {
        int load = graph.event(stores[i]).partner;
        if (load >= 0 && rf[load] != (i ? stores[i - 1] : readsInitial))
          return false;
      }
    return true;
  }

  void judge() {
    std::vector<int> finals;
    for (const std::vector<int> &stores : order)
      finals.push_back(stores.empty() ? readsInitial : stores.back());
    Evaluator evaluator(graph, rf, &finals);
    if (!pairsAreAtomic() || !evaluator.satisfies())
      return;
    BitMatrix all(graph.size()), hb(graph.size());
    for (const Edge &edge : executionEdges(graph, model, rf, order, 0)) {
      all.set(edge.from, edge.to);
      if (edge.kind != RelationKind::Rf && edge.kind != RelationKind::Co &&
          edge.kind != RelationKind::Fr)
        hb.set(edge.from, edge.to);
    }
    all.close();
    hb.close();
    bool consistent = model.kind == ModelKind::Paper
                          ? !all.cyclic()
                          : !hb.cyclic() && proposalAxioms(graph, model, rf, order, hb);
    for (int load = 0; load < graph.size() && model.kind != ModelKind::Paper; ++load)
      consistent = consistent && (rf[load] < 0 || !hb.test(load, rf[load]));
    if (!consistent)
      return;
    existing = true;
    found = found || evaluator.value(graph.condition).isTrue();
    for (int a = 0; a < graph.size(); ++a)
      for (int b = 0; b < a; ++b)
        if (graph.event(a).isAccess() && graph.event(b).isAccess() && graph.event(a).partner != b &&
            conflict(graph.event(a), graph.event(b)) && !hb.test(a, b) && !hb.test(b, a))
          racy = true;
  }

  const Program &program;
  const Model &model;
  Graph graph;
  ReadsFrom rf;
  std::vector<std::vector<int>> order;
  bool existing = false, found = false, racy = false;
};

} // namespace

TEST(ModelProperty, searchAgreesWithPlainEnumeration) {
  unsigned seed = std::random_device{}();
  int counts[8] = {};
  for (unsigned round = 0; round < 300; ++round) {
    std::string text = randomProgram(seed + round, "");
    Program program = parseOne(text);
    for (const char *name : {"paper", "c11", "c11q"}) {
      Model model = *parseModel(name);
      Verdict verdict = decide(program, model);
      ASSERT_FALSE(verdict.error) << verdict.error->str();
      ++counts[static_cast<int>(verdict.kind)];
      ASSERT_EQ(verdictName(verdict.kind), verdictName(Enumerator(program, model).run()))
          << "seed " << seed + round << " under " << name << "\n"
          << text;
    }
  }
  EXPECT_GT(counts[static_cast<int>(VerdictKind::Racy)], 0);
  EXPECT_GT(counts[static_cast<int>(VerdictKind::Allowed)], 0);
  EXPECT_GT(counts[static_cast<int>(VerdictKind::Forbidden)], 0);
}

TEST(ModelProperty, moreOrderNeverAddsBehaviour) {
  unsigned seed = std::random_device{}();
  for (unsigned round = 0; round < 300; ++round) {
    Program weak = parseOne(randomProgram(seed + round, ""));
    Program strong = parseOne(randomProgram(seed + round, " quiet\n fence\n"));
    for (const char *name : {"paper", "c11", "c11q"}) {
      VerdictKind before = decide(weak, *parseModel(name)).kind,
                  after = decide(strong, *parseModel(name)).kind;
      SCOPED_TRACE("seed " + std::to_string(seed + round) + " under " + name);
      if (after == VerdictKind::Racy)
        EXPECT_EQ(before, VerdictKind::Racy);
      if (after == VerdictKind::Allowed)
        EXPECT_TRUE(before == VerdictKind::Allowed || before == VerdictKind::Racy);
    }
  }
}

// c11q only removes executions from c11.
TEST(ModelProperty, quietOrderNeverAddsBehaviour) {
  unsigned seed = std::random_device{}();
  for (unsigned round = 0; round < 300; ++round) {
    Program program = parseOne(randomProgram(seed + round, ""));
    VerdictKind c11 = decide(program, *parseModel("c11")).kind,
                c11q = decide(program, *parseModel("c11q")).kind;
    SCOPED_TRACE("seed " + std::to_string(seed + round));
    if (c11q == VerdictKind::Racy || c11q == VerdictKind::Allowed)
      EXPECT_TRUE(c11 == c11q || c11 == VerdictKind::Racy);
  }
}

TEST(BitMatrix, closureIsReachability) {
  unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int n : {1, 2, 63, 64, 65, 130}) {
    BitMatrix m(n), incremental(n);
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
    for (int e = 0; e < n * 2; ++e) {
      int a = random() % n, b = random() % n;
      m.set(a, b);
      incremental.addClosed(a, b);
      reach[a][b] = true;
    }
    m.close();
    for (int k = 0; k < n; ++k)
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b)
          if (reach[a][k] && reach[k][b])
            reach[a][b] = true;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {
        ASSERT_EQ(m.test(a, b), reach[a][b]);
        ASSERT_EQ(incremental.test(a, b), reach[a][b]);
      }
  }
}
