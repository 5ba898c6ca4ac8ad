// Tokens of the litmus format; see the header for why line breaks are kept.
#include "runtime/model/LitmusLexer.h"

#include <array>
#include <charconv>

namespace moac::model {
namespace {

bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

constexpr std::array<std::string_view, 7> twoCharacter = {"==", "!=", "<=", ">=", "&&", "||", "+="};
constexpr std::string_view oneCharacter = "+-*/%&|^!<>=()[]{}:,@.";

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  std::vector<Token> run() {
    while (at < text.size())
      step();
    push(TokenKind::Newline, 0);
    push(TokenKind::End, 0);
    return std::move(tokens);
  }

private:
  void push(TokenKind kind, size_t length) {
    tokens.push_back({kind, text.substr(at, length), 0, line, at});
    at += length;
  }

  void step() {
    char c = text[at];
    if (c == '\n') {
      push(TokenKind::Newline, 1);
      ++line;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == '#') {
      while (at < text.size() && text[at] != '\n')
        ++at;
    } else if (c == ';') {
      push(TokenKind::Newline, 1);
    } else if (isWordStart(c)) {
      word();
    } else if (isDigit(c)) {
      number();
    } else {
      symbol();
    }
  }

  void word() {
    size_t end = at;
    while (end < text.size() && (isWordStart(text[end]) || isDigit(text[end])))
      ++end;
    push(TokenKind::Word, end - at);
  }

  void number() {
    size_t end = at;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    int64_t value = 0;
    auto parsed = std::from_chars(text.data() + at, text.data() + end, value);
    bool good = parsed.ec == std::errc() && (end == text.size() || !isWordStart(text[end]));
    push(good ? TokenKind::Number : TokenKind::Bad, end - at);
    tokens.back().number = value;
  }

  void symbol() {
    for (std::string_view two : twoCharacter)
      if (text.substr(at, 2) == two)
        return push(TokenKind::Symbol, 2);
    bool known = oneCharacter.find(text[at]) != std::string_view::npos;
    push(known ? TokenKind::Symbol : TokenKind::Bad, 1);
  }

  std::string_view text;
  size_t at = 0;
  int line = 1;
  std::vector<Token> tokens;
};

} // namespace

std::vector<Token> lexLitmus(std::string_view text) { return Lexer(text).run(); }

} // namespace moac::model
