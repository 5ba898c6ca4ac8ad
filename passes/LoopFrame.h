// What code that writes loops by hand shares: index arithmetic, sizes, loops.
#ifndef MOAC_PASSES_LOOPFRAME_H
#define MOAC_PASSES_LOOPFRAME_H

#include "passes/ContractionLoops.h"

#include "ir/Onf.h"

namespace moac {

class LoopFrame {
public:
  using Value = mlir::Value;

  LoopFrame(ContractionSite &site, mlir::Location loc) : site(site), b(site.builder), loc(loc) {}

  // ---- index arithmetic
  Value number(int64_t value);
  Value apply(moa::ScalarFn fn, Value x, Value y);
  Value add(Value x, Value y) { return apply(moa::ScalarFn::add_, x, y); }
  Value sub(Value x, Value y) { return apply(moa::ScalarFn::sub_, x, y); }
  Value mul(Value x, Value y) { return apply(moa::ScalarFn::mul_, x, y); }
  Value min(Value x, Value y) { return apply(moa::ScalarFn::min_, x, y); }
  Value max(Value x, Value y) { return apply(moa::ScalarFn::max_, x, y); }
  /// The largest multiple of `block` that is not above `x`.
  Value multiple(Value x, Value block) { return mul(apply(moa::ScalarFn::floordiv_, x, block), block); }
  Value compare(moa::ScalarFn fn, Value x, Value y);
  Value named(const std::string &name, Value value);
  Value materialized(const shape::Expr &e);

  // ---- loops
  Value open(const std::string &name, Value lo, Value hi, Value step = {}, llvm::StringRef role = "sequential", unsigned collapse = 0);
  /// Runs `inside` at the end of what is emitted here, then comes back.
  void apart(llvm::function_ref<void()> inside);

  /// A size as the schedule spells it.
  Value size(const std::string &word);
  /// The index inside a block.
  static std::string inside(const std::string &axis) { return axis.size() == 1 ? axis + axis : axis + "_in"; }
  static std::string nameOf(Value buffer) { return buffer.getDefiningOp<onf::AllocOp>().getName().str(); }

  ContractionSite &site;
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace moac

#endif
