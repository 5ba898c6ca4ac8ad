// The trace checker against the litmus checker: every program is played in several interleavings,
// and the run must be flagged if the program is racy and must not be if it is not. Plus what
// reports say, and malformed traces.
#include "runtime/model/Search.h"
#include "runtime/model/TraceFromLitmus.h"
#include "tests/unit/model/LitmusPrograms.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace moac::model;

namespace {

std::string errorOf(const std::string &text) {
  Trace trace;
  auto error = readTrace(text, "trace", trace);
  if (!error)
    error = validateTrace(trace, "trace");
  return error ? error->message : "";
}

// Runs one trace and returns the advice of its only finding.
std::string adviceFor(const std::string &records) {
  Trace trace;
  EXPECT_FALSE(readTrace("moac-trace 1\npes 3\n" + records, "trace", trace));
  TraceReport report = checkTrace(trace);
  if (report.findings.size() != 1)
    return std::to_string(report.findings.size()) + " findings";
  return advice(trace, report.findings[0]);
}

std::string withoutStamps(const std::string &text) {
  std::string result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    size_t at = line.find(" t=");
    if (at != std::string::npos)
      line.erase(at, line.find(' ', at + 1) - at);
    result += line + "\n";
  }
  return result;
}

} // namespace

TEST(TraceCheck, everyRacyProgramIsFlaggedAndNoOther) {
  int racy = 0, clean = 0;
  for (const Program &program : test::litmusPrograms()) {
    VerdictKind kind = decide(program, Model{}).kind;
    int flagged = 0, runs = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
      auto text = traceOfProgram(program, seed);
      if (!text)
        continue;
      ++runs;
      TraceReport report = test::checked(*text);
      flagged += !report.findings.empty();
      EXPECT_TRUE(report.problems.empty()) << program.name;
      if (kind != VerdictKind::Racy)
        EXPECT_TRUE(report.findings.empty()) << program.name << " seed " << seed << "\n" << *text;
    }
    if (kind == VerdictKind::Racy) {
      ++racy;
      if (program.name == "R6/shared-counter") // a race in those runs in which one signal overtakes the other
        EXPECT_TRUE(flagged > 0 && flagged < runs) << flagged;
      else
        EXPECT_EQ(flagged, runs) << program.name;
      EXPECT_GT(runs, 0) << program.name;
    } else if (kind != VerdictKind::Blocked) {
      ++clean;
      EXPECT_GT(runs, 0) << program.name;
    }
  }
  EXPECT_GT(racy, 40);
  EXPECT_GT(clean, 80);
}

// Without stamps the records are processed thread by thread; the verdict must not depend on that. Adds that overtake
// each other are the exception: their order is in the stamps alone.
TEST(TraceCheck, cleanProgramsStayCleanWithoutStamps) {
  for (const Program &program : test::litmusPrograms()) {
    auto text = traceOfProgram(program, 1);
    if (text && text->find("\nadded") == std::string::npos && decide(program, Model{}).kind != VerdictKind::Racy)
      EXPECT_TRUE(test::checked(withoutStamps(*text)).findings.empty()) << program.name << "\n"
                                                                << withoutStamps(*text);
  }
}

TEST(TraceCheck, agreesWithTheLitmusCheckerOnRandomPrograms) {
  test::agreesOnRandomPrograms(1000, TraceModel::Paper, Model{});
}

TEST(TraceCheck, missingFence) {
  EXPECT_EQ(adviceFor("put pe=0 at=a.c:1 dst=1:0x0+8 src=0:0x80+8 nbi\n"
                      "set pe=0 at=a.c:2 dst=1:0x40+8 val=1\n"
                      "wait pe=1 at=a.c:3 mem=1:0x40+8 val=1\n"
                      "ld pe=1 at=a.c:4 mem=1:0x0+8\n"),
            "missing fence: put a fence, on the context of the transfer, between put_nbi (a.c:1) "
            "and set (a.c:2)");
}

TEST(TraceCheck, missingQuiet) {
  EXPECT_EQ(adviceFor("put pe=0 at=a.c:1 dst=1:0x0+8 src=0:0x80+8\nfence pe=0 at=a.c:2\n"
                      "set pe=0 at=a.c:3 dst=2:0x40+8 val=1\n"
                      "wait pe=2 at=a.c:4 mem=2:0x40+8 val=1\n"
                      "get pe=2 at=a.c:5 src=1:0x0+8 dst=2:0x0+8\n"),
            "missing quiet: set (a.c:3) signals another PE than put (a.c:1) addresses, so a fence "
            "is not enough; put a "
            "quiet between them");
}

TEST(TraceCheck, earlyReuseOfSourceAndDestination) {
  EXPECT_EQ(adviceFor("put pe=0 at=a.c:1 dst=1:0x0+8 src=0:0x80+8 nbi\nfence pe=0 at=a.c:2\n"
                      "st pe=0 at=a.c:3 mem=0:0x84+4\n"),
            "early reuse: put_nbi (a.c:1) may still be reading its source; put a quiet before st "
            "(a.c:3)");
  EXPECT_EQ(
      adviceFor("get pe=0 at=a.c:1 src=1:0x0+8 dst=0:0x80+8 nbi\nld pe=0 at=a.c:2 mem=0:0x80+8\n"),
      "missing quiet: get_nbi (a.c:1) may not have stored yet; put a quiet before ld (a.c:2)");
  EXPECT_EQ(
      adviceFor(
          "put pe=0 at=a.c:1 dst=1:0x0+8 src=0:0x80+8 nbi\nquiet pe=0\nst pe=0 mem=0:0x80+8\n"),
      "0 findings");
  EXPECT_EQ(
      adviceFor(
          "put pe=0 at=a.c:1 dst=1:0x0+8 src=0:p/0x80+8 nbi\nfree pe=0 at=a.c:3 mem=0:p/0x0+256\n"),
      "early reuse: put_nbi (a.c:1) may still be reading its source; put a quiet before free "
      "(a.c:3)");
}

// The producer comes round again and overwrites what the consumer has not said it has read.
TEST(TraceCheck, missingCredit) {
  const std::string firstRound =
      "put_signal pe=0 at=a.c:1 t=1 dst=1:0x0+8 src=0:0x80+8 sig=1:0x40+8 val=1\n"
      "wait pe=1 at=a.c:5 t=2 mem=1:0x40+8 val=1\nld pe=1 at=a.c:6 t=3 mem=1:0x0+8\n";
  const std::string secondRound =
      "put_signal pe=0 at=a.c:2 t=9 dst=1:0x0+8 src=0:0x80+8 sig=1:0x40+8 val=2\n";
  Trace trace;
  ASSERT_FALSE(readTrace("moac-trace 1\npes 2\n" + firstRound + secondRound, "trace", trace));
  TraceReport report = checkTrace(trace);
  bool credit = false;
  for (const Finding &f : report.findings)
    credit = credit ||
             advice(trace, f) ==
                 "missing credit: PE 0 does not know that PE 1 has read; after ld (a.c:6) send a "
                 "flag behind a fence, and wait for it before put_signal (a.c:2)";
  EXPECT_TRUE(credit);
  EXPECT_EQ(
      adviceFor(
          firstRound +
          "fence pe=1 t=4\nset pe=1 t=5 dst=0:0x40+8 val=1\nwait pe=0 t=6 mem=0:0x40+8 val=1\n" +
          secondRound),
      "0 findings");
}

TEST(TraceCheck, syncAndPlainFlags) {
  EXPECT_EQ(
      adviceFor(
          "put pe=0 at=a.c:1 dst=1:0x0+8 src=0:0x80+8\nsync pe=0 at=a.c:2 seq=0\nsync pe=1 seq=0\n"
          "sync pe=2 seq=0\nld pe=1 at=a.c:3 mem=1:0x0+8\n"),
      "missing quiet: sync completes no operations; put a quiet before sync (a.c:2) or call "
      "barrier");
  EXPECT_EQ(adviceFor("set pe=0 at=a.c:1 dst=1:0x0+8 val=1\n"
                      "ld pe=1 at=a.c:2 mem=1:0x0+8\n"),
            "plain access to a flag: only atomic operations, signals, waits, tests and locks "
            "synchronise");
}

TEST(TraceCheck, bytesMatterNotWords) {
  EXPECT_EQ(adviceFor("put pe=0 dst=1:0x0+8 src=0:0x0+8\nst pe=1 mem=1:0x8+8\n"), "0 findings");
  EXPECT_NE(adviceFor("put pe=0 dst=1:0x0+9 src=0:0x0+9\nst pe=1 mem=1:0x8+8\n"), "0 findings");
  EXPECT_EQ(adviceFor("put pe=0 dst=1:h/0x0+8 src=0:h/0x0+8\nst pe=1 mem=1:s/0x0+8\n"),
            "0 findings");
  EXPECT_EQ(adviceFor("put pe=0 dst=1:0x0+0 src=0:0x0+0\nst pe=1 mem=1:0x0+8\n"), "0 findings");
}

TEST(TraceCheck, threadsOfOnePeHandOver) {
  const std::string put = "put pe=0 thr=0 dst=1:0x0+8 src=0:0x80+8 nbi\n",
                    st = "st pe=0 thr=1 mem=0:0x80+8\n";
  EXPECT_NE(adviceFor(put + st), "0 findings");
  EXPECT_NE(adviceFor(put + "release pe=0 thr=0 tok=m\nacquire pe=0 thr=1 tok=m\n" + st),
            "0 findings");
  EXPECT_EQ(adviceFor(put +
                      "quiet pe=0 thr=0\nrelease pe=0 thr=0 tok=m\nacquire pe=0 thr=1 tok=m\n" +
                      st),
            "0 findings");
  EXPECT_EQ(adviceFor(put +
                      "release pe=0 thr=0 tok=m\nacquire pe=0 thr=1 tok=m\nquiet pe=0 thr=1\n" +
                      st),
            "0 findings");
}

TEST(TraceCheck, equalRacesAreCountedOnce) {
  std::string text = "moac-trace 1\npes 2\n";
  for (int i = 0; i < 50; ++i)
    text += "put pe=0 at=a.c:1 dst=1:0x0+8 src=0:0x80+8\n";
  TraceReport report = test::checked(text);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_GE(report.findings[0].count, 49);
}

TEST(TraceCheck, collectivesThatDoNotMatch) {
  TraceReport report =
      test::checked("moac-trace 1\npes 2\nbarrier pe=0 at=a.c:1 seq=0\nsync pe=1 at=a.c:2 seq=0\n");
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(
      report.problems[0],
      "a.c:2: error: collective 0 of team 0 does not match: barrier by PE 0 (a.c:1), sync by PE "
      "1 (a.c:2)");
  report = test::checked("moac-trace 1\npes 2\nbarrier pe=0 at=a.c:1 seq=0\n");
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_NE(report.problems[0].find("is not called by all members; 1 have called it"),
            std::string::npos);
}

// A wait for a value that only a later record writes is held back, whatever the order of the files.
TEST(TraceCheck, readsWaitForTheirWrites) {
  EXPECT_EQ(adviceFor("wait pe=1 mem=1:0x40+8 val=1\nld pe=1 mem=1:0x0+8\nput_signal pe=0 "
                      "dst=1:0x0+8 src=0:0x0+8 "
                      "sig=1:0x40+8 val=1\n"),
            "0 findings");
  EXPECT_EQ(adviceFor("wait pe=1 mem=1:0x40+8 val=7\nld pe=1 mem=1:0x0+8\n"),
            "0 findings"); // nobody wrote 7
}

// What an add has found comes when it is delivered, and the sum of two says that both payloads are
// there.
TEST(TraceCheck, addsAreMatchedByWhatTheyFound) {
  auto sender = [](int pe, const char *data) {
    std::string number = std::to_string(pe);
    return "put_signal pe=" + number + " t=1" + number + " dst=2:" + data + "+8 src=" + number +
           ":0x0+8 sig=2:0x40+8 add=1\n";
  };
  std::string both = sender(0, "0x0") + sender(1, "0x8");
  std::string reader = "wait pe=2 t=30 mem=2:0x40+8 val=2\nld pe=2 t=31 mem=2:0x0+8\n"
                       "ld pe=2 t=32 mem=2:0x8+8\n";
  EXPECT_EQ(adviceFor(both +
                      "added pe=1 t=20 add=1 val=1 old=0\nadded pe=0 t=21 add=1 val=2 old=1\n" +
                      reader),
            "0 findings");
  EXPECT_EQ(
      adviceFor(both + "added pe=0 t=21 add=1 val=2 old=0\n" + reader), // the other never arrived
      "missing synchronisation: nothing PE 2 has waited for tells it that put_signal (trace:4) "
      "by PE 1 is over; a value fetched from another PE does not count");
}

// Two adds of one PE that arrive in the other order.
TEST(TraceCheck, addsOfOnePeMayArriveInAnyOrder) {
  std::string text = "put_signal pe=0 t=1 dst=1:0x0+8 src=0:0x0+8 sig=1:0x40+8 add=1 nbi\n"
                     "put_signal pe=0 t=2 dst=1:0x8+8 src=0:0x8+8 sig=1:0x40+8 add=2 nbi\n"
                     "added pe=0 t=20 add=2 val=1 old=0\nadded pe=0 t=21 add=1 val=2 old=1\n";
  EXPECT_EQ(adviceFor(text + "wait pe=1 t=30 mem=1:0x40+8 val=2\nld pe=1 t=31 mem=1:0x0+8\n"
                             "ld pe=1 t=32 mem=1:0x8+8\n"),
            "0 findings");
  EXPECT_EQ(adviceFor(text + "wait pe=1 t=30 mem=1:0x40+8 val=1\nld pe=1 t=31 mem=1:0x8+8\n"),
            "0 findings");
  EXPECT_NE(adviceFor(text + "wait pe=1 t=30 mem=1:0x40+8 val=1\nld pe=1 t=31 mem=1:0x0+8\n"),
            "0 findings");
}

TEST(Trace, refusesMalformedInput) {
  EXPECT_EQ(errorOf(""), "a trace begins with 'moac-trace 1'");
  EXPECT_EQ(errorOf("moac-trace 1\n"), "no line 'pes N'");
  EXPECT_EQ(errorOf("moac-trace 1\npes 0\n"), "'0' is not a number between 1 and 4096");
  EXPECT_EQ(errorOf("moac-trace 1\npes 2\nfrob pe=0\n"), "no record 'frob'");
  EXPECT_EQ(errorOf("moac-trace 1\npes 2\nfence\n"), "a record needs pe=");
  EXPECT_EQ(errorOf("moac-trace 1\npes 2\nadded pe=0 add=3 val=1 old=0\n"),
            "no record before this one has pe=0 add=3");
  EXPECT_EQ(errorOf("moac-trace 1\npes 2\nsignal_add pe=0 sig=1:0+8 add=3\nadded pe=0 add=3\n"),
            "'added' needs val= and old=");
  EXPECT_EQ(errorOf("moac-trace 1\npes 2\nld pe=0 mem=0:zz\n"),
            "'0:zz' is not a range PE:ADDRESS+BYTES");
  EXPECT_EQ(errorOf("moac-trace 1\npes 2\nld pe=0 mem=0:0xffffffffffffffff+2\n"),
            "a range wraps around");
  EXPECT_NE(errorOf("moac-trace 1\npes 2\nset pe=0 at=x:1 dst=1:0+8\n").find("needs val="),
            std::string::npos);
  EXPECT_NE(errorOf("moac-trace 1\npes 2\nld pe=0 mem=5:0+8\n").find("no such PE"),
            std::string::npos);
  EXPECT_NE(errorOf("moac-trace 1\npes 2\nbarrier pe=0 team=4 seq=0\n").find("no team 4"),
            std::string::npos);
}

TEST(Trace, commandShowsTheWrongLine) {
  auto run = [](const std::string &content, std::string &text) {
    std::string file = std::filesystem::path(testing::TempDir()) / "moac-wrong.moat";
    std::ofstream(file) << content;
    std::ostringstream out, err;
    int code = shmemCheckMain({file}, out, err);
    text = err.str().substr(err.str().rfind("moac-wrong"));
    return code;
  };
  std::string text;
  EXPECT_EQ(run("moac-trace 1\npes 2\nfrob pe=0\n", text), 1);
  EXPECT_EQ(text, "moac-wrong.moat:3: error: no record 'frob'\n  frob pe=0\n");
  EXPECT_EQ(run("", text), 1);
  EXPECT_EQ(text, "moac-wrong.moat:1: error: a trace begins with 'moac-trace 1'\n");
  std::ostringstream out, err;
  EXPECT_EQ(shmemCheckMain({"--help"}, out, err), 0);
  EXPECT_EQ(shmemCheckMain({"--jsno"}, out, err), 2);
  EXPECT_NE(err.str().find("did you mean '--json'?"), std::string::npos);
}

TEST(Trace, survivesMutations) {
  auto programs = test::litmusPrograms();
  unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 1000; ++round) {
    auto text = traceOfProgram(programs[random() % programs.size()], seed + round);
    if (!text)
      continue;
    for (int edits = 0; edits < 3; ++edits) {
      size_t at = random() % text->size();
      switch (random() % 3) {
      case 0:
        text->erase(at, random() % 20 + 1);
        break;
      case 1:
        text->insert(at, 1, static_cast<char>(random() % 128));
        break;
      default:
        (*text)[at] = (*text)[random() % text->size()];
        break;
      }
      if (text->empty())
        text = " ";
    }
    Trace trace;
    if (!readTrace(*text, "t", trace) && !validateTrace(trace, "t"))
      checkTrace(trace);
  }
}

// Cost is linear in the length of the trace: a long ring stays within a second or two.
TEST(TraceCheck, longTracesAreChecked) {
  std::string text = "moac-trace 1\npes 8\n";
  int64_t t = 0;
  for (int round = 1; round <= 2000; ++round) {
    for (int pe = 0; pe < 8; ++pe) {
      std::string right = std::to_string((pe + 1) % 8), me = std::to_string(pe),
                  slot = round % 2 ? "0x0" : "0x400";
      if (round > 2)
        text += "wait pe=" + me + " at=r.c:1 t=" + std::to_string(++t) + " mem=" + me +
                ":0x2000+8 val=" + std::to_string(round - 2) + "\n";
      text += "put_signal pe=" + me + " at=r.c:2 t=" + std::to_string(++t) + " dst=" + right + ":" +
              slot + "+1024 src=" + me + ":p/0x0+1024 sig=" + right +
              ":0x1000+8 val=" + std::to_string(round) + "\n";
    }
    for (int pe = 0; pe < 8; ++pe) {
      std::string left = std::to_string((pe + 7) % 8), me = std::to_string(pe),
                  slot = round % 2 ? "0x0" : "0x400";
      text += "wait pe=" + me + " at=r.c:3 t=" + std::to_string(++t) + " mem=" + me +
              ":0x1000+8 val=" + std::to_string(round) + "\n";
      text += "ld pe=" + me + " at=r.c:4 t=" + std::to_string(++t) + " mem=" + me + ":" + slot +
              "+1024\n";
      text += "fence pe=" + me + " at=r.c:5 t=" + std::to_string(++t) + "\n";
      text += "set pe=" + me + " at=r.c:6 t=" + std::to_string(++t) + " dst=" + left +
              ":0x2000+8 val=" + std::to_string(round) + "\n";
    }
  }
  TraceReport report = test::checked(text);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_GT(report.accesses, 100000);
}

TEST(ShmemCheckCommand, exitCodesAndOutput) {
  auto folder = std::filesystem::path(testing::TempDir()) / "moac-shmem-check";
  std::filesystem::create_directories(folder);
  auto write = [&](const char *name, const std::string &text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  std::ostringstream out, err;
  // One file per PE; the folder is one trace.
  write("pe0", "moac-trace 1\npes 2\nput pe=0 at=a.c:1 dst=1:h/0x40+8 src=0:h/0x100+8 nbi\n"
               "set pe=0 at=a.c:3 dst=1:h/0x80+8 val=1\n");
  write("pe1", "moac-trace 1\npes 2\nwait pe=1 at=a.c:5 mem=1:h/0x80+8 val=1\nld pe=1 at=a.c:6 "
               "mem=1:h/0x40+8\n");
  EXPECT_EQ(shmemCheckMain({folder.string()}, out, err), 1);
  EXPECT_EQ(out.str(), "a.c:6: error: race: ld by PE 1 reads 1:h/0x40+8\n"
                       "a.c:1: note: not ordered with put_nbi by PE 0 writes 1:h/0x40+8\n"
                       "help: missing fence: put a fence, on the context of the transfer, between "
                       "put_nbi (a.c:1) and "
                       "set (a.c:3)\n4 records, 5 accesses: 1 races, 0 problems\n");
  out.str("");
  EXPECT_EQ(shmemCheckMain({"--json", folder.string()}, out, err), 1);
  EXPECT_NE(out.str().find("\"at\":\"a.c:6\""), std::string::npos);
  out.str("");
  EXPECT_EQ(shmemCheckMain({write("clean", "moac-trace 1\npes 1\nst pe=0 mem=0:0+8\n")}, out, err),
            0);
  EXPECT_EQ(out.str(), "1 records, 1 accesses: 0 races, 0 problems\n");
  EXPECT_EQ(shmemCheckMain({}, out, err), 2);
  EXPECT_EQ(shmemCheckMain({"--frob"}, out, err), 2);
  EXPECT_EQ(shmemCheckMain({(folder / "missing").string()}, out, err), 1);
  std::filesystem::remove_all(folder);
}

// Ranges that overlap in all ways are the most work that a trace can be; it ends by the clock, and says how far it came.
TEST(TraceCheck, isGivenUpInTime) {
  std::string text = "moac-trace 1\npes 2\n";
  for (int i = 0; i < 20000; ++i)
    text += "put pe=0 at=a.c:" + std::to_string(i) + " dst=1:h/" + std::to_string(i) + "+100000 src=0:s/0+8\n";
  Trace trace;
  ASSERT_FALSE(readTrace(text, "trace", trace));
  auto begin = std::chrono::steady_clock::now();
  TraceReport report = checkTrace(trace, TraceModel::Paper, 0.1);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 3.0);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_NE(report.problems[0].find(": error: given up after 0.1 s, before this record: "), std::string::npos) << report.problems[0];
  EXPECT_NE(report.problems[0].find(" of 20000 are checked; raise --limit"), std::string::npos);
  std::ostringstream out, err;
  EXPECT_EQ(shmemCheckMain({"x", "--limit", "soon"}, out, err), 2);
  EXPECT_NE(err.str().find("--limit wants a number of seconds"), std::string::npos);
}
