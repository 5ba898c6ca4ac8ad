// Reading extents; see Extents.h.
#include "frontend/Extents.h"

#include "llvm/Support/Casting.h"

using llvm::cast;
using llvm::dyn_cast;

namespace moac::sema {

using shape::Expr;

std::string shapeText(const std::vector<Expr> &extents) {
  std::string text = "<";
  for (const Expr &e : extents) {
    std::string part = e.str();
    bool compound = extents.size() > 1 && part.find(' ') != part.npos;
    text += (text.size() > 1 ? " " : "") + (compound ? "(" + part + ")" : part);
  }
  return text + ">";
}

std::optional<Expr> ExtentReader::read(const ast::Expr &expr) {
  switch (expr.kind) {
  case ast::Expr::Kind::Number:
    if (auto &number = cast<ast::Number>(expr); number.isInteger)
      return Expr(number.integer);
    break;
  case ast::Expr::Kind::NameUse:
    return lookup(cast<ast::NameUse>(expr));
  case ast::Expr::Kind::Unary:
    if (auto &unary = cast<ast::Unary>(expr); unary.op == ast::Unary::Op::Neg) {
      auto value = read(*unary.operand);
      return value ? std::optional(-*value) : std::nullopt;
    }
    break;
  case ast::Expr::Kind::Binary:
    return binary(cast<ast::Binary>(expr));
  case ast::Expr::Kind::Call:
    return call(cast<ast::Call>(expr));
  default:
    break;
  }
  diags.report(diag::extentForm, expr.range);
  return std::nullopt;
}

std::optional<Expr> ExtentReader::binary(const ast::Binary &expr) {
  auto a = read(*expr.lhs), b = read(*expr.rhs);
  if (!a || !b)
    return std::nullopt;
  switch (expr.op) {
  case ast::Op::Add:
    return *a + *b;
  case ast::Op::Sub:
    return *a - *b;
  case ast::Op::Mul:
    return *a * *b;
  case ast::Op::Div:
  case ast::Op::FloorDiv:
  case ast::Op::Mod:
    return divide(expr, *a, *b);
  default:
    diags.report(diag::extentForm, expr.opRange);
    return std::nullopt;
  }
}

std::optional<Expr> ExtentReader::divide(const ast::Binary &expr, const Expr &a, const Expr &b) {
  if (b == Expr(0)) {
    diags.report(diag::divisionByZero, expr.rhs->range);
    return std::nullopt;
  }
  std::string divisor = b.str();
  if (!b.constant())
    needs.push_back({ExtentNeed::Kind::Divisor, b, expr.rhs->range, divisor + " != 0"});
  if (expr.op == ast::Op::Mod)
    return shape::mod(a, b);
  if (expr.op == ast::Op::Div && !shape::exactQuotient(a, b)) {
    Expr rest = shape::mod(a, b);
    if (auto constant = rest.constant(); constant && *constant != 0) {
      diags.report(diag::inexactExtent, expr.range, a.str(), divisor).help("`//` rounds down");
      return std::nullopt;
    }
    needs.push_back({ExtentNeed::Kind::Exact, rest, expr.range, rest.str() + " == 0"});
  }
  return shape::floordiv(a, b);
}

std::optional<Expr> ExtentReader::call(const ast::Call &expr) {
  using Kind = ast::FnRef::Kind;
  bool isMax = expr.callee.kind == Kind::WordName && expr.callee.word == Word::Max;
  bool isMin = expr.callee.kind == Kind::WordName && expr.callee.word == Word::Min;
  bool isAbs = expr.callee.kind == Kind::FuncName && expr.callee.func == Func::Abs;
  if (!(isMax || isMin || isAbs) || expr.args.empty() || (isAbs && expr.args.size() != 1)) {
    diags.report(diag::extentForm, expr.range);
    return std::nullopt;
  }
  std::optional<Expr> result;
  for (const ast::ExprPtr &arg : expr.args) {
    auto value = read(*arg);
    if (!value)
      return std::nullopt;
    if (result)
      result = isMax ? shape::max(*result, *value) : shape::min(*result, *value);
    else
      result = isAbs ? shape::abs(*value) : *value;
  }
  return result;
}

} // namespace moac::sema
