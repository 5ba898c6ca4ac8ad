// Every syntax error's text with its caret line, and proof that every kind of message can be
// reached.
//
// The cases are data (syntax-errors.txt), so that a change of wording is reviewed as text.
#include "tests/unit/SyntaxHelpers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace moac {
namespace {

using test::Parsed;

struct Case {
  std::string title, source, messages;
};

std::vector<Case> cases() {
  std::ifstream in(MOAC_TEST_ERRORS);
  std::vector<Case> result;
  bool messages = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      result.push_back({line.substr(4), "", ""});
      messages = false;
    } else if (line == "---") {
      messages = true;
    } else if (!result.empty()) {
      (messages ? result.back().messages : result.back().source) += line + "\n";
    }
  }
  return result;
}

std::string repeat(const std::string &text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text;
  return result;
}

std::string body(const std::string &statement) {
  return "kernel k() -> o: f64 {\n" + statement + "\n}\n";
}

/// Sources whose text cannot stand in a readable file, each with the id it must report.
std::vector<std::pair<std::string, DiagId>> unreadableCases() {
  return {
      {std::string(maxFileBytes + 1, ' '), DiagId::fileTooLarge},
      {repeat("\xFF", 100), DiagId::notText},
      {"# caf\xE9\n", DiagId::invalidUtf8},
      {"# a \xE2\x80\xAE b\n", DiagId::forbiddenCharacter}, // turns the direction of the text
      {"a\rb", DiagId::forbiddenCharacter},
      {std::string("# \0\n", 4), DiagId::forbiddenCharacter},
      {body("o = " + std::string(500, '1')), DiagId::literalTooLong},
      {body("o = " + repeat("(", 500)), DiagId::nestedTooDeep},
      {body("o = a" + repeat(" + a", 2000)), DiagId::chainTooLong},
      {body("o = a (+" + repeat(" omega<1>", 20) + ") b"), DiagId::operatorTooDeep},
      {body(repeat("iterate p in 0..N carry L = A {", 20)), DiagId::blockTooDeep},
  };
}

TEST(SyntaxErrors, MessagesInFull) {
  std::vector<Case> all = cases();
  EXPECT_GT(all.size(), 80u);
  for (const Case &one : all) {
    EXPECT_FALSE(one.messages.empty()) << one.title;
    EXPECT_EQ(Parsed(one.source).messages, one.messages) << one.title;
  }
}

TEST(SyntaxErrors, UnreadableFilesAndLimits) {
  for (auto &[source, id] : unreadableCases()) {
    Parsed parsed(source);
    bool found = false;
    for (const Diagnostic *message : parsed.diagnostics.sorted())
      found |= message->id == id;
    EXPECT_TRUE(found) << diagName(id) << "\n" << parsed.messages;
    EXPECT_LT(parsed.messages.size(), 5000u) << diagName(id);
  }
}

TEST(SyntaxErrors, EveryKindIsReached) {
  std::set<DiagId> reached;
  auto collect = [&](const std::string &source) {
    Parsed parsed(source);
    for (const Diagnostic *message : parsed.diagnostics.sorted()) {
      reached.insert(message->id);
      EXPECT_TRUE(message->range.valid()) << message->message;
      if (message->id != DiagId::expected) // it says itself what to write
        EXPECT_FALSE(message->help.empty()) << message->message;
    }
  };
  for (const Case &one : cases())
    collect(one.source);
  for (auto &[source, id] : unreadableCases())
    collect(source);
  for (int id = 0; id <= int(DiagId::unknownDirective); ++id) // the last kind of the syntax part
    EXPECT_TRUE(reached.contains(DiagId(id))) << diagName(DiagId(id));
}

TEST(SyntaxErrors, ABrokenKernelIsKeptAndMarked) {
  Parsed parsed("kernel a() -> o: f64 { o = }\nkernel b(x: what) -> o: f64 { o = x }\n"
                "kernel c() -> o: f64 { o = 1 }\nfn f(x) = \nfn g(x) = x\n");
  ASSERT_EQ(parsed.file.kernels.size(), 3u);
  EXPECT_FALSE(parsed.file.kernels[0].complete);
  EXPECT_FALSE(parsed.file.kernels[1].complete);
  EXPECT_TRUE(parsed.file.kernels[2].complete);
  ASSERT_EQ(parsed.file.fns.size(), 1u);
  EXPECT_EQ(parsed.file.fns[0].name.text, "g");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 3u) << parsed.messages;
}

} // namespace
} // namespace moac
