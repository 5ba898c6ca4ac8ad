// The command `moac litmus`: exit codes, the closing line, and the three output forms.
#include "runtime/model/Litmus.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace moac::model;

namespace {

class LitmusCommand : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             (std::string("moac-litmus-") +
              testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string &name, const std::string &text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  int run(const std::vector<std::string> &args) {
    out.str("");
    err.str("");
    return litmusMain(args, out, err);
  }

  std::string lastLine() const {
    std::string text = out.str();
    text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }

  std::filesystem::path folder;
  std::ostringstream out, err;
};

const std::string good =
    "litmus good\n pes 2\nPE0: set x@1, 1\nexists x@1 == 0\nexpect paper c11 forbidden\n";
const std::string bad =
    "litmus bad\n pes 2\nPE0: set x@1, 1\nPE1: st x = 2\nexists x@1 == 1\nexpect paper forbidden\n";

} // namespace

TEST_F(LitmusCommand, exitsZeroIffEveryExpectationHolds) {
  EXPECT_EQ(run({write("good.litmus", good)}), 0);
  EXPECT_EQ(lastLine(), "1 programs, 2 verdicts: 2 forbidden, 0 unexpected, 0 errors");
  EXPECT_EQ(run({write("bad.litmus", bad)}), 1);
  EXPECT_EQ(lastLine(), "1 programs, 1 verdicts: 1 racy, 1 unexpected, 0 errors");
  EXPECT_NE(err.str().find("bad.litmus:1: error: bad: paper gives racy, expected forbidden"),
            std::string::npos);
}

// A wait for equality that the next epoch can overtake; one that the waiter itself releases cannot.
TEST_F(LitmusCommand, programsThatMayBlockMustSaySo) {
  const std::string lost = "litmus lost\n pes 2\nPE0: set f@1, 1; fence; set f@1, 2\n"
                           "PE1: wait f == 1\nexpect paper race-free";
  const std::string credit = "litmus credit\n pes 2\n"
                             "PE0: set f@1, 1; wait c == 1; set f@1, 2\n"
                             "PE1: wait f == 1; fence; set c@0, 1\nexpect paper race-free";
  const std::string again = "litmus again\n pes 2\n"
                            "PE0: set f@1, 1; fence; set f@1, 2; fence; set f@1, 1\n"
                            "PE1: wait f == 1\nexpect paper race-free\n";
  EXPECT_EQ(run({write("lost.litmus", lost + ", paper may-block\n")}), 0);
  EXPECT_EQ(lastLine(), "1 programs, 1 verdicts: 1 race-free, 1 may-block, 0 unexpected, 0 errors");
  EXPECT_EQ(run({write("lost.litmus", lost + "\n")}), 1);
  EXPECT_NE(err.str().find("paper may block: LD f@1 (wait, line 4) can miss ST f@1 (set, line 3)"),
            std::string::npos)
      << err.str();
  EXPECT_EQ(run({write("credit.litmus", credit + "\n")}), 0) << err.str();
  EXPECT_EQ(run({write("credit.litmus", credit + ", paper may-block\n")}), 1);
  EXPECT_EQ(run({write("again.litmus", again)}), 0) << err.str();
}

TEST_F(LitmusCommand, readsFoldersInOrder) {
  write("b.litmus", good), write("a.litmus", good), write("c.txt", "not litmus");
  EXPECT_EQ(run({folder.string()}), 0);
  EXPECT_EQ(lastLine(), "2 programs, 4 verdicts: 4 forbidden, 0 unexpected, 0 errors");
}

TEST_F(LitmusCommand, oneModelOnRequest) {
  std::string file = write("good.litmus", good);
  EXPECT_EQ(run({file, "--model", "c11"}), 0);
  EXPECT_EQ(lastLine(), "1 programs, 1 verdicts: 1 forbidden, 0 unexpected, 0 errors");
  EXPECT_EQ(run({file, "--model=comid"}), 0); // no expectation for it: printed, not judged
  EXPECT_EQ(lastLine(), "1 programs, 1 verdicts: 1 forbidden, 0 unexpected, 0 errors");
}

TEST_F(LitmusCommand, usageErrors) {
  EXPECT_EQ(run({}), 2);
  EXPECT_EQ(run({"x", "--model"}), 2);
  EXPECT_EQ(run({"--model", "tso", "x"}), 2);
  EXPECT_NE(err.str().find("there are paper, c11, c11q and comid"), std::string::npos);
  EXPECT_EQ(run({"x", "--frob"}), 2);
  EXPECT_NE(err.str().find("unknown option '--frob'"), std::string::npos);
  EXPECT_EQ(run({"x", "--modle", "c11"}), 2);
  EXPECT_NE(err.str().find("did you mean '--model'?"), std::string::npos);
  EXPECT_EQ(run({"x", "--limit", "never"}), 2);
  EXPECT_EQ(run({"x", "--json", "--dot"}), 2);
}

TEST_F(LitmusCommand, wrongFilesAreErrors) {
  EXPECT_EQ(run({(folder / "missing.litmus").string()}), 1);
  EXPECT_EQ(run({folder.string()}), 1); // an empty folder checks nothing
  EXPECT_EQ(err.str(), folder.string() + ": error: no litmus program found\n");
  EXPECT_EQ(run({write("empty.litmus", "")}), 1);
  EXPECT_NE(err.str().find("empty.litmus: error: no litmus program found"), std::string::npos) << err.str();
  EXPECT_EQ(run({write("broken.litmus", "litmus x\nPE0: put\n")}), 1);
  EXPECT_NE(err.str().find("broken.litmus:2:9: error: expected a place"), std::string::npos);
}

// Eight PEs that write to and read from all are too many executions for anybody: an error within the time, no verdict.
TEST_F(LitmusCommand, explosionsAreGivenUp) {
  std::string file = write("boom.litmus", "litmus boom\n pes 8\nall: for q in 0:npes { set x@q, me }\n"
                                          "     for q in 0:npes { fetch r, x@q }\nexists x@0 == 1\nexpect paper allowed\n");
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run({file, "--limit", "0.2"}), 1);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 2.0);
  EXPECT_NE(err.str().find("boom.litmus:1: error: boom: paper is not decided within 0.2 s; 256 events"), std::string::npos)
      << err.str();
  EXPECT_EQ(lastLine(), "1 programs, 0 verdicts: 0 unexpected, 1 errors");
}

TEST_F(LitmusCommand, helpIsNoError) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_NE(out.str().find("--limit SECONDS"), std::string::npos);
  EXPECT_EQ(err.str(), "");
}

TEST_F(LitmusCommand, witnessNamesSourceLines) {
  EXPECT_EQ(run({write("bad.litmus", bad), "--witness"}), 1);
  EXPECT_NE(out.str().find("ST x@1 (set, line 3) and ST x@1 (line 4) are not ordered"),
            std::string::npos)
      << out.str();
}

TEST_F(LitmusCommand, dotIsOneGraphPerVerdict) {
  EXPECT_EQ(run({write("bad.litmus", bad), "--dot"}), 1);
  EXPECT_TRUE(out.str().starts_with("digraph {\n")) << out.str();
  EXPECT_NE(out.str().find("[label=race, color=red"), std::string::npos);
  EXPECT_TRUE(lastLine().starts_with("// 1 programs"));
}

// Names are bytes in a file and text in JSON.
TEST_F(LitmusCommand, jsonIsTextWhateverTheNames) {
  EXPECT_EQ(run({write("name.litmus", "litmus a\xff\"\x01\xc3\xa9\xe2\x82\xac\xed\xa0\x80\xc3\n pes 2\nPE0: set x@1, 1\n"), "--json"}), 0);
  EXPECT_NE(out.str().find("\"name\":\"a\\ufffd\\\"\\u0001\xc3\xa9\xe2\x82\xac\\ufffd\\ufffd\\ufffd\\ufffd\","), std::string::npos) << out.str();
}

// Where no reads at all would give the values there is no cycle to show.
TEST_F(LitmusCommand, everyVerdictSaysWhy) {
  EXPECT_EQ(run({write("none.litmus", "litmus none\n pes 2\nPE0: set x@1, 1\nexists x@1 == 3\n")}), 0);
  EXPECT_NE(out.str().find("whatever the reads see, no execution has these values"), std::string::npos) << out.str();
}

TEST_F(LitmusCommand, jsonHasVerdictsAndSummary) {
  EXPECT_EQ(run({write("good.litmus", good), "--json"}), 0);
  EXPECT_NE(
      out.str().find("\"model\":\"paper\",\"verdict\":\"forbidden\",\"expected\":\"forbidden\""),
      std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("\"summary\":\"1 programs, 2 verdicts:"), std::string::npos);
}
