// Tokens: the rules that a reader of the language could be surprised by.
#include "frontend/Lexer.h"

#include <gtest/gtest.h>

namespace moac {
namespace {

struct Lexed {
  explicit Lexed(const std::string &text) {
    tokens = lex(sources, sources.add("t.moa", text), diagnostics);
    messages = diagnostics.render();
  }
  /// Token texts separated by `|`, a new line before one shown as `~`.
  std::string texts() const {
    std::string result;
    for (const Token &token : tokens) {
      if (token.kind == Tok::Eof)
        break;
      result += result.empty() ? "" : token.newlineBefore ? "|~" : "|";
      result += sources.text({0, token.begin, token.end});
    }
    return result;
  }

  SourceManager sources;
  Diagnostics diagnostics{sources};
  std::vector<Token> tokens;
  std::string messages;
};

std::string lexText(const std::string &text) {
  Lexed lexed(text);
  return lexed.messages.empty() ? lexed.texts() : lexed.messages;
}

TEST(Lexer, NumbersNeedDigitsOnBothSidesOfThePoint) {
  EXPECT_EQ(lexText("1..3"), "1|..|3");
  EXPECT_EQ(lexText("2.*x"), "2|.|*|x");
  EXPECT_EQ(lexText("2.5e-3..4E5"), "2.5e-3|..|4E5");
  EXPECT_EQ(lexText("(+.*)"), "(|+|.|*|)");
}

TEST(Lexer, LongestOperatorFirstAndNoLeftArrow) {
  EXPECT_EQ(lexText("a->b++c<=d>=e==f!=g//h"), "a|->|b|++|c|<=|d|>=|e|==|f|!=|g|//|h");
  EXPECT_EQ(lexText("<-1 3> i<-1"), "<|-|1|3|>|i|<|-|1");
}

TEST(Lexer, SlashesCommentOnlyAtTheBeginningOfALine) {
  EXPECT_EQ(lexText("// one\n  // two\na // b"), "a|//|b");
  EXPECT_EQ(lexText("(a\n// b)"), "(|a|~//|b|)") << "inside brackets a line may begin with it";
  EXPECT_EQ(lexText("{ a = (b }\n// note\nc"), "{|a|=|(|b|}|~c") << "a brace ends an open bracket";
  EXPECT_EQ(lexText("a # b\n#\nc"), "a|~c");
  EXPECT_EQ(lexText("a /* b\n */ c /**/ d"), "a|~c|d");
}

TEST(Lexer, GlyphsSpellTheWords) {
  Lexed lexed("ψριδτΩ△▽⌽⍉•×÷≤≥≠ρC");
  EXPECT_EQ(lexed.messages, "");
  std::vector<std::string> words;
  for (const Token &token : lexed.tokens)
    if (token.kind == Tok::Word)
      words.emplace_back(spelling(token.word()));
  EXPECT_EQ(words, (std::vector<std::string>{"psi", "shape", "iota", "dim", "total", "take", "drop",
                                             "reverse", "transpose", "shape"}));
  EXPECT_TRUE(lexed.tokens[5].is(Keyword::Omega));
  EXPECT_TRUE(lexed.tokens[10].is(Keyword::Outer));
  EXPECT_EQ(lexed.tokens[11].kind, Tok::Star);
  EXPECT_EQ(lexed.tokens[15].kind, Tok::NotEqual);
  EXPECT_EQ(lexed.tokens[17].kind, Tok::Name);
}

TEST(Lexer, BracketsAreMatchedAcrossMistakes) {
  Lexed lexed("a[(b]) { ( } [");
  EXPECT_EQ(lexed.tokens[1].match, 4u) << "'[' ignores the '(' inside it";
  EXPECT_EQ(lexed.tokens[2].match, 0u);
  EXPECT_EQ(lexed.tokens[6].match, 8u);
  EXPECT_EQ(lexed.tokens[7].match, 0u) << "'(' does not reach beyond '}'";
  EXPECT_EQ(lexed.tokens[9].match, 0u);
}

TEST(Lexer, ByteOrderMarkAndCarriageReturnsAreNoContent) {
  EXPECT_EQ(lexText("\xEF\xBB\xBF"
                    "a\r\nb\r\n"),
            "a|~b");
}

TEST(Lexer, ATooLongFileIsRefused) {
  Lexed fits(std::string(maxFileBytes, ' '));
  EXPECT_EQ(fits.messages, "");
  Lexed tooLong(std::string(maxFileBytes + 1, ' '));
  EXPECT_NE(tooLong.messages.find("larger than the 4 MiB"), std::string::npos) << tooLong.messages;
  EXPECT_EQ(tooLong.tokens.size(), 1u);
}

TEST(Lexer, ABinaryFileGivesFewMessages) {
  std::string bytes;
  for (int i = 0; i < 100000; ++i)
    bytes += char(0x80 + i % 0x40);
  Lexed lexed(bytes);
  EXPECT_EQ(lexed.diagnostics.errorCount(), 11u);
  EXPECT_NE(lexed.messages.find("this file is not text"), std::string::npos);
}

TEST(Words, TablesAgreeWithTheLanguage) {
  for (ElementType type : allElementTypes())
    EXPECT_EQ(findElementType(spelling(type)), type);
  EXPECT_EQ(spelling(computeType(ElementType::bf16_)), "f32");
  EXPECT_EQ(spelling(computeType(ElementType::u8_)), "i32");
  EXPECT_EQ(bitWidth(ElementType::i16_), 16u);
  EXPECT_TRUE(isPrefix(Word::Transpose) && isInfix(Word::Transpose));
  EXPECT_TRUE(isReduction(Word::Logsumexp) && !isReduction(Word::Ravel));
  EXPECT_EQ(arity(Func::Where), 3u);
  for (const char *word : {"kernel", "omega", "softmax", "reshape", "where", "bool", "nan"})
    EXPECT_TRUE(isReserved(word)) << word;
  for (const char *word : {"in", "layout", "grad", "lift", "order", "iterate", "x", ""})
    EXPECT_FALSE(isReserved(word)) << word;
}

} // namespace
} // namespace moac
