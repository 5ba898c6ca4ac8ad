// Mutated programs: whatever happens to the tokens of a program, the parser ends, and says
// something with a place in the file when it is no program any more.
//
// Each round takes one of the forty programs and deletes, doubles, swaps or replaces some of its
// tokens or bytes. A failure prints the seed and the text; MOAC_SEED chooses another.
#include "frontend/AstPrinter.h"
#include "frontend/Lexer.h"

#include "tests/unit/ExprTrees.h"
#include "tests/unit/SyntaxHelpers.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

namespace moac {
namespace {

using test::dump;
using test::Parsed;

/// The texts of a program's tokens, each with the blanks before it.
std::vector<std::string> pieces(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  std::vector<std::string> result;
  uint32_t end = 0;
  for (const Token &token : lex(sources, sources.add("t.moa", text), diagnostics)) {
    result.push_back(text.substr(end, token.end - end));
    end = token.end;
  }
  return result;
}

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  std::string run() {
    const auto &programs = test::programs();
    std::vector<std::string> tokens = pieces(programs[below(programs.size())].text);
    for (size_t i = 1 + below(3); i > 0; --i)
      mutate(tokens);
    std::string text;
    for (const std::string &token : tokens)
      text += token;
    if (below(8) == 0 && !text.empty())
      text[below(text.size())] = char(below(256));
    if (below(16) == 0)
      text.resize(below(text.size() + 1));
    return text;
  }

private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); }

  void mutate(std::vector<std::string> &tokens) {
    static const std::vector<std::string> strays = {
        "(",      ")",     "[",    "]",      "{",     "}",       "<",        ">",     "=",  ",",
        ":",      "..",    "\n",   ";",      "-",     "+",       "*",        ".",     "//", "/*",
        " omega", " red",  " sum", "#",      "\"",    " kernel", " fn",      "⍉",     "ü",  "1",
        "\t",     " take", " not", "<1 -1>", "(+.*)", "(red +)", " iterate", " where"};
    if (tokens.empty())
      return;
    size_t at = below(tokens.size());
    switch (below(5)) {
    case 0:
      tokens.erase(tokens.begin() + long(at));
      break;
    case 1:
      tokens.insert(tokens.begin() + long(at), std::string(tokens[at]));
      break;
    case 2:
      std::swap(tokens[at], tokens[below(tokens.size())]);
      break;
    case 3:
      tokens[at] = strays[below(strays.size())];
      break;
    default:
      tokens.insert(tokens.begin() + long(at), strays[below(strays.size())]);
    }
  }

  std::mt19937_64 random;
};

/// Every range of the tree lies in its file; the walk itself fails on a missing part.
void checkRanges(const ast::Expr &expr, size_t size, unsigned &nodes) {
  ++nodes;
  ASSERT_TRUE(expr.range.valid());
  ASSERT_LE(expr.range.begin, expr.range.end);
  ASSERT_LE(expr.range.end, size);
  ast::forEachChild(expr, [&](const ast::Expr &child) { checkRanges(child, size, nodes); });
}

TEST(ParserFuzz, MutantsEndWithATreeOrAMessage) {
  uint64_t first = testing::seed();
  unsigned accepted = 0;
  for (uint64_t seed = first; seed < first + 6000; ++seed) {
    std::string text = Mutator(seed).run();
    Parsed parsed(text);
    SCOPED_TRACE("MOAC_SEED=" + std::to_string(seed) + "\n" + text);
    for (const Diagnostic *message : parsed.diagnostics.sorted()) {
      ASSERT_TRUE(message->range.valid());
      ASSERT_LE(message->range.end, text.size());
    }
    unsigned nodes = 0;
    for (const ast::Fn &fn : parsed.file.fns)
      checkRanges(*fn.body, text.size(), nodes);
    if (parsed.diagnostics.hasErrors())
      continue;
    ++accepted;
    for (const ast::Kernel &kernel : parsed.file.kernels)
      ASSERT_TRUE(kernel.complete);
    Parsed again(print(parsed.file));
    ASSERT_EQ(again.messages, "");
    ASSERT_EQ(dump(again.file), dump(parsed.file));
  }
  EXPECT_GT(accepted, 100u) << "some mutants are programs; their printed form means the same";
  EXPECT_LT(accepted, 5000u);
}

/// Time grows with the text, not faster: long repetitions of what needs look-ahead or recovery.
TEST(ParserFuzz, LongInputsTakeLinearTime) {
  const char *parts[] = {"(",
                         "((red +) ",
                         "[",
                         "<",
                         "a[(",
                         "x = (\n",
                         "x = [1]\n",
                         "a = b\n",
                         "{",
                         "x = y // z w\n",
                         "iterate p ",
                         "kernel k(",
                         "f(a, ",
                         "( omega<",
                         "_",
                         "1",
                         "\n+",
                         "a.b ",
                         "kernel k(x: y, ",
                         "sum = 1\n",
                         "derive ",
                         "\"",
                         "/*",
                         "x = (shape\n",
                         "kernel k(shape: f64) -> o: f64 { o = shape\n",
                         "a[i = "};
  for (const char *part : parts) {
    std::string text = "kernel k() -> o: f64 {\n o = ";
    while (text.size() < 200000)
      text += part;
    std::clock_t start = std::clock(); // processor time: the machine may be busy
    Parsed parsed(text);
    double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 3) << part;
    EXPECT_LT(parsed.messages.size(), 100000u) << part;
  }
}

} // namespace
} // namespace moac
