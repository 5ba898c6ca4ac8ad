// Arrays, reductions and calls of the moa dialect as interpreter code.
#include "ir/Accumulator.h"
#include "ir/IndexExpr.h"
#include "ir/InterpreterLower.h"
#include "ir/InterpreterMachine.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace moac::interp;
using moac::eval::Reduction;

namespace moac::interp {

FailureOr<uint32_t> Lowering::kernel(moa::KernelOp op) {
  if (auto known = kernels.find(op); known != kernels.end())
    return known->second;
  if (!beingLowered.insert(op).second)
    return refuse(op, "kernel '" + op.getSymName() + "' calls itself");
  if (!main)
    main = op;
  auto id = static_cast<uint32_t>(program.kernels.size());
  program.kernels.emplace_back();
  Code code(*this, nullptr, op.getSymName().str());
  KernelCode kernel;
  kernel.name = op.getSymName().str();
  kernel.procedure = code.id;
  for (Attribute symbol : op.getSymbols())
    kernel.symbols.push_back(cast<StringAttr>(symbol).getValue().str());
  for (BlockArgument argument : op.entry().getArguments())
    if (passedByNeed(argument))
      code.bindByNeed(argument, code.fresh());
    else
      code.bind(argument, code.fresh());
  for (unsigned i = 0; i < op.numScalars(); ++i) {
    kernel.scalarNames.push_back(op.argName(op.numSymbols() + i).str());
    kernel.scalars.push_back(elementOf(op.scalarArg(i).getType()));
    kernel.weakScalars.push_back(op.scalarArg(i).getType().isIndex());
  }
  for (unsigned i = 0; i < op.getInputs().size(); ++i)
    code.addSignature(op.getInputs(), i, cast<moa::ArrayType>(op.inputArg(i).getType()),
                      kernel.inputs);
  for (unsigned i = 0; i < op.getResults().size(); ++i)
    code.addSignature(op.getResults(), i, op.resultType(i), kernel.results);
  if (failed(code.lower(op.entry())))
    return failure();
  code.emit(Op::finish);
  kernel.returned.assign(code.returned.begin(), code.returned.end());
  kernel.extents = std::move(code.entryExtents);
  program.kernels[id] = std::move(kernel);
  beingLowered.erase(op);
  kernels[op] = id;
  return id;
}

LogicalResult Code::moaOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](moa::GenOp o) { return gen(o); })
      .Case([&](moa::PsiOp o) { return psi(o); })
      .Case([&](moa::RedOp o) { return red(o); })
      .Case([&](moa::CallOp o) { return call(o); })
      .Case([&](moa::ReturnOp o) {
        for (Value value : o.getValues())
          returned.push_back(slot(value));
        return success();
      })
      .Default([&](Operation *o) { return structureOp(o); });
}

LogicalResult Code::gen(moa::GenOp op) {
  auto id = static_cast<uint32_t>(shared.program.gens.size());
  shared.program.gens.emplace_back();
  GenCode gen;
  gen.name = op.getName().str();
  gen.element = elementOf(op.arrayType().getElementType());
  gen.mayFail = mayFail(op);
  if (failed(hoist(op.getBody())))
    return failure();
  Code inner(shared, this, gen.name);
  for (BlockArgument index : op.entry().getArguments())
    inner.bind(index, inner.fresh());
  if (failed(inner.lowerScoped(op.entry())))
    return failure();
  gen.procedure = inner.id;
  gen.result = inner.slot(op.yielded());
  inner.emit(Op::finish);
  gen.captures = std::move(inner.captures);
  for (const shape::Expr &extent : op.arrayType().extents())
    gen.extents.push_back(extentSlot(extent));
  shared.program.gens[id] = std::move(gen);
  emit(Op::makeArray, 0, define(op.getResult()), id);
  return success();
}

LogicalResult Code::psi(moa::PsiOp op) {
  auto type = cast<moa::ArrayType>(op.getArray().getType());
  if (op.getSubscripts().size() > 32)
    return shared.refuse(op, "more than 32 subscripts");
  SmallVector<uint32_t> entries;
  uint32_t mask = 0;
  for (Value subscript : op.getSubscripts())
    entries.push_back(slot(subscript));
  for (int64_t axis : op.getChecked())
    mask |= 1u << axis;
  auto count = static_cast<uint32_t>(entries.size());
  entries.push_back(mask);
  bool full = !isa<moa::ArrayType>(op.getType());
  if (full)
    ++block().buffers[moa::userName(op.getArray()).str()].loads;
  uint32_t array = slot(op.getArray()), to = define(op.getResult());
  emit(full ? Op::load : Op::subArray, static_cast<unsigned>(type.rank()), to, array, list(entries),
       count);
  return success();
}

LogicalResult Code::call(moa::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<moa::KernelOp>(op, op.getCalleeAttr());
  if (!callee)
    return shared.refuse(op, "no kernel '" + op.getCallee() + "'");
  FailureOr<uint32_t> kernel = shared.kernel(callee);
  if (failed(kernel))
    return failure();
  if (op.getOperands().size() != callee.entry().getNumArguments() ||
      op.getNumResults() != callee.getResults().size())
    return shared.refuse(op, "arguments do not fit '" + op.getCallee() + "'");
  SmallVector<uint32_t> entries;
  for (Value result : op.getResults())
    entries.push_back(define(result));
  for (auto [operand, argument] : llvm::zip(op.getOperands(), callee.entry().getArguments()))
    entries.push_back(shared.passedByNeed(argument) ? arrayOf(operand) : slot(operand));
  emit(Op::call, op.getNumResults(), 0, *kernel, list(entries),
       static_cast<uint32_t>(op.getOperands().size()));
  return success();
}

LogicalResult Code::loops(moa::RedOp op, unsigned k, unsigned accumulator, bool down,
                          SmallVectorImpl<uint32_t> &indices,
                          llvm::function_ref<LogicalResult()> innermost) {
  if (k == op.rank())
    return innermost();
  mlir::Block &domain = op.domain(k);
  for (auto [argument, index] : llvm::zip(domain.getArguments(), indices))
    bind(argument, index);
  if (failed(lower(domain)))
    return failure();
  uint32_t low = slot(op.lower(k)), high = slot(op.upper(k)), index = fresh();
  indices.push_back(index);
  size_t first = emit(down ? Op::loopDown : Op::loopUp, accumulator, index, low, high);
  uint32_t head = label();
  if (failed(loops(op, k + 1, accumulator, down, indices, innermost)))
    return failure();
  emit(down ? Op::loopDownNext : Op::loopUpNext, 0, index, low, high, head);
  at(first).c = label();
  return success();
}

static std::optional<Reduction> reductionFromName(StringRef name) {
  return llvm::StringSwitch<std::optional<Reduction>>(name)
      .Case("add", Reduction::add)
      .Case("mul", Reduction::mul)
      .Case("max", Reduction::max)
      .Case("min", Reduction::min)
      .Case("any", Reduction::any)
      .Case("all", Reduction::all)
      .Case("argmax", Reduction::argmax)
      .Case("argmin", Reduction::argmin)
      .Default(std::nullopt);
}

LogicalResult Code::red(moa::RedOp op) {
  if (failed(hoist(op.getParts()[op.rank()])))
    return failure();
  Reduced reduced{op, op.getKind(), elementOf(op.termValue().getType()), op.getIdentityAttr(),
                  op.isFold() ? &op.combine() : nullptr, op.isArg() && op.rank() > 1};
  SmallVector<uint32_t> indices;
  auto nest = [&](unsigned accumulator, llvm::function_ref<LogicalResult()> innermost) {
    return loops(op, 0, accumulator, op.isFold(), indices, innermost);
  };
  auto term = [&]() -> FailureOr<Term> {
    for (auto [argument, index] : llvm::zip(op.term().getArguments(), indices))
      bind(argument, index);
    if (failed(lowerScoped(op.term())))
      return failure();
    return Term{slot(op.termValue()), indices[0]};
  };
  return reduce(reduced, define(op.getResult()), nest, term);
}

LogicalResult Code::reduce(const Reduced &reduced, uint32_t to, Nest nest, MakeTerm term) {
  return reduced.combine ? fold(reduced, to, nest, term) : accumulate(reduced, to, nest, term);
}

LogicalResult Code::accumulate(const Reduced &reduced, uint32_t to, Nest nest, MakeTerm term) {
  std::optional<Reduction> kind = reductionFromName(reduced.kind);
  if (!kind)
    return shared.refuse(reduced.op, "unknown kind '" + reduced.kind + "'");
  auto aux = static_cast<unsigned>(*kind);
  auto variant = static_cast<unsigned>(classOf(reduced.element));
  auto pick = [&](Op single) { return static_cast<Op>(static_cast<unsigned>(single) + variant); };
  uint32_t isUnsigned = reduced.element == Element::U64;
  uint32_t accumulator = procedure().accumulators++;
  uint32_t position = reduced.counts ? fresh() : 0;
  if (reduced.counts)
    emit(Op::move, 0, position, number(0));
  emit(pick(Op::startSingle), aux, accumulator);
  auto innermost = [&]() -> LogicalResult {
    ++block().points[name];
    block().visits += *kind != Reduction::argmax && *kind != Reduction::argmin;
    ++block().operations[(reduced.kind + "." + StringRef(elementName(reduced.element))).str()];
    FailureOr<Term> one = term();
    if (failed(one))
      return failure();
    emit(pick(Op::termSingle), aux, accumulator, one->value,
         reduced.counts ? position : one->index, isUnsigned);
    if (reduced.counts)
      emit(Op::increment, 0, position);
    return success();
  };
  if (failed(nest(accumulator + 1, innermost)))
    return failure();
  emit(pick(Op::endSingle), aux, to, accumulator, static_cast<uint32_t>(reduced.element), isUnsigned);
  return success();
}

/// Right to left: the last term first, then combine(term, accumulator) toward the first. The
/// identity is only the value of an empty domain.
LogicalResult Code::fold(const Reduced &reduced, uint32_t to, Nest nest, MakeTerm term) {
  uint32_t started = fresh();
  emit(Op::move, 0, started, number(0));
  auto innermost = [&]() -> LogicalResult {
    ++block().points[name];
    FailureOr<Term> one = term();
    if (failed(one))
      return failure();
    size_t test = emit(Op::jumpUnless, 0, 0, started);
    label();
    bind(reduced.combine->getArgument(0), one->value);
    bind(reduced.combine->getArgument(1), to);
    if (failed(lowerScoped(*reduced.combine)))
      return failure();
    emit(Op::move, 0, to, slot(reduced.combine->getTerminator()->getOperand(0)));
    size_t skip = emit(Op::jump);
    at(test).b = label();
    emit(Op::move, 0, to, one->value);
    emit(Op::move, 0, started, number(1));
    at(skip).a = label();
    return success();
  };
  if (failed(nest(0, innermost)))
    return failure();
  size_t test = emit(Op::jumpUnless, 0, 0, started);
  label();
  size_t skip = emit(Op::jump);
  at(test).b = label();
  if (reduced.identity) {
    uint32_t value = fresh();
    if (failed(constant(reduced.op, reduced.identity, value)))
      return failure();
    emit(Op::move, 0, to, value);
  } else {
    emit(Op::emptyFold);
  }
  at(skip).a = label();
  return success();
}

} // namespace moac::interp

moac::Outcome moac::interpret(moa::KernelOp kernel, const Arguments &arguments,
                              const Limits &limits) {
  Lowering lowering;
  if (failed(lowering.kernel(kernel))) {
    Outcome outcome;
    outcome.ending = Ending::Invalid;
    outcome.message = lowering.refusal;
    return outcome;
  }
  Outcome outcome = Machine(lowering.program, limits).runKernel(arguments);
  if (outcome.ending != Ending::Returned || outcome.status == Status::Ok)
    return outcome;
  Limits all = limits;
  all.onward = true;
  outcome.failures = Machine(lowering.program, all).runKernel(arguments).failures;
  outcome.failures.insert(outcome.status);
  return outcome;
}
