// Scalars, conditions and the common mechanics of writing interpreter code.
#include "ir/InterpreterLower.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace moac::interp {

Element elementOf(Type type) {
  return type.isIndex() ? Element::I64
                        : elementFromName(moa::typeName(type)).value_or(Element::I64);
}

bool mayFail(Operation *whole) {
  auto needsTerms = [](auto reduction) { return reduction.isFold() && !reduction.getIdentityAttr(); };
  WalkResult found = whole->walk([&](Operation *op) {
    bool fails = llvm::TypeSwitch<Operation *, bool>(op)
                     .Case<moa::PsiOp, moa::SliceOp>([](auto read) { return !read.getChecked().empty(); })
                     .Case([](moa::ScalarOp scalar) { return scalar.getChecked(); })
                     .Case<moa::RedOp, moa::ReduceOp, moa::InnerOp>(needsTerms)
                     .Case<moa::CallOp, moa::FailOp, onf::FailOp>([](auto) { return true; })
                     .Default([](Operation *) { return false; });
    return fails ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

LogicalResult Lowering::refuse(Operation *op, const Twine &reason) {
  if (refusal.empty())
    refusal = (op->getName().getStringRef() + ": " + reason).str();
  return failure();
}

Code::Code(Lowering &shared, Code *outer, std::string name)
    : shared(shared), outer(outer), name(std::move(name)),
      id(static_cast<uint32_t>(shared.program.procedures.size())) {
  shared.program.procedures.emplace_back();
  label();
}

uint32_t Code::fresh() {
  procedure().slots.push_back(Slot{});
  return static_cast<uint32_t>(procedure().slots.size() - 1);
}

uint32_t Code::number(int64_t value) {
  auto [it, isNew] = numbers.try_emplace(value, 0);
  if (isNew) {
    it->second = fresh();
    procedure().slots[it->second].whole = value;
  }
  return it->second;
}

uint32_t Code::define(Value value) { return slots[value] = fresh(); }

uint32_t Code::slot(Value value) {
  auto it = slots.find(value);
  if (it != slots.end())
    return it->second;
  if (std::optional<uint32_t> array = byNeedSlot(value)) {
    uint32_t to = fresh(); // not remembered: who asks may be one side of a choice
    emit(Op::load, 0, to, *array, list({0}));
    return to;
  }
  uint32_t to = define(value);
  if (outer)
    captures.push_back({outer->slot(value), to, isa<moa::ArrayType>(value.getType())});
  return to;
}

uint32_t Code::extentSlot(const shape::Expr &extent) {
  auto [it, isNew] = extents.try_emplace(extent.str(), 0);
  if (isNew) {
    it->second = fresh();
    if (outer)
      captures.push_back({outer->extentSlot(extent), it->second, false});
    else
      entryExtents.push_back({extent, it->second});
  }
  return it->second;
}

size_t Code::emit(Op op, unsigned aux, uint32_t dst, uint32_t a, uint32_t b, uint32_t c) {
  ++block().steps;
  procedure().code.push_back({op, static_cast<uint16_t>(aux), dst, a, b, c});
  return procedure().code.size() - 1;
}

uint32_t Code::label() {
  current = static_cast<uint32_t>(shared.program.blocks.size());
  shared.program.blocks.emplace_back();
  return static_cast<uint32_t>(emit(Op::enter, 0, 0, current));
}

uint32_t Code::list(ArrayRef<uint32_t> entries) {
  auto &lists = procedure().lists;
  lists.insert(lists.end(), entries.begin(), entries.end());
  return static_cast<uint32_t>(lists.size() - entries.size());
}

LogicalResult Code::lower(mlir::Block &block) {
  for (Operation &op : block)
    if (!isa<moa::YieldOp>(op) && !shared.hoisted.contains(&op) && !shared.isUnused(&op) && failed(shared.isByNeed(&op) ? lowerByNeed(&op) : lower(&op)))
      return failure();
  return success();
}

LogicalResult Code::lowerScoped(mlir::Block &block) {
  bool makes = block
                   .walk([this](Operation *op) {
                     bool array = llvm::any_of(op->getResultTypes(), llvm::IsaPred<moa::ArrayType>);
                     return (array && !isa<moa::PsiOp>(op)) || shared.isByNeed(op) ? WalkResult::interrupt()
                                                          : WalkResult::advance();
                   })
                   .wasInterrupted();
  uint32_t mark = makes ? fresh() : 0;
  if (makes)
    emit(Op::mark, 0, mark);
  if (failed(lower(block)))
    return failure();
  if (makes)
    emit(Op::release, 0, 0, mark);
  return success();
}

LogicalResult Code::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](moa::ConstantOp o) { return constant(o, o.getValue(), define(o.getResult())); })
      .Case([&](moa::ScalarOp o) { return scalar(o); })
      .Case([&](moa::CastOp o) { return conversion(o); })
      .Case([&](moa::WhereOp o) { return where(o); })
      .Case([&](moa::FailOp o) {
        std::string_view name(o.getStatus().data(), o.getStatus().size());
        emit(Op::fail, static_cast<unsigned>(-static_cast<int>(*statusFromName(name))));
        define(o.getResult());
        return success();
      })
      .Case([&](moa::RequireOp o) {
        return require(o, o.getCondition(), o.getStatus(), o.getText());
      })
      .Case([&](onf::RequireOp o) {
        return require(o, o.getCondition(), o.getStatus(), o.getText());
      })
      .Default([&](Operation *o) {
        return o->getDialect() && o->getDialect()->getNamespace() == "onf" ? onfOp(o) : moaOp(o);
      });
}

LogicalResult Code::constant(Operation *op, TypedAttr attribute, uint32_t to) {
  Slot &value = procedure().slots[to];
  Element element = elementOf(attribute.getType());
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    if (classOf(element) == Class::Double)
      value.wide = number.getValueAsDouble();
    else
      value.narrow = number.getValueAsDouble();
    return success();
  }
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || number.getValue().getBitWidth() > 64)
    return shared.refuse(op, "a constant that is neither a float nor an integer");
  bool isSigned = element >= Element::I8 && element <= Element::I64;
  value.whole = isSigned ? number.getValue().getSExtValue()
                         : static_cast<int64_t>(number.getValue().getZExtValue());
  return success();
}

LogicalResult Code::scalar(moa::ScalarOp op) {
  using moa::ScalarFn;
  Element element = elementOf(op.getOperand(0).getType());
  ScalarFn fn = op.kind();
  bool isUnsigned = element == Element::U32 || element == Element::U64;
  ++block().operations[(op.getFn() + "." + StringRef(elementName(element))).str()];
  uint32_t operands[3] = {0, 0, 0};
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    operands[i] = slot(op.getOperand(i));
  uint32_t to = define(op.getResult());
  if (isUnsigned && fn == ScalarFn::abs_) {
    emit(Op::move, 0, to, operands[0]);
    return success();
  }
  unsigned variant = static_cast<unsigned>(classOf(element));
  bool divides = fn == ScalarFn::floordiv_ || fn == ScalarFn::mod_;
  bool ordered = fn == ScalarFn::min_ || fn == ScalarFn::max_ ||
                 moa::scalarFnClass(fn) == moa::ScalarClass::Compare;
  if (element == Element::U64 && (divides || ordered))
    variant = 3;
  emit(static_cast<Op>(static_cast<unsigned>(fn) * 4 + variant), op.getChecked(), to, operands[0],
       operands[1], operands[2]);
  bool narrow = element == Element::I32 || element == Element::U32;
  if (narrow && moa::scalarFnClass(fn) == moa::ScalarClass::Arith && !ordered)
    emit(Op::wrap, static_cast<unsigned>(element), to, to);
  return success();
}

void Code::convert(Element from, Element to, uint32_t dst, uint32_t source) {
  Class a = classOf(from), b = classOf(to);
  auto target = static_cast<unsigned>(to);
  bool half = to == Element::F16 || to == Element::BF16;
  if (a == Class::Whole && b != Class::Whole) {
    uint32_t middle = half ? fresh() : dst;
    emit(b == Class::Double || half ? Op::wholeToDouble : Op::wholeToSingle, from == Element::U64,
         middle, source);
    if (half)
      emit(Op::roundHalf, target, dst, middle, 1);
  } else if (a == Class::Whole) {
    emit(to == Element::Bool ? Op::wholeToBool : Op::wrap, target, dst, source);
  } else if (to == Element::Bool) {
    emit(a == Class::Double ? Op::doubleToBool : Op::singleToBool, 0, dst, source);
  } else if (b == Class::Whole) {
    emit(a == Class::Double ? Op::doubleToWhole : Op::singleToWhole, target, dst, source);
  } else if (half) {
    emit(Op::roundHalf, target, dst, source, a == Class::Double);
  } else if (a == b) {
    emit(Op::move, 0, dst, source);
  } else {
    emit(b == Class::Double ? Op::widen : Op::narrow, 0, dst, source);
  }
}

LogicalResult Code::conversion(moa::CastOp op) {
  Element from = elementOf(op.getValue().getType()), to = elementOf(op.getType());
  ++block().operations["cast." + std::string(elementName(to))];
  uint32_t source = slot(op.getValue());
  convert(from, to, define(op.getResult()), source);
  return success();
}

LogicalResult Code::where(moa::WhereOp op) {
  ++block().operations[("where." + StringRef(elementName(elementOf(op.getType())))).str()];
  uint32_t condition = slot(op.getCondition()), to = define(op.getResult());
  bool fails = mayFail(op);
  size_t test = emit(Op::jumpUnless, fails, 0, condition);
  label();
  if (failed(lower(op.getThenRegion().front())))
    return failure();
  emit(Op::moveTaint, 0, to, slot(op.thenValue()), condition);
  size_t skip = emit(Op::jump);
  at(test).b = label();
  if (failed(lower(op.getElseRegion().front())))
    return failure();
  emit(Op::moveTaint, 0, to, slot(op.elseValue()), condition);
  at(skip).a = label();
  return success();
}

LogicalResult Code::require(Operation *op, Value condition, StringRef status, StringRef text) {
  std::optional<Status> found = statusFromName(std::string_view(status.data(), status.size()));
  if (!found)
    return shared.refuse(op, "unknown status '" + status + "'");
  auto &texts = shared.program.texts;
  texts.push_back(text.str());
  emit(Op::require, static_cast<unsigned>(-static_cast<int>(*found)), 0, slot(condition),
       static_cast<uint32_t>(texts.size() - 1));
  return success();
}

uint32_t Code::addSignature(ArrayAttr names, unsigned index, moa::ArrayType type,
                            std::vector<ArraySignature> &to) {
  ArraySignature signature;
  signature.name = cast_or_null<StringAttr>(names[index]).getValue().str();
  signature.element = elementOf(type.getElementType());
  signature.columnMajor = type.getColumnMajor();
  for (const shape::Expr &extent : type.extents())
    signature.extents.push_back(extentSlot(extent));
  to.push_back(std::move(signature));
  return static_cast<uint32_t>(to.size() - 1);
}

} // namespace moac::interp
