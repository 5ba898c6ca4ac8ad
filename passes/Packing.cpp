// Copies of arrays in another order; see Packing.h.
#include "passes/Packing.h"
#include "passes/Slice.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
class Packer {
public:
  explicit Packer(KernelOp kernel) : kernel(kernel), graph(kernel), user(kernel) {}

  LogicalResult run() {
    Schedule schedule(kernel);
    SmallVector<Attribute> list(schedule.all().begin(), schedule.all().end());
    for (const UserDirective &directive : user.all()) {
      if (!directive.is("pack"))
        continue;
      FailureOr<GenOp> copy = pack(directive);
      if (failed(copy))
        return failure();
      list[position(directive)] = placed(directive, *copy);
    }
    kernel.setScheduleAttr(ArrayAttr::get(kernel.getContext(), list));
    return success();
  }

private:
  /// Of a user's directive in the whole list.
  size_t position(const UserDirective &directive) {
    unsigned number = 0;
    for (auto [i, attribute] : llvm::enumerate(kernel.getScheduleAttr()))
      if (cast<DirectiveAttr>(attribute).getStage().getValue().empty() && number++ == directive.number)
        return i;
    return 0;
  }

  /// Names are the array, the loop if the mode says `at`, and the axes of the copy.
  static unsigned firstAxis(const UserDirective &directive) { return directive.mode == "at" ? 2 : 1; }

  Attribute placed(const UserDirective &directive, GenOp copy) {
    Builder b(kernel.getContext());
    SmallVector<Attribute> names = {copy.getNameAttr()};
    if (directive.mode == "at")
      names.push_back(b.getStringAttr(directive.names[1]));
    return DirectiveAttr::get(b.getContext(), b.getStringAttr("place"), b.getStringAttr(""), b.getArrayAttr(names),
                              b.getStringAttr(directive.mode == "at" ? "at" : "store"));
  }

  FailureOr<GenOp> pack(const UserDirective &directive) {
    Value array = arrayNamed(directive.names[0]);
    if (!array)
      return user.refuse(directive, 0, "unknown-value", "the kernel has no array of that name",
                         "inputs and values with a name can be packed");
    SmallVector<PsiOp> reads;
    for (Operation *reader : array.getUsers())
      if (auto psi = dyn_cast<PsiOp>(reader))
        reads.push_back(psi);
    if (reads.empty() || llvm::is_contained(kernel.entry().getTerminator()->getOperands(), array))
      return user.refuse(directive, 0, "cannot-pack", reads.empty() ? "no value reads it" : "it is a result",
                         "pack an array that other values read");
    FailureOr<SmallVector<unsigned>> order = orderOf(directive, reads);
    if (failed(order))
      return failure();
    return copyOf(array, reads, *order, directive.names.size() - firstAxis(directive), directive.names[0].str() + "_pack");
  }

  Value arrayNamed(StringRef name) {
    for (BlockArgument input : kernel.entry().getArguments())
      if (isa<ArrayType>(input.getType()) && userName(Value(input)) == name)
        return input;
    for (auto &stage : graph.stages)
      if (stage->name() == name)
        return stage->gen.getResult();
    return {};
  }

  /// The axes of the array in the order of the copy: those that the user does not name stay outside.
  FailureOr<SmallVector<unsigned>> orderOf(const UserDirective &directive, ArrayRef<PsiOp> reads) {
    SmallVector<unsigned> named, order;
    for (unsigned i = firstAxis(directive); i < directive.names.size(); ++i) {
      std::optional<unsigned> axis = axisRead(reads, baseOf(directive.names[i]));
      if (!axis || llvm::is_contained(named, *axis))
        return user.refuse(directive, i, "cannot-pack",
                           axis ? "the loop is that of an axis named before"
                                : "no read of '" + directive.names[0] + "' has this loop's index alone as a subscript",
                           "name the loops whose indices it is read at, each once");
      named.push_back(*axis);
    }
    PsiOp first = reads.front();
    auto rank = static_cast<unsigned>(first.getSubscripts().size());
    for (unsigned axis = 0; axis < rank; ++axis)
      if (!llvm::is_contained(named, axis))
        order.push_back(axis);
    order.append(named);
    return order;
  }

  /// The loop that was lifted to give this one.
  StringRef baseOf(StringRef name) {
    for (const UserDirective &lift : llvm::reverse(user.all()))
      if (lift.is("lift") && (lift.names[1] == name || lift.names[2] == name))
        name = lift.names[0];
    return name;
  }

  std::optional<unsigned> axisRead(ArrayRef<PsiOp> reads, StringRef name) {
    for (PsiOp psi : reads)
      for (auto [axis, subscript] : llvm::enumerate(psi.getSubscripts()))
        if (auto index = dyn_cast<BlockArgument>(subscript);
            index && isIndex(index) && llvm::is_contained(loopNames(index), name))
          return axis;
    return std::nullopt;
  }

  GenOp copyOf(Value array, ArrayRef<PsiOp> reads, ArrayRef<unsigned> order, size_t named, const std::string &name) {
    OpBuilder b(kernel.getContext());
    if (Operation *definition = array.getDefiningOp())
      b.setInsertionPointAfter(definition);
    else
      b.setInsertionPoint(*kernel.entry().getOps<GenOp>().begin());
    auto type = cast<ArrayType>(array.getType());
    PsiOp first = reads.front();
    std::vector<shape::Expr> extents;
    SmallVector<Attribute> words;
    for (unsigned axis : order) {
      extents.push_back(type.extents()[axis]);
      auto index = dyn_cast<BlockArgument>(first.getSubscripts()[axis]);
      std::string word = index && isIndex(index) ? indexName(index).str() : "a" + std::to_string(axis);
      if (llvm::any_of(words, [&](Attribute taken) { return cast<StringAttr>(taken).getValue() == word; }))
        word += std::to_string(axis);
      words.push_back(b.getStringAttr(word));
    }
    Location loc = array.getLoc();
    auto copy = GenOp::create(b, loc, ArrayType::get(b.getContext(), extents, type.getElementType()), b.getStringAttr(name),
                              b.getArrayAttr(words));
    copy->setAttr("packs", b.getI64IntegerAttr(static_cast<int64_t>(named)));
    Block &body = copy.getBody().emplaceBlock();
    SmallVector<Value> at(order.size());
    for (unsigned axis : order)
      at[axis] = body.addArgument(b.getIndexType(), loc);
    b.setInsertionPointToEnd(&body);
    Type element = first.getResult().getType();
    YieldOp::create(b, loc, PsiOp::create(b, loc, element, array, at, b.getDenseI64ArrayAttr({})).getResult());
    for (PsiOp psi : reads)
      redirect(psi, copy, order);
    return copy;
  }

  static void redirect(PsiOp psi, GenOp copy, ArrayRef<unsigned> order) {
    OpBuilder b(psi);
    SmallVector<Value> subscripts;
    SmallVector<int64_t> checked;
    for (auto [k, axis] : llvm::enumerate(order)) {
      subscripts.push_back(psi.getSubscripts()[axis]);
      if (llvm::is_contained(psi.getChecked(), static_cast<int64_t>(axis)))
        checked.push_back(static_cast<int64_t>(k));
    }
    auto read = PsiOp::create(b, psi.getLoc(), psi.getResult().getType(), copy.getResult(), subscripts, b.getDenseI64ArrayAttr(checked));
    psi.getResult().replaceAllUsesWith(read.getResult());
    psi.erase();
  }

  KernelOp kernel;
  StageGraph graph;
  UserSchedule user;
};
} // namespace

LogicalResult moac::makePacks(KernelOp kernel) { return Packer(kernel).run(); }
