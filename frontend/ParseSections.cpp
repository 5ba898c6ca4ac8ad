// The operator form's own syntax: operators in parentheses (sections) and vector literals.
//
// Whether "(" opens an operator is decided by the tokens behind it; nested operators are looked
// through with the brackets matched by the lexer and at most maxSections deep, so the test takes
// constant time.
#include "frontend/ParserImpl.h"

#include "llvm/Support/Casting.h"

namespace moac {

using namespace ast;

/// Whether the "(" at token `index` opens an operator rather than a group or a call.
bool Parser::opensSection(uint32_t index, unsigned depth) const {
  auto tokenAt = [&](uint32_t i) -> const Token & {
    return tokens[std::min<size_t>(i, tokens.size() - 1)];
  };
  const Token &first = tokenAt(index + 1);
  const Token &second = tokenAt(index + 2);
  if (first.is(Keyword::Red))
    return second.kind != Tok::LeftSquare;
  if (first.is(Keyword::Scan) || first.is(Keyword::Outer))
    return true;
  bool composes = second.kind == Tok::Dot || second.is(Keyword::Omega);
  if (first.kind == Tok::Name)
    return composes;
  if (scalarOp(first) || first.kind == Tok::PlusPlus || first.kind == Tok::Word || first.kind == Tok::Func)
    return composes || second.kind == Tok::RightParen;
  if (first.kind != Tok::LeftParen || !first.match || depth >= maxSections)
    return false;
  const Token &after = tokenAt(first.match + 1);
  return (after.is(Keyword::Omega) || after.kind == Tok::RightParen) &&
         opensSection(index + 1, depth + 1);
}

OperatorPtr Parser::section() {
  if (sections >= maxSections) {
    error(diag::operatorTooDeep, here(), maxSections);
    return nullptr;
  }
  Scoped depth(sections, sections + 1);
  Scoped lines(freeLines, true);
  uint32_t start = position;
  Token open = advance();
  OperatorPtr op = operatorBody();
  if (!op || !omegas(op))
    return nullptr;
  if (!accept(Tok::RightParen)) {
    if (ranIntoStatement())
      return close(open, Tok::RightParen), nullptr;
    expected("'omega' or ')' after an operator");
    return nullptr;
  }
  op->range = since(start);
  return op;
}

/// `red f`, `scan f`, `outer f`, `f.g`, `f` or an operator in parentheses.
OperatorPtr Parser::operatorBody() {
  uint32_t start = position;
  if (at(Tok::LeftParen))
    return section();
  auto op = std::make_unique<Operator>();
  if (at(Keyword::Red) || at(Keyword::Scan) || at(Keyword::Outer)) {
    Token word = advance();
    op->kind = word.is(Keyword::Red)    ? Operator::Kind::Red
               : word.is(Keyword::Scan) ? Operator::Kind::Scan
                                        : Operator::Kind::Outer;
    if (!fnRef(op->f, "a function after '" + std::string(textOf(word)) + "'"))
      return nullptr;
  } else {
    if (!fnRef(op->f, "an operator"))
      return nullptr;
    if (accept(Tok::Dot)) {
      op->kind = Operator::Kind::Product;
      if (!fnRef(op->g, "a function after '.'"))
        return nullptr;
    }
  }
  op->range = since(start);
  return op;
}

/// Wraps `op` in the `omega` vectors behind it, each of which takes all to its left.
bool Parser::omegas(OperatorPtr &op) {
  unsigned count = 0;
  while (at(Keyword::Omega)) {
    uint32_t start = position;
    advance();
    if (++count + sections > maxSections) {
      error(diag::operatorTooDeep, rangeOf(tokens[start]), maxSections);
      return false;
    }
    if (!at(Tok::Less)) {
      std::string text(textOf(token()));
      expected("'<' and the ranks after 'omega'", false,
               at(Tok::Number) ? "write 'omega<" + text + ">'" : "");
      return false;
    }
    auto outer = std::make_unique<Operator>();
    outer->kind = Operator::Kind::Omega;
    uint32_t ranksStart = position;
    if (!vector(outer->ranks))
      return false;
    outer->ranksRange = since(ranksStart);
    outer->range = join(op->range, outer->ranksRange);
    outer->operand = std::move(op);
    op = std::move(outer);
  }
  return true;
}

bool Parser::fnRef(FnRef &result, const std::string &what) {
  result.range = rangeOf(token());
  if (auto op = at(Tok::PlusPlus) ? std::optional(Op::Cat) : scalarOp(token())) {
    result.kind = FnRef::Kind::Symbol;
    result.op = *op;
  } else if (at(Tok::Word)) {
    result.kind = FnRef::Kind::WordName;
    result.word = token().word();
  } else if (at(Tok::Func)) {
    result.kind = FnRef::Kind::FuncName;
    result.func = Func(token().detail);
  } else if (at(Tok::Type)) {
    result.kind = FnRef::Kind::Cast;
    result.type = ElementType(token().detail);
  } else if (at(Tok::Name)) {
    result.kind = FnRef::Kind::UserName;
    result.name = textOf(token());
  } else {
    expected(what);
    return false;
  }
  advance();
  return true;
}

/// `<..>` with its brackets: elements separated by commas, or names and numbers separated by
/// blanks.
bool Parser::vector(std::vector<ExprPtr> &elements) {
  Token open = advance();
  Scoped lines(freeLines, true);
  Scoped direct(inVector, true);
  Scoped whole(wholeNumbers, true);
  if (accept(Tok::Greater))
    return true;
  ExprPtr first = sum();
  if (!first)
    return false;
  bool atom = first->height <= 2 && first->kind != Expr::Kind::Binary;
  SourceRange firstRange = first->range;
  elements.push_back(std::move(first));
  if (atAtom()) {
    if (!atom) {
      error(diag::compositeElement, firstRange).help("separate the elements by commas");
      return false;
    }
    if (!blankElements(elements))
      return false;
  } else if (!commaElements(elements)) {
    return false;
  }
  return closeVector(open);
}

/// Whether an element of a vector without commas begins here.
bool Parser::atAtom() const {
  return at(Tok::Name) || at(Tok::Number) || at(Tok::Minus) || at(Tok::Bad);
}

bool Parser::commaElements(std::vector<ExprPtr> &elements) {
  while (accept(Tok::Comma)) {
    ExprPtr element = sum();
    if (!element)
      return false;
    elements.push_back(std::move(element));
    if (atAtom()) {
      error(diag::mixedVector, here()).help("separate all elements by commas");
      return false;
    }
  }
  return true;
}

bool Parser::blankElements(std::vector<ExprPtr> &elements) {
  while (atAtom()) {
    if (at(Tok::Minus) && next().kind != Tok::Number) {
      error(diag::compositeElement, join(rangeOf(token()), rangeOf(next())))
          .help("separate the elements by commas");
      return false;
    }
    ExprPtr element = at(Tok::Minus) ? minus() : primary();
    if (!element)
      return false;
    elements.push_back(std::move(element));
  }
  if (!at(Tok::Comma))
    return true;
  error(diag::mixedVector, here())
      .help("separate all elements by commas; a '-' with a blank on "
            "both sides subtracts");
  return false;
}

bool Parser::closeVector(const Token &open) {
  if (accept(Tok::Greater))
    return true;
  auto op = scalarOp(token());
  if (at(Tok::GreaterEqual)) {
    expected("'>' to close the vector", false, "write a blank between '>' and '='");
  } else if (op && *op >= Op::Eq && *op <= Op::Ge) {
    error(diag::comparisonInVector, here())
        .note(rangeOf(open), "this '<' stands where an operand must, so it begins a vector")
        .help("put the comparison in parentheses");
  } else if (op) {
    error(diag::compositeElement, here()).help("separate the elements by commas");
  } else if (ranIntoStatement()) {
    close(open, Tok::Greater);
  } else {
    expected("another element or '>' to close the vector", true);
  }
  return false;
}

} // namespace moac
