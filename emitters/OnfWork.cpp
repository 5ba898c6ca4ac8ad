// Counts what ONF says must be done. Nothing of the loop-tree builder is used here but the words
// for single operations: what the builder forgets or adds shows as a difference.
#include "emitters/OnfWork.h"

#include "emitters/ScalarTree.h"
#include "emitters/TreeTerms.h"

#include "llvm/ADT/TypeSwitch.h"

#include <fmt/format.h>

using namespace mlir;

namespace moac::emit {
using namespace tree;
using reading::Term;
using reading::Work;

namespace {

bool isWrite(Operation *op) { return isa<onf::StoreOp, onf::UpdateOp>(op); }

class OnfWork {
public:
  OnfWork(onf::FuncOp function, const Kernel &kernel) {
    Block &entry = function.entry();
    const unsigned scalars = function.firstInput(), outputs = function.firstOutput();
    for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
      const unsigned symbols = kernel.symbols.size();
      if (i < scalars)
        values[entry.getArgument(i)] =
            work.leaf(i < symbols ? kernel.symbols[i] : kernel.scalars[i - symbols].name, true, 0);
      else
        arrays[entry.getArgument(i)] =
            i < outputs ? kernel.inputs[i - scalars].name : kernel.outputs[i - outputs].name;
    }
    block(entry);
  }

  Work work;

private:
  void block(Block &block) {
    for (Operation &op : block)
      if (&op != chosenStore)
        statement(op);
  }

  void statement(Operation &op) {
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](onf::AllocOp alloc) { this->alloc(alloc); })
        .Case([&](onf::ParallelOp team) {
          inTeam = true;
          block(team.getBody().front());
          inTeam = false;
        })
        .Case([&](onf::ForOp loop) { this->loop(loop); })
        .Case([&](onf::IfOp branch) { this->branch(branch); })
        .Case<onf::StoreOp, onf::UpdateOp>(
            [&](auto store) { this->store(store.getBuffer(), store.getOffset(), written(store)); })
        .Case([&](onf::FailOp) { work.fail(); })
        .Default([](Operation *) {}); // scalar operations are visited from where they are needed
  }

  void alloc(onf::AllocOp op) {
    const Value buffer = op.getBuffer();
    if (llvm::none_of(buffer.getUsers(), [](Operation *user) { return isa<onf::LoadOp>(user); })) {
      arrays[buffer] = "unread"; // has no declaration in C
      return;
    }
    const StringRef space = cast<onf::BufferType>(buffer.getType()).getSpace();
    const bool scalar = space == "register" && llvm::none_of(buffer.getUsers(), hasOffset);
    if (scalar)
      registers[buffer] =
          work.leaf(fmt::format("register {}", registers.size()), false, work.current());
    else if (space == "register")
      arrays[buffer] = fmt::format("local {}", ++locals);
    else
      arrays[buffer] = space == "thread" && inTeam ? fmt::format("thread {}", ++threadBuffers)
                                                   : fmt::format("shared {}", ++sharedBuffers);
  }

  static bool hasOffset(Operation *user) {
    return llvm::TypeSwitch<Operation *, bool>(user)
        .Case<onf::LoadOp, onf::StoreOp, onf::UpdateOp>(
            [](auto op) { return op.getOffset() != nullptr; })
        .Default(false);
  }

  void loop(onf::ForOp op) {
    const bool shared = op.getRole() == "parallel" && op.getCollapse() > 0;
    const std::string directive = shared                     ? "parallel"
                                  : op.getRole() == "lanes"  ? "simd"
                                  : op.getRole() == "unroll" ? "unroll"
                                                             : "";
    Work::Value hi = value(op.getHi());
    if (op.getStep())
      hi = work.apply("by", {hi, value(op.getStep())});
    const unsigned level =
        work.enter(op.getName().str(), directive, op.getReverse(), value(op.getLo()), hi);
    values[op.iv()] = work.leaf("variable", false, level);
    block(op.entry());
    work.leave();
  }

  /// The last store of both sides, when these two are the only stores to a register.
  std::pair<onf::StoreOp, onf::StoreOp> chosen(onf::IfOp op) {
    if (op.getElseRegion().empty())
      return {};
    onf::StoreOp last[2];
    Region *sides[] = {&op.getThenRegion(), &op.getElseRegion()};
    for (unsigned side : {0, 1})
      for (Operation &inner : llvm::reverse(sides[side]->front()))
        if (!ScalarTree::isPure(&inner) && !isa<onf::NoteOp, onf::AllocOp>(inner)) {
          last[side] = dyn_cast<onf::StoreOp>(inner);
          break;
        }
    if (!last[0] || !last[1] || last[0].getBuffer() != last[1].getBuffer() ||
        !registers.count(last[0].getBuffer()))
      return {};
    const unsigned writes = llvm::count_if(last[0].getBuffer().getUsers(), isWrite);
    return writes == 2 ? std::pair(last[0], last[1]) : std::pair(onf::StoreOp(), onf::StoreOp());
  }

  void branch(onf::IfOp op) {
    const Work::Value condition = value(op.getCondition());
    auto [yes, no] = chosen(op);
    work.enterIf(condition);
    side(op.getThenRegion(), yes);
    side(op.getElseRegion(), no);
    work.leave();
    if (!yes)
      return;
    const bool isBool = yes.getValue().getType().isInteger(1);
    registers[yes.getBuffer()] = work.choose(isBool, condition, written(yes), written(no));
  }

  void side(Region &region, Operation *leftOut) {
    Operation *outer = std::exchange(chosenStore, leftOut);
    if (!region.empty())
      block(region.front());
    chosenStore = outer;
  }

  /// The value that reaches memory.
  Work::Value written(onf::StoreOp op) {
    return convert(elemOf(op.getValue().getType()), storage(op.getBuffer()), value(op.getValue()));
  }
  Work::Value written(onf::UpdateOp op) {
    const Op fn = updateOp(op.getKind());
    const Elem type = elemOf(op.getValue().getType());
    const Work::Value old = read(op.getBuffer(), op.getOffset());
    return convert(type, storage(op.getBuffer()),
                   apply(fn, type, type, {old, value(op.getValue())}));
  }

  void store(Value buffer, Value offset, Work::Value value) {
    if (registers.count(buffer))
      work.set(registers[buffer], value);
    else
      work.store(arrays[buffer], !buffer.getDefiningOp(),
                 offset ? this->value(offset) : work.leaf("0", true, 0), value);
  }

  static Elem storage(Value buffer) {
    return elemOf(cast<onf::BufferType>(buffer.getType()).getElementType());
  }

  Work::Value read(Value buffer, Value offset) {
    const Elem from = storage(buffer);
    const Elem to =
        elemOf(moa::valueType(cast<onf::BufferType>(buffer.getType()).getElementType()));
    if (registers.count(buffer))
      return convert(from, to, registers[buffer]);
    const Work::Value at = offset ? value(offset) : work.leaf("0", true, 0);
    return convert(from, to, work.apply("[] " + arrays[buffer], {at}));
  }

  Work::Value value(Value v) {
    if (const auto found = values.find(v); found != values.end())
      return found->second;
    Operation *op = v.getDefiningOp();
    const Work::Value made =
        llvm::TypeSwitch<Operation *, Work::Value>(op)
            .Case([&](moa::ScalarOp scalar) { return this->scalar(scalar); })
            .Case([&](moa::CastOp cast) {
              return convert(elemOf(cast.getValue().getType()), elemOf(v.getType()),
                             value(cast.getValue()));
            })
            .Case([&](onf::LoadOp load) { return read(load.getBuffer(), load.getOffset()); })
            .Case([&](moa::WhereOp where) {
              const Work::Value condition = value(where.getCondition());
              const Work::Value yes = value(yielded(where.getThenRegion()));
              const Work::Value no = value(yielded(where.getElseRegion()));
              return work.choose(v.getType().isInteger(1), condition, yes, no);
            })
            .Case([&](moa::ConstantOp constant) { return literal(constant); })
            .Case([&](onf::NamedOp named) { return value(named.getValue()); })
            .Case([&](onf::TunedOp tuned) {
              return work.leaf(tuned.getName().str(), true, 0);
            })
            .Default([&](Operation *) { return work.leaf("unknown", true, 0); });
    values[v] = made;
    return made;
  }

  static Value yielded(Region &region) { return region.front().getTerminator()->getOperand(0); }

  Work::Value literal(moa::ConstantOp op) {
    const Elem type = elemOf(op.getResult().getType());
    if (auto number = dyn_cast<FloatAttr>(op.getValue()))
      return term(reading::termOf(real(number.getValueAsDouble(), type)), {});
    const APInt bits = cast<IntegerAttr>(op.getValue()).getValue();
    const bool asUnsigned = type == Elem::Bool || isUnsigned(type);
    return term(
        reading::termOf(integer(
            asUnsigned ? static_cast<int64_t>(bits.getZExtValue()) : bits.getSExtValue(), type)),
        {});
  }

  Work::Value scalar(moa::ScalarOp op) {
    std::vector<Work::Value> parts;
    for (Value operand : op.getOperands())
      parts.push_back(value(operand));
    const Op fn = opOf(op);
    const Elem operand = elemOf(op.getOperands().back().getType());
    if (auto answer = settled(fn, operand, parts))
      return work.leaf(*answer ? "1" : "0", true, 0);
    return apply(fn, operand, elemOf(op.getResult().getType()), std::move(parts));
  }

  /// Comparisons whose answer is always the same are not printed.
  std::optional<bool> settled(Op fn, Elem operand, const std::vector<Work::Value> &parts) {
    if (fn < Op::eq_ || fn > Op::ge_)
      return std::nullopt;
    const bool zero = parts[1] == work.leaf("0", true, 0);
    if (isUnsigned(operand) && zero && (fn == Op::ge_ || fn == Op::lt_))
      return fn == Op::ge_;
    if (isFloat(operand) || parts[0] != parts[1] || parts[0] == work.size())
      return std::nullopt;
    return fn == Op::eq_ || fn == Op::le_ || fn == Op::ge_;
  }

  // ---- single operations, by the words that terms have for them

  Work::Value apply(Op fn, Elem operand, Elem result, std::vector<Work::Value> parts) {
    std::vector<Expr> names;
    for (size_t i = 0; i < parts.size(); ++i)
      names.push_back(tree::name(fmt::format("%{}", i), operand));
    return term(reading::termOf(tree::apply(fn, result, std::move(names))), parts);
  }

  Work::Value convert(Elem from, Elem to, Work::Value value) {
    return term(reading::termOf(tree::cast(to, tree::name("%0", from))), {value});
  }

  /// The value of a term whose names `%i` stand for values.
  Work::Value term(const Term &term, const std::vector<Work::Value> &named) {
    if (term.head[0] == '%')
      return named[static_cast<size_t>(term.head[1] - '0')];
    if (term.args.empty())
      return work.leaf(term.head, true, 0);
    std::vector<Work::Value> parts;
    for (const Term &part : term.args)
      parts.push_back(this->term(part, named));
    return work.apply(term.head, std::move(parts));
  }

  llvm::DenseMap<Value, Work::Value> values, registers;
  llvm::DenseMap<Value, std::string> arrays;
  Operation *chosenStore = nullptr;
  bool inTeam = false;
  unsigned locals = 0, sharedBuffers = 0, threadBuffers = 0;
};

} // namespace

Work workOf(onf::FuncOp function, const Kernel &kernel) {
  return std::move(OnfWork(function, kernel).work);
}

} // namespace moac::emit
