// Expressions: dispatch on the node, names, constants, calls. See Analyzer.h.
#include "frontend/Analyzer.h"
#include "frontend/Habits.h"

#include <cmath>
#include <limits>

using llvm::cast;
using llvm::dyn_cast;

namespace moac::sema {

using Kind = Val::Kind;

namespace {
/// Nesting of nodes, expansions of fns included: what the stack of a thread can take.
constexpr unsigned maxDepth = 2500;
} // namespace

Val Analyzer::visit(const ast::Expr &expr) {
  if (budget == 0)
    return poison();
  if (--budget == 0 || depth == maxDepth) {
    diags.report(diag::tooComplex, info.ast->name.range, info.name())
        .note(expr.range, "the limit is reached here; every call of a fn is expanded");
    budget = 0;
    return poison();
  }
  ++depth;
  Val result = dispatch(expr);
  result.range = expr.range;
  --depth;
  return result;
}

Val Analyzer::dispatch(const ast::Expr &expr) {
  switch (expr.kind) {
  case ast::Expr::Kind::Number: {
    auto &number = cast<ast::Number>(expr);
    return number.isInteger ? emit.weakInt(number.integer, expr.range)
                            : emit.weakFloat(number.decimal, expr.range);
  }
  case ast::Expr::Kind::Constant:
    return constant(cast<ast::Constant>(expr));
  case ast::Expr::Kind::NameUse:
    return nameUse(cast<ast::NameUse>(expr));
  case ast::Expr::Kind::Unary:
    return unary(cast<ast::Unary>(expr));
  case ast::Expr::Kind::Binary:
    return binary(cast<ast::Binary>(expr));
  case ast::Expr::Kind::Compare:
    return compare(cast<ast::Compare>(expr));
  case ast::Expr::Kind::Logical:
    return logical(cast<ast::Logical>(expr));
  case ast::Expr::Kind::Call:
    return call(cast<ast::Call>(expr));
  case ast::Expr::Kind::Reduce:
    return reduce(cast<ast::Reduce>(expr));
  case ast::Expr::Kind::Index:
    return index(cast<ast::Index>(expr));
  case ast::Expr::Kind::Vector:
    return vector(cast<ast::Vector>(expr));
  case ast::Expr::Kind::PrefixWord:
    return prefixWord(cast<ast::PrefixWord>(expr));
  case ast::Expr::Kind::InfixWord:
    return infixWord(cast<ast::InfixWord>(expr));
  case ast::Expr::Kind::Section:
    return section(cast<ast::Section>(expr));
  }
  return poison();
}

Val Analyzer::notYet(SourceRange range, std::string_view what) {
  diags.report(diag::notYet, range, what);
  return poison();
}

Val Analyzer::constant(const ast::Constant &expr) {
  switch (expr.value) {
  case ast::Constant::Value::Inf:
    return emit.weakFloat(std::numeric_limits<double>::infinity(), expr.range);
  case ast::Constant::Value::Nan:
    return emit.weakFloat(std::numeric_limits<double>::quiet_NaN(), expr.range);
  case ast::Constant::Value::Pi:
    return emit.weakFloat(3.141592653589793, expr.range);
  case ast::Constant::Value::True:
  case ast::Constant::Value::False:
    return emit.boolean(expr.value == ast::Constant::Value::True, expr.range);
  }
  return poison();
}

Val Analyzer::nameUse(const ast::NameUse &use) {
  Entity *entity = scope->find(use.name);
  if (entity) {
    entity->read = true;
    return entityValue(*entity, use.range);
  }
  unknownName(use.name, use.range);
  return poison();
}

Val Analyzer::entityValue(Entity &entity, SourceRange range) {
  if (entity.kind == Entity::Kind::Index)
    return {Kind::WeakInt, entity.index->arg, {}, {}, range};
  Val val = entity.val;
  val.range = range;
  return val.isArray() && val.rank() == 0 ? element(val, {}, range) : val;
}

/// Says what is wrong with a name that stands for nothing here.
void Analyzer::unknownName(const std::string &name, SourceRange range) {
  if (scope != &names && fnStack.empty())
    return; // a callee's constraint: its own analysis reports
  if (scope != &names) {
    diags.report(diag::nameInFn, range, name, fnStack.back()->name.text)
        .note(fnStack.back()->name.range, "a fn sees its own parameters only")
        .help("give it as an argument");
    return;
  }
  if (name == defining) {
    diags.report(diag::definedByItself, range, name)
        .help("`iterate` carries a value from step to step");
    return;
  }
  if (auto later = definitions.find(name); later != definitions.end()) {
    diags.report(diag::usedBeforeDefinition, range, name)
        .note(later->second, "'" + name + "' is defined here")
        .help("a value is defined before it is used");
    return;
  }
  if (info.param(name)) {
    diags.report(diag::notInConstraint, range, name)
        .note(info.param(name)->ast->name.range, "'" + name + "' is an array")
        .help("constraints speak of symbols and scalar parameters");
    return;
  }
  if (!unknown.insert(name).second)
    return; // once in a kernel: the same slip, or the same missing definition
  std::string unbound =
      "an index is bound on the left side, or by a reduction: `sum[" + name + "](..)`";
  if (items.fns.count(name) || items.kernels.count(name)) {
    diags.report(diag::functionAsValue, range, name)
        .help(inSubscript ? unbound : "call it with its arguments in parentheses");
    return;
  }
  std::vector<std::string> candidates = names.names();
  std::string help = didYouMean(name, candidates);
  if (inSubscript && (help.empty() || name.size() == 1))
    help = unbound;
  diags.report(diag::unknownName, range, name).help(help);
}

void Analyzer::unknownFunction(const std::string &name, SourceRange range,
                               const std::vector<std::string> &candidates) {
  if (items.broken.count(name) || diags.reported(diag::importNotFound.id))
    return; // it may be there: what kept it from being read is reported
  diags.report(diag::unknownFunction, range, name).help(suggestFunction(name, candidates));
}

Val Analyzer::unary(const ast::Unary &expr) {
  Val operand = visit(*expr.operand);
  if (operand.poison())
    return operand;
  if (expr.op == ast::Unary::Op::Neg)
    return negate(operand, expr.range);
  auto body = [&](const Val &value) {
    return logicOp(moa::ScalarFn::not_, {value}, expr.range, "'not'");
  };
  if (operand.isArray())
    return mapArrays({operand}, expr.range,
                     [&](const Elements &elements) { return body(elements(0)); });
  return body(operand);
}

Val Analyzer::negate(const Val &operand, SourceRange at) {
  auto body = [&](const Val &value) { return arith(moa::ScalarFn::neg_, {value}, at, "'-'"); };
  if (operand.isArray())
    return mapArrays({operand}, at, [&](const Elements &elements) { return body(elements(0)); });
  return body(operand);
}

Val Analyzer::binary(const ast::Binary &expr) {
  Val lhs = visit(*expr.lhs), rhs = visit(*expr.rhs);
  if (expr.op == ast::Op::Cat)
    return cat(lhs, rhs, expr.range);
  ast::FnRef fn;
  fn.kind = ast::FnRef::Kind::Symbol;
  fn.range = expr.opRange;
  fn.op = expr.op;
  return apply(fn, {lhs, rhs}, expr.range);
}

bool Analyzer::checkArity(const ast::FnRef &fn, size_t found, SourceRange at) {
  size_t wanted = 2;
  if (fn.kind == ast::FnRef::Kind::FuncName)
    wanted = arity(fn.func);
  else if (fn.kind == ast::FnRef::Kind::Cast)
    wanted = 1;
  else if (auto it = items.fns.find(fn.name);
           fn.kind == ast::FnRef::Kind::UserName && it != items.fns.end())
    wanted = it->second->params.size();
  else if (fn.kind == ast::FnRef::Kind::WordName && found >= 2)
    return true; // max, min
  if (found == wanted)
    return true;
  auto report = diags.report(diag::argumentCount, at, emit.text(fn.range),
                             countText(wanted, "argument"), found);
  if (auto it = items.fns.find(fn.name);
      fn.kind == ast::FnRef::Kind::UserName && it != items.fns.end())
    report.note(it->second->name.range, "'" + fn.name + "' is defined here");
  if (fn.kind == ast::FnRef::Kind::FuncName && fn.func == Func::Where)
    report.help("write `where(c, a, b)`: a where c holds, else b");
  else if (fn.kind == ast::FnRef::Kind::FuncName && wanted <= 3)
    report.help("write `" + std::string(spelling(fn.func)) + "(" +
                std::string("a, b, c").substr(0, 3 * wanted - 2) + ")`");
  return false;
}

Val Analyzer::call(const ast::Call &expr) {
  if (expr.callee.kind == ast::FnRef::Kind::FuncName && expr.callee.func == Func::Where)
    return checkArity(expr.callee, expr.args.size(), expr.range) ? where(expr) : poison();
  if (expr.callee.kind == ast::FnRef::Kind::UserName && !items.fns.count(expr.callee.name)) {
    if (auto kernel = items.kernels.find(expr.callee.name); kernel != items.kernels.end())
      return kernelInExpression(expr, kernel->second);
    if (scope->find(expr.callee.name))
      diags.report(diag::unknownFunction, expr.callee.range, expr.callee.name)
          .help("subscripts stand in square brackets: `" + expr.callee.name + "[...]`");
    else
      unknownFunction(expr.callee.name, expr.callee.range, items.callables());
    return poison();
  }
  Vals args = visitAll(expr.args);
  return checkArity(expr.callee, args.size(), expr.range)
             ? apply(expr.callee, std::move(args), expr.range)
             : poison();
}

/// Expands a fn: its body is translated with the parameters standing for these values.
Val Analyzer::callFn(const ast::Fn &fn, const Vals &args, SourceRange at) {
  for (const ast::Fn *active : fnStack)
    if (active == &fn) {
      diags.report(diag::recursion, at, "fn", fn.name.text)
          .note(fn.name.range, "'" + fn.name.text + "' is defined here");
      return poison();
    }
  Scope inner(diags);
  for (size_t i = 0; i < args.size(); ++i)
    inner.declare(fn.params[i],
                  {Entity::Kind::FnParam, fn.params[i].range, args[i], nullptr, true});
  Scope *outer = std::exchange(scope, &inner);
  fnStack.push_back(&fn);
  Val result = visit(*fn.body);
  fnStack.pop_back();
  scope = outer;
  if (!result.isArray())
    return result;
  diags.report(diag::arrayForScalar, fn.body->range, result.arrayType().shapeText())
      .help("a fn gives one element for each of its arguments; what gives an array is a kernel");
  return poison();
}

} // namespace moac::sema
