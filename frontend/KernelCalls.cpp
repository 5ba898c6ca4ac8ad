// Calls of other kernels: symbols are unified, conditions become the caller's. See Analyzer.h.
//
// The callee's symbols get their values from the arguments' shapes; every other use of a symbol
// must then agree. What the callee demands at entry is proved here, or required at the caller's
// entry, so that inlining may drop it.
#include "frontend/Analyzer.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;
using Symbols = std::map<std::string, shape::Expr>;

namespace {
/// The statement that takes all results of a kernel.
std::string nameAll(const KernelInfo &callee) {
  std::string names;
  for (const ParamInfo &result : callee.results)
    names += (names.empty() ? "" : ", ") + result.name();
  if (callee.results.size() > 1)
    names = "(" + names + ")";
  return "name all its results: `" + names + " = " + callee.name() + "(...)`";
}

std::vector<shape::Expr> substitute(const std::vector<shape::Expr> &extents,
                                    const Symbols &symbols) {
  std::vector<shape::Expr> result;
  for (const shape::Expr &extent : extents)
    result.push_back(extent.substitute(symbols));
  return result;
}
} // namespace

/// Whether an expression is known at entry: symbols and scalar parameters only.
bool Analyzer::knownAtEntry(const shape::Expr &e) {
  for (const std::string &name : e.names()) {
    Entity *entity = names.find(name);
    if (!entity || (entity->kind != Entity::Kind::Symbol && entity->kind != Entity::Kind::Scalar))
      return false;
  }
  return true;
}

/// The value each symbol of the callee has here; false after a report.
bool Analyzer::unify(const CallSite &site, const Vals &args, Symbols &symbols) {
  for (const SymbolInfo &symbol : site.callee->symbols) {
    const Val &arg = args[symbol.param];
    const ParamInfo &param = site.callee->params[symbol.param];
    if (!symbol.axis) {
      Value value = arg.isArray() ? Value() : emit.index(arg, "'" + param.name() + "'");
      if (!value) {
        if (arg.isArray())
          diags.report(diag::arrayForScalar, arg.range, arg.arrayType().shapeText());
        return false;
      }
      symbols[symbol.name] = exprs->toExpr(value);
      continue;
    }
    if (!arg.isArray() || arg.arrayType().rank() != static_cast<int64_t>(param.extents.size())) {
      diags
          .report(diag::argumentShape, arg.range, param.name(), site.callee->name(),
                  shapeText(param.extents),
                  arg.isArray() ? shapeText(arg.arrayType().extents()) : "<>")
          .note(param.ast->range, "'" + param.name() + "' is declared here");
      return false;
    }
    symbols[symbol.name] = arg.arrayType().extents()[*symbol.axis];
  }
  return true;
}

/// Says which argument has given the symbols of the shape that is wanted their values.
void Analyzer::reportArgumentShape(const CallSite &site, const Vals &args, unsigned at,
                                   const std::vector<shape::Expr> &wanted,
                                   const std::vector<shape::Expr> &found) {
  const ParamInfo &param = site.callee->params[at];
  auto report = diags.report(diag::argumentShape, args[at].range, param.name(),
                             site.callee->name(), shapeText(wanted), shapeText(found));
  report.note(param.ast->range, "'" + param.name() + "' has shape " + shapeText(param.extents));
  if (wanted.size() != found.size())
    return;
  unsigned axis = 0;
  while (same(wanted[axis], found[axis]))
    ++axis;
  for (const std::string &name : param.extents[axis].names())
    if (const SymbolInfo *symbol = site.callee->symbol(name); symbol && symbol->axis)
      report.note(args[symbol->param].range,
                  name + " of '" + site.callee->name() + "' is " +
                      args[symbol->param].extents()[*symbol->axis].str() + " here");
  helpEqual(report, wanted[axis], found[axis]);
}

bool Analyzer::checkArguments(const CallSite &site, const Vals &args, const Symbols &symbols) {
  bool good = true;
  for (unsigned i = 0; i < args.size(); ++i) {
    const ParamInfo &param = site.callee->params[i];
    if (!param.isArray())
      continue;
    std::vector<shape::Expr> wanted = substitute(param.extents, symbols), found;
    if (args[i].isArray())
      found = args[i].arrayType().extents();
    bool equal = wanted.size() == found.size();
    for (unsigned axis = 0; equal && axis < found.size(); ++axis)
      equal = wanted[axis] == found[axis] || ranges->entry.proveEqual(wanted[axis], found[axis]);
    mlir::Type type = emit.type(param.ast->type.type);
    if (!equal) {
      reportArgumentShape(site, args, i, wanted, found);
      good = false;
    } else if (args[i].arrayType().getElementType() != type) {
      diags
          .report(diag::argumentType, args[i].range, param.name(), site.callee->name(),
                  moa::typeName(type), moa::typeName(args[i].arrayType().getElementType()))
          .note(param.ast->range, "'" + param.name() + "' is declared here")
          .help("write `" + moa::typeName(type) + "(" + emit.code(args[i].range) + ")`");
      good = false;
    }
  }
  return good;
}

/// Weak arrays take the parameter's element type; what is computed at the call is stored once.
void Analyzer::convertArguments(const CallSite &site, Vals &args) {
  for (unsigned i = 0; i < args.size(); ++i) {
    Val &arg = args[i];
    mlir::Type type = emit.type(site.callee->params[i].ast->type.type);
    bool weak = arg.isArray() && (arg.weakFloats || arg.scalarType().isIndex());
    if (weak && site.callee->params[i].isArray() && !type.isInteger(1) &&
        (!arg.weakFloats || isa<FloatType>(type)))
      arg = withElements(arg, type, {Kind::Typed, moa::valueType(type)});
    arg = stored(arg);
  }
}

/// Operands of the call in the order of the callee's block arguments; empty after a report.
std::optional<SmallVector<Value>> Analyzer::callOperands(const CallSite &site, const Vals &args,
                                                         const Symbols &symbols) {
  SmallVector<Value> operands;
  for (const SymbolInfo &symbol : site.callee->symbols)
    operands.push_back(symbol.axis ? extentValue(symbols.at(symbol.name), site.range)
                                   : emit.index(args[symbol.param], symbol.name));
  for (bool arrays : {false, true})
    for (unsigned i = 0; i < args.size(); ++i) {
      const ParamInfo &param = site.callee->params[i];
      if (param.isSymbol || param.isArray() != arrays)
        continue;
      if (arrays) {
        operands.push_back(args[i].ir);
        continue;
      }
      mlir::Type type = emit.type(param.ast->type.type);
      Value value;
      if (args[i].isArray())
        diags.report(diag::arrayForScalar, args[i].range, args[i].arrayType().shapeText());
      else if (type.isSignlessInteger(64))
        value = emit.index(args[i], "'" + param.name() + "'");
      else if ((value = emit.store(args[i], type, args[i].range, param.name())))
        value = emit.convert(value, type, args[i].range);
      if (!value)
        return std::nullopt;
      operands.push_back(value);
    }
  return operands;
}

Analyzer::Vals Analyzer::visitAll(const std::vector<ast::ExprPtr> &exprs) {
  Vals values;
  for (const ast::ExprPtr &expr : exprs)
    values.push_back(visit(*expr));
  return values;
}

/// An array that is read several times: what is not stored yet becomes a value of its own.
Val Analyzer::stored(const Val &array) {
  if (!array.isArray() || llvm::isa<BlockArgument>(array.ir) ||
      llvm::isa<moa::GenOp, moa::PsiOp, moa::CallOp>(array.ir.getDefiningOp()))
    return array;
  Val result = generate(array.extents(), array.range,
                        [&](ArrayRef<Value> index) { return element(array, index, array.range); });
  result.weakFloats = array.weakFloats;
  return result;
}

std::optional<Analyzer::Vals> Analyzer::callKernel(const CallSite &site, Vals args,
                                                   const std::string &prefix) {
  const KernelInfo &callee = *site.callee;
  bool good = callee.valid;
  for (const Val &arg : args)
    good &= !arg.poison();
  if (args.size() != callee.params.size() && callee.valid) {
    diags
        .report(diag::argumentCount, site.range, callee.name(),
                countText(callee.params.size(), "argument"), args.size())
        .note(callee.ast->name.range, "'" + callee.name() + "' is declared here");
    good = false;
  }
  Symbols symbols;
  if (good)
    convertArguments(site, args);
  if (!good || !unify(site, args, symbols) || !checkArguments(site, args, symbols))
    return std::nullopt;
  auto operands = callOperands(site, args, symbols);
  if (!operands || !checkConditions(site, args, symbols))
    return std::nullopt;
  SmallVector<mlir::Type> types;
  for (const ParamInfo &result : callee.results) {
    std::vector<shape::Expr> extents = substitute(result.extents, symbols);
    for (const shape::Expr &extent : extents)
      if (!isExtent(extent)) {
        diags.report(diag::raggedCall, site.range, result.name(), callee.name(),
                     moa::IndexExprs::display(extent));
        return std::nullopt;
      }
    types.push_back(arrayType(result, extents));
  }
  auto op =
      moa::CallOp::create(emit.b, emit.loc(site.range), types, callee.name(), *operands, prefix);
  Vals results;
  for (Value result : op.getResults())
    results.push_back({Kind::Array, result, {}, {}, site.range});
  return results;
}

/// Whether an expression may be an extent of an array type: symbols only.
bool Analyzer::isExtent(const shape::Expr &e) {
  for (const std::string &name : e.names())
    if (!info.symbol(name))
      return false;
  return !e.poisoned();
}

bool Analyzer::checkConditions(const CallSite &site, const Vals &args, const Symbols &symbols) {
  bool good = true;
  for (const ast::ExprPtr &constraint : site.callee->ast->constraints)
    good &= calleeConstraint(site, *constraint, args, symbols);
  for (Demand need : demands[site.callee->name()]) {
    need.value = need.value.substitute(symbols);
    need.others = substitute(need.others, symbols);
    bool known = knownAtEntry(need.value);
    for (const shape::Expr &other : need.others)
      known &= knownAtEntry(other);
    std::string zero = need.fn == moa::ScalarFn::gt_   ? " > 0"
                       : need.fn == moa::ScalarFn::ge_ ? " >= 0"
                       : need.fn == moa::ScalarFn::eq_ ? " == 0"
                                                       : " != 0";
    std::string text = moa::IndexExprs::display(need.value) + zero;
    if (known)
      demand(need, text, site.range);
    else if (!holds(need))
      judgeLater([&] { return conditionOf(need, site.range); }, site, text);
  }
  return good;
}

/// Leaves a condition to be judged with the definition. It is built aside: it is not evaluated.
void Analyzer::judgeLater(const std::function<Value()> &build, const CallSite &site,
                          const std::string &text) {
  OpBuilder::InsertionGuard keep(emit.b);
  auto block = std::make_unique<Block>();
  emit.b.setInsertionPointToEnd(block.get());
  ranges->addCondition(build(), site.range, text, site.callee->name());
  discard(std::move(block));
}

/// One constraint of the callee with this call's values: known at entry, or judged with the
/// definition.
bool Analyzer::calleeConstraint(const CallSite &site, const ast::Expr &constraint, const Vals &args,
                                const Symbols &symbols) {
  Scope inner(diags);
  bool entry = true;
  auto block = std::make_unique<Block>();
  OpBuilder::InsertionGuard keep(emit.b);
  emit.b.setInsertionPointToEnd(block.get());
  for (auto &[name, value] : symbols) {
    entry &= knownAtEntry(value);
    Value built = extentValue(value, site.range);
    inner.declare({name, site.range}, {Entity::Kind::Symbol, site.range,
                                       emit.scalarOf(built, site.range), nullptr, true});
  }
  for (unsigned i = 0; i < args.size(); ++i) {
    const ParamInfo &param = site.callee->params[i];
    if (param.isArray() || param.isSymbol)
      continue;
    Value value = args[i].ir;
    auto constantOp = value.getDefiningOp<moa::ConstantOp>();
    if (constantOp)
      value = emit.b.clone(*constantOp)->getResult(0);
    else if (value.getType().isIndex())
      entry &= knownAtEntry(exprs->toExpr(value));
    else
      entry &=
          isa<BlockArgument>(value) && cast<BlockArgument>(value).getOwner() == &kernel.entry();
    if (value.getType().isIndex())
      value = extentValue(exprs->toExpr(value), site.range);
    inner.declare(param.ast->name, {Entity::Kind::Scalar, param.ast->range,
                                    emit.scalarOf(value, site.range), nullptr, true});
  }
  Scope *outer = std::exchange(scope, &inner);
  Val condition = visit(constraint);
  scope = outer;
  if (!condition.isBool() || ranges->proves(condition.ir)) {
    discard(std::move(block));
    return true; // a condition that is wrong in itself is the callee's error
  }
  std::string text = emit.text(constraint.range);
  if (!entry) {
    ranges->addCondition(condition.ir, site.range, text, site.callee->name());
    discard(std::move(block));
    return true;
  }
  atEntry([&] {
    emit.b.getInsertionBlock()->getOperations().splice(emit.b.getInsertionPoint(),
                                                       block->getOperations());
    require(condition.ir, "constraint", text, site.range);
  });
  ranges->assumeEntry(condition.ir);
  return true;
}

Val Analyzer::kernelInExpression(const ast::Call &expr, const KernelInfo &callee) {
  return oneResult({&callee, expr.callee.range, expr.range}, visitAll(expr.args));
}

/// The value of a kernel with one result.
Val Analyzer::oneResult(const CallSite &site, const Vals &args) {
  if (scope != &names) {
    diags.report(diag::kernelInFn, site.name, site.callee->name())
        .help("a fn is built from scalar functions");
    return poison();
  }
  auto results = callKernel(site, args, freshName());
  if (!results)
    return poison();
  if (results->size() != 1) {
    diags
        .report(diag::resultCount, site.range, site.callee->name(),
                countText(results->size(), "result"), "1 is")
        .help(nameAll(*site.callee));
    return poison();
  }
  return made(results->front().ir, site.range, false);
}

void Analyzer::defineMany(const ast::DefineMany &define) {
  auto fail = [&] {
    for (const ast::Name &target : define.targets)
      declareValue(target, poison());
  };
  auto kernel = items.kernels.find(define.callee.text);
  if (kernel == items.kernels.end()) {
    unknownFunction(define.callee.text, define.callee.range, items.names());
    return fail();
  }
  defining = define.targets.front().text;
  defineByCall(define.targets, {&kernel->second, define.callee.range, define.callRange},
               define.args, define.range);
}

/// `Z = k(X)` and `(m, v) = stats(x)`: the call's results carry the names.
void Analyzer::defineByCall(const std::vector<ast::Name> &targets, const CallSite &site,
                            const std::vector<ast::ExprPtr> &args, SourceRange at) {
  std::string prefix;
  SmallVector<Attribute> nameAttrs;
  for (const ast::Name &target : targets) {
    prefix += (prefix.empty() ? "" : "_") + target.text;
    nameAttrs.push_back(emit.b.getStringAttr(target.text));
  }
  auto results = callKernel(site, visitAll(args), prefix);
  ranges->settle();
  if (results && results->size() != targets.size()) {
    diags
        .report(diag::resultCount, at, site.callee->name(), countText(results->size(), "result"),
                std::to_string(targets.size()) + (targets.size() == 1 ? " is" : " are"))
        .note(site.callee->ast->headRange, "'" + site.callee->name() + "' is declared here")
        .help(nameAll(*site.callee));
    results.reset();
  }
  if (results)
    results->front().ir.getDefiningOp()->setAttr("result_names", emit.b.getArrayAttr(nameAttrs));
  for (unsigned i = 0; i < targets.size(); ++i) {
    Val value = results ? (*results)[i] : poison();
    const ParamInfo *declared = resultNamed(targets[i].text);
    if (declared && !value.poison() && value.ir.getType() != mlir::Type(arrayType(*declared)))
      value = sameShape(value, *declared, site.range)
                  ? copyArray(value, targets[i].text, arrayType(*declared), at)
                  : poison();
    declareValue(targets[i], value);
  }
}

} // namespace moac::sema
