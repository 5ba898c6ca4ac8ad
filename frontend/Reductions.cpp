// Reductions with bound indices: sum[k](e), max[i, j < i](e), red[f, k](e). See Analyzer.h.
//
// The term is translated first, in a block whose arguments are the indices; an index without a
// bound gets its extent from the term's subscripts afterwards. Bounds are regions of their own that
// see the earlier indices.
#include "frontend/Analyzer.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;

namespace {
std::string redKindOf(Word word) {
  switch (word) {
  case Word::Sum:
    return "add";
  case Word::Prod:
    return "mul";
  case Word::Max:
    return "max";
  case Word::Min:
    return "min";
  case Word::Any:
    return "any";
  case Word::All:
    return "all";
  case Word::Argmax:
    return "argmax";
  case Word::Argmin:
    return "argmin";
  default:
    return "";
  }
}
} // namespace

std::optional<Analyzer::RedKind> Analyzer::redKind(const ast::FnRef &fn) {
  using FnKind = ast::FnRef::Kind;
  if (fn.kind == FnKind::WordName) {
    if (std::string kind = redKindOf(fn.word); !kind.empty())
      return RedKind{kind, nullptr, std::nullopt};
  } else if (fn.kind == FnKind::Symbol) {
    switch (fn.op) {
    case ast::Op::Add:
      return RedKind{"add", nullptr, std::nullopt};
    case ast::Op::Mul:
      return RedKind{"mul", nullptr, std::nullopt};
    case ast::Op::And:
      return RedKind{"all", nullptr, std::nullopt};
    case ast::Op::Or:
      return RedKind{"any", nullptr, std::nullopt};
    case ast::Op::Sub:
      return RedKind{"fold", &fn, 0.0};
    case ast::Op::Div:
      return RedKind{"fold", &fn, 1.0};
    default:
      return RedKind{"fold", &fn, std::nullopt};
    }
  } else if (fn.kind == FnKind::FuncName ||
             (fn.kind == FnKind::UserName && items.fns.count(fn.name))) {
    if (!checkArity(fn, 2, fn.range))
      return std::nullopt;
    return RedKind{"fold", &fn, std::nullopt};
  } else if (fn.kind == FnKind::UserName && !items.kernels.count(fn.name)) {
    unknownFunction(fn.name, fn.range, items.callables());
    return std::nullopt;
  }
  diags.report(diag::notAScalarFunction, fn.range, emit.text(fn.range));
  return std::nullopt;
}

/// Binds the indices and translates the bounds that are given.
bool Analyzer::bind(const ast::Reduce &expr, Block &term, std::vector<Bound> &bounds) {
  bool good = true;
  for (unsigned i = 0; i < expr.binds.size(); ++i) {
    const ast::Bind &bind = expr.binds[i];
    Bound bound;
    bound.domain = std::make_unique<Block>();
    Value arg = term.addArgument(emit.b.getIndexType(), emit.loc(bind.name.range));
    bound.info = &ranges->newIndex(bind.name, arg);
    bound.info->bind = &bind;
    bounds.push_back(std::move(bound));
    if (bind.hi)
      good &= bindDomain(bind, i, bounds);
    scope->bindIndex(bind.name, *bounds.back().info);
    ranges->enterIndex(*bounds.back().info);
  }
  return good;
}

/// Translates `lo..hi` in a block whose arguments stand for the earlier indices.
bool Analyzer::bindDomain(const ast::Bind &bind, unsigned position, std::vector<Bound> &bounds) {
  OpBuilder::InsertionGuard keep(emit.b);
  Bound &bound = bounds.back();
  Block &block = *bound.domain;
  std::vector<Value> outside;
  for (unsigned k = 0; k < position; ++k) {
    IndexInfo &earlier = *bounds[k].info;
    outside.push_back(earlier.arg);
    earlier.arg = block.addArgument(emit.b.getIndexType(), emit.loc(earlier.name.range));
    exprs->alias(earlier.arg, earlier.algebraName);
  }
  emit.b.setInsertionPointToEnd(&block);
  Value lo = bind.lo ? emit.index(visit(*bind.lo), "a bound")
                     : emit.intConstant(emit.b.getIndexType(), 0, bind.range);
  Value hi = emit.index(visit(*bind.hi), "a bound");
  for (unsigned k = 0; k < position; ++k)
    bounds[k].info->arg = outside[k];
  if (!lo || !hi) {
    bound.info->tainted = true;
    return false;
  }
  moa::YieldOp::create(emit.b, emit.loc(bind.range), ValueRange{lo, hi});
  bound.info->source = IndexInfo::Source::Explicit;
  bound.info->lo = exprs->toExpr(lo);
  bound.info->hi = exprs->toExpr(hi);
  return true;
}

/// Gives the indices without bounds their extents.
bool Analyzer::finishDomains(const ast::Reduce &expr, std::vector<Bound> &bounds) {
  bool good = true;
  for (unsigned i = 0; i < bounds.size(); ++i) {
    Bound &bound = bounds[i];
    const std::string &name = bound.info->name.text;
    if (!bound.domain->empty())
      continue;
    if (!ranges->resolve(*bound.info,
                         "bound it, `" + name + " < n`, or let it stand alone as a subscript")) {
      good = false;
      continue;
    }
    for (unsigned k = 0; k < i; ++k)
      bound.domain->addArgument(emit.b.getIndexType(), emit.loc(bounds[k].info->name.range));
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(bound.domain.get());
    SourceRange at = expr.binds[i].range;
    Value lo = emit.intConstant(emit.b.getIndexType(), 0, at),
          hi = extentValue(*bound.info->hi, at);
    moa::YieldOp::create(emit.b, emit.loc(at), ValueRange{lo, hi});
  }
  return good;
}

/// The term where its indices are bound; `good` becomes false when one of them is not.
Val Analyzer::boundTerm(const ast::Reduce &expr, Block &term, std::vector<Bound> &bounds,
                        bool &good) {
  bool along = !expr.isRed && isSoftmax(expr.fn);
  good &= along ? bindAlong(expr, term, bounds) : bind(expr, term, bounds);
  Val value;
  {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(&term);
    value = visit(*expr.body);
  }
  for (unsigned i = bounds.size(); i-- > 0;) {
    ranges->leave();
    scope->release(expr.binds[i].name.text);
  }
  return value;
}

Val Analyzer::reduce(const ast::Reduce &expr) {
  if (!expr.isRed && isFormula(expr.fn))
    return formula(expr);
  std::optional<RedKind> kind = redKind(expr.fn);
  auto term = std::make_unique<Block>();
  std::vector<Bound> bounds;
  bool good = true;
  Val value = boundTerm(expr, *term, bounds, good);
  good = !value.poison() && kind && finishDomains(expr, bounds) && good &&
         checkRedTerm(*kind, value, emit.text(expr.fn.range), expr.body->range);
  if (good)
    return finishRed(expr, *kind, std::move(term), std::move(bounds), value);
  discard(std::move(term), bounds);
  return poison();
}

void Analyzer::discard(std::unique_ptr<Block> term, std::vector<Bound> &bounds) {
  discard(std::move(term));
  for (Bound &bound : bounds)
    discard(std::move(bound.domain));
}

bool Analyzer::checkRedTerm(const RedKind &kind, const Val &value, std::string_view word,
                            SourceRange at) {
  if (value.isArray()) {
    diags.report(diag::arrayForScalar, at, value.arrayType().shapeText())
        .help("subscript every axis, or reduce the rest too");
    return false;
  }
  std::string what = "'" + std::string(word) + "'";
  if (kind.kind == "any" || kind.kind == "all")
    return isBool(value, what);
  if (kind.kind != "fold" && value.isBool()) {
    diags.report(diag::boolArithmetic, at, what)
        .help("`where(" + emit.code(at) + ", 1, 0)` makes a number of it");
    return false;
  }
  return true;
}

/// The type in which the reduction accumulates.
std::optional<Meeting> Analyzer::accumulator(const ast::Reduce &expr, const RedKind &kind,
                                             const Val &value) {
  Meeting own{value.kind, value.ir.getType()};
  if (!expr.accumulator)
    return own;
  SourceRange at = expr.accumulator->range;
  mlir::Type type = emit.type(expr.accumulator->type);
  bool sameClass = isa<FloatType>(type) == isa<FloatType>(own.type);
  if (moa::valueType(type) != type || type.isInteger(1) || !sameClass || kind.kind == "any" ||
      kind.kind == "all" || kind.kind == "argmax" || kind.kind == "argmin") {
    diags.report(diag::badAccumulator, at, moa::typeName(type), emit.describe(value))
        .help(isa<FloatType>(own.type) ? "f32 and f64 accumulate floats"
                                       : "i32, i64, u32 and u64 accumulate integers");
    return std::nullopt;
  }
  return Meeting{Kind::Typed, type};
}

TypedAttr Analyzer::identityOf(const RedKind &kind, mlir::Type type) {
  if (!kind.identity)
    return {};
  if (isa<FloatType>(type))
    return emit.b.getFloatAttr(type, *kind.identity);
  return IntegerAttr::get(type, static_cast<int64_t>(*kind.identity));
}

Val Analyzer::finishRed(const ast::Reduce &expr, const RedKind &kind, std::unique_ptr<Block> term,
                        std::vector<Bound> bounds, Val value) {
  std::optional<Meeting> type = accumulator(expr, kind, value);
  std::unique_ptr<Block> combine;
  if (type && kind.fold)
    combine = combineBlock(*kind.fold, *type, expr.range);
  if (!type || (kind.fold && !combine)) {
    discard(std::move(term), bounds);
    return poison();
  }
  if (kind.fold && !kind.identity)
    requireNonEmpty(expr, bounds);
  {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(term.get());
    Value yielded = emit.convert(value.ir, type->type, value.range);
    moa::YieldOp::create(emit.b, emit.loc(value.range), yielded);
  }
  bool arg = kind.kind == "argmax" || kind.kind == "argmin";
  TypedAttr identity = identityOf(kind, type->type);
  mlir::Type resultType = arg ? mlir::Type(emit.b.getIndexType()) : type->type;
  Value result = makeRed(kind.kind, resultType, identity, std::move(term), std::move(bounds),
                         std::move(combine), expr.range);
  if (arg)
    return emit.scalarOf(result, expr.range);
  return emit.make({value.kind, value.ir.getType()},
                   emit.convert(result, value.ir.getType(), expr.range), expr.range);
}

/// The region of `red[f, ..]`: f(term, accumulator), which must give the accumulator's type again.
std::unique_ptr<Block> Analyzer::combineBlock(const ast::FnRef &fn, const Meeting &type,
                                              SourceRange at) {
  OpBuilder::InsertionGuard keep(emit.b);
  auto block = std::make_unique<Block>();
  Vals args;
  for (const char *name : {"term", "rest"}) {
    Value arg = block->addArgument(type.type, emit.loc(at));
    if (type.type.isIndex())
      exprs->claim(name, arg);
    args.push_back({type.kind, arg, {}, {}, fn.range});
  }
  emit.b.setInsertionPointToEnd(block.get());
  Val result = applyScalar(fn, args, at);
  if (!result.poison() && result.ir.getType() != type.type) {
    if (result.weak() && (result.kind == type.kind || type.kind == Kind::Typed) &&
        isa<FloatType>(result.ir.getType()) == isa<FloatType>(type.type)) {
      result.ir = emit.convert(result.ir, type.type, at);
    } else {
      diags.report(diag::foldType, fn.range, emit.text(fn.range),
                   type.kind == Kind::Typed ? moa::typeName(type.type) : "integer",
                   emit.describe(result));
      result = poison();
    }
  }
  if (result.poison()) {
    discard(std::move(block));
    return nullptr;
  }
  moa::YieldOp::create(emit.b, emit.loc(at), result.ir);
  return block;
}

Value Analyzer::makeRed(std::string_view kind, mlir::Type type, TypedAttr identity,
                        std::unique_ptr<Block> term, std::vector<Bound> bounds,
                        std::unique_ptr<Block> combine, SourceRange at) {
  SmallVector<Attribute> names;
  for (const Bound &bound : bounds)
    names.push_back(emit.b.getStringAttr(bound.info->name.text));
  unsigned regions = bounds.size() + (combine ? 2 : 1);
  auto op =
      moa::RedOp::create(emit.b, emit.loc(at), type, emit.b.getStringAttr(llvm::StringRef(kind)),
                         emit.b.getArrayAttr(names), identity, regions);
  for (unsigned i = 0; i < bounds.size(); ++i)
    op.getParts()[i].push_back(bounds[i].domain.release());
  op.getParts()[bounds.size()].push_back(term.release());
  if (combine)
    op.getParts()[bounds.size() + 1].push_back(combine.release());
  return op.getResult();
}

/// A fold by a function without identity needs a term. Over symbols that is required at entry,
/// otherwise it must follow from the bounds.
void Analyzer::requireNonEmpty(const ast::Reduce &expr, const std::vector<Bound> &bounds) {
  for (unsigned i = 0; i < bounds.size(); ++i) {
    shape::Expr extent = *bounds[i].info->hi - *bounds[i].info->lo;
    ranges->addNonEmpty(extent, {}, expr.binds[i].range, emit.text(expr.fn.range));
  }
}

} // namespace moac::sema
