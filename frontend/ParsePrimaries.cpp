// Primaries: literals, names, calls, reductions with bound indices, subscripts, parentheses.
#include "frontend/ParserImpl.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

namespace moac {

using namespace ast;

namespace {

/// Longest literal that is converted; a longer one is a mistake or an attack.
constexpr size_t maxLiteral = 400;

} // namespace

ExprPtr Parser::primary() {
  switch (token().kind) {
  case Tok::Number:
    return number();
  case Tok::LeftParen:
    return parenthesized();
  case Tok::Bad: { // reported by the lexer; the rest of the expression is still read
    complete = false;
    return make<Number>(rangeOf(advance()));
  }
  case Tok::Word:
    if (next().kind == Tok::LeftParen)
      return wordCall();
    if (isReduction(token().word()) && next().kind == Tok::LeftSquare)
      return reduction();
    break;
  case Tok::Func:
  case Tok::Type:
  case Tok::Name: {
    Token callee = token();
    bool called = next().kind == Tok::LeftParen && (!next().newlineBefore || freeLines);
    if (callee.kind != Tok::Name || (called && !opensSection(position + 1))) {
      FnRef fn;
      return fnRef(fn, "a function") ? call(std::move(fn)) : nullptr;
    }
    auto node = make<NameUse>(rangeOf(advance()));
    node->name = textOf(callee);
    return node;
  }
  case Tok::Keyword:
    if (token().is(Keyword::Red) && next().kind == Tok::LeftSquare)
      return reduction();
    if (ExprPtr node = constant())
      return node;
    break;
  default:
    break;
  }
  noOperand();
  return nullptr;
}

/// Says which operand is missing and, for words that cannot stand here, where they can.
void Parser::noOperand() {
  skippedAt =
      ~0u; // an operand on a later line was acceptable; now the end of this line is the place
  std::string what = "an operand";
  const Token &before = previous();
  if (position > statementStart && before.kind != Tok::Name && before.kind != Tok::Number)
    what += " after '" + std::string(textOf(before)) + "'";
  std::string help;
  if (token().is(Keyword::Not))
    help = "put 'not ..' in parentheses";
  else if (token().is(Keyword::Red))
    help = "write 'red[f, k](..)', or '(red f) A' for whole arrays";
  else if (token().is(Keyword::Scan) || token().is(Keyword::Outer) || token().is(Keyword::Omega))
    help = before.kind == Tok::Word && token().is(Keyword::Omega)
               ? "write '(" + std::string(textOf(before)) + " omega<..>) A'"
               : "operators stand in parentheses, as in '(red +)' or 'A (outer *) B'";
  else if (token().kind == Tok::Word && !isPrefix(token().word()))
    help = "write '<..> " + std::string(textOf(token())) + " A'";
  else if (scalarOp(token()) && next().kind == Tok::Slash && !next().spaceBefore)
    help = "a reduction is '(red " + std::string(textOf(token())) + ") A'";
  else if (at(Tok::String))
    help = "a string names an imported file only";
  else if (at(Tok::RightParen) && position > statementStart + 2 && scalarOp(before) &&
           tokens[position - 2].kind == Tok::Name && tokens[position - 3].kind == Tok::LeftParen)
    help = "operators are '(red " + std::string(textOf(before)) + ") A' and '(scan " +
           std::string(textOf(before)) + ") A'";
  else if (at(Tok::LeftSquare) || at(Tok::LeftBrace))
    help = "a vector is written '<1 2 3>'";
  else if (at(Tok::Star) && before.kind == Tok::Star && !token().spaceBefore)
    help = "a power is 'pow(a, b)'";
  expected(what, true, help);
}

ExprPtr Parser::number() {
  Token literal = advance();
  std::string text(textOf(literal));
  auto node = make<Number>(rangeOf(literal));
  node->isInteger = llvm::all_of(text, llvm::isDigit);
  if (text.size() > maxLiteral)
    return error(diag::literalTooLong, node->range, maxLiteral), nullptr;
  if (node->isInteger && llvm::StringRef(text).getAsInteger(10, node->integer)) {
    std::string largest = "the largest integer is 9223372036854775807";
    error(diag::integerTooLarge, node->range, text)
        .help(wholeNumbers ? largest : largest + "; write '" + text + ".0' for a float");
    return nullptr;
  }
  if (!node->isInteger) {
    llvm::APFloat value(llvm::APFloat::IEEEdouble());
    auto status = value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status || (*status & llvm::APFloat::opOverflow)) {
      llvm::consumeError(status.takeError());
      error(diag::decimalTooLarge, node->range, text).help("write 'inf' for infinity");
      return nullptr;
    }
    node->decimal = value.convertToDouble();
  }
  node->text = std::move(text);
  return node;
}

ExprPtr Parser::constant() {
  struct Row {
    Keyword keyword;
    Constant::Value value;
  };
  static constexpr Row rows[] = {{Keyword::Inf, Constant::Value::Inf},
                                 {Keyword::Nan, Constant::Value::Nan},
                                 {Keyword::Pi, Constant::Value::Pi},
                                 {Keyword::True, Constant::Value::True},
                                 {Keyword::False, Constant::Value::False}};
  auto row = std::ranges::find_if(rows, [&](const Row &r) { return token().is(r.keyword); });
  if (row == std::end(rows))
    return nullptr;
  auto node = make<Constant>(rangeOf(advance()));
  node->value = row->value;
  return node;
}

ExprPtr Parser::parenthesized() {
  Token open = advance();
  Scoped lines(freeLines, true);
  Scoped vector(inVector, false);
  ExprPtr inner = expr();
  if (!inner || !close(open, Tok::RightParen))
    return nullptr;
  inner->range = join(rangeOf(open), rangeOf(previous()));
  return inner;
}

/// `(` has to come; reads arguments up to its `)`.
bool Parser::callBody(std::vector<ExprPtr> &args, const std::string &callee) {
  Token open = token();
  if (!at(Tok::LeftParen)) {
    bool operand = at(Tok::Name) || at(Tok::Number);
    expected("'(' and the arguments of '" + callee + "'", true,
             operand ? "write '" + callee + "(" + std::string(textOf(token())) + ")'" : "");
    return false;
  }
  advance();
  return exprs(args, open, Tok::RightParen);
}

ExprPtr Parser::call(FnRef callee) {
  auto node = make<Call>(callee.range);
  node->callee = std::move(callee);
  if (!callBody(node->args, std::string(sources.text(node->callee.range))))
    return nullptr;
  node->range = join(node->callee.range, rangeOf(previous()));
  return finish(std::move(node));
}

/// `sum(A)` applies the word; `max(a, b, ..)` and `min(a, b, ..)` are scalar functions.
ExprPtr Parser::wordCall() {
  uint32_t start = position;
  Token word = token();
  FnRef callee;
  std::vector<ExprPtr> args;
  if (!fnRef(callee, "a word") || !callBody(args, std::string(textOf(word))))
    return nullptr;
  bool scalar = word.is(Word::Max) || word.is(Word::Min);
  if (args.size() > 1 && scalar) {
    auto node = make<Call>(since(start));
    node->callee = std::move(callee);
    node->args = std::move(args);
    return finish(std::move(node));
  }
  if (args.size() != 1) {
    error(diag::wordArguments, since(start), textOf(word), args.size());
    return nullptr;
  }
  auto node = make<PrefixWord>(since(start));
  node->word = word.word();
  node->wordRange = rangeOf(word);
  node->operand = std::move(args.front());
  return finish(std::move(node));
}

/// `sum[k < n: f64](e)`, `red[f, k](e)`.
ExprPtr Parser::reduction() {
  uint32_t start = position;
  auto node = make<Reduce>(SourceRange());
  node->isRed = token().is(Keyword::Red);
  std::string owner(textOf(token()));
  if (node->isRed)
    advance();
  else if (!fnRef(node->fn, "a reduction"))
    return nullptr;
  Token open = advance();
  {
    Scoped lines(freeLines, true);
    Scoped vector(inVector, false);
    if (node->isRed && (!fnRef(node->fn, "a function") || !expect(Tok::Comma, "',' and an index")))
      return nullptr;
    if (!binds(*node) || !close(open, Tok::RightSquare))
      return nullptr;
  }
  Token body = token();
  if (!at(Tok::LeftParen)) {
    expected("'(' and the body of '" + owner + "[..]'", true, "put the body in parentheses");
    return nullptr;
  }
  advance();
  Scoped lines(freeLines, true);
  Scoped vector(inVector, false);
  node->body = expr();
  if (!node->body || !close(body, Tok::RightParen))
    return nullptr;
  node->range = since(start);
  return finish(std::move(node));
}

bool Parser::binds(Reduce &reduce) {
  std::string owner = reduce.isRed ? "red" : std::string(sources.text(reduce.fn.range));
  do {
    if (!bind(reduce.binds.emplace_back(), owner))
      return false;
  } while (accept(Tok::Comma));
  if (!at(Tok::Colon))
    return true;
  Token colon = advance();
  if (at(Tok::Type))
    return typeRef(reduce.accumulator.emplace());
  const std::string &index = reduce.binds.back().name.text;
  bool extent = at(Tok::Name) || at(Tok::Number) || at(Tok::LeftParen);
  if (!extent) {
    expected("an element type after ':'", true);
    return false;
  }
  error(diag::colonBound, join(rangeOf(colon), here()), owner)
      .help("write '" + owner + "[" + index + " < " + std::string(textOf(token())) +
            "](..)'; behind ':' stands the type to accumulate in");
  return false;
}

bool Parser::bind(Bind &result, const std::string &owner) {
  uint32_t start = position;
  Scoped whole(wholeNumbers, true);
  if (!name(result.name, "an index"))
    return false;
  if (accept(Tok::Less)) {
    if (!(result.hi = sum()))
      return false;
  } else if (acceptWord("in")) {
    if (!range(result.lo, result.hi))
      return false;
  } else if (at(Tok::Equal) || at(Tok::LessEqual)) {
    const std::string &index = result.name.text;
    expected("'<', 'in', ',' or ']'", false,
             "write '" + owner + "[" + index + " in lo..hi](..)'; hi is not reached");
    return false;
  }
  result.range = since(start);
  return true;
}

/// `expr`, or a slice with any of its parts missing.
bool Parser::subscript(Subscript &result) {
  uint32_t start = position;
  Scoped whole(wholeNumbers, true);
  auto ends = [&] { return at(Tok::Colon) || at(Tok::Comma) || at(Tok::RightSquare); };
  ExprPtr first;
  if (!at(Tok::Colon) && !(first = expr()))
    return false;
  result.isSlice = accept(Tok::Colon);
  (result.isSlice ? result.lo : result.index) = std::move(first);
  if (result.isSlice && !ends() && !(result.hi = expr()))
    return false;
  if (result.isSlice && accept(Tok::Colon) && !ends() && !(result.step = expr()))
    return false;
  result.range = since(start);
  return true;
}

/// Comma-separated expressions up to the closing bracket; parentheses may be empty.
bool Parser::exprs(std::vector<ExprPtr> &result, const Token &open, Tok closing) {
  Scoped lines(freeLines, true);
  Scoped vector(inVector, false);
  if (closing == Tok::RightParen && accept(closing))
    return true;
  do {
    // Extents are sums: a comparison there is a mistake worth its own message.
    ExprPtr element = closing == Tok::RightSquare ? sum() : expr();
    if (!element)
      return false;
    result.push_back(std::move(element));
  } while (accept(Tok::Comma));
  return close(open, closing);
}

} // namespace moac
