// The verdict on every read and division of a definition: proved, refuted or checked; see Ranges.h.
//
// Refuted means outside at every size at which the place is reached at all, so it is an error. What
// holds at some sizes only, or depends on data, stays a check at run time. Under a condition
// nothing is refuted: the condition may never hold.
#include "frontend/Ranges.h"

#include "ir/Presburger.h"

namespace moac::sema {

using shape::Expr;

void Ranges::settle() {
  for (const Read &read : reads)
    settle(read);
  for (const Division &division : divisions)
    settle(division);
  for (const NonEmpty &need : nonEmpty)
    settle(need);
  for (const Condition &condition : conditions)
    settle(condition);
  forget();
}

namespace {
/// Names of the kernel's own only: no index, no element of an array.
bool isSymbolic(const Expr &e, const std::set<std::string> &indexNames) {
  for (const std::string &name : e.names())
    if (indexNames.count(name) || name.find_first_of("[('") != name.npos)
      return false;
  return true;
}
} // namespace

/// Whether the subscript, or every element of the slice, lies in its axis.
bool Ranges::inRange(const Read &read, unsigned axis, const shape::Facts &facts) {
  const Axis &at = read.axes[axis];
  Expr subscript = exprs.toExpr(at.subscript), extent = read.array().extents()[axis];
  return provesNonNegative(facts, subscript) &&
         provesNonNegative(facts, extent - subscript - at.span.value_or(Expr(1)));
}

void Ranges::settle(const Read &read) {
  std::vector<Expr> extents = read.array().extents();
  const shape::Facts &facts = factsAt(read.context.get());
  bool guarded = read.context && read.context->guardDepth != 0;
  std::set<std::string> indexNames;
  for (const Context *c = read.context.get(); c; c = c->outer.get())
    if (c->index)
      indexNames.insert(c->index->algebraName);
  llvm::SmallVector<int64_t> checked;
  for (unsigned axis = 0; axis < read.axes.size(); ++axis) {
    if (inRange(read, axis, facts))
      continue;
    const IndexInfo *direct = read.axes[axis].direct;
    if (direct && !guarded && direct->source != IndexInfo::Source::Inferred && direct->hi &&
        isSymbolic(*direct->hi, indexNames) && isSymbolic(*direct->lo, indexNames)) {
      reportShort(read, axis, extents[axis]);
      continue;
    }
    bool slice = read.axes[axis].span.has_value();
    if (!guarded &&
        (slice ? refuteSlice(read, axis, facts)
               : refute(read, axis, exprs.toExpr(read.axes[axis].subscript), extents[axis], facts)))
      continue;
    checked.push_back(axis);
  }
  if (auto psi = llvm::dyn_cast<moa::PsiOp>(read.op))
    psi.setChecked(checked);
  else
    llvm::cast<moa::SliceOp>(read.op).setChecked(checked);
}

/// An index whose extent was given reads an axis that may be shorter.
void Ranges::reportShort(const Read &read, unsigned axis, const Expr &extent) {
  const IndexInfo &index = *read.axes[axis].direct;
  moa::ArrayType type = read.array();
  std::string lo = *index.lo == Expr(0) ? "" : index.lo->str() + "..";
  bool constant = factsAt(read.context.get()).provePositive(*index.hi - extent);
  auto report = emit.diags.report(diag::axisTooShort, read.axes[axis].range, index.name.text,
                                  "<" + lo + index.hi->str() + ">", axis, read.origin.text(),
                                  shapeText(type.extents()), constant ? "is" : "may be");
  report.note(index.name.range, "'" + index.name.text + "' is bound here");
  noteOrigin(report, read.origin, type);
  if (!constant)
    report.help("if it is always long enough, say so: `where " + index.hi->str() +
                " <= " + extent.str() + "`");
}

bool Ranges::refute(const Read &read, unsigned axis, const Expr &subscript, const Expr &extent,
                    const shape::Facts &facts) {
  std::optional<Expr> extreme = facts.attainedMax(subscript);
  bool above = extreme && facts.proveNonNegative(*extreme - extent);
  if (!above) {
    extreme = facts.attainedMin(subscript);
    if (!extreme || !facts.provePositive(-*extreme))
      return false;
  }
  moa::ArrayType type = read.array();
  auto report =
      emit.diags.report(diag::outOfRange, read.axes[axis].range,
                        moa::IndexExprs::display(subscript) +
                            (subscript.constant() ? " is"
                                                  : " reaches " +
                                                        moa::IndexExprs::display(*extreme) + ","),
                        extent.str(), axis, read.origin.text(), shapeText(type.extents()));
  noteOrigin(report, read.origin, type);
  if (std::string example = counterexample(read, subscript, extent); !example.empty())
    report.note(read.axes[axis].range, example);
  if (!subscript.constant())
    report.help(above ? "give the index a smaller extent, or guard the read with `where`"
                      : "subscripts start at 0; guard the read with `where`, or shift the index");
  else if (!above)
    report.help("subscripts start at 0; the last element is `" + (extent - Expr(1)).str() + "`");
  else if (extent.constant() && *extent.constant() > 0)
    report.help("subscripts start at 0; the last is " + (extent - Expr(1)).str());
  return true;
}

bool Ranges::refuteSlice(const Read &read, unsigned axis, const shape::Facts &facts) {
  Expr lo = exprs.toExpr(read.axes[axis].subscript), hi = lo + *read.axes[axis].span;
  moa::ArrayType type = read.array();
  Expr extent = type.extents()[axis];
  std::optional<Expr> extreme = facts.attainedMax(hi);
  if (!extreme || !facts.provePositive(*extreme - extent)) {
    extreme = facts.attainedMin(lo);
    if (!extreme || !facts.provePositive(-*extreme))
      return false;
  }
  auto report =
      emit.diags.report(diag::sliceOutside, read.axes[axis].range, moa::IndexExprs::display(lo),
                        moa::IndexExprs::display(hi), moa::IndexExprs::display(*extreme),
                        extent.str(), axis, read.origin.text(), shapeText(type.extents()));
  noteOrigin(report, read.origin, type);
  return true;
}

namespace {
/// Searches small sizes for a point of the domain at which a subscript leaves its axis.
struct PointSearch {
  std::vector<const IndexInfo *> indices; // outermost first
  const Expr &subscript, &extent;
  std::map<std::string, int64_t> values;
  unsigned budget = 20000;

  bool search(size_t depth) {
    if (budget == 0)
      return false;
    --budget;
    if (depth == indices.size()) {
      auto s = subscript.evaluate(values), n = extent.evaluate(values);
      return s && n && (*s < 0 || *s >= *n);
    }
    const IndexInfo &index = *indices[depth];
    auto lo = index.lo->evaluate(values), hi = index.hi->evaluate(values);
    if (!lo || !hi)
      return false;
    for (int64_t i = *lo; i < *hi; ++i) {
      values[index.algebraName] = i;
      if (search(depth + 1))
        return true;
    }
    return false;
  }
};
} // namespace

/// `for example N = 3, i = 2: subscript 3`, or empty when no small example is found or sizes are
/// constrained.
std::string Ranges::counterexample(const Read &read, const Expr &subscript, const Expr &extent) {
  PointSearch point{{}, subscript, extent, {}};
  std::set<std::string> symbols = subscript.names(), indexNames;
  symbols.merge(extent.names());
  for (const Context *c = read.context.get(); c; c = c->outer.get())
    if (c->index && c->index->hi) {
      point.indices.insert(point.indices.begin(), c->index);
      symbols.merge(c->index->lo->names());
      symbols.merge(c->index->hi->names());
      indexNames.insert(c->index->algebraName);
    }
  if (constrained)
    return "";
  for (int64_t size : {3, 1, 2, 4, 8}) {
    point.values.clear();
    for (const std::string &name : symbols)
      if (!indexNames.count(name))
        point.values[name] = size;
    if (!point.search(0))
      continue;
    std::string text = "for example";
    for (auto &[name, value] : point.values)
      if (symbols.count(name))
        text += (text.back() == 'e' ? " " : ", ") + moa::IndexExprs::display(Expr::name(name)) +
                " = " + std::to_string(value);
    int64_t at = subscript.evaluate(point.values).value_or(0),
            n = extent.evaluate(point.values).value_or(0);
    if (text.back() == 'e')
      return ""; // no size and no index decides
    return text + ": subscript " + std::to_string(at) + ", extent " + std::to_string(n);
  }
  return "";
}

bool Ranges::provesNonZero(const Expr &e, const shape::Facts &facts) {
  return facts.provePositive(e) || facts.provePositive(-e) || llvm::is_contained(nonZero, e);
}

void Ranges::settle(const Division &division) {
  moa::ScalarOp op = division.op;
  std::optional<Expr> divisor = exprs.toInteger(op.getOperand(1));
  if (!divisor || !provesNonZero(*divisor, factsAt(division.context.get())))
    op.setChecked(true);
}

void Ranges::settle(const NonEmpty &need) {
  if (factsAt(need.context.get()).provePositive(need.extent))
    return;
  std::set<std::string> indexNames;
  std::vector<Expr> others = need.others;
  for (const Context *c = need.context.get(); c; c = c->outer.get())
    if (c->index)
      indexNames.insert(c->index->algebraName);
  for (const Context *c = need.context.get(); c; c = c->outer.get())
    if (c->index && c->index->hi && isSymbolic(*c->index->hi - *c->index->lo, indexNames))
      others.push_back(*c->index->hi - *c->index->lo);
  if (isSymbolic(need.extent, indexNames) && !need.extent.constant()) {
    requireNonEmpty(need.extent, others, need.range);
    return;
  }
  emit.diags
      .report(diag::maybeEmpty, need.range, need.function, moa::IndexExprs::display(need.extent))
      .help("a reduction by a function without identity needs one term at least; give it a bound "
            "that is never empty");
}

void Ranges::settle(const Condition &condition) {
  if (!proves(condition.condition, true, factsAt(condition.context.get())))
    emit.diags.report(diag::unprovedConstraint, condition.range, condition.text, condition.callee)
        .help("its values depend on indices or data here; guard the call with `where`, or state a "
              "constraint that implies it");
}

/// Whether `condition` has the value `holds` in every case the facts allow.
bool Ranges::proves(mlir::Value condition, bool holds, const shape::Facts &facts) {
  using moa::ScalarFn;
  auto op = condition.getDefiningOp<moa::ScalarOp>();
  if (!op)
    return false;
  ScalarFn fn = op.kind();
  if (fn == ScalarFn::not_)
    return proves(op.getOperand(0), !holds, facts);
  if (fn == ScalarFn::and_ || fn == ScalarFn::or_) {
    bool a = proves(op.getOperand(0), holds, facts), b = proves(op.getOperand(1), holds, facts);
    return (fn == ScalarFn::and_) == holds ? a && b : a || b;
  }
  if (moa::scalarFnClass(fn) != moa::ScalarClass::Compare)
    return false;
  std::optional<Expr> a = exprs.toInteger(op.getOperand(0)), b = exprs.toInteger(op.getOperand(1));
  if (!a || !b)
    return false;
  auto less = [&](const Expr &x, const Expr &y) { return provesLess(facts, x, y); };
  auto atMost = [&](const Expr &x, const Expr &y) { return provesNonNegative(facts, y - x); };
  switch (fn) {
  case ScalarFn::eq_:
  case ScalarFn::ne_:
    return (fn == ScalarFn::eq_) == holds ? facts.proveEqual(*a, *b) : less(*a, *b) || less(*b, *a);
  case ScalarFn::lt_:
    return holds ? less(*a, *b) : atMost(*b, *a);
  case ScalarFn::le_:
    return holds ? atMost(*a, *b) : less(*b, *a);
  case ScalarFn::gt_:
    return holds ? less(*b, *a) : atMost(*a, *b);
  case ScalarFn::ge_:
    return holds ? atMost(*b, *a) : less(*a, *b);
  default:
    return false;
  }
}

} // namespace moac::sema
