// Inlining of kernel calls.
//
// A kernel that calls another means the callee's definitions with its symbols replaced. Operands of moa.call are the
// callee's block arguments in order; the symbols among them, as expressions of the caller, rewrite the extents in
// every type that is cloned. Entry conditions are not copied: the frontend has turned them into the caller's own.
#include "ir/IndexExpr.h"
#include "passes/Passes.h"
#include "passes/Substitute.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_INLINECALLS
#include "passes/Passes.h.inc"

namespace {
void rewriteClone(Operation *clone, const SymbolValues &symbols, StringRef prefix) {
  substituteSymbols(clone, symbols);
  clone->walk([&](Operation *op) {
    if (auto gen = dyn_cast<moa::GenOp>(op))
      gen.setName((prefix + "_" + gen.getName()).str());
    if (auto call = dyn_cast<moa::CallOp>(op))
      call.setPrefix((prefix + "_" + call.getPrefix()).str());
  });
}

void inlineCall(moa::CallOp call, moa::KernelOp callee, moa::IndexExprs &exprs) {
  IRMapping map;
  SymbolValues symbols;
  for (unsigned i = 0; i < call.getNumOperands(); ++i) {
    map.map(callee.entry().getArgument(i), call.getOperand(i));
    if (call.getOperand(i).getType().isIndex())
      symbols[callee.argName(i).str()] = exprs.toExpr(call.getOperand(i));
  }
  OpBuilder b(call);
  for (Operation &op : callee.entry()) {
    if (isa<moa::RequireOp>(op))
      continue;
    if (auto ret = dyn_cast<moa::ReturnOp>(op)) {
      for (auto [result, value] : llvm::zip(call.getResults(), ret.getValues()))
        result.replaceAllUsesWith(map.lookup(value));
      break;
    }
    rewriteClone(b.clone(op, map), symbols, call.getPrefix());
  }
  call.erase();
}

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  void runOnOperation() override {
    SymbolTable table(getOperation());
    for (auto kernel : getOperation().getOps<moa::KernelOp>()) {
      // A callee may itself call: the clones of its calls are found by the next round. Recursion is the frontend's error.
      for (unsigned round = 0; round < maxDepth; ++round) {
        SmallVector<moa::CallOp> calls;
        kernel.walk([&](moa::CallOp call) { calls.push_back(call); });
        if (calls.empty())
          break;
        for (moa::CallOp call : calls) {
          auto callee = table.lookup<moa::KernelOp>(call.getCallee());
          if (!callee || round + 1 == maxDepth) {
            call.emitOpError() << (callee ? "is nested too deeply" : "has an unknown callee");
            return signalPassFailure();
          }
          moa::IndexExprs exprs(kernel);
          inlineCall(call, callee, exprs);
        }
      }
    }
  }
  static constexpr unsigned maxDepth = 64;
};
} // namespace
} // namespace moac
