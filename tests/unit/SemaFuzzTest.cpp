// Mutated programs that still parse: whatever they mean now, analysis ends with valid IR or with a
// message.
//
// A mutation replaces a token by another of its kind (a name, number, operator, word, type) from
// anywhere in the corpus, so most mutants reach semantic analysis. A failure prints its seed;
// MOAC_SEED chooses another start.
#include "frontend/AstToMoa.h"
#include "frontend/Lexer.h"
#include "ir/Moa.h"
#include "tests/unit/ExprTrees.h"
#include "tests/unit/SyntaxHelpers.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace moac {
namespace {

struct Piece {
  Tok kind;
  std::string text; ///< with the blanks before it
};
using Pieces = std::vector<Piece>;

Pieces cut(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Pieces result;
  uint32_t end = 0;
  for (const Token &token : lex(sources, sources.add("t.moa", text), diagnostics)) {
    result.push_back({token.kind, text.substr(end, token.end - end)});
    end = token.end;
  }
  return result;
}

/// Tokens that may stand for each other are of one class.
int classOf(Tok kind) {
  switch (kind) {
  case Tok::Name:
  case Tok::Number:
    return 1;
  case Tok::Type:
  case Tok::Word:
  case Tok::Func:
    return 2;
  case Tok::Plus:
  case Tok::Minus:
  case Tok::Star:
    return 3;
  default:
    return 10 + int(kind);
  }
}

class Mutator {
public:
  Mutator() {
    for (const test::Program &program : test::programs())
      corpus.push_back(cut(program.text));
    for (const auto &entry : std::filesystem::directory_iterator(MOAC_TEST_FRONTEND)) {
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      corpus.push_back(cut(text.str()));
    }
    for (const Pieces &pieces : corpus)
      for (const Piece &piece : pieces)
        pool[classOf(piece.kind)].push_back(piece.text);
  }

  std::string run(uint64_t seed) {
    std::mt19937_64 random(seed);
    auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    Pieces pieces = corpus[below(corpus.size())];
    for (size_t i = 1 + below(4); i > 0; --i) {
      size_t at = below(pieces.size());
      int cls = classOf(pieces[at].kind);
      // Names of the program itself keep it nearly meaningful.
      std::vector<std::string> own;
      for (const Piece &piece : pieces)
        if (classOf(piece.kind) == cls)
          own.push_back(piece.text);
      const std::vector<std::string> &from = below(3) == 0 ? pool[cls] : own;
      pieces[at].text = from[below(from.size())];
    }
    std::string text;
    for (const Piece &piece : pieces)
      text += piece.text;
    return text;
  }

private:
  std::vector<Pieces> corpus;
  std::map<int, std::vector<std::string>> pool;
};

TEST(SemaFuzz, MutantsEndWithValidIrOrAMessage) {
  Mutator mutator;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  uint64_t first = testing::seed();
  unsigned built = 0, refused = 0;
  for (uint64_t seed = first; seed < first + 3000; ++seed) {
    std::string text = mutator.run(seed);
    test::Parsed parsed(text);
    if (parsed.diagnostics.hasErrors())
      continue;
    SCOPED_TRACE("MOAC_SEED=" + std::to_string(seed) + "\n" + text);
    std::vector<ast::File> files;
    files.push_back(std::move(parsed.file));
    auto module = buildModule(files, parsed.diagnostics, context);
    ASSERT_EQ(static_cast<bool>(module), !parsed.diagnostics.hasErrors());
    if (module)
      ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
    ++(module ? built : refused);
  }
  EXPECT_GT(built, 100u);
  EXPECT_GT(refused, 500u);
}

} // namespace
} // namespace moac
