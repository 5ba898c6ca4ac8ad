// A polynomial of extents; see WorkEstimate.h.
#include "passes/WorkEstimate.h"

#include "ir/ShapeNode.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace moac;

namespace {
/// Cost of one innermost iteration.
double elementCost(Stage &stage) {
  double cost = 0;
  stage.gen.getBody().walk([&](Operation *op) { cost += operationCost(op); });
  return cost;
}
} // namespace

Value moac::estimateWork(OpBuilder &b, const Nest &nest, StageGraph &graph, const llvm::DenseMap<Value, Value> &values,
                         llvm::function_ref<Value(const shape::Expr &)> materialize) {
  Location loc = nest.root->gen.getLoc();
  shape::Expr work;
  for (Stage *stage : nest.members) {
    shape::Expr product(std::max<int64_t>(1, std::llround(elementCost(*stage))));
    for (const shape::Expr &extent : stage->gen.arrayType().extents())
      product = product * extent;
    stage->gen.getBody().walk([&](moa::RedOp red) {
      for (unsigned i = 0; i < red.rank(); ++i) {
        shape::Expr extent = graph.exprs.toExpr(red.upper(i)) - graph.exprs.toExpr(red.lower(i));
        if (llvm::all_of(extent.names(), [&](const std::string &name) { return values.count(graph.exprs.valueOf(name)) != 0; }))
          product = product * extent;
      }
    });
    work = work + product;
  }
  auto combine = [&](StringRef fn, Value x, Value y) -> Value { // in floating point, where it cannot overflow
    return moa::ScalarOp::create(b, loc, b.getF64Type(), b.getStringAttr(fn), ValueRange{x, y}, UnitAttr());
  };
  Value sum;
  for (const shape::Term &term : work.node().terms) {
    Value product = moa::ConstantOp::create(b, loc, b.getF64FloatAttr(static_cast<double>(term.coefficient)));
    for (const shape::AtomRef &factor : term.factors)
      product = combine("mul", product, moa::CastOp::create(b, loc, b.getF64Type(), materialize(shape::fromAtom(factor))));
    sum = sum ? combine("add", sum, product) : product;
  }
  return sum ? sum : moa::ConstantOp::create(b, loc, b.getF64FloatAttr(0)).getResult();
}
