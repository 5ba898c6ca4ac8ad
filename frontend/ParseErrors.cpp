// What the parser says when something is missing, and how it goes on afterwards.
//
// A message about a mistake that people coming from other notations make names the mistake and its
// remedy instead of the token that could not be placed. After an error the parser skips to the next
// thing that looks like a statement, so that each mistake of a file is reported once.
#include "frontend/ParserImpl.h"

namespace moac {
namespace {

bool isOpening(Tok kind) { return kind == Tok::LeftParen || kind == Tok::LeftSquare; }
bool isClosing(Tok kind) { return kind == Tok::RightParen || kind == Tok::RightSquare; }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

} // namespace

/// The current token as a message names it.
std::string Parser::describe() const {
  if (token().kind == Tok::Eof)
    return "the end of the file";
  if (at(Tok::NewLine))
    return "the end of the line";
  std::string_view text = textOf(token());
  if (text.size() <= 40)
    return quoted(text);
  size_t cut = 40;
  while (cut > 0 && (text[cut] & 0xC0) == 0x80)
    --cut;
  return quoted(std::string(text.substr(0, cut)) + "...");
}

/// Where something is missing: the token that stands there, or the place behind the last one of its
/// line.
SourceRange Parser::here() const {
  if (position > 0 && (at(Tok::NewLine) || token().kind == Tok::Eof))
    return {file, previous().end, previous().end};
  return rangeOf(token());
}

/// Whether this statement or item uses a reserved word as a name, which was reported before. What
/// follows from that is not worth a message.
bool Parser::followsMisusedWord() const {
  if (misused.empty())
    return false;
  for (uint32_t i = statementStart; i <= position; ++i)
    if (tokens[i].kind != Tok::Name && misused.contains(textOf(tokens[i])))
      return true;
  return false;
}

/// The `//` behind which the text up to the current token reads like a comment, or null: both on
/// one line.
const Token *Parser::commentSlashes() const {
  if (lastSlashes < statementStart || lastSlashes >= position)
    return nullptr;
  for (uint32_t i = lastSlashes + 1; i < position; ++i)
    if (tokens[i].newlineBefore && i > lastSlashes + 1)
      return nullptr;
  return &tokens[lastSlashes];
}

/// At a `//` where an operand must come, which can only be meant as a comment: reports it and goes
/// on with the next line.
void Parser::skipSlashComment() {
  error(diag::slashComment, rangeOf(token())).help("begin a comment with '#'");
  do
    advance();
  while (!token().newlineBefore && token().kind != Tok::Eof);
  skipNewLine();
}

/// What is meant where one operand follows another, or a member of an array is asked for.
std::string Parser::neighbourHelp() const {
  const Token &before = previous();
  bool operand = at(Tok::Name) || at(Tok::Number);
  if (at(Tok::Dot) && before.kind != Tok::Number)
    return "arrays have no members: `shape A`, `transpose A`; products are `A (f.g) B`";
  if (at(Tok::Keyword) && (token().is(Keyword::Outer) || token().is(Keyword::Omega) ||
                           token().is(Keyword::Red) || token().is(Keyword::Scan)))
    return "operators stand in parentheses, as in '(red +) A' or 'A (outer *) B'";
  if (operand && before.kind == Tok::RightParen)
    return "a function of two arguments is called: `f(A, B)`; a product needs '*'";
  if (!operand || (before.kind != Tok::Name && before.kind != Tok::Number))
    return "";
  std::string first(textOf(before)), second(textOf(token()));
  std::string product = "`" + first + "*" + second + "` for a product";
  bool name = before.kind == Tok::Name;
  return "write " + (name ? "`" + first + "(" + second + ")` for a call, " : "") + product;
}

void Parser::expected(const std::string &what, bool inExpression, std::string help) {
  complete = false;
  if (token().kind == Tok::Bad)
    return; // the lexer has reported it
  if (const Token *slashes = commentSlashes()) {
    error(diag::slashComment, rangeOf(*slashes)).help("begin a comment with '#'");
    return;
  }
  if (inExpression && at(Tok::Equal)) {
    error(diag::singleEquals, here()).help("compare with '=='");
    return;
  }
  bool point = at(Tok::Dot) && !token().spaceBefore && previous().kind == Tok::Number;
  if (point || (at(Tok::Dot) && next().kind == Tok::Number && !next().spaceBefore)) {
    error(diag::pointWithoutDigits, here()).help("write 2.0 for '2.' and 0.5 for '.5'");
    return;
  }
  if (help.empty() && inExpression && !token().newlineBefore && startsStatement(position))
    help = "statements are separated by a new line or ';'";
  if (help.empty() && inExpression && at(Tok::Word) && token().word() == Word::Shape)
    help = "with a shape on its left the word is 'reshape': '<2 3> reshape A'";
  if (help.empty() && inExpression && !token().newlineBefore)
    help = neighbourHelp();
  error(diag::expected, here(), what, describe()).help(std::move(help));
}

bool Parser::expect(Tok wanted, const std::string &what) {
  if (accept(wanted))
    return true;
  expected(what);
  return false;
}

bool Parser::close(const Token &open, Tok closing, bool inExpression) {
  if (accept(closing))
    return true;
  std::string_view opener = spelling(open.kind);
  if (ranIntoStatement()) {
    error(diag::unclosedBracket, rangeOf(open), opener)
        .help("close it with " + quoted(spelling(closing)));
    return false;
  }
  if (isClosing(token().kind)) {
    error(diag::mismatchedBracket, here(), spelling(closing), spelling(token().kind))
        .note(rangeOf(open), "to close this " + quoted(opener));
    return false;
  }
  expected("',' or " + quoted(spelling(closing)), inExpression);
  return false;
}

/// A new name. A reserved word there is reported once; what follows from it stays silent.
bool Parser::name(ast::Name &result, const std::string &what) {
  if (at(Tok::Name)) {
    Token token = advance();
    result = {std::string(textOf(token)), rangeOf(token)};
    return true;
  }
  bool reserved = at(Tok::Type) || at(Tok::Word) || at(Tok::Func) || at(Tok::Keyword);
  if (!reserved) {
    expected("the name of " + what);
    return false;
  }
  std::string word(textOf(token()));
  error(diag::reservedName, here(), word, what)
      .help("choose another name, such as '" + word + "_'");
  misused.insert(word);
  return false;
}

/// If a definition begins at token `index`, `A =`, `A[..] =` or `(A, B) =`, the index of its `=`;
/// else 0.
uint32_t Parser::definitionEquals(uint32_t index) const {
  auto kindAt = [&](uint32_t i) { return i < tokens.size() ? tokens[i].kind : Tok::Eof; };
  const Token &first = tokens[index];
  uint32_t last = index;
  if (first.kind == Tok::LeftParen)
    last = first.match;
  else if (first.kind != Tok::Name && first.kind != Tok::Word && first.kind != Tok::Func &&
           first.kind != Tok::Type && first.kind != Tok::Keyword)
    return 0;
  else if (kindAt(index + 1) == Tok::LeftSquare)
    last = tokens[index + 1].match;
  return last && kindAt(last + 1) == Tok::Equal ? last + 1 : 0;
}

bool Parser::startsStatement(uint32_t index) const {
  bool iterates = index + 1 < tokens.size() && tokens[index + 1].kind == Tok::Name &&
                  textOf(tokens[index]) == "iterate";
  return iterates || definitionEquals(index);
}

/// Whether the current token cannot belong to an open bracket: the body or the file ends, or the
/// next statement begins here or did so shortly before (its `=` is the current token).
bool Parser::ranIntoStatement() const {
  const Token &t = token();
  if (t.kind == Tok::Eof || t.kind == Tok::RightBrace || t.kind == Tok::LeftBrace || beginsItem(t))
    return true;
  if (t.newlineBefore && startsStatement(position))
    return true;
  for (uint32_t i = position; t.kind == Tok::Equal && i > statementStart; --i)
    if (tokens[i].newlineBefore)
      return definitionEquals(i) == position;
  return false;
}

/// Skips to the end of a statement that could not be read: to a line that begins outside the
/// brackets of the statement or looks like a statement, to `;`, `}` or the next item.
void Parser::syncStatement(uint32_t start) {
  skippedAt = ~0u;
  int open = 0;
  for (uint32_t i = start; i < position; ++i)
    open += isOpening(tokens[i].kind) ? 1 : isClosing(tokens[i].kind) ? -1 : 0;
  for (;; ++position) {
    const Token &t = token();
    if (t.kind == Tok::Eof || t.kind == Tok::RightBrace || beginsItem(t))
      return;
    if (position > start) {
      if (t.kind == Tok::Semicolon || (t.newlineBefore && (open <= 0 || startsStatement(position))))
        return;
    }
    if (t.kind == Tok::LeftBrace && t.match)
      position = t.match;
    else
      open += isOpening(t.kind) ? 1 : isClosing(t.kind) ? -1 : 0;
  }
}

/// Skips to the next item of the file, whatever lies between.
void Parser::syncItem(uint32_t start) {
  while (token().kind != Tok::Eof && (position == start || !beginsItem(token())))
    ++position;
}

/// Skips to the next `,` of the list that `open` began, or to its end.
void Parser::syncElement(const Token &open) {
  while (open.match && position < open.match && token().kind != Tok::Comma) {
    bool jump = isOpening(token().kind) && token().match && token().match < open.match;
    position = jump ? token().match + 1 : position + 1;
  }
}

} // namespace moac
