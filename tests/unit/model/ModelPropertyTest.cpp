// Random small programs: the pruned search agrees with plain enumeration of every reads-from and
// coherence, and stronger ordering never adds behaviour. Seeds are printed on failure.
#include "runtime/model/Axioms.h"
#include "runtime/model/Expand.h"
#include "runtime/model/Search.h"
#include "runtime/model/Values.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace moac::model;

namespace {

using Random = std::mt19937;

std::string randomStatement(Random &random, int &registers, int pes) {
  auto pe = [&] { return "@" + std::to_string(random() % pes); };
  const char *place = random() % 2 ? "x" : "y";
  std::string reg = "r" + std::to_string(registers++);
  switch (random() % 13) {
  case 0:
    return std::string("put ") + place + pe() + ", s";
  case 1:
    return std::string("put_nbi ") + place + pe() + ", s";
  case 2:
    return std::string("get ") + "d" + std::to_string(registers) + ", " + place + pe();
  case 3:
  case 4:
    return std::string("set ") + place + pe() + ", " + std::to_string(random() % 2 + 1);
  case 5:
  case 6:
    return "fetch " + reg + ", " + place + pe();
  case 7:
    return "finc " + reg + ", " + place + pe();
  case 8:
    return std::string("wait ") + place + " != 0";
  case 9:
    return std::string("st.rel ") + place + pe() + " = 1";
  case 10:
    return "ld.acq " + reg + " = " + place + pe();
  case 11:
    return std::string("put_signal ") + (place[0] == 'x' ? "y" : "x") + "@1, s, z = 1";
  default:
    return std::string("st ") + place + " = 3";
  }
}

// A program with `between` after every statement; the same random numbers give the same statements.
std::string randomProgram(unsigned seed, const std::string &between) {
  Random random(seed);
  int pes = 2 + random() % 2, registers = 0;
  std::string text = "litmus random\n pes " + std::to_string(pes) + "; init s = 1\n";
  std::vector<std::string> used;
  for (int pe = 0; pe < pes; ++pe) {
    text += "PE" + std::to_string(pe) + ":\n";
    for (int i = 0, n = 1 + random() % 2 + (pes == 2); i < n; ++i) {
      std::string statement = randomStatement(random, registers, pes);
      bool ordered = random() % 3 == 0, full = random() % 2;
      text += " " + statement + "\n" + (ordered ? full ? " quiet\n" : " fence\n" : "") + between;
    }
  }
  static const char *conditions[] = {"x@0 == 0", "x@1 == 1", "y@1 == 2", "x@0 == y@1"};
  return text + "exists " + conditions[random() % 4] + "\n";
}

Program parseOne(const std::string &text) {
  std::optional<SourceError> error;
  auto programs = parseLitmus(text, "random", error);
  EXPECT_FALSE(error) << error->str() << "\n" << text;
  return programs.at(0);
}

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
  Random random(seed);
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
