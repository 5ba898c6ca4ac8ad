// Boundaries and pieces; see Pieces.h.
#include "passes/Pieces.h"
#include "ir/KernelFacts.h"
#include "ir/ShapeNode.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

void Piece::assume(shape::Facts &facts, const std::string &index) const {
  shape::Expr i = shape::Expr::name(index);
  facts.range(index, first, end);
  for (const shape::Expr &boundary : from)
    facts.nonNegative(i - boundary);
  if (below)
    facts.nonNegative(*below - i - shape::Expr(1));
}

bool Piece::isSingle(const shape::Facts &facts) const {
  return llvm::any_of(los, [&](const shape::Expr &lo) {
    return llvm::any_of(his, [&](const shape::Expr &hi) { return facts.proveNonNegative(lo + shape::Expr(1) - hi); });
  });
}

std::string Piece::text(const std::string &index) const {
  auto show = [](const shape::Expr &e) { return IndexExprs::display(e); };
  if (!from.empty() && below && from.back() + shape::Expr(1) == *below)
    return index + " == " + show(from.back());
  if (from.empty())
    return below ? index + " < " + show(*below) : "";
  return show(from.back()) + " <= " + index + (below ? " < " + show(*below) : "");
}

namespace {
/// The candidates for the greatest (least) of some expressions: those that others are proved to
/// cover are left out.
SmallVector<shape::Expr> extremes(ArrayRef<shape::Expr> candidates, bool greatest,
                                  const shape::Facts &facts) {
  SmallVector<shape::Expr> kept;
  for (const shape::Expr &candidate : candidates) {
    auto covers = [&](const shape::Expr &a, const shape::Expr &b) {
      return facts.proveNonNegative(greatest ? a - b : b - a);
    };
    if (llvm::any_of(kept, [&](const shape::Expr &other) { return covers(other, candidate); }))
      continue;
    llvm::erase_if(kept, [&](const shape::Expr &other) { return covers(candidate, other); });
    kept.push_back(candidate);
  }
  return kept;
}

bool isEmpty(const Piece &piece, const shape::Facts &facts) {
  for (const shape::Expr &lo : piece.los)
    for (const shape::Expr &hi : piece.his)
      if (facts.proveNonNegative(lo - hi))
        return true;
  return false;
}
} // namespace

std::vector<Piece> moac::cut(const shape::Expr &lo, const shape::Expr &hi,
                             ArrayRef<shape::Expr> boundaries, const shape::Facts &facts) {
  std::vector<Piece> pieces;
  SmallVector<shape::Expr> lows = {lo};
  for (size_t k = 0; k <= boundaries.size(); ++k) {
    Piece piece;
    piece.first = lo, piece.end = hi;
    piece.from.assign(boundaries.begin(), boundaries.begin() + static_cast<long>(k));
    piece.los = extremes(lows, true, facts);
    piece.his = {hi};
    if (k < boundaries.size()) {
      piece.below = boundaries[k];
      piece.his = extremes({hi, boundaries[k]}, false, facts);
      lows.push_back(boundaries[k]);
    }
    if (!isEmpty(piece, facts))
      pieces.push_back(std::move(piece));
  }
  return pieces;
}

// ---- what is alive ----------------------------------------------------------------------------

namespace {
class LiveVisitor {
public:
  using See = llvm::function_ref<void(Operation *, const shape::Facts &, unsigned)>;
  LiveVisitor(IndexExprs &exprs, See see) : exprs(exprs), see(see) {}

  void visit(Value value, const shape::Facts &facts, unsigned depth) {
    Operation *op = value.getDefiningOp();
    if (!op || isa<GenOp>(op) || !seen.insert(op).second)
      return;
    if (auto where = dyn_cast<WhereOp>(op)) {
      std::optional<bool> side = decide(where.getCondition(), facts, exprs);
      if (!side)
        visit(where.getCondition(), facts, depth);
      see(op, facts, depth);
      for (bool taken : {true, false})
        if (side.value_or(taken) == taken) {
          shape::Facts inside = facts;
          if (!side)
            assume(inside, where.getCondition(), taken, exprs);
          visit(taken ? where.thenValue() : where.elseValue(), inside, depth);
        }
      return;
    }
    if (auto red = dyn_cast<RedOp>(op))
      return visitReduction(red, facts, depth);
    if (!value.getType().isInteger(1) || !decide(value, facts, exprs))
      for (Value operand : op->getOperands())
        visit(operand, facts, depth);
    see(op, facts, depth);
  }

private:
  void visitReduction(RedOp red, const shape::Facts &facts, unsigned depth) {
    shape::Facts inside = facts;
    for (unsigned i = 0; i < red.rank(); ++i) {
      visit(red.lower(i), inside, depth);
      visit(red.upper(i), inside, depth);
      assumeDomain(inside, red.term().getArgument(i), exprs);
    }
    see(red, facts, depth);
    visit(red.termValue(), inside, depth + 1);
    if (red.isFold())
      visit(red.combine().getTerminator()->getOperand(0), inside, depth + 1);
  }

  IndexExprs &exprs;
  See see;
  llvm::DenseSet<Operation *> seen;
};
} // namespace

void moac::visitLive(Value value, const shape::Facts &facts, IndexExprs &exprs,
                     llvm::function_ref<void(Operation *, const shape::Facts &, unsigned)> see) {
  LiveVisitor(exprs, see).visit(value, facts, 0);
}

bool moac::termIsIdentity(RedOp red, const shape::Facts &facts, IndexExprs &exprs) {
  if (red.isFold() || red.isArg())
    return false;
  TypedAttr term = constantUnder(red.termValue(), facts, exprs);
  TypedAttr neutral = identityOf(red.getKind(), red.termValue().getType());
  auto isZero = [](TypedAttr value) {
    auto number = dyn_cast_or_null<FloatAttr>(value);
    return number && number.getValue().isZero();
  };
  if (!term || (term != neutral && !(isZero(term) && isZero(neutral))))
    return false;
  bool fails = false;
  visitLive(red.termValue(), facts, exprs, [&](Operation *op, const shape::Facts &, unsigned) {
    fails |= moa::isChecked(op);
  });
  return !fails;
}

// ---- boundaries -------------------------------------------------------------------------------

namespace {
/// p = slope * index + rest.
struct Affine {
  shape::Expr slope, rest;
};
std::optional<Affine> affineIn(const shape::Expr &p, const std::string &index) {
  shape::Expr name = shape::Expr::name(index);
  shape::Expr rest = p.substitute({{index, shape::Expr(0)}});
  shape::Expr slope = p.substitute({{index, shape::Expr(1)}}) - rest;
  if (p.poisoned() || slope.mentions(index) || !(slope * name + rest == p))
    return std::nullopt;
  return Affine{slope, rest};
}

/// The index at which `p >= 0` changes.
std::optional<shape::Expr> turningPoint(const shape::Expr &p, const std::string &index) {
  std::optional<Affine> line = affineIn(p, index);
  std::optional<int64_t> slope = line ? line->slope.constant() : std::nullopt;
  if (!slope || *slope == 0)
    return std::nullopt;
  if (*slope > 0)
    return -shape::floordiv(line->rest, shape::Expr(*slope));
  return shape::floordiv(line->rest, shape::Expr(-*slope)) + shape::Expr(1);
}

class Questions {
public:
  Questions(const Inside &code, const LoopRange &range, IndexExprs &exprs,
            std::vector<shape::Expr> &boundaries)
      : code(code), range(range), exprs(exprs), boundaries(boundaries) {}

  void ask(const shape::Facts &facts) {
    visitLive(code.root, facts, exprs,
              [&](Operation *op, const shape::Facts &here, unsigned depth) {
                auto psi = dyn_cast<PsiOp>(op);
                if (psi && code.masks && depth == 0)
                  mask(psi, here);
                if (psi && code.deepest && depth == 0)
                  subscripts(psi, here);
                if (auto scalar = dyn_cast<ScalarOp>(op))
                  if (std::optional<Comparison> comparison = comparisonOf(scalar, exprs))
                    compare(*comparison, here);
              });
  }

private:
  /// Conditions in the definition of an element that the term reads, in the term's own indices.
  void mask(PsiOp psi, const shape::Facts &facts) {
    std::optional<shape::Facts> inside = factsOfElement(psi, facts, exprs);
    if (!inside)
      return;
    auto gen = psi.getArray().getDefiningOp<GenOp>();
    std::map<std::string, shape::Expr> subscripts;
    for (auto [index, subscript] : llvm::zip(gen.entry().getArguments(), psi.getSubscripts()))
      subscripts[exprs.nameOf(index)] = exprs.toExpr(subscript);
    visitLive(gen.yielded(), *inside, exprs,
              [&](Operation *op, const shape::Facts &, unsigned depth) {
                auto scalar = dyn_cast<ScalarOp>(op);
                auto comparison = scalar && depth == 0 ? comparisonOf(scalar, exprs) : std::nullopt;
                if (!comparison)
                  return;
                comparison->p = comparison->p.substitute(subscripts);
                compare(*comparison, facts, true);
              });
  }

  void compare(const Comparison &comparison, const shape::Facts &facts, bool masking = false) {
    if (!comparison.p.mentions(code.index) || decide(comparison, facts))
      return;
    turn(comparison.p, facts, masking);
    if (comparison.equality)
      turn(comparison.p - shape::Expr(1), facts, masking);
  }

  /// Divisions that do not cancel, and minima and maxima.
  void subscripts(PsiOp psi, const shape::Facts &facts) {
    for (const shape::Expr &e : dividedSubscripts(psi, {facts, {}, {}}, exprs))
      step(e, facts);
    for (Value subscript : psi.getSubscripts())
      if (shape::Expr e = exprs.toExpr(subscript); countDivisions(e) == 0 && !isChecked(subscript))
        step(e, facts);
  }

  void step(const shape::Expr &e, const shape::Facts &facts) {
    for (shape::AtomRef atom : shape::atomsOf(e)) {
      if (!shape::fromAtom(atom).mentions(code.index))
        continue;
      switch (atom->kind) {
      case shape::AtomKind::Name:
        break;
      case shape::AtomKind::FloorDiv:
      case shape::AtomKind::Mod:
        division(atom->args[0], atom->args[1], facts);
        break;
      default:
        for (size_t k = 1; k < atom->args.size(); ++k)
          turn(atom->args[k] - atom->args[0], facts);
      }
    }
  }

  void division(const shape::Expr &x, const shape::Expr &m, const shape::Facts &facts) {
    if (m.mentions(code.index) || wraps(x, m, facts))
      return;
    if (std::optional<Wrapped> wrapped = wrapInvariant(x, m, code.index, facts))
      wraps(wrapped->value, m, facts);
  }

  /// Where x passes a multiple of m, if there are few.
  bool wraps(const shape::Expr &x, const shape::Expr &m, const shape::Facts &facts) {
    constexpr int64_t furthest = 2;
    int64_t low = 0, high = 0;
    auto notBelow = [&](int64_t q) { return facts.proveNonNegative(x - shape::Expr(q) * m); };
    auto below = [&](int64_t q) { return facts.proveLess(x, shape::Expr(q) * m); };
    while (low >= -furthest && !notBelow(low))
      --low;
    while (low >= -furthest && high <= furthest && !below(high + 1))
      ++high;
    if (low < -furthest || high > furthest)
      return false;
    for (int64_t q = low + 1; q <= high; ++q)
      turn(x - shape::Expr(q) * m, facts);
    return true;
  }

  /// Adds the index where `p >= 0` changes, if cutting there decides it; when masking, if a side
  /// needs no loop.
  void turn(const shape::Expr &p, const shape::Facts &facts, bool masking = false) {
    std::optional<shape::Expr> at = turningPoint(p, code.index);
    if (!at || at->poisoned() || llvm::is_contained(boundaries, *at))
      return;
    for (const std::string &name : at->names())
      if (!range.outside(name))
        return;
    shape::Expr i = shape::Expr::name(code.index), one(1);
    if (facts.proveNonNegative(range.lo - *at) || facts.proveNonNegative(*at - range.hi))
      return;
    shape::Facts reached = facts, ahead = facts;
    reached.nonNegative(i - *at);
    ahead.nonNegative(*at - i - one);
    Comparison question{p};
    if (!decide(question, reached) || !decide(question, ahead))
      return;
    if (!masking || termIsIdentity(code.masks, reached, exprs) ||
        termIsIdentity(code.masks, ahead, exprs))
      boundaries.push_back(*at);
  }

  const Inside &code;
  const LoopRange &range;
  IndexExprs &exprs;
  std::vector<shape::Expr> &boundaries;
};

/// The order at ordinary sizes decides where none is proved: any order is right, the usual one leaves
/// the fewest tests.
std::vector<shape::Expr> sorted(ArrayRef<shape::Expr> boundaries, const shape::Facts &facts) {
  constexpr int64_t ordinary = 64;
  auto sample = [&](const shape::Expr &e) {
    std::map<std::string, int64_t> values;
    for (const std::string &name : e.names())
      values[name] = ordinary;
    return e.evaluate(values).value_or(ordinary);
  };
  std::multimap<int64_t, shape::Expr> bySample;
  for (const shape::Expr &boundary : boundaries)
    bySample.emplace(sample(boundary), boundary);
  std::vector<shape::Expr> out;
  for (const auto &[at, boundary] : bySample) {
    auto before = llvm::find_if(
        out, [&](const shape::Expr &other) { return facts.proveNonNegative(other - boundary); });
    if (before == out.end() || !facts.proveNonNegative(boundary - *before))
      out.insert(before, boundary);
  }
  return out;
}
} // namespace

std::vector<shape::Expr> moac::boundariesOf(ArrayRef<Inside> code, const LoopRange &range,
                                            const shape::Facts &facts, IndexExprs &exprs) {
  std::vector<shape::Expr> found;
  shape::Facts within = facts;
  for (const Inside &each : code)
    within.range(each.index, range.lo, range.hi);
  for (const Inside &each : code)
    Questions(each, range, exprs, found).ask(within);
  return sorted(found, facts);
}

std::optional<Quotient> moac::divisionAlong(Value root, const std::string &index,
                                            const Surroundings &around, IndexExprs &exprs) {
  std::optional<Quotient> found;
  auto consider = [&](const shape::Expr &x, const shape::Expr &m) {
    std::optional<Affine> line = affineIn(x, index);
    if (!found && line && line->slope == shape::Expr(1) && !m.mentions(index) &&
        around.facts.provePositive(m))
      found = Quotient{x, m, {}};
  };
  visitLive(root, around.facts, exprs, [&](Operation *op, const shape::Facts &, unsigned depth) {
    auto psi = dyn_cast<PsiOp>(op);
    if (!psi || depth > 0)
      return;
    for (const shape::Expr &e : dividedSubscripts(psi, around, exprs))
      for (shape::AtomRef atom : shape::atomsOf(e))
        if (atom->kind == shape::AtomKind::FloorDiv || atom->kind == shape::AtomKind::Mod)
          consider(atom->args[0], atom->args[1]);
  });
  return found;
}

std::optional<Quotient> moac::runsAlong(Value root, const std::string &index, const shape::Facts &facts,
                                        llvm::function_ref<bool(const std::string &)> outside, IndexExprs &exprs) {
  constexpr int64_t shortest = 8; // shorter runs cost more than a division by a constant
  std::optional<Quotient> along = divisionAlong(root, index, {facts, {index}, {}}, exprs);
  if (!along || along->m.constant().value_or(shortest) < shortest)
    return std::nullopt;
  for (const shape::Expr &e : {along->x, along->m})
    for (const std::string &word : e.names())
      if (word != index && !outside(word))
        return std::nullopt;
  return along;
}
