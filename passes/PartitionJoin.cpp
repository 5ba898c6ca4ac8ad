// The function of a partitioned kernel, composed of those of its phases; see Partition.h.
//
//     copy own blocks of arrays that all PEs need, give them to the others, meet
//     free axis:     X.part over the block [lo, lo + len) of the axis, into the results themselves; into a buffer, copied to its
//                    runs afterwards, where the axis is not the slowest in memory
//     reduced axis:  for the parts of this PE:  X.part into slot `part` of an array for the values of all parts
//                    give the own slots to the others, meet
//                    X.whole
//
// Bodies of functions are copied (BodyCopy.h).
#include "ir/Gamma.h"
#include "ir/MaterializeExpr.h"
#include "ir/Onf.h"
#include "passes/BodyCopy.h"
#include "passes/Partition.h"
#include "passes/StageLoops.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace moac;
using moa::ScalarFn;

namespace {
class Joiner {
public:
  Joiner(onf::FuncOp function, DictionaryAttr how, onf::FuncOp part, onf::FuncOp whole)
      : function(function), how(how), part(part), whole(whole), b(function.getContext()), loc(function.getLoc()) {}

  LogicalResult join() {
    axis = word("axis");
    if (failed(checkFailures()))
      return failure();
    keepChecks();
    b.setInsertionPointToEnd(&function.entry());
    for (unsigned i = 0; i < function.getSymbols().size(); ++i)
      symbols[function.argName(i).str()] = function.entry().getArgument(i);
    pe = onf::WorldOp::create(b, loc, b.getIndexType(), "pe");
    pes = onf::WorldOp::create(b, loc, b.getIndexType(), "pes");
    extent = value(*shape::Expr::parse(view(word("extent"))));
    for (unsigned i = 0; i < function.getInputs().size(); ++i)
      inputs.push_back(function.entry().getArgument(function.firstInput() + i));
    gatherInputs();
    if (cast<BoolAttr>(how.get("free")).getValue())
      runBlock();
    else
      runParts();
    describe();
    function->removeAttr("partition");
    return success();
  }

private:
  using Op = ScalarFn;
  std::string word(StringRef key) { return cast<StringAttr>(how.get(key)).getValue().str(); }
  static std::string_view view(const std::string &text) { return text; }
  Value index(Op fn, Value x, Value y) { return moa::buildIndex(b, loc, fn, {x, y}); }
  Value number(int64_t n) { return moa::indexConstant(b, loc, n); }
  Value named(const std::string &name, Value value) { return onf::NamedOp::create(b, loc, b.getIndexType(), value, name); }
  Value value(const shape::Expr &e) {
    return moa::materialize(e, b, loc, [&](const std::string &name) { return symbols.at(name); });
  }

  /// The PEs would not agree on a failure that one of them finds in its data.
  LogicalResult checkFailures() {
    for (onf::FuncOp phase : {part, whole})
      if (phase && phase.walk([](onf::FailOp) { return WalkResult::interrupt(); }).wasInterrupted())
        return function.emitError() << "kernel '" << function.getSymName() << "' cannot be divided among PEs: it checks its data at run time, and the PEs would not agree "
                                    << "about what they find";
    return success();
  }

  /// The function's own loops are those of one machine.
  void keepChecks() {
    Operation *last = nullptr;
    for (auto require : function.entry().getOps<onf::RequireOp>())
      last = require;
    SmallVector<Operation *> rest;
    for (Operation &op : llvm::reverse(function.entry())) {
      if (&op == last)
        break;
      rest.push_back(&op);
    }
    for (Operation *op : rest)
      op->dropAllUses(), op->erase();
  }

  /// Where the PE's share of `count` things begins and ends.
  std::pair<Value, Value> share(Value count) {
    return {index(Op::floordiv_, index(Op::mul_, pe, count), pes), index(Op::floordiv_, index(Op::mul_, index(Op::add_, pe, number(1)), count), pes)};
  }

  Value symmetric(Type element, Value size, const std::string &name) {
    return onf::AllocOp::create(b, loc, onf::BufferType::get(b.getContext(), element, "symmetric"), size, name);
  }

  // ---- inputs

  void gatherInputs() {
    bool any = false;
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (owned(i) == "gather")
        inputs[i] = gathered(i), any = true;
    if (any)
      onf::MeetOp::create(b, loc);
  }

  StringRef owned(unsigned i) { return cast<StringAttr>(cast<ArrayAttr>(how.get("owned"))[i]).getValue(); }
  moa::ArrayType inputType(unsigned i) { return cast<moa::ArrayType>(cast<TypeAttr>(function.getInputTypes()[i]).getValue()); }

  Value gathered(unsigned i) {
    moa::ArrayType type = inputType(i);
    std::string name = cast<StringAttr>(function.getInputs()[i]).getValue().str();
    onf::NoteOp::create(b, loc, name + " of all PEs");
    std::vector<shape::Expr> extents = type.extents();
    shape::Expr slowest = type.getColumnMajor() ? extents.back() : extents.front(), slice(1);
    for (size_t at = 0; at < extents.size(); ++at)
      if (at != (type.getColumnMajor() ? extents.size() - 1 : 0))
        slice = slice * extents[at];
    Value all = symmetric(type.getElementType(), value(shape::total(extents)), name + "_all"), unit = value(slice);
    auto [first, end] = share(value(slowest));
    Value from = named(name + "_from", index(Op::mul_, first, unit)), to = named(name + "_to", index(Op::mul_, end, unit));
    copy(name, inputs[i], all, {from, to}, index(Op::mul_, index(Op::sub_, end, first), unit), type.getElementType());
    onf::GatherOp::create(b, loc, all, from, index(Op::sub_, to, from));
    return all;
  }

  void copy(const std::string &name, Value from, Value into, std::pair<Value, Value> range, Value size, Type element) {
    OpBuilder::InsertionGuard keep(b);
    auto team = onf::ParallelOp::create(b, loc, moa::CastOp::create(b, loc, b.getF64Type(), size));
    b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
    Value at = openLoop(b, loc, range.first, range.second, name + "_at", "parallel", 1);
    Value loaded = onf::LoadOp::create(b, loc, moa::valueType(element), from, at);
    onf::StoreOp::create(b, loc, loaded, into, at, b.getUnitAttr(), UnitAttr());
  }

  // ---- phases

  void bind(BodyCopy &copy, onf::FuncOp phase) {
    for (unsigned i = 0; i < phase.firstInput(); ++i) {
      auto symbol = i < phase.getSymbols().size() ? symbols.find(phase.argName(i).str()) : symbols.end();
      Value value = symbol != symbols.end() ? symbol->second : Value();
      if (i >= phase.getSymbols().size())
        value = function.entry().getArgument(function.getSymbols().size() + i - phase.getSymbols().size());
      if (!value)
        continue; // the phase's own
      copy.map.map(phase.entry().getArgument(i), value);
    }
    for (unsigned i = 0; i < inputs.size(); ++i)
      copy.map.map(phase.entry().getArgument(phase.firstInput() + i), inputs[i]);
  }

  /// A symbol that the kernel itself does not have.
  void set(BodyCopy &copy, onf::FuncOp phase, unsigned symbol, Value value, Value most = {}) {
    copy.map.map(phase.entry().getArgument(symbol), value);
    if (most)
      copy.most.map(value, most);
  }

  shape::Expr sizeOf(Attribute type) { return shape::total(cast<moa::ArrayType>(cast<TypeAttr>(type).getValue()).extents()); }

  void runBlock() {
    auto [first, end] = share(extent);
    onf::NoteOp::create(b, loc, "The block of " + axis + " of this PE");
    Value lo = named(axis + "_lo", first), length = index(Op::sub_, end, first);
    BodyCopy copy(part, b);
    bind(copy, part);
    unsigned symbol = part.getSymbols().size();
    set(copy, part, symbol - 2, lo);
    set(copy, part, symbol - 1, length);
    SmallVector<std::pair<Value, Value>> moved;
    SmallVector<Strided> strided;
    for (unsigned i = 0; i < function.getResults().size(); ++i) {
      Value output = function.entry().getArgument(function.firstOutput() + i), into = output;
      auto own = cast<moa::ArrayType>(cast<TypeAttr>(part.getResultTypes()[i]).getValue());
      auto all = cast<moa::ArrayType>(cast<TypeAttr>(function.getResultTypes()[i]).getValue());
      shape::Expr slower(1), faster(1);
      bool isSlower = !all.getColumnMajor();
      for (auto [x, y] : llvm::zip(own.extents(), all.extents())) {
        if (!(x == y))
          isSlower = !isSlower;
        else
          (isSlower ? slower : faster) = (isSlower ? slower : faster) * y;
      }
      if (own != all && slower == shape::Expr(1)) {
        moved.push_back({output, index(Op::mul_, lo, value(faster))});
      } else if (own != all) {
        Value run = index(Op::mul_, length, value(faster)), runs = value(slower);
        std::string name = cast<StringAttr>(function.getResults()[i]).getValue().str();
        into = onf::AllocOp::create(b, loc, onf::BufferType::get(b.getContext(), all.getElementType(), "shared"), index(Op::mul_, runs, run), name + "_block");
        strided.push_back({name, into, output, runs, run, value(faster), all.getElementType()});
      }
      copy.map.map(part.entry().getArgument(part.firstOutput() + i), into);
    }
    copy.copy();
    for (auto [buffer, base] : moved)
      BodyCopy::rebase(function.entry(), buffer, base);
    for (const Strided &result : strided)
      spread(result, lo);
  }

  /// A result divided along an axis that is not the slowest in memory: the block of a PE lies there in `runs` runs.
  struct Strided {
    std::string name;
    Value block, output, runs, run, faster;
    Type element;
  };

  void spread(const Strided &result, Value lo) {
    onf::NoteOp::create(b, loc, "The block of this PE at its place in " + result.name);
    Value first = index(Op::mul_, lo, result.faster), stride = index(Op::mul_, extent, result.faster);
    OpBuilder::InsertionGuard keep(b);
    Value size = index(Op::mul_, result.runs, result.run);
    auto team = onf::ParallelOp::create(b, loc, moa::CastOp::create(b, loc, b.getF64Type(), size));
    b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
    Value at = openLoop(b, loc, number(0), result.runs, result.name + "_run", "parallel", 1);
    Value in = openLoop(b, loc, number(0), result.run, result.name + "_at", "lanes", 0);
    Value loaded = onf::LoadOp::create(b, loc, moa::valueType(result.element), result.block, index(Op::add_, index(Op::mul_, at, result.run), in));
    Value place = index(Op::add_, index(Op::mul_, at, stride), index(Op::add_, first, in));
    onf::StoreOp::create(b, loc, loaded, result.output, place, b.getUnitAttr(), UnitAttr());
  }

  /// How many indices a part has.
  Value partLength() {
    if (std::string length = word("length"); !length.empty())
      return value(*shape::Expr::parse(view(length)));
    constexpr int64_t mostParts = 16, shortest = 64;
    return index(Op::max_, number(shortest), index(Op::floordiv_, index(Op::add_, extent, number(mostParts - 1)), number(mostParts)));
  }

  void runParts() {
    Value length = partLength();
    Value count = index(Op::floordiv_, index(Op::sub_, index(Op::add_, extent, length), number(1)), length);
    SmallVector<Value> slots, sizes;
    for (unsigned i = 0; i < part.getResults().size(); ++i) {
      auto type = cast<moa::ArrayType>(cast<TypeAttr>(part.getResultTypes()[i]).getValue());
      Value size = value(sizeOf(part.getResultTypes()[i]));
      std::string name = whole.argName(whole.firstInput() + inputs.size() + i).str();
      slots.push_back(symmetric(type.getElementType(), index(Op::mul_, count, size), name));
      sizes.push_back(size);
    }
    onf::NoteOp::create(b, loc, "The parts of " + axis + " of this PE");
    Value each = named(axis + "_part_len", length), parts = named(axis + "_parts", count);
    auto [first, end] = share(parts);
    first = named(axis + "_first", first), end = named(axis + "_end", end);
    runEach(first, end, each, length, slots, sizes);
    for (auto [slot, size] : llvm::zip(slots, sizes))
      onf::GatherOp::create(b, loc, slot, index(Op::mul_, first, size), index(Op::mul_, index(Op::sub_, end, first), size));
    onf::MeetOp::create(b, loc);
    combine(count, slots);
  }

  void runEach(Value first, Value end, Value each, Value length, ArrayRef<Value> slots, ArrayRef<Value> sizes) {
    OpBuilder::InsertionGuard keep(b);
    BodyCopy copy(part, b);
    Value longest = index(Op::min_, length, extent), zero = number(0);
    Operation *mark = onf::NoteOp::create(b, loc, "");
    copy.before = OpBuilder::InsertPoint(mark->getBlock(), Block::iterator(mark));
    Value at = openLoop(b, loc, first, end, axis + "_part", "sequential", 0);
    Block &body = *b.getInsertionBlock();
    Value lo = named(axis + "_lo", index(Op::mul_, at, each));
    Value own = named(axis + "_len", index(Op::min_, each, index(Op::sub_, extent, lo)));
    bind(copy, part);
    unsigned symbol = part.getSymbols().size();
    set(copy, part, symbol - 2, lo, zero);
    set(copy, part, symbol - 1, own, longest);
    SmallVector<Value> bases;
    for (auto [i, slot] : llvm::enumerate(slots)) {
      copy.map.map(part.entry().getArgument(part.firstOutput() + i), slot);
      bases.push_back(index(Op::mul_, at, sizes[i]));
    }
    copy.copy();
    for (auto [slot, base] : llvm::zip(slots, bases))
      BodyCopy::rebase(body, slot, base);
    mark->erase();
  }

  void combine(Value count, ArrayRef<Value> slots) {
    onf::NoteOp::create(b, loc, "The parts of all PEs, combined in their order");
    BodyCopy copy(whole, b);
    bind(copy, whole);
    set(copy, whole, whole.getSymbols().size() - 1, count);
    for (auto [i, slot] : llvm::enumerate(slots))
      copy.map.map(whole.entry().getArgument(whole.firstInput() + inputs.size() + i), slot);
    for (unsigned i = 0; i < function.getResults().size(); ++i)
      copy.map.map(whole.entry().getArgument(whole.firstOutput() + i), function.entry().getArgument(function.firstOutput() + i));
    copy.copy();
  }

  // ---- for callers

  void describe() {
    bool free = cast<BoolAttr>(how.get("free")).getValue();
    std::vector<std::string> lines = {"Called by every PE of the SHMEM world with the same sizes and whole arrays. PE p of P has indices"};
    std::string length = word("length").empty() ? "max(64, ceil(" + word("extent") + " / 16))" : word("length");
    if (free)
      lines.push_back("[" + word("extent") + "*p // P, " + word("extent") + "*(p + 1) // P) of " + axis + ".");
    else
      lines.push_back("of " + axis + " in the parts [T*p // P, T*(p + 1) // P) of T, each " + length + " long.");
    for (unsigned i = 0; i < function.getInputs().size(); ++i) {
      std::string name = "  " + cast<StringAttr>(function.getInputs()[i]).getValue().str() + ": ";
      StringRef how = owned(i);
      if (how == "gather") {
        bool last = inputType(i).getColumnMajor();
        shape::Expr n = last ? inputType(i).extents().back() : inputType(i).extents().front();
        lines.push_back(name + "of [" + n.str() + "*p // P, " + n.str() + "*(p + 1) // P) of its " + (last ? "last" : "first") + " axis, the rest is fetched");
      } else if (how.consume_front("axis ")) {
        lines.push_back(name + "of these along axis " + how.str() + ", the rest is not read");
      }
    }
    bool all = llvm::all_of(llvm::zip(part.getResultTypes(), function.getResultTypes()), [](auto types) { return std::get<0>(types) != std::get<1>(types); });
    lines.push_back(!free ? "The results are whole, and the same, on every PE."
                    : all ? "The results have their block on each PE."
                          : "Results along " + axis + " have their block on each PE, others are whole.");
    SmallVector<Attribute> texts;
    for (const std::string &line : lines)
      texts.push_back(b.getStringAttr(line));
    function->setAttr("ownership", b.getArrayAttr(texts));
  }

  onf::FuncOp function;
  DictionaryAttr how;
  onf::FuncOp part, whole;
  OpBuilder b;
  Location loc;
  std::string axis;
  std::map<std::string, Value> symbols;
  SmallVector<Value> inputs; ///< or what has all of them
  Value pe, pes, extent;
};
} // namespace

LogicalResult moac::joinPartitions(ModuleOp module) {
  SymbolTable table(module);
  SmallVector<onf::FuncOp> divided;
  llvm::copy_if(module.getOps<onf::FuncOp>(), std::back_inserter(divided), [](onf::FuncOp function) { return function->hasAttr("partition"); });
  for (onf::FuncOp function : divided) {
    auto how = function->getAttrOfType<DictionaryAttr>("partition");
    auto part = table.lookup<onf::FuncOp>((function.getSymName() + ".part").str()), whole = table.lookup<onf::FuncOp>((function.getSymName() + ".whole").str());
    if (!part)
      return function.emitError("is divided among PEs but has no phase");
    if (failed(Joiner(function, how, part, whole).join()))
      return failure();
    part.erase();
    if (whole)
      whole.erase();
  }
  return success();
}
