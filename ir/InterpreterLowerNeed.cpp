// What interpreter code evaluates when: scalars that may fail by need, arrays of inner regions once.
//
// A value is evaluated where it stands. Two kinds are not. A scalar that may fail, and that something with regions or a call
// takes, is an array of rank 0: it fails where an element needs it. And an array that is made inside an element or a term, but of
// nothing that belongs to these, is made before them: making is free, and what is computed of it is then computed once.
#include "ir/InterpreterLower.h"

using namespace mlir;

namespace moac::interp {

static bool isScalar(Operation *op) { return op->getNumResults() == 1 && !isa<moa::ArrayType>(op->getResult(0).getType()); }

/// `op`, or something that it is computed from, may return a status.
bool Lowering::canFail(Operation *op) {
  if (auto known = failing.find(op); known != failing.end())
    return known->second;
  bool fails = mayFail(op);
  auto visit = [&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *def = operand.getDefiningOp();
      auto argument = dyn_cast<BlockArgument>(operand);
      if (auto omega = argument ? dyn_cast<moa::OmegaOp>(argument.getOwner()->getParentOp()) : moa::OmegaOp())
        def = omega.getArrays()[argument.getArgNumber()].getDefiningOp(); // a cell fails like its array
      fails = fails || (def && !op->isAncestor(def) && canFail(def)) || (argument && passedByNeed(argument));
    }
  };
  op->walk(visit);
  return failing[op] = fails;
}

/// Whether a called kernel gets this argument as an array of rank 0: scalars that are in no extent.
bool Lowering::passedByNeed(BlockArgument argument) {
  auto kernel = dyn_cast<moa::KernelOp>(argument.getOwner()->getParentOp());
  if (!kernel || kernel == main || argument.getArgNumber() < kernel.numSymbols() ||
      isa<moa::ArrayType>(argument.getType()))
    return false;
  const std::string name = kernel.argName(argument.getArgNumber()).str();
  auto mentions = [&](Type type) {
    auto array = dyn_cast<moa::ArrayType>(type);
    return array && llvm::any_of(array.extents(), [&](const shape::Expr &extent) { return extent.mentions(name); });
  };
  return !kernel
              ->walk([&](Operation *op) {
                bool found = llvm::any_of(op->getResultTypes(), mentions);
                for (Region &region : op->getRegions())
                  for (mlir::Block &block : region)
                    found |= llvm::any_of(block.getArgumentTypes(), mentions);
                return found ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// A value that nobody takes is not needed, unless it is there to be checked.
bool Lowering::isUnused(Operation *op) {
  if (auto known = unused.find(op); known != unused.end())
    return known->second;
  bool isValue = op->getNumResults() > 0 && op->getParentOfType<moa::KernelOp>() && !isa<moa::FailOp>(op) && !moa::isChecked(op);
  return unused[op] = isValue && llvm::all_of(op->getUsers(), [&](Operation *user) { return isUnused(user); });
}

bool Lowering::isByNeed(Operation *op) {
  if (auto known = byNeed.find(op); known != byNeed.end())
    return known->second;
  bool needed = canFail(op) && isScalar(op);
  if (needed && !isa<moa::KernelOp>(op->getParentOp()))
    needed = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user->getBlock() != op->getBlock() || isa<moa::CallOp>(user) || isByNeed(user);
    });
  return byNeed[op] = needed;
}

/// An array of rank 0 with the value that `element` writes.
FailureOr<uint32_t> Code::arrayByNeed(Value value, llvm::function_ref<LogicalResult(Code &)> element) {
  auto id = static_cast<uint32_t>(shared.program.gens.size());
  shared.program.gens.emplace_back();
  GenCode gen;
  gen.name = "scalar";
  gen.element = elementOf(value.getType());
  gen.mayFail = true;
  Code inner(shared, this, gen.name);
  if (failed(element(inner)))
    return failure();
  gen.procedure = inner.id;
  gen.result = inner.slot(value);
  inner.emit(Op::finish);
  gen.captures = std::move(inner.captures);
  shared.program.gens[id] = std::move(gen);
  uint32_t to = fresh();
  emit(Op::makeArray, 0, to, id);
  return to;
}

LogicalResult Code::lowerByNeed(Operation *op) {
  FailureOr<uint32_t> array = arrayByNeed(op->getResult(0), [&](Code &inner) { return inner.lower(op); });
  if (succeeded(array))
    byNeed[op->getResult(0)] = *array;
  return array;
}

/// What a call passes for a scalar: the callee needs it perhaps nowhere.
uint32_t Code::arrayOf(Value scalar) {
  if (std::optional<uint32_t> array = byNeedSlot(scalar))
    return *array;
  return *arrayByNeed(scalar, [](Code &) { return success(); });
}

/// The slot of the array of rank 0 that holds `value`, if there is one.
std::optional<uint32_t> Code::byNeedSlot(Value value) {
  if (auto it = byNeed.find(value); it != byNeed.end())
    return it->second;
  std::optional<uint32_t> from = outer ? outer->byNeedSlot(value) : std::nullopt;
  if (!from)
    return std::nullopt;
  uint32_t to = byNeed[value] = fresh();
  captures.push_back({*from, to, true});
  return to;
}

/// Arrays, and the constants and index arithmetic that they need: nothing that fails, is proved only where it stands, or costs
/// when it is not needed.
static bool isHoistable(Operation *op) {
  if (isa<moa::CallOp, moa::PsiOp>(op))
    return false;
  if (auto scalar = dyn_cast<moa::ScalarOp>(op))
    return scalar.kind() != moa::ScalarFn::floordiv_ && scalar.kind() != moa::ScalarFn::mod_;
  return isa<moa::ConstantOp>(op) || (op->getNumResults() == 1 && isa<moa::ArrayType>(op->getResult(0).getType()));
}

/// Lowers here, before the region, what stands in it but depends on nothing of it.
LogicalResult Code::hoist(Region &region) {
  WalkResult walked = region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<moa::RedOp, moa::WhereOp>(op))
      return WalkResult::advance();
    bool free = isHoistable(op) && !(isScalar(op) && shared.canFail(op)) && !shared.hoisted.contains(op);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        free = free && (op->isAncestor(operand.getParentRegion()->getParentOp()) || !region.isAncestor(operand.getParentRegion()) ||
                        (def && shared.hoisted.contains(def)));
      }
    });
    if (!free)
      return WalkResult::skip();
    if (failed(lower(op)))
      return WalkResult::interrupt();
    shared.hoisted.insert(op);
    return WalkResult::skip();
  });
  return failure(walked.wasInterrupted());
}

} // namespace moac::interp
