// The parser's entry point and its view of the token list.
//
// A new line is a token only where it ends something: outside brackets, outside a kernel's head,
// and not where an operand must still come. kind() decides that, so that no other function handles
// new lines in passing.
#include "frontend/Parser.h"

#include "frontend/ParserImpl.h"

namespace moac {

ast::File parse(const SourceManager &sources, FileId file, Diagnostics &diagnostics) {
  return Parser(sources, file, diagnostics).run();
}

Parser::Parser(const SourceManager &sources, FileId file, Diagnostics &diagnostics)
    : sources(sources), file(file), diagnostics(diagnostics),
      tokens(lex(sources, file, diagnostics)) {}

ast::File Parser::run() {
  ast::File result;
  result.id = file;
  while (true) {
    skipSeparators();
    if (at(Tok::Eof))
      break;
    uint32_t start = statementStart = position;
    misused.clear();
    complete = true;
    item(result);
    bool closed = position > start && previous().kind == Tok::RightBrace;
    if (!complete && !closed)
      syncItem(start);
  }
  return result;
}

const Token &Parser::next(unsigned ahead) const {
  return tokens[std::min<size_t>(position + ahead, tokens.size() - 1)];
}

Tok Parser::kind() const {
  bool line = token().newlineBefore && !freeLines && skippedAt != position;
  return line && token().kind != Tok::Eof ? Tok::NewLine : token().kind;
}

Token Parser::advance() {
  if (token().kind == Tok::SlashSlash)
    lastSlashes = position;
  Token consumed = token();
  if (position + 1 < tokens.size())
    ++position;
  return consumed;
}

bool Parser::accept(Tok wanted) {
  if (!at(wanted))
    return false;
  advance();
  return true;
}

bool Parser::acceptWord(std::string_view word) {
  if (!atWord(word))
    return false;
  advance();
  return true;
}

void Parser::skipSeparators() {
  while (at(Tok::NewLine) || at(Tok::Semicolon)) {
    if (at(Tok::NewLine))
      skipNewLine();
    else
      advance();
  }
}

std::string_view Parser::textOf(const Token &token) const { return sources.text(rangeOf(token)); }

SourceRange Parser::since(uint32_t first) const {
  uint32_t end = position > first ? tokens[position - 1].end : tokens[first].begin;
  return {file, tokens[first].begin, end};
}

} // namespace moac
