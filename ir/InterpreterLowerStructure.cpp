// The operator form as interpreter code: each operation is an array whose element at an index is what the operation's law says
// (ir/Semantics.md). This is written from the laws' right sides alone and shares nothing with ψ-reduction, so that the two check
// each other.
#include "ir/InterpreterLower.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace moac::interp {
using moa::ScalarFn;

static moa::ArrayType typeOf(Value array) { return cast<moa::ArrayType>(array.getType()); }

LogicalResult Code::structureOp(Operation *op) {
  bool known = isa<moa::IotaOp, moa::VectorOp, moa::TakeOp, moa::DropOp, moa::SliceOp, moa::ReverseOp, moa::RotateOp,
                   moa::TransposeOp, moa::CatOp, moa::ReshapeOp, moa::MapOp, moa::OuterOp, moa::InnerOp, moa::ReduceOp,
                   moa::ScanOp, moa::OmegaOp>(op);
  if (!known)
    return shared.refuse(op, "no meaning for the interpreter");
  return array(op, [&](Code &inner, Indices index) { return inner.elementOfStructure(op, index); });
}

/// Reads and divisions in an array that is made inside an element or under a condition are proved there. The array itself is
/// made before (`hoist`), so its elements are for those who ask.
static bool isProvedInPlace(Operation *op) {
  if (isa<moa::KernelOp>(op->getParentOp()))
    return false;
  return op
      ->walk([](Operation *inner) {
        auto psi = dyn_cast<moa::PsiOp>(inner);
        auto scalar = dyn_cast<moa::ScalarOp>(inner);
        bool divides = scalar && (scalar.kind() == moa::ScalarFn::floordiv_ || scalar.kind() == moa::ScalarFn::mod_);
        bool found = isa<moa::SliceOp>(inner) || divides || (psi && !psi.getSubscripts().empty());
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Code::array(Operation *op, ElementCode element) {
  auto type = typeOf(op->getResult(0));
  auto id = static_cast<uint32_t>(shared.program.gens.size());
  shared.program.gens.emplace_back();
  GenCode gen;
  gen.name = op->getName().stripDialect().str();
  gen.element = elementOf(type.getElementType());
  // An omega's cells are arrays of which only some elements are read at each index.
  gen.mayFail = mayFail(op) || isProvedInPlace(op) || isa<moa::OmegaOp>(op->getParentOp());
  Code inner(shared, this, gen.name);
  SmallVector<uint32_t> index;
  for (int64_t k = 0; k < type.rank(); ++k)
    index.push_back(inner.fresh());
  FailureOr<uint32_t> result = element(inner, index);
  if (failed(result))
    return failure();
  gen.procedure = inner.id;
  gen.result = *result;
  inner.emit(Op::finish);
  gen.captures = std::move(inner.captures);
  for (const shape::Expr &extent : type.extents())
    gen.extents.push_back(extentSlot(extent));
  shared.program.gens[id] = std::move(gen);
  emit(Op::makeArray, 0, define(op->getResult(0)), id);
  return success();
}

uint32_t Code::whole(ScalarFn fn, uint32_t a, uint32_t b) {
  uint32_t to = fresh();
  auto variant = static_cast<unsigned>(Class::Whole);
  emit(static_cast<Op>(static_cast<unsigned>(fn) * 4 + variant), 0, to, a, b);
  return to;
}

uint32_t Code::read(uint32_t array, unsigned rank, Indices subscripts, uint32_t checked) {
  SmallVector<uint32_t> entries(subscripts);
  entries.push_back(checked);
  uint32_t to = fresh();
  emit(subscripts.size() == rank ? Op::load : Op::subArray, rank, to, array, list(entries),
       static_cast<uint32_t>(subscripts.size()));
  return to;
}

uint32_t Code::read(Value array, Indices subscripts, uint32_t checked) {
  uint32_t from = slot(array);
  return read(from, static_cast<unsigned>(typeOf(array).rank()), subscripts, checked);
}

FailureOr<uint32_t> Code::regionValue(mlir::Block &block, Indices arguments) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    bind(argument, value);
  if (failed(lower(block)))
    return failure();
  return slot(block.getTerminator()->getOperand(0));
}

FailureOr<uint32_t> Code::elementOfStructure(Operation *op, Indices index) {
  using Found = FailureOr<uint32_t>;
  auto reduced = [](auto o) {
    Type type = moa::valueType(o.arrayType().getElementType());
    if constexpr (requires { o.getArray(); })
      type = moa::valueType(typeOf(o.getArray()).getElementType());
    return Reduced{o, o.getKind(), elementOf(type), o.getIdentityAttr(), o.isFold() ? &o.getCombine().front() : nullptr};
  };
  auto alongLeading = [&](auto o, uint32_t high, Indices rest) {
    return along(reduced(o), high, [&](uint32_t p) -> Found {
      SmallVector<uint32_t> subscripts{p};
      subscripts.append(rest.begin(), rest.end());
      return read(o.getArray(), subscripts);
    });
  };
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([&](moa::IotaOp o) { return iotaElement(o, index); })
      .Case([&](moa::VectorOp o) { return vectorElement(o, index); })
      .Case([&](moa::CatOp o) { return catElement(o, index); })
      .Case([&](moa::ReshapeOp o) { return reshapeElement(o, index); })
      .Case([&](moa::OmegaOp o) { return omegaElement(o, index); })
      .Case([&](moa::MapOp o) {
        SmallVector<uint32_t> elements;
        for (Value array : o.getArrays())
          elements.push_back(read(array, index));
        return regionValue(o.entry(), elements);
      })
      .Case([&](moa::OuterOp o) {
        auto split = static_cast<size_t>(typeOf(o.getLeft()).rank());
        uint32_t left = read(o.getLeft(), index.take_front(split));
        return regionValue(o.entry(), {left, read(o.getRight(), index.drop_front(split))});
      })
      .Case([&](moa::InnerOp o) -> Found {
        auto split = static_cast<size_t>(typeOf(o.getLeft()).rank() - 1);
        return along(reduced(o), extentSlot(typeOf(o.getLeft()).extents().back()), [&](uint32_t p) -> Found {
          SmallVector<uint32_t> i(index.take_front(split)), j{p};
          i.push_back(p);
          j.append(index.begin() + split, index.end());
          uint32_t left = read(o.getLeft(), i);
          return regionValue(o.getTerm().front(), {left, read(o.getRight(), j)});
        });
      })
      .Case([&](moa::ReduceOp o) { return alongLeading(o, extentSlot(typeOf(o.getArray()).extents().front()), index); })
      .Case([&](moa::ScanOp o) {
        return alongLeading(o, whole(ScalarFn::add_, index.front(), number(1)), index.drop_front());
      })
      .Default([&](Operation *o) { return movedElement(o, index); });
}

/// Operations that only rename the index.
FailureOr<uint32_t> Code::movedElement(Operation *op, Indices index) {
  SmallVector<uint32_t> from(index);
  Value array = op->getOperand(0);
  auto extent = [&](size_t axis) { return extentSlot(typeOf(array).extents()[axis]); };
  auto shiftToEnd = [&](size_t axis) { // n - m + i
    uint32_t kept = extentSlot(typeOf(op->getResult(0)).extents()[axis]);
    from[axis] = whole(ScalarFn::add_, whole(ScalarFn::sub_, extent(axis), kept), from[axis]);
  };
  uint32_t checked = 0;
  if (auto take = dyn_cast<moa::TakeOp>(op)) {
    for (auto [axis, last] : llvm::enumerate(take.getLast()))
      if (last)
        shiftToEnd(axis);
  } else if (auto drop = dyn_cast<moa::DropOp>(op)) {
    for (auto [axis, last] : llvm::enumerate(drop.getLast()))
      if (!last)
        shiftToEnd(axis);
  } else if (isa<moa::ReverseOp>(op)) {
    from[0] = whole(ScalarFn::sub_, whole(ScalarFn::sub_, extent(0), number(1)), from[0]);
  } else if (auto rotate = dyn_cast<moa::RotateOp>(op)) {
    for (auto [axis, amount] : llvm::enumerate(rotate.getAmounts())) // n > 0 where there is an element
      from[axis] = whole(ScalarFn::mod_, whole(ScalarFn::add_, from[axis], whole(ScalarFn::mod_, slot(amount), extent(axis))),
                         extent(axis));
  } else if (auto transpose = dyn_cast<moa::TransposeOp>(op)) {
    for (auto [axis, to] : llvm::enumerate(transpose.getPermutation()))
      from[axis] = index[to];
  } else if (auto slice = dyn_cast<moa::SliceOp>(op)) {
    from.clear();
    for (auto [start, step] : llvm::zip(slice.getStarts(), slice.getSteps())) {
      from.push_back(slot(start));
      if (step == 0)
        continue;
      from.back() = whole(ScalarFn::add_, from.back(), whole(ScalarFn::mul_, number(step), index.front()));
      index = index.drop_front();
    }
    from.append(index.begin(), index.end());
    for (int64_t axis : slice.getChecked())
      checked |= 1u << axis;
  }
  return read(array, from, checked);
}

FailureOr<uint32_t> Code::catElement(moa::CatOp op, Indices index) {
  uint32_t to = fresh(), middle = extentSlot(typeOf(op.getLeft()).extents().front());
  size_t test = emit(Op::jumpUnless, 0, 0, whole(ScalarFn::lt_, index.front(), middle));
  label();
  emit(Op::move, 0, to, read(op.getLeft(), index));
  size_t skip = emit(Op::jump);
  at(test).b = label();
  SmallVector<uint32_t> right(index);
  right[0] = whole(ScalarFn::sub_, index.front(), middle);
  emit(Op::move, 0, to, read(op.getRight(), right));
  at(skip).a = label();
  return to;
}

/// gamma'(gamma(i; s); rho A), both row-major.
FailureOr<uint32_t> Code::reshapeElement(moa::ReshapeOp op, Indices index) {
  uint32_t offset = number(0);
  for (auto [i, extent] : llvm::zip(index, op.arrayType().extents()))
    offset = whole(ScalarFn::add_, whole(ScalarFn::mul_, offset, extentSlot(extent)), i);
  std::vector<shape::Expr> extents = typeOf(op.getArray()).extents();
  SmallVector<uint32_t> from(extents.size());
  for (size_t axis = extents.size(); axis-- > 0;) {
    uint32_t extent = extentSlot(extents[axis]);
    from[axis] = axis ? whole(ScalarFn::mod_, offset, extent) : offset;
    offset = axis ? whole(ScalarFn::floordiv_, offset, extent) : offset;
  }
  return read(op.getArray(), from);
}

FailureOr<uint32_t> Code::vectorElement(moa::VectorOp op, Indices index) {
  uint32_t to = fresh();
  for (auto [position, value] : llvm::enumerate(op.getElements())) {
    uint32_t own = slot(value);
    size_t test = emit(Op::jumpUnless, 0, 0, whole(ScalarFn::eq_, index.front(), number(static_cast<int64_t>(position))));
    label();
    emit(Op::move, 0, to, own);
    at(test).b = label();
  }
  return to;
}

FailureOr<uint32_t> Code::iotaElement(moa::IotaOp, Indices index) {
  if (index.size() == 1)
    return index.front();
  uint32_t to = fresh();
  for (auto [position, value] : llvm::enumerate(index.drop_back())) {
    size_t test = emit(Op::jumpUnless, 0, 0, whole(ScalarFn::eq_, index.back(), number(static_cast<int64_t>(position))));
    label();
    emit(Op::move, 0, to, value);
    at(test).b = label();
  }
  return to;
}

FailureOr<uint32_t> Code::omegaElement(moa::OmegaOp op, Indices index) {
  unsigned u = op.getArrays().size() < 2 ? 0 : op.frameRank(0) - op.paired();
  SmallVector<uint32_t> cells;
  for (auto [i, array] : llvm::enumerate(op.getArrays())) {
    // Of operand 0 the leading and paired frame axes, of operand 1 the middle and paired ones.
    SmallVector<uint32_t> frame;
    if (op.getArrays().size() < 2) {
      frame.assign(index.begin(), index.begin() + op.frameRank());
    } else {
      unsigned own = op.frameRank(i) - op.paired(), first = i ? u : 0;
      frame.append(index.begin() + first, index.begin() + first + own);
      frame.append(index.begin() + op.frameRank() - op.paired(), index.begin() + op.frameRank());
    }
    cells.push_back(read(array, frame));
  }
  uint32_t mark = fresh(), to = fresh();
  emit(Op::mark, 0, mark);
  FailureOr<uint32_t> value = regionValue(op.entry(), cells);
  if (failed(value))
    return failure();
  auto cell = dyn_cast<moa::ArrayType>(op.yielded().getType());
  emit(Op::move, 0, to, cell ? read(*value, static_cast<unsigned>(cell.rank()), index.drop_front(op.frameRank())) : *value);
  emit(Op::release, 0, 0, mark);
  return to;
}

FailureOr<uint32_t> Code::along(const Reduced &reduced, uint32_t high,
                                llvm::function_ref<FailureOr<uint32_t>(uint32_t)> term) {
  uint32_t to = fresh(), index = fresh(), low = number(0);
  bool down = reduced.combine;
  auto nest = [&](unsigned accumulator, llvm::function_ref<LogicalResult()> innermost) -> LogicalResult {
    size_t first = emit(down ? Op::loopDown : Op::loopUp, accumulator, index, low, high);
    uint32_t head = label();
    if (failed(innermost()))
      return failure();
    emit(down ? Op::loopDownNext : Op::loopUpNext, 0, index, low, high, head);
    at(first).c = label();
    return success();
  };
  auto make = [&]() -> FailureOr<Term> {
    FailureOr<uint32_t> value = term(index);
    if (failed(value))
      return failure();
    return Term{*value, index};
  };
  if (failed(reduce(reduced, to, nest, make)))
    return failure();
  return to;
}

} // namespace moac::interp
