// Cutting texts into tokens, and putting them together otherwise.
#include "tests/fuzz/Mutator.h"

#include "frontend/Glyphs.h"
#include "frontend/Words.h"

#include <algorithm>
#include <iterator>

namespace moac::fuzz {
namespace {

Pieces cut(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Pieces pieces;
  uint32_t end = 0;
  for (const Token &token : lex(sources, sources.add("t.moa", text), diagnostics)) {
    if (token.end < end || token.end > text.size())
      continue;
    pieces.push_back({token.kind, text.substr(end, token.end - end), token.match});
    end = token.end;
  }
  return pieces;
}

/// Tokens that may stand for each other are of one class.
int classOf(Tok kind) {
  switch (kind) {
  case Tok::Name:
  case Tok::Number:
    return 1;
  case Tok::Word:
  case Tok::Func:
    return 2;
  case Tok::Plus:
  case Tok::Minus:
  case Tok::Star:
  case Tok::Slash:
    return 3;
  default:
    return 10 + int(kind);
  }
}

std::string join(const Pieces &pieces) {
  std::string text;
  for (const Piece &piece : pieces)
    text += piece.text;
  return text;
}

/// Begins and ends of the lines of a text, as numbers of pieces.
std::vector<size_t> lines(const Pieces &pieces) {
  std::vector<size_t> starts = {0};
  for (size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].text.find('\n') != std::string::npos)
      starts.push_back(i);
  starts.push_back(pieces.size());
  return starts;
}

constexpr const char *before[] = {" (red +)",       " (red max)",       " (scan +)",
                                  " (scan -)",      " reverse",         " transpose",
                                  " ravel",         " <1> take",        " <-1> take",
                                  " <1> drop",      " <0 1> drop",      " <-2> rotate",
                                  " (sum omega<1>)", " (softmax omega<1>)", " (reverse omega<1>)",
                                  " sum",           " max",             " argmin",
                                  " shape",         " total",           " iota",
                                  " <2 3> reshape", " <1 0> transpose", " <0> psi",
                                  " -",             " exp",             " f32",
                                  " where"};
constexpr const char *between[] = {" ++",      " (+.*)", " (outer *)", " (max.+)",
                                   " (+ omega<1 1>)", " (* omega<0 1>)", " (+.* omega<2 2>)",
                                   " +",       " *",     " //",        " <",
                                   " and",     " take",  " reshape",   " psi"};
constexpr const char *behind[] = {"[0]",    "[i]",     "[::2]",         "[1:-1]", "[0:2]",
                                  "[i, j]", "[N - 1]", "[min(i, N-1)]", "[i//2]", "[i % N]"};

/// After pieces have moved, their numbers mean nothing.
void forgetMatches(Pieces &pieces) {
  for (Piece &piece : pieces)
    piece.match = 0;
}

bool isOperand(const Piece &piece) {
  return piece.kind == Tok::Name || piece.kind == Tok::Number || piece.kind == Tok::LeftParen;
}

} // namespace

std::vector<std::string> vocabulary() {
  std::vector<std::string> words = {
#define MOAC_TYPE(NAME, CLASS, BITS, COMPUTES) #NAME,
#define MOAC_WORD(NAME, SPELLING, REDUCES, PREFIX, INFIX) SPELLING,
#define MOAC_FUNC(NAME, SPELLING, ARITY) SPELLING,
#define MOAC_KEYWORD(NAME, SPELLING) SPELLING,
#include "frontend/Words.def"
      "->", "..", "++", "<=", ">=", "==", "!=", "//", "(+.*)", "<1, 0>", "[0:2]", "layout",
      "col", "9223372036854775807", "-1", "0", "2147483648", "0.5", "1e308"};
  return words;
}

Mutator::Mutator(uint64_t seed) : random(seed) {
  for (const std::string &word : vocabulary())
    for (const Piece &piece : cut(" " + word))
      if (piece.kind != Tok::Eof) {
        pool[classOf(piece.kind)].push_back(piece.text);
        all.push_back(piece.text);
      }
}

void Mutator::add(const std::string &text) {
  if (text.empty() || text.size() > 8000)
    return;
  texts.push_back(cut(text));
  for (const Piece &piece : texts.back())
    all.push_back(piece.text);
}

std::string Mutator::next() {
  return texts.empty() ? "" : changed(texts[below(texts.size())]);
}

std::string Mutator::mutate(const std::string &text) { return changed(cut(text)); }

std::string Mutator::cross(const std::string &text, const std::string &other) {
  Pieces a = cut(text), b = cut(other);
  if (a.empty() || b.empty() || below(4) == 0)
    return text + "\n" + other;
  const std::vector<size_t> to = lines(a), from = lines(b);
  const size_t line = below(from.size() - 1);
  a.insert(a.begin() + static_cast<std::ptrdiff_t>(to[below(to.size())]),
           b.begin() + static_cast<std::ptrdiff_t>(from[line]),
           b.begin() + static_cast<std::ptrdiff_t>(from[line + 1]));
  return join(a);
}

std::string Mutator::changed(Pieces pieces) {
  for (size_t changes = 1 + below(4); changes > 0 && !pieces.empty(); --changes)
    change(pieces);
  return join(pieces);
}

void Mutator::change(Pieces &pieces) {
  switch (below(12)) {
  case 0:
    return shuffle(pieces);
  case 1:
  case 2:
    return moveBracket(pieces);
  case 3:
  case 4:
  case 5:
    return wrap(pieces);
  case 6:
    return moveStatement(pieces);
  default:
    return exchange(pieces);
  }
}

/// One token becomes another of its class: from the text itself, which most often leaves a program,
/// or from the tables.
void Mutator::exchange(Pieces &pieces) {
  Piece &piece = pieces[below(pieces.size())];
  const int cls = classOf(piece.kind);
  std::vector<std::string> own;
  for (const Piece &other : pieces)
    if (classOf(other.kind) == cls)
      own.push_back(other.text);
  const std::vector<std::string> &others = pool[cls];
  const bool fromTables = !others.empty() && below(3) == 0;
  piece.text = fromTables ? others[below(others.size())] : own[below(own.size())];
}

/// A bracketed part is put in the place of another, or of a single token.
void Mutator::moveBracket(Pieces &pieces) {
  std::vector<size_t> opens;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].match > i && pieces[i].match < pieces.size() && pieces[i].kind != Tok::LeftBrace)
      opens.push_back(i);
  if (opens.empty())
    return;
  const size_t from = opens[below(opens.size())], to = opens[below(opens.size())];
  const Pieces part(pieces.begin() + static_cast<std::ptrdiff_t>(from),
                    pieces.begin() + static_cast<std::ptrdiff_t>(pieces[from].match) + 1);
  const bool token = below(3) == 0;
  const size_t begin = token ? below(pieces.size()) : to,
               end = token ? begin + 1 : pieces[to].match + 1;
  const std::string text = join(part);
  pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
               pieces.begin() + static_cast<std::ptrdiff_t>(end));
  pieces[begin] = {Tok::Bad, text};
  forgetMatches(pieces);
}

/// A word, operator or subscript of the algebra at an operand.
void Mutator::wrap(Pieces &pieces) {
  std::vector<size_t> operands;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (isOperand(pieces[i]))
      operands.push_back(i);
  if (operands.empty())
    return;
  Piece &piece = pieces[operands[below(operands.size())]];
  switch (below(3)) {
  case 0:
    piece.text = before[below(std::size(before))] + (" " + piece.text);
    break;
  case 1:
    piece.text += between[below(std::size(between))] + pieces[operands[below(operands.size())]].text;
    break;
  default:
    if (piece.kind == Tok::Name)
      piece.text += behind[below(std::size(behind))];
  }
}

/// A line is doubled, moved or left out.
void Mutator::moveStatement(Pieces &pieces) {
  const std::vector<size_t> starts = lines(pieces);
  const size_t line = below(starts.size() - 1);
  const Pieces part(pieces.begin() + static_cast<std::ptrdiff_t>(starts[line]),
                    pieces.begin() + static_cast<std::ptrdiff_t>(starts[line + 1]));
  const size_t how = below(3);
  if (how != 0)
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(starts[line]),
                 pieces.begin() + static_cast<std::ptrdiff_t>(starts[line + 1]));
  const size_t to = std::min(starts[below(starts.size())], pieces.size());
  if (how != 1)
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(to), part.begin(), part.end());
  forgetMatches(pieces);
}

/// What a slip of the hand does: a token lost, doubled, out of place, or any other.
void Mutator::shuffle(Pieces &pieces) {
  const size_t at = below(pieces.size());
  const auto place = pieces.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(4)) {
  case 0:
    pieces.erase(place);
    break;
  case 1:
    pieces.insert(place, Piece(*place));
    break;
  case 2:
    std::swap(pieces[at], pieces[below(pieces.size())]);
    break;
  default:
    pieces[at] = {Tok::Bad, all[below(all.size())]};
  }
  forgetMatches(pieces);
}

} // namespace moac::fuzz
