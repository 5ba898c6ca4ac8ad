// Text to tokens.
//
// New lines and blanks are kept as flags of the token that follows, because whether they mean
// anything depends on where the parser is: a new line ends a statement outside brackets, a blank
// before a `-` may begin an element of a vector. Glyphs become the tokens of the words they spell.
// Brackets are matched here, once, so that look-ahead over a bracketed part takes constant time.
#ifndef MOAC_FRONTEND_LEXER_H
#define MOAC_FRONTEND_LEXER_H

#include "frontend/Diagnostics.h"
#include "frontend/Source.h"
#include "frontend/Words.h"

#include <vector>

namespace moac {

enum class Tok : uint8_t {
  Eof,
  NewLine, ///< never in the list: the parser's view of a token that a new line precedes
  Bad,     ///< was reported by the lexer; stands for an operand
  Name,
  Number,
  String,
  Type,    ///< detail is an ElementType
  Word,    ///< detail is a Word
  Func,    ///< detail is a Func
  Keyword, ///< detail is a Keyword
  Arrow,
  DotDot,
  Dot,
  Plus,
  Minus,
  Star,
  Slash,
  SlashSlash,
  Percent,
  PlusPlus,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  EqualEqual,
  NotEqual,
  Equal,
  LeftParen,
  RightParen,
  LeftSquare,
  RightSquare,
  LeftBrace,
  RightBrace,
  Comma,
  Colon,
  Semicolon,
};

struct Token {
  Tok kind = Tok::Eof;
  uint8_t detail = 0;
  bool newlineBefore = false; ///< also true for the first token of a file
  bool spaceBefore = false;   ///< blank, new line or comment before
  uint32_t begin = 0, end = 0;
  uint32_t match =
      0; ///< of an opening bracket: index of the closing one; 0 when it is never closed

  bool is(Keyword keyword) const { return kind == Tok::Keyword && detail == uint8_t(keyword); }
  bool is(Word word) const { return kind == Tok::Word && detail == uint8_t(word); }
  Word word() const { return Word(detail); }
};

/// Reads the whole file; the last token is Eof. A file that is too long or is no text gives only
/// Eof.
std::vector<Token> lex(const SourceManager &sources, FileId file, Diagnostics &diagnostics);

/// Whether the token is a word with which an item of a file begins: `kernel`, `fn`, `derive`, ...
bool beginsItem(const Token &token);

/// How the language spells a token of fixed text (`->`, `(`), or empty.
std::string_view spelling(Tok kind);

} // namespace moac

#endif
