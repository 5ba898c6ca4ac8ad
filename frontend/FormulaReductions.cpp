// Reductions with bound indices that are formulas: mean[k](e), logsumexp[k](e), softmax[k](e).
//
//     mean[k](e)       sum[k](e) / n
//     logsumexp[k](e)  m + log(sum[k](exp(e - m)))            m = max[k](e)
//     softmax[k](e)    exp(e - m) / sum[q](exp(e[q] - m))     for a k that is bound around it
//
// They are expanded here into what one would write by hand, so that whatever follows sees no
// difference. All but the mean need the term several times. Where its indices run over extents it
// is an array without a name, as if `E[k] = e` had been defined before. Where bounds depend on
// other indices or on data no such array exists, and the term is translated again for each use.
#include "frontend/Analyzer.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;
using moa::ScalarFn;

bool Analyzer::isSoftmax(const ast::FnRef &fn) {
  return fn.kind == ast::FnRef::Kind::WordName && fn.word == Word::Softmax;
}

bool Analyzer::isFormula(const ast::FnRef &fn) {
  return isSoftmax(fn) || (fn.kind == ast::FnRef::Kind::WordName &&
                           (fn.word == Word::Mean || fn.word == Word::Logsumexp));
}

Val Analyzer::formula(const ast::Reduce &expr) {
  if (isSoftmax(expr.fn) && !checkAlong(expr))
    return poison();
  std::optional<Terms> terms = termsOf(expr);
  if (!terms)
    return poison();
  Value result = expr.fn.word == Word::Mean ? meanOf(*terms) : exponentials(*terms);
  if (!result)
    return poison();
  return emit.make(terms->own, emit.convert(result, terms->own.type, expr.range), expr.range);
}

Value Analyzer::meanOf(Terms &terms) {
  SourceRange at = terms.expr.range;
  std::optional<shape::Expr> known = knownCount(terms);
  Value count = known ? extentValue(*known, at) : recount(terms);
  Value sum = reduceTerms(terms, "add", terms.type.type, [](Value term) { return term; });
  return emit.op(ScalarFn::div_, {sum, emit.convert(count, terms.type.type, at)}, at);
}

/// logsumexp and softmax.
Value Analyzer::exponentials(Terms &terms) {
  SourceRange at = terms.expr.range;
  mlir::Type type = terms.type.type;
  Value m = reduceTerms(terms, "max", type, [](Value term) { return term; });
  auto sum = [&] {
    return reduceTerms(terms, "add", type, [&](Value term) { return shifted(term, m, at); });
  };
  return isSoftmax(terms.expr.fn) ? shareOfSum(
                                        m, [&] { return ownTerm(terms); }, sum, at)
                                        .ir
                                  : logOfSum(m, sum, at).ir;
}

/// Each index of a softmax is one that is bound around it; its bounds stand there.
bool Analyzer::checkAlong(const ast::Reduce &expr) {
  bool good = true;
  for (const ast::Bind &bind : expr.binds) {
    const std::string &name = bind.name.text;
    Entity *entity = scope->find(name);
    bool bound = entity && entity->kind == Entity::Kind::Index;
    bool twice = llvm::any_of(expr.binds, [&](const ast::Bind &other) {
      return &other < &bind && other.name.text == name;
    });
    if (twice)
      diags.report(diag::duplicateName, bind.name.range, name).help("name each index once");
    else if (!bound)
      diags.report(diag::softmaxIndex, bind.name.range, name);
    else if (bind.hi)
      diags.report(diag::softmaxBounds, bind.range, name)
          .note(entity->declared, "'" + name + "' is bound here");
    good &= bound && !bind.hi && !twice;
  }
  return good;
}

/// Binds the indices of a softmax a second time, with the bounds they have around it.
bool Analyzer::bindAlong(const ast::Reduce &expr, Block &term, std::vector<Bound> &bounds) {
  bool good = true;
  for (unsigned i = 0; i < expr.binds.size(); ++i) {
    const ast::Name &name = expr.binds[i].name;
    const IndexInfo &around = *scope->find(name.text)->index;
    Value arg = term.addArgument(emit.b.getIndexType(), emit.loc(name.range));
    IndexInfo &index = ranges->newIndex(name, arg);
    Bound &bound = bounds.emplace_back();
    bound.info = &index;
    bound.domain = std::make_unique<Block>();
    index.bind = around.bind;
    if (around.bind && around.bind->hi)
      good &= bindDomain(*around.bind, i, bounds);
    else if (around.hi)
      index.source = around.source, index.lo = around.lo, index.hi = around.hi;
    scope->rebindIndex(name, index);
    ranges->enterIndex(index);
  }
  return good;
}

/// An index without bounds of its own around a softmax has to get the extent that it has inside.
void Analyzer::agreeAlong(const ast::Reduce &expr, const std::vector<Bound> &bounds) {
  for (unsigned i = 0; i < bounds.size(); ++i) {
    IndexInfo &around = *scope->find(expr.binds[i].name.text)->index;
    if (!around.hi)
      for (IndexInfo::Use use : bounds[i].info->uses)
        if (use.extent == *bounds[i].info->hi) {
          use.guarded = false;
          around.uses.push_back(use);
          break;
        }
  }
}

std::optional<Analyzer::Terms> Analyzer::termsOf(const ast::Reduce &expr) {
  auto term = std::make_unique<Block>();
  std::vector<Bound> bounds;
  bool good = true;
  Val value = boundTerm(expr, *term, bounds, good);
  std::string found = value.isScalar() ? emit.describe(value) : "";
  good = !value.poison() && finishDomains(expr, bounds) && good &&
         checkRedTerm({"add", nullptr, std::nullopt}, value, spelling(expr.fn.word),
                      expr.body->range) &&
         checkWordScalar(expr.fn.word, value.ir.getType(), found, expr.body->range);
  std::optional<Meeting> type;
  if (good)
    type = accumulator(expr, {"add", nullptr, std::nullopt}, value);
  if (!type) {
    discard(std::move(term), bounds);
    return std::nullopt;
  }
  if (isSoftmax(expr.fn))
    agreeAlong(expr, bounds);
  {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(term.get());
    Value yielded = emit.convert(value.ir, type->type, value.range);
    moa::YieldOp::create(emit.b, emit.loc(value.range), yielded);
  }
  Terms terms{expr, *type, {value.kind, value.ir.getType()}, poison()};
  if (expr.fn.word != Word::Mean)
    terms.array = arrayOfTerms(terms, term, bounds);
  if (!terms.array.poison())
    for (Bound &bound : bounds)
      discard(std::move(bound.domain));
  else
    terms.term = std::move(term), terms.bounds = std::move(bounds);
  return terms;
}

/// The array of the terms, where their indices run from 0 over extents.
Val Analyzer::arrayOfTerms(const Terms &terms, std::unique_ptr<Block> &term,
                           const std::vector<Bound> &bounds) {
  std::vector<shape::Expr> extents;
  std::vector<std::string> indices;
  for (const Bound &bound : bounds) {
    if (!(*bound.info->lo == shape::Expr(0)) || !isExtent(*bound.info->hi) ||
        !ranges->entry.proveNonNegative(*bound.info->hi))
      return poison();
    extents.push_back(*bound.info->hi);
    indices.push_back(bound.info->name.text);
  }
  auto type = moa::ArrayType::get(emit.b.getContext(), extents, terms.type.type);
  Val array = makeGen(freshName("term"), indices, type, std::move(term), terms.expr.body->range);
  array.ir.getDefiningOp()->setAttr("anonymous", emit.b.getUnitAttr());
  return array;
}

/// A reduction of what `map` makes of the terms.
Value Analyzer::reduceTerms(Terms &terms, std::string_view kind, mlir::Type type, MapTerm map) {
  SourceRange at = terms.expr.range;
  if (!terms.array.poison())
    return simpleRed(kind, type, terms.array.extents(), at, [&](ArrayRef<Value> index) {
      return map(element(terms.array, index, at).ir);
    });
  auto term = std::move(terms.term); // the first use takes the term itself
  std::vector<Bound> bounds = std::move(terms.bounds);
  if (!term) {
    bounds.clear();
    term = std::make_unique<Block>();
    bool good = true;
    Val value = boundTerm(terms.expr, *term, bounds, good);
    if (value.poison() || !finishDomains(terms.expr, bounds) || !good) {
      discard(std::move(term), bounds);
      return {};
    }
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(term.get());
    Value yielded = emit.convert(value.ir, terms.type.type, value.range);
    moa::YieldOp::create(emit.b, emit.loc(at), map(yielded));
  }
  return makeRed(kind, type, {}, std::move(term), std::move(bounds), nullptr, at);
}

/// The term at the indices around a softmax.
Value Analyzer::ownTerm(Terms &terms) {
  if (terms.array.poison()) {
    Val value = visit(*terms.expr.body);
    return value.poison() ? Value() : emit.convert(value.ir, terms.type.type, value.range);
  }
  SmallVector<Value> index;
  for (const ast::Bind &bind : terms.expr.binds)
    index.push_back(scope->find(bind.name.text)->index->arg);
  return element(terms.array, index, terms.expr.range).ir;
}

/// How many terms there are, where that follows from what is known around the reduction.
std::optional<shape::Expr> Analyzer::knownCount(const Terms &terms) {
  auto isInside = [&](Value value) {
    for (Block *block = value.getParentBlock(); block;) {
      if (block == terms.term.get() || llvm::any_of(terms.bounds, [&](const Bound &bound) {
            return bound.domain.get() == block;
          }))
        return true;
      Operation *parent = block->getParentOp();
      block = parent ? parent->getBlock() : nullptr;
    }
    return false;
  };
  shape::Expr count = 1;
  for (const Bound &bound : terms.bounds) {
    shape::Expr length = *bound.info->hi - *bound.info->lo;
    for (const std::string &name : length.names())
      if (Value value = exprs->valueOf(name); !value || isInside(value))
        return std::nullopt;
    count = count * shape::max(length, shape::Expr(0));
  }
  return count.poisoned() ? std::nullopt : std::optional(count);
}

/// The number of terms, counted.
Value Analyzer::recount(const Terms &terms) {
  const ast::Reduce &expr = terms.expr;
  auto term = std::make_unique<Block>();
  std::vector<Bound> bounds;
  bind(expr, *term, bounds);
  for (unsigned i = bounds.size(); i-- > 0;) {
    ranges->leave();
    scope->release(expr.binds[i].name.text);
    if (bounds[i].domain->empty())
      bounds[i].info->lo = terms.bounds[i].info->lo, bounds[i].info->hi = terms.bounds[i].info->hi;
  }
  finishDomains(expr, bounds);
  {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(term.get());
    Value one = emit.intConstant(emit.b.getIndexType(), 1, expr.range);
    moa::YieldOp::create(emit.b, emit.loc(expr.range), one);
  }
  return makeRed("add", emit.b.getIndexType(), {}, std::move(term), std::move(bounds), nullptr,
                 expr.range);
}

} // namespace moac::sema
