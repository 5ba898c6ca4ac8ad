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
  return checkWordOperand(word, array) ? reduceArray(word, array, at) : poison();
}

/// Whether the elements have the type the word works on.
bool Analyzer::checkWordOperand(Word word, const Val &array) {
  return checkWordScalar(word, array.scalarType(), emit.describe(array), array.range);
}

/// `found` says of the operand what it is.
bool Analyzer::checkWordScalar(Word word, mlir::Type type, const std::string &found,
                               SourceRange at) {
  std::string what = "'" + std::string(spelling(word)) + "'";
  bool logic = word == Word::Any || word == Word::All;
  bool real = word == Word::Mean || word == Word::Softmax || word == Word::Logsumexp;
  if (logic && !type.isInteger(1))
    diags.report(diag::needsBool, at, what, found);
  else if (!logic && type.isInteger(1))
    diags.report(diag::boolArithmetic, at, what)
        .help("`where(" + emit.code(at) + ", 1, 0)` makes numbers of it");
  else if (real && !isa<FloatType>(type))
    diags.report(diag::needsFloat, at, what, found).help("write `f64(" + emit.code(at) + ")`");
  else
    return true;
  return false;
}

Val Analyzer::overRest(const Val &array, SourceRange at,
                       const std::function<Val(ArrayRef<Value>)> &body, const std::string &part) {
  std::vector<shape::Expr> rest = array.extents();
  rest.erase(rest.begin());
  return generate(rest, at, body, part);
}

Val Analyzer::reduceArray(Word word, const Val &array, SourceRange at) {
  if (word == Word::Softmax)
    return softmax(stored(array), at);
  if (word == Word::Logsumexp)
    return logsumexp(stored(array), at);
  if (array.elements && !array.elements->empty() && array.scalarType().isIndex())
    if (Val folded = reduceElements(word, *array.elements, at); !folded.poison())
      return folded;
  bool arg = word == Word::Argmax || word == Word::Argmin;
  Reduction reduced;
  reduced.kind = word == Word::Sum || word == Word::Mean ? "add"
                 : word == Word::Prod                    ? "mul"
                                                         : std::string(spelling(word));
  mlir::Type type = array.scalarType();
  bool weak = arg || type.isIndex();
  reduced.result = {weak               ? Kind::WeakInt
                    : array.weakFloats ? Kind::WeakFloat
                                       : Kind::Typed,
                    weak ? emit.b.getIndexType() : type};
  Val result = reduceOp(std::move(reduced), /*scan=*/false, array, at);
  if (word != Word::Mean)
    return result;
  auto mean = [&](const Val &sum) {
    Value count = extentValue(array.extents().front(), at);
    return divide({sum, emit.scalarOf(count, at)}, at);
  };
  if (!result.isArray())
    return mean(result);
  return mapArrays({result}, at, [&](const Elements &elements) { return mean(elements(0)); });
}

/// A vector that is known, reduced at once: `prod(shape A)` may be part of a shape. Poison where
/// the word needs a loop.
Val Analyzer::reduceElements(Word word, const Vals &elements, SourceRange at) {
  Val result = elements.back();
  for (size_t i = elements.size() - 1; i-- > 0;) {
    if (word == Word::Sum || word == Word::Prod)
      result = arith(word == Word::Sum ? ScalarFn::add_ : ScalarFn::mul_, {elements[i], result}, at,
                     spelling(word));
    else if (word == Word::Max || word == Word::Min)
      result = maxMin(word == Word::Max, {elements[i], result}, at);
    else
      return poison();
  }
  bool known = word == Word::Sum || word == Word::Prod || word == Word::Max || word == Word::Min;
  return known ? result : poison();
}

/// A reduction over 0 <= k < extent for each of the extents.
Value Analyzer::simpleRed(std::string_view kind, mlir::Type type,
                          const std::vector<shape::Expr> &extents, SourceRange at, TermAt term) {
  auto place = emit.b.saveInsertionPoint();
  auto body = std::make_unique<Block>();
  std::vector<Bound> bounds;
  for (const shape::Expr &extent : extents) {
    Bound &bound = bounds.emplace_back();
    bound.domain = std::make_unique<Block>();
    for (size_t i = 0; i + 1 < bounds.size(); ++i)
      bound.domain->addArgument(emit.b.getIndexType(), emit.loc(at));
    Value k = body->addArgument(emit.b.getIndexType(), emit.loc(at));
    bound.info = &ranges->newIndex({freshIndex("k"), at}, k);
    emit.b.setInsertionPointToEnd(bound.domain.get());
    Value lo = emit.intConstant(emit.b.getIndexType(), 0, at), hi = extentValue(extent, at);
    moa::YieldOp::create(emit.b, emit.loc(at), ValueRange{lo, hi});
  }
  emit.b.setInsertionPointToEnd(body.get());
  moa::YieldOp::create(emit.b, emit.loc(at), term(SmallVector<Value>(body->getArguments())));
  emit.b.restoreInsertionPoint(place);
  return makeRed(kind, type, {}, std::move(body), std::move(bounds), nullptr, at);
}

/// The element of `array` at k along the leading axis and `rest` along the others.
Value Analyzer::elementAt(const Val &array, Value k, ArrayRef<Value> rest) {
  SmallVector<Value> subscripts{k};
  subscripts.append(rest.begin(), rest.end());
  return element(array, subscripts, array.range).ir;
}

/// The maximum along the leading axis, and the sum of exp(x - maximum).
std::pair<Val, Val> Analyzer::shiftedSum(const Val &array, SourceRange at) {
  shape::Expr extent = array.extents()[0];
  mlir::Type type = array.scalarType();
  auto max = [&](ArrayRef<Value> rest) {
    auto term = [&](ArrayRef<Value> k) { return elementAt(array, k[0], rest); };
    return emit.scalarOf(simpleRed("max", type, {extent}, at, term), at);
  };
  Val m = overRest(array, at, max, "max");
  auto sum = [&](ArrayRef<Value> rest) {
    auto term = [&](ArrayRef<Value> k) {
      return shifted(elementAt(array, k[0], rest), element(m, rest, at).ir, at);
    };
    return emit.scalarOf(simpleRed("add", type, {extent}, at, term), at);
  };
  return {m, overRest(array, at, sum, "sum")};
}

Value Analyzer::shifted(Value x, Value shift, SourceRange at) {
  return emit.op(ScalarFn::exp_, {emit.op(ScalarFn::sub_, {x, shift}, at)}, at);
}

/// log of the sum of exponentials along the leading axis.
Val Analyzer::logsumexp(const Val &array, SourceRange at) {
  auto [m, sum] = shiftedSum(array, at);
  auto body = [&, m = m, sum = sum](ArrayRef<Value> rest) {
    auto sumHere = [&] { return element(sum, rest, at).ir; };
    return logOfSum(element(m, rest, at).ir, sumHere, at);
  };
  return array.rank() == 1 ? body({}) : overRest(array, at, body, "");
}

/// shift + log(sum), where the exponentials were shifted by their maximum; an infinite one is the
/// result itself.
Val Analyzer::logOfSum(Value shift, llvm::function_ref<Value()> sum, SourceRange at) {
  mlir::Type type = shift.getType();
  Value infinity = emit.constant(type, std::numeric_limits<double>::infinity(), at);
  Value infinite = emit.op(ScalarFn::eq_, {emit.op(ScalarFn::abs_, {shift}, at), infinity}, at);
  Branch yes = branch({}, true, [&] { return emit.scalarOf(shift, at); });
  Branch no = branch({}, false, [&] {
    Value log = emit.op(ScalarFn::log_, {sum()}, at);
    return emit.scalarOf(emit.op(ScalarFn::add_, {shift, log}, at), at);
  });
  return whereScalars(emit.scalarOf(infinite, at), std::move(yes), std::move(no), at);
}

/// exp(x - m) / sum of exp(x - m) along the leading axis.
Val Analyzer::softmax(const Val &array, SourceRange at) {
  auto [m, sum] = shiftedSum(array, at);
  return generate(array.extents(), at, [&, m = m, sum = sum](ArrayRef<Value> index) {
    ArrayRef<Value> rest = index.drop_front();
    auto here = [&] { return elementAt(array, index[0], rest); };
    return shareOfSum(
        element(m, rest, at).ir, here, [&] { return element(sum, rest, at).ir; }, at);
  });
}

/// exp(x - shift) / sum; 0 where all that the maximum `shift` is of is -inf.
Val Analyzer::shareOfSum(Value shift, llvm::function_ref<Value()> x,
                         llvm::function_ref<Value()> sum, SourceRange at) {
  mlir::Type type = shift.getType();
  Value least = emit.constant(type, -std::numeric_limits<double>::infinity(), at);
  Value empty = emit.op(ScalarFn::eq_, {shift, least}, at);
  Branch yes = branch({}, true, [&] { return emit.scalarOf(emit.constant(type, 0, at), at); });
  Branch no = branch({}, false, [&] {
    Value part = shifted(x(), shift, at);
    return emit.scalarOf(emit.op(ScalarFn::div_, {part, sum()}, at), at);
  });
  return whereScalars(emit.scalarOf(empty, at), std::move(yes), std::move(no), at);
}

} // namespace moac::sema
