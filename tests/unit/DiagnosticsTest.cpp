// Messages as text: positions and carets under whatever precedes them, order, limits, suggestions.
#include "frontend/Diagnostics.h"

#include <gtest/gtest.h>

namespace moac {
namespace {

/// Reports "cannot find 'x'" at the first `what` of a one-file program and renders it.
std::string renderAt(const std::string &text, const std::string &what) {
  SourceManager sources;
  FileId file = sources.add("dir/t.moa", text);
  Diagnostics diagnostics(sources);
  auto begin = uint32_t(text.find(what));
  diagnostics.report(diag::importNotFound, {file, begin, begin + uint32_t(what.size())}, "x");
  return diagnostics.render();
}

TEST(Diagnostics, ShowsLineCaretNotesAndHelp) {
  SourceManager sources;
  FileId main = sources.add("a.moa", "one\ntwo three\n");
  FileId other = sources.add("b.moa", "four\n");
  Diagnostics diagnostics(sources);
  diagnostics.report(diag::unknownName, {main, 8, 13}, "three")
      .note({other, 0, 4}, "declared here")
      .note({}, "a note without a place")
      .help("write 'two'");
  EXPECT_EQ(diagnostics.render(), "a.moa:2:5: error: unknown name 'three' [unknown-name]\n"
                                  "two three\n"
                                  "    ^~~~~\n"
                                  "b.moa:1:1: note: declared here\n"
                                  "four\n"
                                  "^~~~\n"
                                  "moac: note: a note without a place\n"
                                  "help: write 'two'\n");
  EXPECT_EQ(diagnostics.errorCount(), 1u);
}

TEST(Diagnostics, CaretsStandUnderTheirTextBehindTabsAndUtf8) {
  EXPECT_EQ(renderAt("\ta = bad", "bad"), "dir/t.moa:1:6: error: cannot find 'x' [import-not-found]\n"
                                          "\ta = bad\n"
                                          "\t    ^~~\n");
  EXPECT_EQ(renderAt("ψ ≤ bad ρ", "bad"), "dir/t.moa:1:5: error: cannot find 'x' [import-not-found]\n"
                                          "ψ ≤ bad ρ\n"
                                          "    ^~~\n");
  EXPECT_EQ(renderAt("# 漢字 bad", "bad"), "dir/t.moa:1:6: error: cannot find 'x' [import-not-found]\n"
                                           "# 漢字 bad\n"
                                           "       ^~~\n")
      << "wide characters take two columns of the terminal, one of the position";
  EXPECT_EQ(renderAt("# 漢字", "字"), "dir/t.moa:1:4: error: cannot find 'x' [import-not-found]\n"
                                      "# 漢字\n"
                                      "    ^~\n");
  EXPECT_EQ(renderAt("# e\u0301 bad", "bad"),
            "dir/t.moa:1:6: error: cannot find 'x' [import-not-found]\n"
            "# e\u0301 bad\n"
            "    ^~~\n")
      << "a combining accent takes none";
}

TEST(Diagnostics, UnprintableBytesAreNotEchoed) {
  EXPECT_EQ(renderAt("a\x1b[31m\xff bad\r\n", "bad"),
            "dir/t.moa:1:9: error: cannot find 'x' [import-not-found]\n"
            "a?[31m? bad\n"
            "        ^~~\n");
}

TEST(Diagnostics, RangesOverSeveralLinesAndAtTheEnd) {
  EXPECT_EQ(renderAt("a b\nc d", "b\nc"), "dir/t.moa:1:3: error: cannot find 'x' [import-not-found]\n"
                                          "a b\n"
                                          "  ^\n");
  SourceManager sources;
  FileId file = sources.add("t.moa", "ab");
  FileId empty = sources.add("u.moa", "");
  Diagnostics diagnostics(sources);
  diagnostics.report(diag::importNotFound, {file, 2, 2}, "x");
  diagnostics.report(diag::importNotFound, {file, 99, 120}, "y");
  diagnostics.report(diag::importNotFound, {empty, 0, 0}, "z");
  EXPECT_EQ(diagnostics.render(), "t.moa:1:3: error: cannot find 'x' [import-not-found]\nab\n  ^\n"
                                  "t.moa:1:3: error: cannot find 'y' [import-not-found]\nab\n  ^\n"
                                  "u.moa:1:1: error: cannot find 'z' [import-not-found]\n\n^\n");
}

TEST(Diagnostics, LongLinesAreCutAroundTheRange) {
  std::string text = std::string(100000, 'a') + "bad" + std::string(100000, 'c');
  std::string message = renderAt(text, "bad");
  EXPECT_LT(message.size(), 600u);
  size_t line = message.find('\n') + 1, caretLine = message.find('\n', line) + 1;
  EXPECT_EQ(message.find("bad", line) - line, message.find("^~~\n", caretLine) - caretLine);
  EXPECT_EQ(message.substr(line, 4), "... ");
}

TEST(Diagnostics, SortedByPositionWithoutDuplicates) {
  SourceManager sources;
  FileId file = sources.add("t.moa", "a\nb\nc\n");
  Diagnostics diagnostics(sources);
  for (uint32_t at : {4u, 0u, 2u, 0u})
    diagnostics.report(diag::unknownName, {file, at, at + 1}, sources.text({file, at, at + 1}));
  std::string names;
  for (const Diagnostic *message : diagnostics.sorted())
    names += sources.text(message->range);
  EXPECT_EQ(names, "abc");
}

TEST(Diagnostics, ManyMessagesAreCutWithAClosingLine) {
  SourceManager sources;
  FileId file = sources.add("t.moa", std::string(5000, '\n'));
  Diagnostics diagnostics(sources);
  for (uint32_t i = 0; i < 5000; ++i)
    diagnostics.report(diag::unknownName, {file, i, i}, i);
  std::string text = diagnostics.render();
  EXPECT_NE(text.find("t.moa:50:1: error"), std::string::npos);
  EXPECT_EQ(text.find("t.moa:51:1: error"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\nmoac: 4950 more messages not shown\n")) << text;
  EXPECT_EQ(diagnostics.errorCount(), 5000u);
}

TEST(Diagnostics, SuggestionsAreNearNamesOnly) {
  std::vector<std::string> names = {"Query", "K", "scores", "score"};
  EXPECT_EQ(didYouMean("Qurey", names), "did you mean 'Query'?");
  EXPECT_EQ(didYouMean("scoers", names), "did you mean 'scores'?");
  EXPECT_EQ(didYouMean("k", names), "did you mean 'K'?");
  EXPECT_EQ(didYouMean("V", names), "");
  EXPECT_EQ(didYouMean("weights", names), "");
  EXPECT_EQ(didYouMean("", names), "");
}

TEST(Diagnostics, TextsFollowTheRules) {
  for (const DiagInfo &info : allDiagInfos()) {
    EXPECT_FALSE(info.format.ends_with('.')) << info.id;
    EXPECT_FALSE(info.format.empty()) << info.id;
    EXPECT_FALSE(info.format[0] >= 'A' && info.format[0] <= 'Z') << info.id;
  }
  EXPECT_EQ(diagName(DiagId::unknownName), "unknown-name");
}

} // namespace
} // namespace moac
