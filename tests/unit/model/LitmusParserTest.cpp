// The litmus format: what is accepted, what is refused with which line, and that no text at all
// brings the parser down.
#include "runtime/model/Expand.h"
#include "tests/unit/model/LitmusFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace moac::model;

namespace {

std::vector<Program> parse(const std::string &text) {
  std::optional<SourceError> error;
  auto programs = parseLitmus(text, "t.litmus", error);
  EXPECT_FALSE(error) << error->str();
  return programs;
}

std::string errorOf(const std::string &text) {
  std::optional<SourceError> error;
  auto programs = parseLitmus(text, "t.litmus", error);
  for (const Program &program : programs)
    if (!error)
      error = forEachPath(program, [](Graph &&) { return true; });
  std::string message = error ? error->str() : "";
  return message.substr(0, message.find('\n'));
}

int countPaths(const Program &program) {
  int paths = 0;
  EXPECT_FALSE(forEachPath(program, [&](Graph &&) { return ++paths, true; }));
  return paths;
}

Graph firstPath(const std::string &text) {
  Graph result;
  forEachPath(parse(text).at(0), [&](Graph &&graph) {
    result = std::move(graph);
    return false;
  });
  return result;
}

} // namespace

TEST(LitmusParser, readsDeclarationsThreadsAndExpectations) {
  auto programs =
      parse("litmus a/b-1\n pes 3; init x@1 = -5, s = 1\n ctx c nostore com=C domain=d\n"
            " com C\n team T = 2, 0\nPE0: put x@1, s with ctx=c\nPE2.1: wait f != 0; fetch r, f\n"
            "exists 2.1:r == 0 || x@1 >= 2\nexpect paper c11 racy, comid+ret-lco holds\n");
  ASSERT_EQ(programs.size(), 1u);
  const Program &p = programs[0];
  EXPECT_EQ(p.name, "a/b-1");
  EXPECT_EQ(p.pes, 3);
  EXPECT_EQ(p.init.at(0).value, -5);
  EXPECT_TRUE(p.contexts.at(0).nostore);
  EXPECT_EQ(p.contexts.at(0).domain, "d");
  EXPECT_EQ(p.teams.at(0).members, (std::vector<int>{2, 0}));
  ASSERT_EQ(p.threads.size(), 2u);
  EXPECT_EQ(p.threads[1].pe, 2);
  EXPECT_EQ(p.threads[1].index, 1);
  EXPECT_EQ(p.threads[0].body.at(0).context, "c");
  ASSERT_EQ(p.expectations.size(), 3u);
  EXPECT_EQ(modelName(p.expectations[2].model), "comid+ret-lco");
  EXPECT_EQ(p.expectations[1].verdict, VerdictKind::Racy);
}

TEST(LitmusParser, readsSeveralProgramsFromOneFile) {
  EXPECT_EQ(parse("litmus a\nPE0: fence\n\nlitmus b\nPE0: quiet; fence\n").size(), 2u);
}

TEST(LitmusParser, reportsErrorsWithTheirLine) {
  EXPECT_EQ(errorOf("pes 2\n"), "t.litmus:1:1: error: expected 'litmus NAME' to begin a program");
  EXPECT_EQ(errorOf("litmus a\nPE0: frobnicate x\n"),
            "t.litmus:2:6: error: no statement or operation 'frobnicate'");
  EXPECT_EQ(errorOf("litmus a\nPE0: put x@1 s\n"), "t.litmus:2:14: error: expected ',', found 's'");
  EXPECT_EQ(errorOf("litmus a\n pes 2\nPE0: put x@1, s with ctx=q\n"),
            "t.litmus:3: error: no context 'q'");
  EXPECT_EQ(errorOf("litmus a\nPE4: fence\n"),
            "t.litmus:1: error: a thread on PE 4, but 'pes' is 1");
  EXPECT_EQ(errorOf("litmus a\nPE0: fence\nPE0: fence\n"),
            "t.litmus:1: error: two bodies for thread 0 of PE 0");
  EXPECT_EQ(errorOf("litmus a\nPE0: fence\nexpect paper wrong\n"),
            "t.litmus:3:14: error: 'wrong' is neither a model nor a verdict after one");
  EXPECT_EQ(errorOf("litmus a\n pes 65\n"),
            "t.litmus:2:8: error: the number of PEs must be between 1 and 64");
}

TEST(LitmusParser, reportsErrorsOfExpansion) {
  EXPECT_NE(errorOf("litmus a\nPE0: set x@3, 1\n").find("no such PE: 3"), std::string::npos);
  EXPECT_EQ(errorOf("litmus a\n pes 2\nPE0: put x@1, s\n fcollect x, s\nPE1: fcollect x, s\n"),
            "t.litmus:4: error: a: 'x' has 1 index here and 0 elsewhere");
  EXPECT_NE(errorOf("litmus a\nPE0: st x = r\n").find("register 'r' has no value yet"),
            std::string::npos);
  EXPECT_NE(errorOf("litmus a\nPE0: ld r = x; st a[r] = 1\n").find("may not depend on memory"),
            std::string::npos);
  EXPECT_NE(errorOf("litmus a\n pes 2\nPE0: put x@1, s@1\n")
                .find("must be on the PE that makes the call"),
            std::string::npos);
  EXPECT_NE(errorOf("litmus a\n pes 2\nPE0: put x[0:2]@1, s[0:3]\n").find("different lengths"),
            std::string::npos);
  EXPECT_NE(errorOf("litmus a\n pes 2\nPE0: barrier\nPE1: sync\n")
                .find("where another PE of the team called barrier"),
            std::string::npos);
  EXPECT_EQ(errorOf("litmus a\nPE0: fence\nexpect paper c11 race-free\nexpect paper racy\n"),
            "t.litmus:4:14: error: the program has a verdict of paper already: race-free, line 3");
  EXPECT_EQ(errorOf("litmus a\nPE0: fence\nexpect paper racy, paper may-block, c11 racy\n"), "");
  EXPECT_NE(errorOf("litmus a\nall: alltoall d[0:0], s\n").find("without a range"),
            std::string::npos);
  EXPECT_NE(errorOf("litmus a\nall: broadcast d, s, 3\n").find("the root is not a member"),
            std::string::npos);
  EXPECT_NE(
      errorOf("litmus a\nPE0: for i in 0:1000000 { let a = i }\n").find("does not end within"),
      std::string::npos);
  EXPECT_NE(
      errorOf("litmus a\nPE0: for i in 0:13 { cswap r, x@0, 0, 1 }\n").find("more than 4096 paths"),
      std::string::npos);
  EXPECT_NE(errorOf("litmus a\nPE0: ld r = x; for i in 0:200 { let r = r + r }\n")
                .find("nested operators"),
            std::string::npos);
}

TEST(LitmusParser, showsTheLineWithACaret) {
  auto shown = [](const std::string &text) {
    std::optional<SourceError> error;
    parseLitmus(text, "t.litmus", error);
    return error ? error->str() : "";
  };
  EXPECT_EQ(shown("litmus a\n\tpes 2\n\tPE0: putt x@1, s\n"),
            "t.litmus:3:7: error: no statement or operation 'putt' (did you mean 'put'?)\n"
            "  \tPE0: putt x@1, s\n"
            "  \t     ^");
  EXPECT_EQ(shown("litmus a\nPE0: put x@0\n"), "t.litmus:2:13: error: expected ',', found 'end of line'\n"
                                                "  PE0: put x@0\n"
                                                "              ^");
}

// A slip in a condition would otherwise ask for something that is always or never true.
TEST(LitmusParser, conditionsNameWhatExists) {
  const std::string head = "litmus a\n pes 2; init y = 1\nPE0: fetch r, x@1; for i in 0:2 { ld q = z[i] }\n";
  EXPECT_EQ(errorOf(head + "exists 0:r == 0 && x@1 == 0 && y@0 == 1 && q == npes && z[1]@0 == 0\n"), "");
  EXPECT_EQ(errorOf(head + "exists 0:r == 0 && s == 0\n"), "t.litmus:4:20: error: no thread has a register 's'");
  EXPECT_EQ(errorOf(head + "exists 1:r == 0\n"), "t.litmus:4:8: error: PE 1.0 has no register 'r'");
  EXPECT_EQ(errorOf(head + "exists w@0 == 0\n"), "t.litmus:4:8: error: the program has no place 'w'");
  EXPECT_EQ(errorOf(head + "exists x == 0\n"),
            "t.litmus:4:8: error: no thread has a register 'x'; a place is written with its PE: x@0");
}

TEST(LitmusParser, refusesDeepNestingInsteadOfOverflowing) {
  std::string deep(100000, '('), blocks;
  for (int i = 0; i < 10000; ++i)
    blocks += "if 1 { ";
  EXPECT_NE(errorOf("litmus a\nPE0: let x = " + deep), "");
  EXPECT_NE(errorOf("litmus a\nPE0: let x = " + std::string(100000, '-') + "1\n"), "");
  EXPECT_NE(errorOf("litmus a\nPE0: " + blocks), "");
}

// Any cut or change of a good file gives an error or programs that expand or do not, nothing else.
TEST(LitmusParser, survivesMutations) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(test::litmusFolder())) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    files.push_back(text.str());
  }
  unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int round = 0; round < 2000; ++round) {
    const std::string &good = files[random() % files.size()];
    size_t begin = good.rfind("litmus ", random() % good.size());
    std::string text = begin == std::string::npos ? good.substr(0, 400) : good.substr(begin, 400);
    for (int edits = 0; edits < 3 && !text.empty(); ++edits) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text.erase(at, random() % 4 + 1);
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random() % 128));
        break;
      case 2:
        text.insert(at, good.substr(random() % good.size(), random() % 30));
        break;
      default:
        text[at] = good[random() % good.size()];
        break;
      }
    }
    errorOf(text);
  }
}

TEST(Expand, makesTheObservableAccessesOfTheTable) {
  Graph put = firstPath("litmus a\n pes 2\nPE0: put x@1, s\n");
  ASSERT_EQ(put.size(), 3); // the call, LD s@0, ST x@1
  EXPECT_EQ(put.event(1).pe, 0);
  EXPECT_EQ(put.event(2).pe, 1);
  EXPECT_EQ(put.opOrder, (std::vector<std::pair<int, int>>{{1, 2}}));
  Graph signal = firstPath("litmus a\n pes 2\nPE0: put_signal x[0:2]@1, s[0:2], f += 3\n");
  ASSERT_EQ(signal.size(), 7); // the call, two loads and stores, the signal's load and store
  EXPECT_TRUE(signal.event(5).sync && signal.event(6).sync);
  EXPECT_FALSE(signal.event(2).sync);
  EXPECT_EQ(signal.opOrder.size(), 5u);
  EXPECT_EQ(firstPath("litmus a\nPE0: fence; quiet\n").size(), 2);
  EXPECT_EQ(firstPath("litmus a\n pes 3\nall: barrier\n").size(), 1);
  EXPECT_EQ(firstPath("litmus a\n pes 2\nPE0: put x[0:0]@1, s[0:0]\n").size(), 1);
}

TEST(Expand, splitsPathsWhereMemoryDecides) {
  EXPECT_EQ(countPaths(parse("litmus a\nPE0: cswap r, x@0, 0, 1\n")[0]), 2);
  EXPECT_EQ(countPaths(parse("litmus a\nPE0: ld r = x; if r { fence }\n")[0]), 2);
  EXPECT_EQ(countPaths(parse("litmus a\nPE0: if me == 0 { fence }\n")[0]), 1);
  EXPECT_EQ(countPaths(parse("litmus a\nPE0: wait_any i, f[0:3] == 1\n")[0]), 3);
}

TEST(Expand, everyOperationOfTheTableCanBeWritten) {
  for (const OpInfo &op : allOperations()) {
    std::string arguments;
    for (char kind : op.form) {
      arguments += arguments.empty() ? " " : ", ";
      arguments += kind == 'r'   ? "r"
                   : kind == 'e' ? "0"
                   : kind == 'c' ? "x == 0"
                   : kind == 's' ? "f = 1"
                                 : arguments == " " ? "x" : "y";
    }
    std::string text = "litmus a\nPE0: " + std::string(op.mnemonic) + arguments + "\n";
    EXPECT_EQ(errorOf(text), "") << text;
  }
}
