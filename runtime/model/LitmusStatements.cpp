// Reads the statements of a litmus thread: normal accesses, operations, control, and the
// expressions and places in them. The operations' argument lists come from the table in
// Operations.cpp.
#include "runtime/model/LitmusParser.h"

#include <array>

namespace moac::model {
namespace {

constexpr int maxDepth = 64;

struct BinaryOperator {
  std::string_view symbol;
  ExprOp op;
  int level;
};

// Lowest level binds loosest.
constexpr std::array<BinaryOperator, 16> binaryOperators = {{
    {"||", ExprOp::LogicalOr, 0},
    {"&&", ExprOp::LogicalAnd, 1},
    {"|", ExprOp::Or, 2},
    {"^", ExprOp::Xor, 2},
    {"&", ExprOp::And, 2},
    {"==", ExprOp::Eq, 3},
    {"!=", ExprOp::Ne, 3},
    {"<=", ExprOp::Le, 3},
    {">=", ExprOp::Ge, 3},
    {"<", ExprOp::Lt, 3},
    {">", ExprOp::Gt, 3},
    {"+", ExprOp::Add, 4},
    {"-", ExprOp::Sub, 4},
    {"*", ExprOp::Mul, 5},
    {"/", ExprOp::Div, 5},
    {"%", ExprOp::Mod, 5},
}};
constexpr int lastLevel = 5;

ExprPtr makeOperator(ExprOp op, ExprPtr lhs, ExprPtr rhs) {
  auto expr = std::make_shared<Expr>();
  expr->kind = ExprKind::Operator;
  expr->op = op;
  expr->lhs = std::move(lhs);
  expr->rhs = std::move(rhs);
  return expr;
}

ExprPtr makeNumber(int64_t number) {
  auto expr = std::make_shared<Expr>();
  expr->number = number;
  return expr;
}

std::optional<MemoryOrder> parseOrder(std::string_view text) {
  if (text == "rlx" || text == "atomic")
    return MemoryOrder::Relaxed;
  if (text == "acq")
    return MemoryOrder::Acquire;
  if (text == "rel")
    return MemoryOrder::Release;
  if (text == "acqrel")
    return MemoryOrder::AcquireRelease;
  if (text == "sc")
    return MemoryOrder::SeqCst;
  return std::nullopt;
}

} // namespace

ExprPtr LitmusParser::parseExpr() { return parseBinary(0); }

ExprPtr LitmusParser::parseBinary(int level) {
  if (level > lastLevel)
    return parseUnary();
  ExprPtr lhs = parseBinary(level + 1);
  for (int terms = 0; lhs;) {
    const BinaryOperator *found = nullptr;
    for (const BinaryOperator &op : binaryOperators)
      if (op.level == level && peek().is(op.symbol))
        found = &op;
    if (!found)
      return lhs;
    if (++terms > maxDepth)
      return fail("expression too long"), nullptr;
    take();
    ExprPtr rhs = parseBinary(level + 1);
    if (!rhs)
      return nullptr;
    lhs = makeOperator(found->op, lhs, rhs);
  }
  return nullptr;
}

ExprPtr LitmusParser::parseUnary() {
  if (++depth > maxDepth)
    return fail("expression nested too deeply"), nullptr;
  ExprPtr result;
  if (accept("-")) {
    if (ExprPtr operand = parseUnary())
      result = makeOperator(ExprOp::Neg, operand, nullptr);
  } else if (accept("!")) {
    if (ExprPtr operand = parseUnary())
      result = makeOperator(ExprOp::Not, operand, nullptr);
  } else {
    result = parsePrimary();
  }
  --depth;
  return result;
}

ExprPtr LitmusParser::parsePrimary() {
  if (accept("(")) {
    ExprPtr inner = parseExpr();
    return inner && expect(")") ? inner : nullptr;
  }
  if (inCondition && (peek(1).is("[") || peek(1).is("@") || peek(1).is(":") || peek(1).is(".")))
    return parseConditionAtom();
  if (peek().kind == TokenKind::Number)
    return makeNumber(take().number);
  size_t offset = peek().offset;
  auto expr = std::make_shared<Expr>();
  expr->kind = ExprKind::Name;
  if (!word(expr->name, "a number or a name"))
    return nullptr;
  if (inCondition)
    conditionAtoms.emplace_back(expr, offset);
  return expr;
}

// `x@1` or `1:r0` or `1.1:r0`.
ExprPtr LitmusParser::parseConditionAtom() {
  size_t offset = peek().offset;
  auto expr = std::make_shared<Expr>();
  if (peek().kind == TokenKind::Word) {
    expr->kind = ExprKind::Memory;
    if (!parsePlace(expr->place))
      return nullptr;
    if (!expr->place.pe || expr->place.isRange())
      return failAt(offset, "a place in a condition is one word on a named PE: x@1"), nullptr;
    conditionAtoms.emplace_back(expr, offset);
    return expr;
  }
  expr->kind = ExprKind::ThreadRegister;
  int64_t pe = 0, thread = 0;
  if (!integer(pe, "a PE number") || (accept(".") && !integer(thread, "a thread number")) ||
      !expect(":") || !word(expr->name, "a register"))
    return nullptr;
  expr->pe = static_cast<int>(pe);
  expr->thread = static_cast<int>(thread);
  conditionAtoms.emplace_back(expr, offset);
  return expr;
}

bool LitmusParser::parsePlace(Place &place) {
  place.line = peek().line;
  if (!word(place.name, "a place"))
    return false;
  bool wasInCondition = inCondition;
  inCondition = false;
  while (!place.isRange() && accept("[")) {
    ExprPtr index = parseExpr();
    if (index && accept(":")) {
      place.lo = index;
      place.hi = parseExpr();
    } else {
      place.indices.push_back(index);
    }
    if (error || !expect("]"))
      return false;
  }
  if (accept("@"))
    place.pe = parsePrimary();
  inCondition = wasInCondition;
  return !error;
}

bool LitmusParser::parseStatement(std::vector<Statement> &body) {
  if (++depth > maxDepth)
    return fail("statements nested too deeply");
  Statement statement;
  statement.line = peek().line;
  bool good = false;
  static constexpr std::array<std::string_view, 8> normal = {"st",   "ld",        "spin", "xadd",
                                                             "xchg", "langfence", "let",  "assume"};
  if (accept("for")) {
    good = parseFor(statement);
  } else if (accept("if")) {
    good = parseIf(statement);
  } else {
    std::string mnemonic;
    for (std::string_view name : normal)
      if (peek().is(name))
        mnemonic = name;
    if (!mnemonic.empty())
      good = (take(), parseNormal(statement, mnemonic));
    else
      good = parseOperation(statement);
    good = good && parseAttributes(statement);
    if (good && !peek().is("}"))
      good = endLine();
  }
  --depth;
  if (good)
    body.push_back(std::move(statement));
  return good;
}

bool LitmusParser::parseBlock(std::vector<Statement> &body) {
  if (!expect("{"))
    return false;
  skipNewlines();
  while (!error && !peek().is("}") && peek().kind != TokenKind::End)
    parseStatement(body);
  return !error && expect("}");
}

// `for v in lo:hi [except e] { ... }`, hi excluded.
bool LitmusParser::parseFor(Statement &statement) {
  statement.kind = StatementKind::For;
  if (!word(statement.reg, "a loop variable") || !expect("in"))
    return false;
  statement.values.push_back(parseExpr());
  if (error || !expect(":"))
    return false;
  statement.values.push_back(parseExpr());
  if (!error && accept("except"))
    statement.values.push_back(parseExpr());
  if (error || !parseBlock(statement.body))
    return false;
  skipNewlines();
  return true;
}

bool LitmusParser::parseIf(Statement &statement) {
  statement.kind = StatementKind::If;
  statement.values.push_back(parseExpr());
  if (error || !parseBlock(statement.body))
    return false;
  if (accept("else") && !parseBlock(statement.otherwise))
    return false;
  skipNewlines();
  return true;
}

bool LitmusParser::parseNormal(Statement &statement, const std::string &mnemonic) {
  if (accept(".")) {
    std::string order;
    if (!word(order, "a memory order"))
      return false;
    auto parsed = parseOrder(order);
    if (!parsed)
      return fail("memory orders are rlx, acq, rel, acqrel and sc");
    statement.order = *parsed;
  } else if (mnemonic != "st" && mnemonic != "ld" && mnemonic != "let" && mnemonic != "assume") {
    return fail("'" + mnemonic + "' needs a memory order, as in '" + mnemonic + ".acq'");
  }
  return parseNormalArguments(statement, mnemonic);
}

bool LitmusParser::parseNormalArguments(Statement &statement, const std::string &mnemonic) {
  auto place = [&] { return parsePlace(statement.places.emplace_back()); };
  auto value = [&] {
    statement.values.push_back(parseExpr());
    return !error;
  };
  if (mnemonic == "st") {
    statement.kind = StatementKind::Store;
    return place() && expect("=") && value();
  }
  if (mnemonic == "ld") {
    statement.kind = StatementKind::Load;
    return word(statement.reg, "a register") && expect("=") && place();
  }
  if (mnemonic == "spin") {
    statement.kind = StatementKind::Spin;
    return parseComparison(statement);
  }
  if (mnemonic == "langfence") {
    statement.kind = StatementKind::LanguageFence;
    return true;
  }
  if (mnemonic == "let") {
    statement.kind = StatementKind::Let;
    return word(statement.reg, "a register") && expect("=") && value();
  }
  if (mnemonic == "assume") {
    statement.kind = StatementKind::Assume;
    return value();
  }
  statement.kind = StatementKind::Rmw;
  statement.swap = mnemonic == "xchg";
  return word(statement.reg, "a register") && expect("=") && place() && expect(",") && value();
}

// `place CMP expression`.
bool LitmusParser::parseComparison(Statement &statement) {
  if (!parsePlace(statement.places.emplace_back()))
    return false;
  for (const BinaryOperator &op : binaryOperators)
    if (op.level == 3 && accept(op.symbol)) {
      statement.cmp = op.op;
      statement.values.push_back(parseBinary(4));
      return !error;
    }
  return fail("expected a comparison");
}

bool LitmusParser::parseOperation(Statement &statement) {
  std::string mnemonic;
  if (!word(mnemonic, "a statement"))
    return false;
  statement.op = findOperation(mnemonic);
  if (!statement.op) {
    --at;
    std::vector<std::string_view> known = {"st",        "ld",  "spin",   "xadd", "xchg",
                                           "langfence", "let", "assume", "for",  "if"};
    for (const OpInfo &op : allOperations())
      known.push_back(op.mnemonic);
    return fail("no statement or operation '" + mnemonic + "'" + suggestion(mnemonic, known));
  }
  bool first = true;
  for (char kind : statement.op->form) {
    if (!first && !expect(","))
      return false;
    first = false;
    if (kind == 'r' && !word(statement.reg, "a register"))
      return false;
    if (kind == 'l' && !parsePlace(statement.places.emplace_back()))
      return false;
    if (kind == 'c' && !parseComparison(statement))
      return false;
    if (kind == 's') {
      if (!parsePlace(statement.places.emplace_back()))
        return false;
      statement.signalAdd = accept("+=");
      if (!statement.signalAdd && !expect("="))
        return false;
    }
    if (kind == 'e' || kind == 's')
      statement.values.push_back(parseExpr());
    if (error)
      return false;
  }
  return true;
}

// `with ctx=c1 com=C1 team=T`.
bool LitmusParser::parseAttributes(Statement &statement) {
  if (!accept("with"))
    return true;
  while (!atLineEnd() && !peek().is("}")) {
    std::string key, value;
    if (!word(key, "ctx, com or team") || !expect("=") || !word(value, "a name"))
      return false;
    if (key == "ctx")
      statement.context = value;
    else if (key == "com")
      statement.comId = value;
    else if (key == "team")
      statement.team = value;
    else
      return fail("attributes are ctx=, com= and team=");
  }
  return true;
}

} // namespace moac::model
