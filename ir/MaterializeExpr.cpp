// Symbolic expressions as moa.scalar operations; see MaterializeExpr.h.
#include "ir/MaterializeExpr.h"
#include "ir/ShapeNode.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Value moa::indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return ConstantOp::create(b, loc, b.getIndexAttr(value));
}

Value moa::buildIndex(OpBuilder &b, Location loc, ScalarFn fn, ValueRange operands) {
  Type type = scalarFnClass(fn) == ScalarClass::Compare ? Type(b.getI1Type()) : Type(b.getIndexType());
  return b.createOrFold<ScalarOp>(loc, type, b.getStringAttr(scalarFnName(fn)), operands, UnitAttr());
}

namespace {
struct Materializer {
  OpBuilder &b;
  Location loc;
  llvm::function_ref<Value(const std::string &)> valueOf;
  llvm::function_ref<Value(const shape::Expr &)> computed;

  Value atom(const shape::Atom &atom) {
    using shape::AtomKind;
    if (atom.kind == AtomKind::Name)
      return valueOf(atom.name);
    if (computed)
      if (Value value = computed(shape::fromAtom(&atom)))
        return value;
    ScalarFn fn = atom.kind == AtomKind::FloorDiv ? ScalarFn::floordiv_
                  : atom.kind == AtomKind::Mod    ? ScalarFn::mod_
                  : atom.kind == AtomKind::Min    ? ScalarFn::min_
                                                  : ScalarFn::max_;
    Value value = expr(atom.args[0]);
    for (size_t i = 1; i < atom.args.size(); ++i)
      value = buildIndex(b, loc, fn, {value, expr(atom.args[i])});
    return value;
  }

  /// |coefficient| times the factors.
  Value magnitude(const shape::Term &term) {
    int64_t coefficient = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    Value value = term.factors.empty() || coefficient != 1 ? indexConstant(b, loc, coefficient) : Value();
    for (const shape::AtomRef &factor : term.factors) {
      Value next = atom(*factor);
      value = value ? buildIndex(b, loc, ScalarFn::mul_, {value, next}) : next;
    }
    return value;
  }

  /// Positive terms first, so that `N - 1` is not built as `-1 + N`.
  Value expr(const shape::Expr &e) {
    Value sum;
    for (bool negative : {false, true})
      for (const shape::Term &term : e.node().terms) {
        if ((term.coefficient < 0) != negative)
          continue;
        Value value = magnitude(term);
        if (!sum)
          sum = negative ? buildIndex(b, loc, ScalarFn::neg_, value) : value;
        else
          sum = buildIndex(b, loc, negative ? ScalarFn::sub_ : ScalarFn::add_, {sum, value});
      }
    return sum ? sum : indexConstant(b, loc, 0);
  }
};
} // namespace

Value moa::materialize(const shape::Expr &e, OpBuilder &b, Location loc,
                       llvm::function_ref<Value(const std::string &)> valueOf,
                       llvm::function_ref<Value(const shape::Expr &)> computed) {
  return Materializer{b, loc, valueOf, computed}.expr(e);
}
