// The trace checker on collectives: what they order and what not (erratum E6), and which read an update has made.
#include "runtime/model/TraceCheck.h"

#include <gtest/gtest.h>

using namespace moac::model;

namespace {

// Runs one trace and returns the advice of its only finding.
std::string adviceFor(const std::string &records) {
  Trace trace;
  EXPECT_FALSE(readTrace("moac-trace 1\npes 3\n" + records, "trace", trace));
  TraceReport report = checkTrace(trace);
  if (report.findings.size() != 1)
    return std::to_string(report.findings.size()) + " findings";
  return advice(trace, report.findings[0]);
}

} // namespace

// A collective is no barrier: before it a destination may be in use, behind it another member's may not be written.
TEST(TraceCollective, collectivesOrderTheirOwnPart) {
  const std::string st = "st pe=1 at=a.c:1 mem=1:d/0+8\n";
  const std::string calls = "coll pe=0 at=a.c:2 team=0 seq=0 name=broadcast src=0:s/0+8 dst=0:d/0+8\n"
                            "coll pe=1 at=a.c:2 team=0 seq=0 name=broadcast dst=1:d/0+8\n"
                            "coll pe=2 at=a.c:2 team=0 seq=0 name=broadcast dst=2:d/0+8\n";
  const std::string reduce = "coll pe=0 at=a.c:2 team=0 seq=0 name=reduce src=0:s/0+8 dst=0:d/0+8\n"
                             "coll pe=1 at=a.c:2 team=0 seq=0 name=reduce src=1:s/0+8 dst=1:d/0+8\n"
                             "coll pe=2 at=a.c:2 team=0 seq=0 name=reduce src=2:s/0+8 dst=2:d/0+8\n";
  EXPECT_EQ(adviceFor(st + calls), "missing barrier: the destination of broadcast (a.c:2) must be ready before any member "
                                   "calls; put a barrier between it and st (a.c:1)");
  EXPECT_EQ(adviceFor(st + reduce), "0 findings");
  EXPECT_EQ(adviceFor(calls + "ld pe=1 mem=1:d/0+8\n"), "0 findings");
  EXPECT_EQ(adviceFor(calls + "get pe=0 at=a.c:3 src=1:d/0+8 dst=0:e/0+8\n"),
            "missing barrier: broadcast (a.c:2) tells PE 0 nothing about what PE 1 has received; put a barrier before get (a.c:3)");
}

// The root of a broadcast returns before others have called it, who may even wait for that.
TEST(TraceCollective, theRootOfABroadcastWaitsForNobody) {
  const std::string calls = "wait pe=1 at=a.c:1 mem=1:f/0+8 val=1\ncoll pe=1 at=a.c:2 team=1 seq=0 name=broadcast dst=1:d/0+8\n"
                            "get pe=1 at=a.c:3 src=0:d/0+8 dst=1:e/0+8\n"
                            "coll pe=0 at=a.c:2 team=1 seq=0 name=broadcast src=0:s/0+8 dst=0:d/0+8\n";
  EXPECT_EQ(adviceFor("team 1 0,1\n" + calls + "set pe=0 at=a.c:4 dst=1:f/0+8 val=1\n"), "0 findings");
  Trace trace;
  ASSERT_FALSE(readTrace("moac-trace 1\npes 2\ncoll pe=0 at=a.c:2 team=0 seq=0 name=broadcast src=0:s/0+8 dst=0:d/0+8\n"
                         "barrier pe=1 at=a.c:3 team=0 seq=0\nbarrier pe=1 team=0 seq=1\nbarrier pe=0 team=0 seq=1\n",
                         "trace", trace));
  TraceReport report = checkTrace(trace);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_NE(report.problems[0].find("does not match: broadcast by PE 0 (a.c:2), barrier by PE 1 (a.c:3)"), std::string::npos);
}

// An update that writes the value that it found has not read from itself.
TEST(TraceCollective, aSwapDoesNotReadFromItself) {
  EXPECT_EQ(adviceFor("st pe=0 at=a.c:1 t=1 mem=0:d/0+8\nfence pe=0 t=2\nset pe=0 t=3 dst=1:f/0+8 val=1\n"
                      "amo pe=0 t=4 seen=5 mem=1:f/0+8 val=1 old=1 dst=0:e/0+8 nbi\n"
                      "wait pe=1 t=6 mem=1:f/0+8 val=1\nget pe=1 at=a.c:2 t=7 src=0:d/0+8\n"),
            "0 findings");
}

// Blocks of a fcollect come from one member each, whether a trace has them in one range or in several.
TEST(TraceCollective, blocksDependOnTheirSender) {
  auto calls = [](const std::string &one, const std::string &two) {
    return "coll pe=0 at=a.c:2 team=1 seq=0 name=fcollect src=0:s/0+8 " + one +
           "\ncoll pe=1 at=a.c:2 team=1 seq=0 name=fcollect src=1:s/0+8 " + two + "\n";
  };
  for (const std::string &own : {calls("dst=0:d/0+16", "dst=1:d/0+16"),
                                 calls("dst=0:d/0+8 dst=0:d/8+8", "dst=1:d/0+8 dst=1:d/8+8")}) {
    EXPECT_EQ(adviceFor("team 1 0,1\nst pe=1 at=a.c:1 mem=1:d/8+8\n" + own), "0 findings");
    EXPECT_NE(adviceFor("team 1 0,1\nst pe=1 at=a.c:1 mem=1:d/0+8\n" + own), "0 findings");
  }
}
