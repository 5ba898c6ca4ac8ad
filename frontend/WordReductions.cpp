// Words before whole arrays: `sum A`, `mean(A[i])`, `logsumexp(Z[t])`. They act along the leading
// axis. See Analyzer.h.
#include "frontend/Analyzer.h"

#include <limits>

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;
using moa::ScalarFn;

Val Analyzer::prefixWord(const ast::PrefixWord &expr) {
  Val operand = visit(*expr.operand);
  if (operand.poison())
    return poison();
  return isReduction(expr.word) ? reduceWord(expr.word, operand, expr.range)
                                : structureWord(expr.word, operand, expr.range);
}

Val Analyzer::reduceWord(Word word, const Val &array, SourceRange at) {
  if (!array.isArray()) {
    diags.report(diag::needsArray, array.range, spelling(word), emit.describe(array))
        .help("with bound indices it reduces a formula: `" + std::string(spelling(word)) +
              "[k](...)`");
    return poison();
  }
  return checkWordOperand(word, array, at) ? reduceArray(word, array, at) : poison();
}

/// Whether the elements have the type the word works on.
bool Analyzer::checkWordOperand(Word word, const Val &array, SourceRange at) {
  mlir::Type type = array.scalarType();
  std::string what = "'" + std::string(spelling(word)) + "'";
  bool logic = word == Word::Any || word == Word::All;
  bool real = word == Word::Mean || word == Word::Softmax || word == Word::Logsumexp;
  if (logic && !type.isInteger(1))
    diags.report(diag::needsBool, array.range, what, emit.describe(array));
  else if (!logic && type.isInteger(1))
    diags.report(diag::boolArithmetic, array.range, what)
        .help("`where(" + emit.code(array.range) + ", 1, 0)` makes numbers of it");
  else if (real && !isa<FloatType>(type))
    diags.report(diag::needsFloat, array.range, what, emit.describe(array))
        .help("write `f64(" + emit.code(array.range) + ")`");
  else
    return true;
  return false;
}

Val Analyzer::overRest(const Val &array, SourceRange at,
                       const std::function<Val(ArrayRef<Value>)> &body) {
  std::vector<shape::Expr> rest = array.arrayType().extents();
  rest.erase(rest.begin());
  return generate(rest, at, body);
}

Val Analyzer::reduceArray(Word word, const Val &array, SourceRange at) {
  if (word == Word::Softmax)
    return softmax(array, at);
  shape::Expr extent = array.arrayType().extents().front();
  auto body = [&](ArrayRef<Value> rest) {
    auto cell = [&](Value k) {
      SmallVector<Value> subscripts{k};
      subscripts.append(rest.begin(), rest.end());
      return element(array, subscripts, array.range).ir;
    };
    return reduceCell(word, cell, extent, array.scalarType(), at);
  };
  return array.arrayType().rank() == 1 ? body({}) : overRest(array, at, body);
}

/// One cell, a vector given by its elements, reduced to a scalar.
Val Analyzer::reduceCell(Word word, ElementAt cell, const shape::Expr &extent, mlir::Type type,
                         SourceRange at) {
  if (word == Word::Logsumexp)
    return emit.scalarOf(logsumexp(cell, extent, type, at), at);
  if (word == Word::Mean) {
    Value sum = simpleRed("add", type, extent, at, cell);
    Value count = emit.convert(extentValue(extent, at), type, at);
    return emit.scalarOf(emit.op(ScalarFn::div_, {sum, count}, at), at);
  }
  bool arg = word == Word::Argmax || word == Word::Argmin;
  std::string_view kind = word == Word::Sum ? "add" : word == Word::Prod ? "mul" : spelling(word);
  mlir::Type result = arg ? mlir::Type(emit.b.getIndexType()) : type;
  return emit.scalarOf(simpleRed(kind, result, extent, at, cell), at);
}

/// A reduction over 0 <= k < extent.
Value Analyzer::simpleRed(std::string_view kind, mlir::Type type, const shape::Expr &extent,
                          SourceRange at, ElementAt term) {
  auto place = emit.b.saveInsertionPoint();
  auto body = std::make_unique<Block>();
  Bound bound;
  Value k = body->addArgument(emit.b.getIndexType(), emit.loc(at));
  bound.info = &ranges->newIndex({freshIndex("k"), at}, k);
  bound.domain = std::make_unique<Block>();
  emit.b.setInsertionPointToEnd(bound.domain.get());
  Value lo = emit.intConstant(emit.b.getIndexType(), 0, at), hi = extentValue(extent, at);
  moa::YieldOp::create(emit.b, emit.loc(at), ValueRange{lo, hi});
  emit.b.setInsertionPointToEnd(body.get());
  moa::YieldOp::create(emit.b, emit.loc(at), term(k));
  std::vector<Bound> bounds;
  bounds.push_back(std::move(bound));
  emit.b.restoreInsertionPoint(place);
  return makeRed(kind, type, {}, std::move(body), std::move(bounds), nullptr, at);
}

/// log of the sum of exponentials, shifted by the maximum m; an infinite m is the result itself.
Value Analyzer::logsumexp(ElementAt cell, const shape::Expr &extent, mlir::Type type,
                          SourceRange at) {
  Value m = simpleRed("max", type, extent, at, cell);
  Value sum = simpleRed("add", type, extent, at, [&](Value k) {
    return emit.op(ScalarFn::exp_, {emit.op(ScalarFn::sub_, {cell(k), m}, at)}, at);
  });
  Value infinity = emit.constant(type, std::numeric_limits<double>::infinity(), at);
  Value infinite = emit.op(ScalarFn::eq_, {emit.op(ScalarFn::abs_, {m}, at), infinity}, at);
  Branch yes = branch({}, true, [&] { return emit.scalarOf(m, at); });
  Branch no = branch({}, false, [&] {
    return emit.scalarOf(emit.op(ScalarFn::add_, {m, emit.op(ScalarFn::log_, {sum}, at)}, at), at);
  });
  return whereScalars(emit.scalarOf(infinite, at), std::move(yes), std::move(no), at).ir;
}

/// exp(x - m) / sum of exp(x - m) along the leading axis; 0 where a whole cell is -inf.
Val Analyzer::softmax(const Val &array, SourceRange at) {
  std::vector<shape::Expr> extents = array.arrayType().extents();
  mlir::Type type = array.scalarType();
  auto at0 = [&](Value k, ArrayRef<Value> rest) {
    SmallVector<Value> subscripts{k};
    subscripts.append(rest.begin(), rest.end());
    return element(array, subscripts, array.range).ir;
  };
  auto shifted = [&](Value x, Value m) {
    return emit.op(ScalarFn::exp_, {emit.op(ScalarFn::sub_, {x, m}, at)}, at);
  };
  Val m = overRest(array, at, [&](ArrayRef<Value> rest) {
    return emit.scalarOf(
        simpleRed("max", type, extents[0], at, [&](Value k) { return at0(k, rest); }), at);
  });
  Val sum = overRest(array, at, [&](ArrayRef<Value> rest) {
    Value shift = element(m, rest, at).ir;
    auto term = [&](Value k) { return shifted(at0(k, rest), shift); };
    return emit.scalarOf(simpleRed("add", type, extents[0], at, term), at);
  });
  return generate(extents, at, [&](ArrayRef<Value> index) {
    Value shift = element(m, index.drop_front(), at).ir;
    Value empty =
        emit.op(ScalarFn::eq_,
                {shift, emit.constant(type, -std::numeric_limits<double>::infinity(), at)}, at);
    Branch yes = branch({}, true, [&] { return emit.scalarOf(emit.constant(type, 0, at), at); });
    Branch no = branch({}, false, [&] {
      Value total = element(sum, index.drop_front(), at).ir;
      Value x = shifted(at0(index[0], index.drop_front()), shift);
      return emit.scalarOf(emit.op(ScalarFn::div_, {x, total}, at), at);
    });
    return whereScalars(emit.scalarOf(empty, at), std::move(yes), std::move(no), at);
  });
}

} // namespace moac::sema
