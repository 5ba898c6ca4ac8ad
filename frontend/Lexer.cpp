// The scanner: one pass over checked text, longest operator first, then one pass that matches
// brackets.
#include "frontend/Lexer.h"

#include "frontend/CheckText.h"
#include "frontend/Glyphs.h"
#include "frontend/Habits.h"

#include <algorithm>

namespace moac {
namespace {

struct Symbol {
  std::string_view text;
  Tok kind;
};

/// Longest first.
constexpr Symbol symbols[] = {
    {"->", Tok::Arrow},      {"..", Tok::DotDot},     {"//", Tok::SlashSlash},
    {"++", Tok::PlusPlus},   {"<=", Tok::LessEqual},  {">=", Tok::GreaterEqual},
    {"==", Tok::EqualEqual}, {"!=", Tok::NotEqual},   {"+", Tok::Plus},
    {"-", Tok::Minus},       {"*", Tok::Star},        {"/", Tok::Slash},
    {"%", Tok::Percent},     {"<", Tok::Less},        {">", Tok::Greater},
    {"=", Tok::Equal},       {"(", Tok::LeftParen},   {")", Tok::RightParen},
    {"[", Tok::LeftSquare},  {"]", Tok::RightSquare}, {"{", Tok::LeftBrace},
    {"}", Tok::RightBrace},  {",", Tok::Comma},       {":", Tok::Colon},
    {";", Tok::Semicolon},   {".", Tok::Dot},
};

const Symbol *findSymbol(std::string_view text) {
  for (const Symbol &symbol : symbols)
    if (text.starts_with(symbol.text))
      return &symbol;
  return nullptr;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }
bool isAscii(char c) { return !(c & 0x80); }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Lexer {
public:
  Lexer(std::string_view text, FileId file, Diagnostics &diagnostics)
      : text(text), file(file), diagnostics(diagnostics) {}

  std::vector<Token> run();

private:
  bool skipBlank();
  bool skipComment();
  void lexToken();
  void lexNumber();
  void lexName();
  void lexString();
  void lexForeign();
  void lexUnknown();

  void push(Tok kind, uint32_t begin, uint8_t detail = 0);
  void pushSpelled(std::string_view spelled, uint32_t begin);
  SourceRange range(uint32_t begin) const { return {file, begin, at}; }
  std::string_view rest() const { return text.substr(at); }

  std::string_view text;
  FileId file;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  uint32_t at = 0;
  bool newline = true, space = true;
  unsigned depth = 0; ///< open ( and [ since the last brace or item word
};

std::vector<Token> Lexer::run() {
  if (text.starts_with("\xEF\xBB\xBF"))
    at = 3;
  while (true) {
    while (skipBlank() || skipComment())
      space = true;
    if (at >= text.size())
      break;
    lexToken();
  }
  push(Tok::Eof, at);
  return std::move(tokens);
}

bool Lexer::skipBlank() {
  uint32_t begin = at;
  while (at < text.size() && isBlank(text[at]))
    newline |= text[at++] == '\n';
  return at != begin;
}

/// `# ..`, `/* .. */`, and `// ..` when it is the first thing on a line outside ( and [.
bool Lexer::skipComment() {
  if (rest().starts_with("/*")) {
    size_t close = text.find("*/", at + 2);
    if (close == text.npos) {
      diagnostics.report(diag::unclosedComment, {file, at, at + 2}).help("end it with '*/'");
      uint32_t begin = at;
      at = uint32_t(text.size());
      push(Tok::Bad, begin);
      return true;
    }
    uint32_t end = uint32_t(close + 2);
    newline |= text.substr(at, end - at).find('\n') != text.npos;
    at = end;
    return true;
  }
  if (!rest().starts_with("#") && !(rest().starts_with("//") && newline && depth == 0))
    return false;
  at = uint32_t(std::min(text.find('\n', at), text.size()));
  return true;
}

void Lexer::lexToken() {
  char first = text[at];
  if (isDigit(first))
    return lexNumber();
  if (isNameStart(first))
    return lexName();
  if (first == '"')
    return lexString();
  if (!isAscii(first))
    return lexForeign();
  if (const Symbol *symbol = findSymbol(rest())) {
    uint32_t begin = at;
    at += uint32_t(symbol->text.size());
    return push(symbol->kind, begin);
  }
  lexUnknown();
}

void Lexer::lexNumber() {
  uint32_t begin = at;
  auto digit = [&](uint32_t i) { return i < text.size() && isDigit(text[i]); };
  auto skipDigits = [&] {
    while (digit(at))
      ++at;
  };
  skipDigits();
  if (at < text.size() && text[at] == '.' && digit(at + 1)) {
    ++at;
    skipDigits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    bool sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-');
    if (digit(at + 1 + sign)) {
      at += 1 + sign;
      skipDigits();
    }
  }
  if (at >= text.size() || !isNameStart(text[at]))
    return push(Tok::Number, begin);
  while (at < text.size() && isNamePart(text[at]))
    ++at;
  diagnostics.report(diag::malformedNumber, range(begin), text.substr(begin, at - begin))
      .help("write a product with '*'; numbers are decimal, such as 12, 0.5 or 1e-6");
  push(Tok::Bad, begin);
}

void Lexer::lexName() {
  uint32_t begin = at;
  while (at < text.size() && isNamePart(text[at]))
    ++at;
  if (at < text.size() && !isAscii(text[at]) && !findGlyph(rest()) && !findLookAlike(rest())) {
    at = begin;
    return lexForeign();
  }
  pushSpelled(text.substr(begin, at - begin), begin);
}

void Lexer::lexString() {
  uint32_t begin = at++;
  while (at < text.size() && text[at] != '"' && text[at] != '\n')
    ++at;
  if (at >= text.size() || text[at] == '\n') {
    diagnostics.report(diag::unclosedString, {file, begin, begin + 1})
        .help("end it with '\"' on the same line");
    return push(Tok::Bad, begin);
  }
  ++at;
  push(Tok::String, begin);
}

/// A glyph, a look-alike of an ASCII sign, or a word with letters beyond ASCII.
void Lexer::lexForeign() {
  uint32_t begin = at;
  if (const Glyph *glyph = findGlyph(rest())) {
    at += uint32_t(glyph->glyph.size());
    return pushSpelled(glyph->word, begin);
  }
  if (const Glyph *twin = findLookAlike(rest())) {
    at += uint32_t(twin->glyph.size());
    if (twin->word.empty())
      diagnostics.report(diag::strangeBlank, range(begin)).help("write a plain blank");
    else
      diagnostics.report(diag::lookAlike, range(begin), twin->glyph)
          .help("write '" + std::string(twin->word) + "'");
    if (twin->word.empty())
      return void(space = true);
    if (twin->word == "\"") { // the string it was meant to begin is not read either
      at = uint32_t(std::min(text.find('\n', at), text.size()));
      return push(Tok::Bad, begin);
    }
    const Glyph *glyph = findGlyph(twin->word);
    return pushSpelled(glyph ? glyph->word : twin->word, begin);
  }
  while (at < text.size() && (isNamePart(text[at]) || !isAscii(text[at])) && !findGlyph(rest()) &&
         !findLookAlike(rest()))
    ++at;
  diagnostics.report(diag::nonAsciiName, range(begin), text.substr(begin, at - begin))
      .help("names have ascii letters, digits and '_' only");
  push(Tok::Name, begin);
}

void Lexer::lexUnknown() {
  struct Habit {
    std::string_view text, word;
  };
  static constexpr Habit habits[] = {
      {"&&", "and"}, {"||", "or"}, {"&", "and"}, {"|", "or"}, {"!", "not"}};
  uint32_t begin = at;
  for (const Habit &habit : habits) {
    if (!rest().starts_with(habit.text))
      continue;
    at += uint32_t(habit.text.size());
    diagnostics.report(diag::unknownCharacter, range(begin), habit.text)
        .help("write '" + std::string(habit.word) + "'");
    return pushSpelled(habit.word, begin);
  }
  ++at;
  std::string_view sign = text.substr(begin, 1);
  std::string help(signHabit(sign));
  size_t end = text.find_first_of("'\n", at);
  if (sign == "'" && end != text.npos && text[end] == '\'') { // a string of other languages
    at = uint32_t(end + 1);
    help = "the name of an imported file stands in double quotes";
  }
  diagnostics.report(diag::unknownCharacter, range(begin), sign).help(help);
  push(Tok::Bad, begin);
}

/// A word or symbol by its ASCII spelling; what is nothing else is a name.
void Lexer::pushSpelled(std::string_view spelled, uint32_t begin) {
  if (!isNameStart(spelled[0]))
    return push(findSymbol(spelled)->kind, begin);
  if (auto type = findElementType(spelled))
    return push(Tok::Type, begin, uint8_t(*type));
  if (auto word = findWord(spelled))
    return push(Tok::Word, begin, uint8_t(*word));
  if (auto func = findFunc(spelled))
    return push(Tok::Func, begin, uint8_t(*func));
  if (auto keyword = findKeyword(spelled))
    return push(Tok::Keyword, begin, uint8_t(*keyword));
  push(Tok::Name, begin);
}

void Lexer::push(Tok kind, uint32_t begin, uint8_t detail) {
  Token token{kind, detail, newline, space, begin, at, 0};
  newline = space = false;
  tokens.push_back(token);
  if (kind == Tok::LeftParen || kind == Tok::LeftSquare)
    ++depth;
  else if ((kind == Tok::RightParen || kind == Tok::RightSquare) && depth > 0)
    --depth;
  else if (kind == Tok::LeftBrace || kind == Tok::RightBrace || beginsItem(token))
    depth = 0;
}

/// Fills `match`. A brace or the word that begins an item ends every bracket still open inside it.
class BracketMatcher {
public:
  explicit BracketMatcher(std::vector<Token> &tokens) : tokens(tokens) {}

  void run() {
    for (uint32_t i = 0; i < tokens.size(); ++i) {
      switch (tokens[i].kind) {
      case Tok::LeftParen:
      case Tok::LeftSquare:
      case Tok::LeftBrace:
        open.push_back(i);
        ++counts[index(tokens[i].kind)];
        break;
      case Tok::RightParen:
        close(Tok::LeftParen, i);
        break;
      case Tok::RightSquare:
        close(Tok::LeftSquare, i);
        break;
      case Tok::RightBrace:
        close(Tok::LeftBrace, i);
        break;
      default:
        if (beginsItem(tokens[i]))
          while (!open.empty())
            pop();
      }
    }
  }

private:
  static int index(Tok kind) {
    return kind == Tok::LeftParen ? 0 : kind == Tok::LeftSquare ? 1 : 2;
  }
  void pop() {
    --counts[index(tokens[open.back()].kind)];
    open.pop_back();
  }
  /// Matches the innermost open bracket of this kind; a closing one without any is left alone, and
  /// so is one whose partner lies outside an open brace.
  void close(Tok kind, uint32_t at) {
    if (counts[index(kind)] == 0)
      return;
    while (tokens[open.back()].kind != kind) {
      if (tokens[open.back()].kind == Tok::LeftBrace)
        return;
      pop();
    }
    tokens[open.back()].match = at;
    pop();
  }

  std::vector<Token> &tokens;
  std::vector<uint32_t> open;
  unsigned counts[3] = {0, 0, 0};
};

} // namespace

bool beginsItem(const Token &token) {
  return token.is(Keyword::Kernel) || token.is(Keyword::Fn) || token.is(Keyword::Derive) ||
         token.is(Keyword::Schedule) || token.is(Keyword::Import);
}

std::string_view spelling(Tok kind) {
  auto symbol = std::ranges::find(symbols, kind, &Symbol::kind);
  return symbol == std::end(symbols) ? std::string_view() : symbol->text;
}

std::vector<Token> lex(const SourceManager &sources, FileId file, Diagnostics &diagnostics) {
  std::string_view text = sources.text(file);
  std::string cleaned;
  if (!checkText(text, file, diagnostics, cleaned))
    text = {};
  else if (!cleaned.empty())
    text = cleaned;
  std::vector<Token> tokens = Lexer(text, file, diagnostics).run();
  BracketMatcher(tokens).run();
  return tokens;
}

} // namespace moac
