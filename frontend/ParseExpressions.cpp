// Expressions by precedence, from `or` down to indexing.
//
// One function per level of the grammar. Nesting is counted where an operand begins (prefix), which
// every nested expression passes once; the height of a tree is bounded where a node is finished, so
// that a chain of a million terms is refused instead of overflowing the stack of whoever walks the
// tree.
#include "frontend/ParserImpl.h"

namespace moac {

using namespace ast;

std::optional<Op> scalarOp(const Token &token) {
  switch (token.kind) {
  case Tok::Plus:
    return Op::Add;
  case Tok::Minus:
    return Op::Sub;
  case Tok::Star:
    return Op::Mul;
  case Tok::Slash:
    return Op::Div;
  case Tok::SlashSlash:
    return Op::FloorDiv;
  case Tok::Percent:
    return Op::Mod;
  case Tok::EqualEqual:
    return Op::Eq;
  case Tok::NotEqual:
    return Op::Ne;
  case Tok::Less:
    return Op::Lt;
  case Tok::LessEqual:
    return Op::Le;
  case Tok::Greater:
    return Op::Gt;
  case Tok::GreaterEqual:
    return Op::Ge;
  default:
    if (token.is(Keyword::And))
      return Op::And;
    return token.is(Keyword::Or) ? std::optional(Op::Or) : std::nullopt;
  }
}

namespace {

bool isComparison(Op op) {
  return op == Op::Eq || op == Op::Ne || op == Op::Lt || op == Op::Le || op == Op::Gt ||
         op == Op::Ge;
}

bool isProduct(Op op) {
  return op == Op::Mul || op == Op::Div || op == Op::FloorDiv || op == Op::Mod;
}

} // namespace

ExprPtr Parser::finish(ExprPtr node) {
  forEachChild(*node,
               [&](const Expr &child) { node->height = std::max(node->height, child.height + 1); });
  if (node->height <= maxHeight)
    return node;
  error(diag::chainTooLong, here(), maxHeight).help("name a part of it first");
  return nullptr;
}

ExprPtr Parser::binary(Op op, const Token &opToken, ExprPtr lhs, ExprPtr rhs) {
  if (!lhs || !rhs)
    return nullptr;
  auto node = make<Binary>(join(lhs->range, rhs->range));
  node->op = op;
  node->opRange = rangeOf(opToken);
  node->lhs = std::move(lhs);
  node->rhs = std::move(rhs);
  return finish(std::move(node));
}

ExprPtr Parser::logical(Op op, const Token &opToken, ExprPtr lhs, ExprPtr rhs) {
  if (!lhs || !rhs)
    return nullptr;
  auto node = make<Logical>(join(lhs->range, rhs->range));
  node->op = op;
  node->opRange = rangeOf(opToken);
  node->lhs = std::move(lhs);
  node->rhs = std::move(rhs);
  return finish(std::move(node));
}

bool Parser::mayNest() {
  if (nesting < maxNesting)
    return true;
  error(diag::nestedTooDeep, here(), maxNesting).help("name a part of it first");
  return false;
}

ExprPtr Parser::expr() {
  ExprPtr lhs = conjunction();
  while (lhs && at(Keyword::Or)) {
    Token op = advance();
    lhs = logical(Op::Or, op, std::move(lhs), conjunction());
  }
  return lhs;
}

ExprPtr Parser::conjunction() {
  ExprPtr lhs = negation();
  while (lhs && at(Keyword::And)) {
    Token op = advance();
    lhs = logical(Op::And, op, std::move(lhs), negation());
  }
  return lhs;
}

ExprPtr Parser::negation() {
  if (!token().is(Keyword::Not)) // on whichever line: an operand must come
    return comparison();
  if (!mayNest())
    return nullptr;
  Scoped depth(nesting, nesting + 1);
  uint32_t start = position;
  Token op = advance();
  auto node = make<Unary>(rangeOf(op));
  node->op = Unary::Op::Not;
  node->opRange = rangeOf(op);
  if (!(node->operand = negation()))
    return nullptr;
  node->range = since(start);
  return finish(std::move(node));
}

/// One operand, or a chain `a <= b < c`.
ExprPtr Parser::comparison() {
  ExprPtr first = sum();
  auto op = scalarOp(token());
  if (!first || at(Tok::NewLine) || !op || !isComparison(*op))
    return first;
  auto node = make<Compare>(first->range);
  node->operands.push_back(std::move(first));
  while (!at(Tok::NewLine) && (op = scalarOp(token())) && isComparison(*op)) {
    node->ops.push_back(*op);
    node->opRanges.push_back(rangeOf(advance()));
    ExprPtr operand = sum();
    if (!operand)
      return nullptr;
    node->range = join(node->range, operand->range);
    node->operands.push_back(std::move(operand));
  }
  return finish(std::move(node));
}

/// Directly in a vector, a `-` with a blank before it and none behind it begins the next element.
ExprPtr Parser::sum() {
  ExprPtr lhs = product();
  while (lhs && (at(Tok::Plus) || at(Tok::Minus) || at(Tok::PlusPlus))) {
    if (inVector && at(Tok::Minus) && token().spaceBefore && !next().spaceBefore)
      break;
    Token op = advance();
    lhs = binary(op.kind == Tok::PlusPlus ? Op::Cat : *scalarOp(op), op, std::move(lhs), product());
  }
  return lhs;
}

ExprPtr Parser::product() {
  ExprPtr lhs = applied();
  while (lhs && !at(Tok::NewLine)) {
    auto op = scalarOp(token());
    if (!op || !isProduct(*op))
      break;
    Token opToken = advance();
    lhs = binary(*op, opToken, std::move(lhs), applied());
  }
  return lhs;
}

/// `A (op) B`, left to right.
ExprPtr Parser::applied() {
  ExprPtr lhs = worded();
  while (lhs && at(Tok::LeftParen) && opensSection(position)) {
    auto node = make<Section>(lhs->range);
    node->lhs = std::move(lhs);
    node->op = section();
    if (!node->op || !(node->rhs = worded()))
      return nullptr;
    node->range = join(node->range, node->rhs->range);
    lhs = finish(std::move(node));
  }
  return lhs;
}

/// `s reshape A`, right to left.
ExprPtr Parser::worded() {
  ExprPtr lhs = prefix();
  if (!lhs || !at(Tok::Word) || !isInfix(token().word()))
    return lhs;
  if (!mayNest())
    return nullptr;
  Scoped depth(nesting, nesting + 1);
  Token word = advance();
  auto node = make<InfixWord>(lhs->range);
  node->word = word.word();
  node->wordRange = rangeOf(word);
  node->lhs = std::move(lhs);
  if (!(node->rhs = worded()))
    return nullptr;
  node->range = join(node->range, node->rhs->range);
  return finish(std::move(node));
}

ExprPtr Parser::prefix() {
  if (at(Tok::NewLine) && definitionEquals(position)) {
    noOperand(); // the operand of the line before is missing; this line is a statement of its own
    return nullptr;
  }
  skipNewLine();
  if (at(Tok::SlashSlash))
    skipSlashComment();
  if (!mayNest())
    return nullptr;
  Scoped depth(nesting, nesting + 1);
  if (at(Tok::Minus))
    return minus();
  if (at(Tok::Less))
    return prefixVector();
  if (at(Tok::Word) && isPrefix(token().word()))
    return prefixWord();
  if (!at(Tok::LeftParen) || !opensSection(position))
    return postfix(primary());
  auto node = make<Section>(rangeOf(token()));
  if (!(node->op = section()) || !(node->rhs = prefix()))
    return nullptr;
  node->range = join(node->range, node->rhs->range);
  return finish(std::move(node));
}

ExprPtr Parser::minus() {
  uint32_t start = position;
  Token op = advance();
  if (at(Tok::Number) && textOf(token()) == "9223372036854775808") {
    advance(); // the one integer whose absolute value does not fit
    auto node = make<Number>(since(start));
    node->integer = INT64_MIN;
    node->text = "-9223372036854775808";
    return node;
  }
  auto node = make<Unary>(rangeOf(op));
  node->opRange = rangeOf(op);
  if (!(node->operand = prefix()))
    return nullptr;
  node->range = join(node->range, node->operand->range);
  return finish(std::move(node));
}

/// A vector with a word behind it is one prefix word, `<1> drop A`; otherwise it is an operand.
ExprPtr Parser::prefixVector() {
  auto literal = make<Vector>(rangeOf(token()));
  uint32_t start = position;
  if (!vector(literal->elements))
    return nullptr;
  literal->range = since(start);
  ExprPtr operand = finish(std::move(literal));
  if (!operand || !at(Tok::Word) || !isInfix(token().word()))
    return postfix(std::move(operand));
  auto node = make<InfixWord>(operand->range);
  node->lhs = std::move(operand);
  node->word = token().word();
  node->wordRange = rangeOf(advance());
  if (!(node->rhs = prefix()))
    return nullptr;
  node->range = join(node->range, node->rhs->range);
  return finish(std::move(node));
}

/// `sum A`; before the `(` of an ordinary expression, `sum(A)` is a primary, and `sum[` begins a
/// reduction.
ExprPtr Parser::prefixWord() {
  bool called = next().kind == Tok::LeftParen && !opensSection(position + 1);
  bool reduces = isReduction(token().word()) && next().kind == Tok::LeftSquare;
  if (called || reduces)
    return postfix(primary());
  auto node = make<PrefixWord>(rangeOf(token()));
  node->word = token().word();
  node->wordRange = rangeOf(advance());
  if (!(node->operand = prefix()))
    return nullptr;
  node->range = join(node->range, node->operand->range);
  return finish(std::move(node));
}

ExprPtr Parser::postfix(ExprPtr base) {
  while (base && at(Tok::LeftSquare)) {
    auto node = make<Index>(base->range);
    node->base = std::move(base);
    Token open = advance();
    Scoped lines(freeLines, true);
    Scoped vector(inVector, false);
    do {
      if (!subscript(node->subscripts.emplace_back()))
        return nullptr;
    } while (accept(Tok::Comma));
    if (!close(open, Tok::RightSquare))
      return nullptr;
    node->range = join(node->range, rangeOf(previous()));
    base = finish(std::move(node));
  }
  return base;
}

} // namespace moac
