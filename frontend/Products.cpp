// Reductions, scans and products of whole arrays: `(red f) A`, `(scan f) A`, `A (outer f) B`,
// `A (f.g) B`. See Analyzer.h.
//
// Types are those of the index form: f16 is summed in f32, weak integers stay weak, a function
// without identity needs a term. Functions that are not associative fold from right to left.
#include "frontend/Analyzer.h"

#include <algorithm>
#include <cctype>

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;

/// An element of `array` as an argument of a region.
Val Analyzer::regionElement(Block &block, const Val &array) {
  return emit.elementOf(array, block.addArgument(array.scalarType(), emit.loc(array.range)),
                        array.range);
}

/// What reducing terms like `term` along an axis of length `extent` takes; nothing after a report.
/// `others` are the result's extents: where one is 0 nothing is reduced.
std::optional<Analyzer::Reduction> Analyzer::reduction(const ast::FnRef &fn, const Val &term,
                                                       const shape::Expr &extent,
                                                       std::vector<shape::Expr> others,
                                                       SourceRange at) {
  std::optional<RedKind> kind = redKind(fn);
  if (!kind || !checkRedTerm(*kind, term, emit.text(fn.range), term.range))
    return std::nullopt;
  Meeting type{term.kind, term.ir.getType()};
  Reduction result{kind->kind, identityOf(*kind, type.type), nullptr, type};
  if (kind->fold && !(result.combine = combineBlock(*kind->fold, type, at)))
    return std::nullopt;
  if (kind->fold && !kind->identity) {
    others.insert(others.end(), frames.begin(), frames.end());
    ranges->addNonEmpty(extent, std::move(others), at, emit.text(fn.range));
  }
  if (kind->kind == "argmax" || kind->kind == "argmin")
    result.result = {Kind::WeakInt, emit.b.getIndexType()};
  return result;
}

namespace {
std::vector<shape::Expr> withoutFirst(std::vector<shape::Expr> extents) {
  extents.erase(extents.begin());
  return extents;
}
} // namespace

/// `(red f) A` and `(scan f) A`, along the leading axis.
Val Analyzer::reduceBy(const ast::FnRef &fn, bool scan, const Val &array, SourceRange at) {
  if (!needsAxis(array, (scan ? "scan " : "red ") + emit.text(fn.range)))
    return poison();
  std::vector<shape::Expr> extents = array.extents(), rest = withoutFirst(extents);
  Block probe;
  std::optional<Reduction> reduced =
      reduction(fn, regionElement(probe, array), extents[0], rest, at);
  if (!reduced)
    return poison();
  return reduceOp(std::move(*reduced), scan, array, at);
}

Val Analyzer::reduceOp(Reduction reduced, bool scan, const Val &array, SourceRange at) {
  std::vector<shape::Expr> extents = array.extents();
  auto type = moa::ArrayType::get(emit.b.getContext(), scan ? extents : withoutFirst(extents),
                                  reduced.result.type);
  auto finish = [&](auto op) {
    if (reduced.combine)
      op.getCombine().push_back(reduced.combine.release());
    return made(op.getResult(), at, reduced.result.kind == Kind::WeakFloat);
  };
  auto kind = emit.b.getStringAttr(reduced.kind);
  if (scan)
    return finish(
        moa::ScanOp::create(emit.b, emit.loc(at), type, kind, array.ir, reduced.identity));
  return finish(
      moa::ReduceOp::create(emit.b, emit.loc(at), type, kind, array.ir, reduced.identity));
}

/// A scalar function of an element of each operand, as a region; poison after a report.
Val Analyzer::pairRegion(Block &block, const ast::FnRef &fn, const Val &lhs, const Val &rhs,
                         SourceRange at) {
  OpBuilder::InsertionGuard keep(emit.b);
  Val a = regionElement(block, lhs), b = regionElement(block, rhs);
  emit.b.setInsertionPointToEnd(&block);
  Val value = checkArity(fn, 2, fn.range) ? applyScalar(fn, {a, b}, at) : poison();
  if (!value.poison())
    moa::YieldOp::create(emit.b, emit.loc(at), value.ir);
  return value;
}

Val Analyzer::outer(const ast::FnRef &fn, const Val &lhs, const Val &rhs, SourceRange at) {
  if (!lhs.isArray() || !rhs.isArray())
    return checkArity(fn, 2, fn.range) ? apply(fn, {lhs, rhs}, at) : poison();
  std::vector<shape::Expr> extents = lhs.extents(), right = rhs.extents();
  extents.insert(extents.end(), right.begin(), right.end());
  if (!checkRank(extents.size(), at))
    return poison();
  auto body = std::make_unique<Block>();
  Val value = pairRegion(*body, fn, lhs, rhs, at);
  if (value.poison()) {
    discard(std::move(body));
    return value;
  }
  auto type = moa::ArrayType::get(emit.b.getContext(), extents, elementTypeOf(value));
  auto op = moa::OuterOp::create(emit.b, emit.loc(at), type, lhs.ir, rhs.ir);
  op.getBody().push_back(body.release());
  return made(op, at, value.kind == Kind::WeakFloat);
}

namespace {
/// An operand as a word before it takes it.
std::string operandText(const std::string &text) {
  bool name = std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  bool bracketed = text.starts_with('(') && text.find(')') + 1 == text.size();
  return name || bracketed ? text : "(" + text + ")";
}
} // namespace

/// The transpose that would let two operands meet, if one of a matrix does; else empty.
std::string Analyzer::transposeHelp(const Val &lhs, const Val &rhs, const std::string &name) {
  std::string a = emit.text(lhs.range), b = emit.text(rhs.range);
  if (rhs.rank() == 2 && same(lhs.extents().back(), rhs.extents().back()))
    return "to meet the last axis on the right write `" + a + " (" + name + ") transpose " +
           operandText(b) + "`";
  if (lhs.rank() == 2 && same(lhs.extents().front(), rhs.extents().front()))
    return "to meet the first axis on the left write `transpose " + operandText(a) + " (" + name + ") " + b +
           "`";
  return "";
}

/// `A (f.g) B`: the last axis of A meets the first of B.
Val Analyzer::inner(const ast::FnRef &f, const ast::FnRef &g, const Val &lhs, const Val &rhs,
                    SourceRange at) {
  std::string name = emit.text(f.range) + "." + emit.text(g.range);
  if (!needsAxis(lhs, name) || !needsAxis(rhs, name))
    return poison();
  std::vector<shape::Expr> extents = lhs.extents(), right = withoutFirst(rhs.extents());
  shape::Expr contracted = extents.back(), other = rhs.extents().front();
  if (!same(contracted, other)) {
    auto report = diags.report(diag::innerShapes, at, shapeText(extents), shapeText(rhs.extents()));
    report.note(lhs.range, "the last axis of " + shapeText(extents))
        .note(rhs.range, "the first axis of " + shapeText(rhs.extents()));
    if (std::string fix = transposeHelp(lhs, rhs, name); !fix.empty())
      report.help(fix);
    else
      helpEqual(report, contracted, other);
    return poison();
  }
  extents.pop_back();
  extents.insert(extents.end(), right.begin(), right.end());
  if (!checkRank(extents.size(), at))
    return poison();
  auto body = std::make_unique<Block>();
  Val term = pairRegion(*body, g, lhs, rhs, at);
  std::optional<Reduction> reduced;
  if (!term.poison())
    reduced = reduction(f, term, contracted, extents, at);
  if (reduced && (reduced->kind == "argmax" || reduced->kind == "argmin")) {
    diags.report(diag::notAScalarFunction, f.range, emit.text(f.range));
    reduced.reset();
  }
  if (!reduced) {
    discard(std::move(body));
    return poison();
  }
  auto type = moa::ArrayType::get(emit.b.getContext(), extents, reduced->result.type);
  auto op = moa::InnerOp::create(emit.b, emit.loc(at), type, emit.b.getStringAttr(reduced->kind),
                                 lhs.ir, rhs.ir, reduced->identity);
  op.getTerm().push_back(body.release());
  if (reduced->combine)
    op.getCombine().push_back(reduced->combine.release());
  return made(op, at, reduced->result.kind == Kind::WeakFloat);
}

} // namespace moac::sema
