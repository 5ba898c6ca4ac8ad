// Cutting texts into tokens with the compiler's own lexer, and putting them together otherwise.
#include "tests/fuzz/Mutator.h"

#include "frontend/Glyphs.h"
#include "frontend/Lexer.h"
#include "frontend/Words.h"

#include <algorithm>

namespace moac::fuzz {
namespace {

std::vector<std::string> cut(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  std::vector<std::string> pieces;
  uint32_t end = 0;
  for (const Token &token : lex(sources, sources.add("t.moa", text), diagnostics)) {
    pieces.push_back(text.substr(end, token.end - end));
    end = token.end;
  }
  return pieces;
}

} // namespace

std::vector<std::string> vocabulary() {
  std::vector<std::string> words = {
#define MOAC_TYPE(NAME, CLASS, BITS, COMPUTES) #NAME,
#define MOAC_WORD(NAME, SPELLING, REDUCES, PREFIX, INFIX) SPELLING,
#define MOAC_FUNC(NAME, SPELLING, ARITY) SPELLING,
#define MOAC_KEYWORD(NAME, SPELLING) SPELLING,
#include "frontend/Words.def"
      "kernel", "fn",
      "derive", "schedule",
      "import", "and",
      "or",     "not",
      "true",   "false",
      "inf",    "nan",
      "layout", "col",
      "->",     "..",
      "++",     "<=",
      ">=",     "==",
      "!=",     "//",
      "(+.*)",  "<1, 0>",
      "[0:2]",  "9223372036854775807",
      "-1"};
  return words;
}

Mutator::Mutator(const std::vector<std::string> &corpus, uint64_t seed) : random(seed) {
  for (const std::string &text : corpus)
    if (text.size() < 8000)
      texts.push_back(cut(text));
  for (const std::vector<std::string> &pieces : texts)
    pool.insert(pool.end(), pieces.begin(), pieces.end());
  for (const std::string &word : vocabulary())
    pool.push_back(" " + word);
}

std::string Mutator::next() {
  std::vector<std::string> pieces = texts[below(texts.size())];
  for (size_t changes = 1 + below(4); changes > 0 && !pieces.empty(); --changes) {
    const size_t at = below(pieces.size());
    const auto place = pieces.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
    case 0:
      pieces.erase(place);
      break;
    case 1:
      pieces.insert(place, pool[below(pool.size())]);
      break;
    case 2:
      std::swap(pieces[at], pieces[below(pieces.size())]);
      break;
    case 3: // a name or number from the same text: most often still a program
    case 4:
      pieces[at] = pieces[below(pieces.size())];
      break;
    default:
      pieces[at] = pool[below(pool.size())];
    }
  }
  std::string text;
  for (const std::string &piece : pieces)
    text += piece;
  return text;
}

} // namespace moac::fuzz
