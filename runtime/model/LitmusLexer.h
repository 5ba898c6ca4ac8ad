// Splits a litmus file into tokens. Line breaks matter (they end a statement), so they are tokens
// too, as is `;`. The parser sometimes wants the rest of a line as it stands (names, expectations);
// tokens therefore keep their offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace moac::model {

enum class TokenKind : uint8_t { Word, Number, Symbol, Newline, End, Bad };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  int64_t number = 0;
  int line = 0;
  size_t offset = 0;
  bool is(std::string_view symbol) const {
    return (kind == TokenKind::Symbol || kind == TokenKind::Word) && text == symbol;
  }
};

/// Tokens of `text`, which must outlive them. The last token is End. A character or number that
/// fits nothing becomes a Bad token.
std::vector<Token> lexLitmus(std::string_view text);

} // namespace moac::model
