// Expressions as text.
//
// Each construct has the level of the grammar rule that reads it; an operand whose level is looser
// than its place allows gets parentheses. Words need care: before the "(" of an ordinary expression
// a word takes only the parentheses, so `sum` of `(a + b)[i]` is written `sum((a + b)[i])`.
#include "frontend/AstPrinter.h"

#include "frontend/Glyphs.h"

#include "llvm/Support/Casting.h"

namespace moac {

using namespace ast;

namespace {

/// Rules of the grammar, loosest first.
enum Level { Or = 1, And, Not, Comparison, Sum, Product, Applied, Worded, Prefix, Postfix };

class ExprPrinter {
public:
  explicit ExprPrinter(Notation notation) : notation(notation) {}

  std::string text(const Expr &expr, int least = Or) const;
  std::string text(const Operator &op) const;

private:
  struct Piece {
    std::string text;
    Level level;
    bool grouped = false;      ///< begins with the "(" of an ordinary expression
    bool endsInVector = false; ///< a word behind it would take its last vector
  };
  Piece piece(const Expr &expr, int least) const;
  Piece grouped(const Expr &expr, int least) const;
  Piece prefixWord(const PrefixWord &expr, int least) const;
  Piece infixWord(const InfixWord &expr) const;
  Piece section(const Section &expr) const;
  Piece compare(const Compare &expr) const;
  Piece binary(const ExprPtr &lhs, Op op, const ExprPtr &rhs, Level level) const;
  std::string body(const Operator &op) const;
  std::string fn(const FnRef &fn) const;
  std::string reduce(const Reduce &expr) const;
  std::string bind(const Bind &bind) const;
  std::string subscript(const Subscript &subscript) const;
  std::string vector(const std::vector<ExprPtr> &elements) const;
  std::string list(const std::vector<ExprPtr> &exprs, int least) const;
  std::string word(std::string_view spelled) const {
    return std::string(notation == Notation::Moa ? glyphFor(spelled) : spelled);
  }

  Notation notation;
};

std::string_view constantText(Constant::Value value) {
  static constexpr std::string_view texts[] = {"inf", "nan", "pi", "true", "false"};
  return texts[int(value)];
}

Level levelOf(Op op) {
  switch (op) {
  case Op::Or:
    return Or;
  case Op::And:
    return And;
  case Op::Add:
  case Op::Sub:
  case Op::Cat:
    return Sum;
  case Op::Mul:
  case Op::Div:
  case Op::FloorDiv:
  case Op::Mod:
    return Product;
  default:
    return Comparison;
  }
}

/// Whether the element may stand in a vector without commas.
bool isAtom(const Expr &expr) {
  if (auto *unary = llvm::dyn_cast<Unary>(&expr))
    return unary->op == Unary::Op::Neg && llvm::isa<Number>(*unary->operand);
  return llvm::isa<NameUse, Number>(expr);
}

std::string ExprPrinter::text(const Expr &expr, int least) const {
  return grouped(expr, least).text;
}

/// The expression for a place that takes `least` and tighter.
ExprPrinter::Piece ExprPrinter::grouped(const Expr &expr, int least) const {
  Piece result = piece(expr, least);
  if (result.level < least)
    return {"(" + result.text + ")", Postfix, true};
  return result;
}

ExprPrinter::Piece ExprPrinter::piece(const Expr &expr, int least) const {
  switch (expr.kind) {
  case Expr::Kind::Number: {
    const std::string &digits = llvm::cast<Number>(expr).text;
    return {digits, digits[0] == '-' ? Prefix : Postfix};
  }
  case Expr::Kind::Constant:
    return {std::string(constantText(llvm::cast<Constant>(expr).value)), Postfix};
  case Expr::Kind::NameUse:
    return {llvm::cast<NameUse>(expr).name, Postfix};
  case Expr::Kind::Unary: {
    auto &unary = llvm::cast<Unary>(expr);
    if (unary.op == Unary::Op::Not)
      return {"not " + text(*unary.operand, Not), Not};
    Piece operand = grouped(*unary.operand, Prefix);
    return {"-" + operand.text, Prefix, false, operand.endsInVector};
  }
  case Expr::Kind::Binary: {
    auto &node = llvm::cast<Binary>(expr);
    return binary(node.lhs, node.op, node.rhs, levelOf(node.op));
  }
  case Expr::Kind::Logical: {
    auto &node = llvm::cast<Logical>(expr);
    return binary(node.lhs, node.op, node.rhs, levelOf(node.op));
  }
  case Expr::Kind::Compare:
    return compare(llvm::cast<Compare>(expr));
  case Expr::Kind::Call: {
    auto &call = llvm::cast<Call>(expr);
    return {fn(call.callee) + "(" + list(call.args, Or) + ")", Postfix};
  }
  case Expr::Kind::Reduce:
    return {reduce(llvm::cast<Reduce>(expr)), Postfix};
  case Expr::Kind::Index: {
    auto &index = llvm::cast<Index>(expr);
    Piece base = grouped(*index.base, Postfix);
    std::string subscripts;
    for (const Subscript &part : index.subscripts)
      subscripts += (subscripts.empty() ? "" : ", ") + subscript(part);
    return {base.text + "[" + subscripts + "]", Postfix, base.grouped};
  }
  case Expr::Kind::Vector:
    return {vector(llvm::cast<Vector>(expr).elements), Postfix, false, true};
  case Expr::Kind::PrefixWord:
    return prefixWord(llvm::cast<PrefixWord>(expr), least);
  case Expr::Kind::InfixWord:
    return infixWord(llvm::cast<InfixWord>(expr));
  case Expr::Kind::Section:
    return section(llvm::cast<Section>(expr));
  }
  return {};
}

/// Left-associative: the right operand must bind tighter.
ExprPrinter::Piece ExprPrinter::binary(const ExprPtr &lhs, Op op, const ExprPtr &rhs,
                                       Level level) const {
  Piece left = grouped(*lhs, level);
  return {left.text + " " + word(spelling(op)) + " " + text(*rhs, level + 1), level, left.grouped};
}

ExprPrinter::Piece ExprPrinter::compare(const Compare &expr) const {
  Piece result = grouped(*expr.operands[0], Sum);
  for (size_t i = 0; i < expr.ops.size(); ++i)
    result.text += " " + word(spelling(expr.ops[i])) + " " + text(*expr.operands[i + 1], Sum);
  result.level = Comparison;
  return result;
}

ExprPrinter::Piece ExprPrinter::prefixWord(const PrefixWord &expr, int least) const {
  std::string name = word(spelling(expr.word));
  Piece operand = grouped(*expr.operand, Prefix);
  if (operand.grouped || least > Prefix)
    return {name + "(" + text(*expr.operand) + ")", Postfix};
  return {name + " " + operand.text, Prefix, false, operand.endsInVector};
}

/// A vector literal with its word is a prefix word; any other left operand makes an infix word.
ExprPrinter::Piece ExprPrinter::infixWord(const InfixWord &expr) const {
  Level level = llvm::isa<Vector>(*expr.lhs) ? Prefix : Worded;
  Piece left = grouped(*expr.lhs, Prefix);
  if (level == Worded && left.endsInVector)
    left = {"(" + left.text + ")", Postfix, true};
  Piece right = grouped(*expr.rhs, level);
  return {left.text + " " + word(spelling(expr.word)) + " " + right.text, level, left.grouped,
          right.endsInVector};
}

ExprPrinter::Piece ExprPrinter::section(const Section &expr) const {
  if (!expr.lhs) {
    Piece operand = grouped(*expr.rhs, Prefix);
    return {text(*expr.op) + " " + operand.text, Prefix, false, operand.endsInVector};
  }
  Piece left = grouped(*expr.lhs, Applied);
  return {left.text + " " + text(*expr.op) + " " + text(*expr.rhs, Worded), Applied, left.grouped};
}

std::string ExprPrinter::text(const Operator &op) const { return "(" + body(op) + ")"; }

/// The operator without parentheses around all of it; `omega` needs none inside.
std::string ExprPrinter::body(const Operator &op) const {
  switch (op.kind) {
  case Operator::Kind::Fn:
    return fn(op.f);
  case Operator::Kind::Product:
    return fn(op.f) + "." + fn(op.g);
  case Operator::Kind::Red:
    return "red " + fn(op.f);
  case Operator::Kind::Scan:
    return "scan " + fn(op.f);
  case Operator::Kind::Outer:
    return word("outer") + " " + fn(op.f);
  case Operator::Kind::Omega:
    return body(*op.operand) + " " + word("omega") + vector(op.ranks);
  }
  return "";
}

std::string ExprPrinter::fn(const FnRef &fn) const {
  switch (fn.kind) {
  case FnRef::Kind::Symbol:
    return word(spelling(fn.op));
  case FnRef::Kind::WordName:
    return word(spelling(fn.word));
  case FnRef::Kind::FuncName:
    return std::string(spelling(fn.func));
  case FnRef::Kind::Cast:
    return std::string(spelling(fn.type));
  case FnRef::Kind::UserName:
    return fn.name;
  }
  return "";
}

std::string ExprPrinter::reduce(const Reduce &expr) const {
  std::string binds = expr.isRed ? fn(expr.fn) : "";
  for (const Bind &part : expr.binds)
    binds += (binds.empty() ? "" : ", ") + bind(part);
  if (expr.accumulator)
    binds += ": " + std::string(spelling(expr.accumulator->type));
  return (expr.isRed ? "red" : fn(expr.fn)) + "[" + binds + "](" + text(*expr.body) + ")";
}

std::string ExprPrinter::bind(const Bind &bind) const {
  if (bind.lo)
    return bind.name.text + " in " + text(*bind.lo, Sum) + ".." + text(*bind.hi, Sum);
  return bind.hi ? bind.name.text + " < " + text(*bind.hi, Sum) : bind.name.text;
}

std::string ExprPrinter::subscript(const Subscript &subscript) const {
  if (!subscript.isSlice)
    return text(*subscript.index);
  auto part = [&](const ExprPtr &expr) { return expr ? text(*expr) : std::string(); };
  return part(subscript.lo) + ":" + part(subscript.hi) +
         (subscript.step ? ":" + text(*subscript.step) : "");
}

std::string ExprPrinter::vector(const std::vector<ExprPtr> &elements) const {
  bool atoms = true;
  for (const ExprPtr &element : elements)
    atoms &= isAtom(*element);
  std::string inner;
  for (const ExprPtr &element : elements)
    inner += (inner.empty() ? "" : atoms ? " " : ", ") + text(*element, Sum);
  return "<" + inner + ">";
}

std::string ExprPrinter::list(const std::vector<ExprPtr> &exprs, int least) const {
  std::string result;
  for (const ExprPtr &expr : exprs)
    result += (result.empty() ? "" : ", ") + text(*expr, least);
  return result;
}

} // namespace

std::string print(const Expr &expr, Notation notation) { return ExprPrinter(notation).text(expr); }
std::string print(const Operator &op, Notation notation) { return ExprPrinter(notation).text(op); }

} // namespace moac
