// Exponents below their maximum; see Signs.h.
#include "passes/Signs.h"
#include "passes/SameValue.h"
#include "passes/Slice.h"
#include "passes/Stages.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
class Marker {
public:
  explicit Marker(KernelOp kernel) : kernel(kernel), graph(kernel) {}

  void run() {
    kernel.walk([&](ScalarOp op) {
      bool isExponential = op.kind() == ScalarFn::exp_ || op.kind() == ScalarFn::exp2_;
      if (isExponential && isBelowMaximum(op.getOperand(0)))
        op->setAttr("nonpositive", UnitAttr::get(op.getContext()));
    });
  }

private:
  /// t - m, where m is the maximum of all t along some index.
  bool isBelowMaximum(Value exponent) {
    auto difference = exponent.getDefiningOp<ScalarOp>();
    auto psi = difference && difference.kind() == ScalarFn::sub_ ? difference.getOperand(1).getDefiningOp<PsiOp>() : PsiOp();
    Stage *maximum = psi ? graph.of(psi.getArray()) : nullptr;
    if (!maximum || !maximum->root || maximum->root.getKind() != "max" || maximum->root.rank() != 1)
      return false;
    IndexSet free;
    collectFreeIndices(difference.getOperand(0), free);
    return llvm::any_of(free, [&](BlockArgument index) { return isTermAt(*maximum, psi, difference.getOperand(0), index); });
  }

  bool isTermAt(Stage &maximum, PsiOp psi, Value term, BlockArgument index) {
    SameValue same;
    std::map<std::string, shape::Expr> names;
    for (auto [axis, subscript] : llvm::zip(maximum.gen.entry().getArguments(), psi.getSubscripts())) {
      same.match(axis, subscript);
      names[graph.exprs.nameOf(axis)] = graph.exprs.toExpr(subscript);
    }
    same.match(maximum.root.term().getArgument(0), index);
    shape::Expr lo = graph.exprs.toExpr(maximum.root.lower(0)).substitute(names), hi = graph.exprs.toExpr(maximum.root.upper(0)).substitute(names);
    shape::Expr first(0), end;
    unsigned i = index.getArgNumber();
    if (auto red = dyn_cast<RedOp>(binderOf(index)))
      first = graph.exprs.toExpr(red.lower(i)), end = graph.exprs.toExpr(red.upper(i));
    else
      end = cast<GenOp>(binderOf(index)).arrayType().extents()[i];
    return lo == first && hi == end && same(maximum.root.termValue(), term);
  }

  KernelOp kernel;
  StageGraph graph;
};
} // namespace

void moac::markExponents(KernelOp kernel) { Marker(kernel).run(); }
