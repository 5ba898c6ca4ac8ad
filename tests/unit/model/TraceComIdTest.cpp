// Traces judged by model comid: against the litmus checker on every program of the folder and on random
// ones, and what a report says of a race that only the ids make.
#include "runtime/model/Search.h"
#include "runtime/model/TraceFromLitmus.h"
#include "tests/unit/model/LitmusPrograms.h"

#include <gtest/gtest.h>

using namespace moac::model;

namespace {

const Model comId{ModelKind::ComId};

TraceReport check(const std::string &text, TraceModel model = TraceModel::ComId) { return test::checked(text, model); }

} // namespace

TEST(TraceComId, everyRacyProgramIsFlaggedAndNoOther) {
  int onlyByIds = 0, wanted = 0, overtaken = 0;
  for (const Program &program : test::litmusPrograms()) {
    bool racy = decide(program, comId).kind == VerdictKind::Racy;
    for (unsigned seed = 0; seed < 5; ++seed) {
      auto trace = traceOfProgram(program, seed);
      if (!trace)
        continue;
      bool flagged = !check(*trace).findings.empty();
      if (program.name == "R6/shared-counter") // a race in those runs in which one signal overtakes the other
        overtaken += flagged;
      else
        EXPECT_EQ(flagged, racy) << program.name << " seed " << seed << "\n" << *trace;
      onlyByIds += flagged && check(*trace, TraceModel::Paper).findings.empty();
      wanted += flagged && decide(program, Model{}).kind != VerdictKind::Racy;
    }
  }
  EXPECT_EQ(onlyByIds, wanted);
  EXPECT_GT(wanted, 0);
  EXPECT_GT(overtaken, 0);
}

TEST(TraceComId, agreesWithTheLitmusCheckerOnRandomPrograms) {
  test::agreesOnRandomPrograms(1000, TraceModel::ComId, comId);
}

// The second add knows of the first by C2 and is before the store by C1, so it does not stand for the first one.
TEST(TraceComId, ordersOfDifferentIdsDoNotChain) {
  std::string records = "moac-trace 1\npes 2\namo pe=0 com=2 old=0 mem=1:0+8 val=1\n"
                        "amo pe=1 old=1 mem=1:0+8 val=2\nst pe=1 com=";
  EXPECT_FALSE(check(records + "1 mem=1:0+8\n").findings.empty());
  EXPECT_TRUE(check(records + "2 mem=1:0+8\n").findings.empty());
}

// An acquire load stays before what follows, a release store behind what precedes, whatever the ids.
TEST(TraceComId, acquireAndReleaseKeepOrder) {
  const std::string put = "moac-trace 1\npes 1\nput pe=0 com=1 src=0:0+8 dst=0:8+8\n", st = "st pe=0 mem=0:8+8\n";
  EXPECT_FALSE(check(put + "ld pe=0 com=1 mem=0:64+8 atomic\n" + st).findings.empty());
  EXPECT_TRUE(check(put + "ld pe=0 com=1 mem=0:64+8 atomic acq\n" + st).findings.empty());
  EXPECT_FALSE(check(put + "ld pe=0 com=1 mem=0:64+8\nst pe=0 mem=0:8+8 atomic\n").findings.empty());
  EXPECT_TRUE(check(put + "ld pe=0 com=1 mem=0:64+8\nst pe=0 mem=0:8+8 atomic rel\n").findings.empty());
}

TEST(TraceComId, reportNamesTheIds) {
  std::string records = "moac-trace 1\npes 2\nst pe=0 at=a.c:1 mem=0:0+8\n"
                        "fence pe=0 at=a.c:2 com=1\nset pe=0 at=a.c:3 dst=1:64+8 val=1 com=1\n"
                        "wait pe=1 at=a.c:4 mem=1:64+8 val=1\n"
                        "get pe=1 at=a.c:5 src=0:0+8 dst=1:8+8\n";
  EXPECT_TRUE(check(records, TraceModel::Paper).findings.empty());
  TraceReport report = check(records);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].missing, Missing::CommunicationId);
  // The same store with the id of the fence, or below it, is ordered.
  records.replace(records.find("0:0+8"), 5, "0:0+8 com=1");
  EXPECT_TRUE(check(records).findings.empty());
  records.replace(records.find("com=1"), 5, "com=2");
  EXPECT_FALSE(check(records).findings.empty());
  EXPECT_TRUE(check(records + "com 2 under 1\n").findings.empty());
  Trace trace;
  EXPECT_TRUE(readTrace("moac-trace 1\npes 1\ncom 1 under 2\ncom 2 under 1\n", "trace", trace));
}
