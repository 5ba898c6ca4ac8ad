// Loops and memory of the onf dialect as interpreter code.
#include "ir/Accumulator.h"
#include "ir/InterpreterLower.h"
#include "ir/InterpreterMachine.h"
#include "ir/Tuned.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace moac::interp;
using moac::eval::Reduction;

namespace moac::interp {

LogicalResult Lowering::function(onf::FuncOp op) {
  Code code(*this, nullptr, op.getSymName().str());
  KernelCode kernel;
  kernel.name = op.getSymName().str();
  kernel.procedure = code.id;
  unsigned symbols = op.getSymbols().size();
  for (Attribute symbol : op.getSymbols())
    kernel.symbols.push_back(cast<StringAttr>(symbol).getValue().str());
  for (unsigned i = 0; i < op.firstInput(); ++i)
    code.bind(op.entry().getArgument(i), code.fresh());
  for (unsigned i = symbols; i < op.firstInput(); ++i) {
    kernel.scalarNames.push_back(op.argName(i).str());
    kernel.scalars.push_back(elementOf(op.entry().getArgument(i).getType()));
    kernel.weakScalars.push_back(op.entry().getArgument(i).getType().isIndex());
  }
  auto arrays = [&](ArrayAttr names, ArrayAttr types, unsigned first, Space space,
                    std::vector<ArraySignature> &to) {
    for (unsigned i = 0; i < names.size(); ++i) {
      auto type = cast<moa::ArrayType>(cast<TypeAttr>(types[i]).getValue());
      code.addSignature(names, i, type, to);
      code.buffers[op.entry().getArgument(first + i)] =
          static_cast<uint32_t>(program.buffers.size());
      program.buffers.push_back({to.back().name, to.back().element, space});
    }
  };
  arrays(op.getInputs(), op.getInputTypes(), op.firstInput(), Space::input, kernel.inputs);
  arrays(op.getResults(), op.getResultTypes(), op.firstOutput(), Space::output, kernel.results);
  if (failed(code.lower(op.entry())))
    return failure();
  code.emit(Op::finish);
  kernel.extents = std::move(code.entryExtents);
  program.kernels.push_back(std::move(kernel));
  return success();
}

LogicalResult Code::loop(onf::ForOp op) {
  uint32_t low = slot(op.getLo()), high = slot(op.getHi()), index = define(op.iv());
  bool parallel = op.getRole() == "parallel";
  bool heads = parallel && !inSharedLoop;
  bool counts = heads || (parallel && sharedLevels > 0);
  uint32_t saved = heads ? fresh() : 0;
  if (heads) {
    inSharedLoop = true;
    sharedLevels = static_cast<unsigned>(std::max<int64_t>(op.getCollapse(), 1));
    emit(Op::sharedLoop, 0, saved);
  }
  unsigned levels = sharedLevels;
  sharedLevels = counts ? levels - 1 : 0;
  bool down = op.getReverse();
  size_t first = emit(down ? Op::loopDown : Op::loopUp, 0, index, low, high);
  uint32_t head = label();
  if (counts)
    emit(Op::iteration);
  if (failed(lower(op.entry())))
    return failure();
  if (op.getStep())
    emit(Op::loopUpBy, 0, index, slot(op.getStep()), high, head);
  else
    emit(down ? Op::loopDownNext : Op::loopUpNext, 0, index, low, high, head);
  at(first).c = label();
  sharedLevels = levels;
  if (heads) {
    inSharedLoop = false;
    sharedLevels = 0;
    emit(Op::sharedLoopEnd, 0, saved);
  }
  return success();
}

LogicalResult Code::condition(onf::IfOp op) {
  uint32_t condition = slot(op.getCondition());
  bool fails = mayFail(op);
  emit(Op::doubtBegin, 0, 0, condition);
  size_t test = emit(Op::jumpUnless, fails, 0, condition);
  label();
  if (!op.getThenRegion().empty() && failed(lower(op.getThenRegion().front())))
    return failure();
  size_t skip = emit(Op::jump);
  at(test).b = label();
  if (!op.getElseRegion().empty() && failed(lower(op.getElseRegion().front())))
    return failure();
  at(skip).a = label();
  emit(Op::doubtEnd, 0, 0, condition);
  return success();
}

static std::optional<Space> spaceFromName(StringRef name) {
  return llvm::StringSwitch<std::optional<Space>>(name)
      .Cases({"shared", "symmetric"}, Space::shared)
      .Case("thread", Space::thread)
      .Case("register", Space::local)
      .Default(std::nullopt);
}

static std::optional<Reduction> updateFromName(StringRef name) {
  return llvm::StringSwitch<std::optional<Reduction>>(name)
      .Case("add", Reduction::add)
      .Case("mul", Reduction::mul)
      .Case("max", Reduction::max)
      .Case("min", Reduction::min)
      .Case("any", Reduction::any)
      .Case("all", Reduction::all)
      .Default(std::nullopt);
}

LogicalResult Code::memory(Operation *op) {
  auto &program = shared.program;
  if (auto alloc = dyn_cast<onf::AllocOp>(op)) {
    auto type = cast<onf::BufferType>(alloc.getBuffer().getType());
    std::optional<Space> space = spaceFromName(type.getSpace());
    if (!space)
      return shared.refuse(op, "unknown space '" + type.getSpace() + "'");
    auto id = static_cast<uint32_t>(program.buffers.size());
    program.buffers.push_back({alloc.getName().str(), elementOf(type.getElementType()), *space, alloc.getRefilled()});
    buffers[alloc.getBuffer()] = id;
    emit(Op::allocBuffer, 0, 0, id, slot(alloc.getSize()));
    return success();
  }
  if (auto load = dyn_cast<onf::LoadOp>(op)) {
    uint32_t id = buffers.lookup(load.getBuffer()), offset = offsetSlot(load.getOffset());
    ++block().buffers[program.buffers[id].name].loads;
    emit(Op::loadBuffer, 0, define(load.getResult()), id, offset);
    return success();
  }
  if (auto store = dyn_cast<onf::StoreOp>(op)) {
    uint32_t id = buffers.lookup(store.getBuffer());
    Traffic &traffic = block().buffers[program.buffers[id].name];
    ++traffic.stores;
    traffic.finishes += store.getFinishes() || store.getOpens();
    uint32_t value = slot(store.getValue());
    StoreEvent event = store.getFinishes() ? StoreEvent::Finishes
                       : store.getOpens()  ? StoreEvent::Opens
                                           : StoreEvent::Plain;
    emit(Op::storeBuffer, static_cast<unsigned>(event), value, id, offsetSlot(store.getOffset()));
    return success();
  }
  auto update = cast<onf::UpdateOp>(op);
  std::optional<Reduction> kind = updateFromName(update.getKind());
  if (!kind)
    return shared.refuse(op, "unknown kind '" + update.getKind() + "'");
  uint32_t id = buffers.lookup(update.getBuffer());
  Element element = program.buffers[id].element;
  ++block().buffers[program.buffers[id].name].updates;
  block().visits += !update.getBlock();
  if (update.getAtomic())
    ++block().operations["atomic"];
  ++block().operations[(update.getKind() + "." + StringRef(elementName(element))).str()];
  uint32_t value = slot(update.getValue());
  emit(Op::updateBuffer, static_cast<unsigned>(*kind), value, id, offsetSlot(update.getOffset()),
       (element == Element::U64 ? 1 : 0) | (update.getAtomic() ? 2 : 0));
  return success();
}

LogicalResult Code::onfOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](onf::ForOp o) { return loop(o); })
      .Case([&](onf::IfOp o) { return condition(o); })
      .Case<onf::AllocOp, onf::LoadOp, onf::StoreOp, onf::UpdateOp>(
          [&](Operation *o) { return memory(o); })
      .Case<onf::NoteOp, onf::PrefetchOp>([](Operation *) { return success(); })
      .Case<onf::GatherOp, onf::MeetOp>([](Operation *) { return success(); }) // to nobody
      .Case([&](onf::WorldOp o) {
        bind(o.getResult(), number(o.getWhat() == "pes"));
        return success();
      })
      .Case([&](onf::NamedOp o) {
        bind(o.getResult(), slot(o.getValue()));
        return success();
      })
      .Case([&](onf::TunedOp o) {
        StringRef name = o.getName();
        bind(o.getResult(), number(findTuned(std::string_view(name.data(), name.size()))->values[0]));
        return success();
      })
      .Case([&](onf::ParallelOp o) {
        emit(Op::teamBegin);
        if (failed(lower(o.getBody().front())))
          return failure();
        emit(Op::teamEnd);
        return success();
      })
      .Case([&](onf::FailOp o) -> LogicalResult {
        std::optional<Status> status =
            statusFromName(std::string_view(o.getStatus().data(), o.getStatus().size()));
        if (!status)
          return shared.refuse(o, "unknown status '" + o.getStatus() + "'");
        emit(Op::fail, static_cast<unsigned>(-static_cast<int>(*status)));
        return success();
      })
      .Default([&](Operation *o) { return shared.refuse(o, "no meaning for the interpreter"); });
}

} // namespace moac::interp

moac::Outcome moac::interpret(onf::FuncOp function, const Arguments &arguments,
                              const Limits &limits) {
  Lowering lowering;
  if (failed(lowering.function(function))) {
    Outcome outcome;
    outcome.ending = Ending::Invalid;
    outcome.message = lowering.refusal;
    return outcome;
  }
  return Machine(lowering.program, limits).runFunction(arguments);
}
