// Statements of a kernel's body.
//
// Each statement is read on its own: when one fails, its error is reported and the next line is
// tried.
#include "frontend/Habits.h"
#include "frontend/ParserImpl.h"

namespace moac {

/// `{ statement.. }`. `owner` names it in the message about a missing `}`.
void Parser::block(ast::Block &result, const std::string &owner) {
  Token open = advance();
  Scoped lines(freeLines, false);
  Scoped depth(blocks, blocks + 1);
  while (true) {
    skipSeparators();
    if (accept(Tok::RightBrace))
      return;
    if (token().kind == Tok::Eof || beginsItem(token())) {
      statementStart = position;
      complete = false;
      // Silent where a comment or string that never ends took the rest, and for the blocks around
      // one.
      if (previous().kind == Tok::Bad || unclosedAt == position)
        return;
      unclosedAt = position;
      DiagnosticBuilder message = error(diag::unclosedBody, rangeOf(open), owner);
      if (token().kind != Tok::Eof)
        message.note(rangeOf(token()), "the next item begins here");
      message.help("close it with '}'");
      return;
    }
    uint32_t start = statementStart = position;
    if (ast::StmtPtr read = statement()) {
      result.push_back(std::move(read));
      bool missing = token().kind == Tok::Eof || beginsItem(token()); // reported above
      if (missing || at(Tok::NewLine) || at(Tok::Semicolon) || at(Tok::RightBrace))
        continue;
      expected("the end of the statement", true);
    }
    complete = false;
    syncStatement(start);
  }
}

ast::StmtPtr Parser::statement() {
  if (at(Tok::LeftParen))
    return defineMany();
  if (atWord("iterate") && next().kind == Tok::Name && !next().newlineBefore)
    return iterate();
  if (at(Tok::Name) || (startsStatement(position) && !at(Tok::Bad)))
    return define();
  badStatementStart();
  return nullptr;
}

/// A line that begins with something else than a name.
void Parser::badStatementStart() {
  bool operation = scalarOp(token()) || at(Tok::PlusPlus);
  if (!operation || !token().newlineBefore)
    return expected("a definition, 'name = ..'", false,
                    at(Tok::Type) ? "a value has the type of its formula: `name = ..`" : "");
  error(diag::leadingOperator, here(), textOf(token()))
      .help("end the line before it with '" + std::string(textOf(token())) + "'");
}

/// `A = e` and `A[i, j: H] = e`.
ast::StmtPtr Parser::define() {
  uint32_t start = position;
  auto define = std::make_unique<ast::Define>(SourceRange());
  if (!name(define->target, "a value"))
    return nullptr;
  const std::string &target = define->target.text;
  if (at(Tok::LeftParen) && token().match && tokens[token().match + 1].kind == Tok::Equal) {
    error(diag::roundSubscripts, here(), target).help("write '" + target + "[..] = ..'");
    return nullptr;
  }
  if (at(Tok::LeftSquare) && !lhsIndices(*define))
    return nullptr;
  define->lhsRange = since(start);
  if (scalarOp(token()) && next().kind == Tok::Equal && !next().spaceBefore) {
    error(diag::augmentedAssignment, here(), textOf(token()))
        .help("name the sum: 'new = old " + std::string(textOf(token())) + " ..'");
    return nullptr;
  }
  if (!accept(Tok::Equal)) {
    expected(define->indexed ? "'='" : "'=' or '[' after '" + target + "'", false,
             definitionHelp(*define));
    return nullptr;
  }
  define->value = expr();
  if (!define->value)
    return nullptr;
  define->range = since(start);
  return define;
}

/// What was meant where the `=` of a definition is missing.
std::string Parser::definitionHelp(const ast::Define &define) const {
  const std::string &target = define.target.text;
  if (define.indexed)
    return at(Tok::LeftSquare) ? "all indices stand in one pair of brackets: `" + target + "[i, j]`"
                               : "";
  if (at(Tok::Colon) && next().kind == Tok::Equal)
    return "write `" + target + " = ..`";
  if (at(Tok::Colon))
    return "a value has the type and shape of its formula: `" + target + " = ..`";
  return std::string(statementHabit(target));
}

/// `[i, j: H]` of a left side.
bool Parser::lhsIndices(ast::Define &define) {
  Token open = advance();
  Scoped lines(freeLines, true);
  Scoped whole(wholeNumbers, true);
  define.indexed = true;
  do {
    uint32_t start = position;
    ast::LhsIndex index;
    if (!name(index.name, "an index"))
      return false;
    if (accept(Tok::Colon) && !(index.extent = sum()))
      return false;
    index.range = since(start);
    define.indices.push_back(std::move(index));
  } while (accept(Tok::Comma));
  if (!at(Tok::Equal))
    return close(open, Tok::RightSquare);
  error(diag::unclosedBracket, rangeOf(open), "[").help("close it with ']'");
  return false;
}

/// `(m, v) = stats(x)`.
ast::StmtPtr Parser::defineMany() {
  uint32_t start = position;
  auto define = std::make_unique<ast::DefineMany>(SourceRange());
  Token open = advance();
  {
    Scoped lines(freeLines, true);
    if (!names(define->targets, "a value") || !close(open, Tok::RightParen, false))
      return nullptr;
  }
  if (!expect(Tok::Equal, "'=' and the call of a kernel"))
    return nullptr;
  skipNewLine();
  uint32_t callStart = position;
  if (!at(Tok::Name)) {
    expected("the call of a kernel", true);
    return nullptr;
  }
  if (!name(define->callee, "a kernel"))
    return nullptr;
  Token callOpen = token();
  if (!expect(Tok::LeftParen, "'(' and the arguments of '" + define->callee.text + "'") ||
      (!at(Tok::RightParen) && !exprs(define->args, callOpen, Tok::RightParen)))
    return nullptr;
  if (define->args.empty() && !close(callOpen, Tok::RightParen))
    return nullptr;
  define->callRange = since(callStart);
  define->range = since(start);
  return define;
}

/// `iterate p in lo..hi carry L = A, .. { .. }`.
ast::StmtPtr Parser::iterate() {
  uint32_t start = position;
  auto iterate = std::make_unique<ast::Iterate>(SourceRange());
  advance();
  if (blocks >= maxBlocks) {
    error(diag::blockTooDeep, rangeOf(previous()), maxBlocks);
    return nullptr;
  }
  if (!name(iterate->index, "an index") || !acceptWord("in")) {
    expected("'in' and the range of the iteration");
    return nullptr;
  }
  if (!range(iterate->lo, iterate->hi))
    return nullptr;
  if (!acceptWord("carry")) {
    expected("'carry' and the values carried from step to step");
    return nullptr;
  }
  do {
    skipNewLine();
    uint32_t carryStart = position;
    ast::Carry carry;
    if (!name(carry.name, "a carried value") || !expect(Tok::Equal, "'=' and a start value") ||
        !(carry.init = expr()))
      return nullptr;
    carry.range = since(carryStart);
    iterate->carries.push_back(std::move(carry));
  } while (accept(Tok::Comma));
  if (!at(Tok::LeftBrace)) {
    expected("'{' and the body of the iteration", true);
    return nullptr;
  }
  block(iterate->body, "'iterate'");
  iterate->range = since(start);
  return iterate;
}

/// `lo..hi`.
bool Parser::range(ExprPtr &lo, ExprPtr &hi) {
  if (!(lo = sum()))
    return false;
  if (!accept(Tok::DotDot)) {
    expected("'..' and the end of the range", false,
             at(Tok::Colon) ? "write `lo..hi`; hi is not reached" : "");
    return false;
  }
  return (hi = sum()) != nullptr;
}

} // namespace moac
