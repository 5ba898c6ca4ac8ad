// Whole sums by rows; see RowSums.h.
#include "passes/RowSums.h"
#include "passes/Decide.h"
#include "passes/Slice.h"
#include "passes/StageNames.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// The extent of the first index, where the law applies.
std::optional<shape::Expr> rowsOf(GenOp gen, IndexExprs &exprs) {
  constexpr int64_t few = 64; // rows: not worth dividing
  auto red = gen.yielded().getDefiningOp<RedOp>();
  static const StringRef kinds[] = {"add", "max", "min"};
  Type type = gen.arrayType().getElementType();
  if (!red || !gen.getIndices().empty() || red.rank() < 2 || !llvm::is_contained(kinds, red.getKind()) || !(type.isF32() || type.isF64()) ||
      red.getResult().getType() != type || isChecked(gen.yielded()))
    return std::nullopt;
  bool ofInputs = !red->walk([](PsiOp psi) { return psi.getArray().getDefiningOp() ? WalkResult::interrupt() : WalkResult::advance(); })
                       .wasInterrupted();
  if (!ofInputs) // an array of the kernel may yet be computed in the sum
    return std::nullopt;
  shape::Expr extent = exprs.toExpr(red.upper(0));
  bool isKnown = exprs.toExpr(red.lower(0)) == shape::Expr(0) && llvm::all_of(extent.names(), [&](const std::string &name) {
    auto argument = dyn_cast_or_null<BlockArgument>(exprs.valueOf(name));
    return argument && isa<KernelOp>(argument.getOwner()->getParentOp());
  });
  return isKnown && extent.constant().value_or(few) >= few ? std::optional(extent) : std::nullopt;
}

/// What a region computes, with its first index given: the others become the arguments of the new block.
void cloneRegion(Block &from, Value first, IRMapping map, Region &to, OpBuilder &b) {
  Block &block = to.emplaceBlock();
  map.map(from.getArgument(0), first);
  for (BlockArgument index : from.getArguments().drop_front())
    map.map(index, block.addArgument(index.getType(), index.getLoc()));
  OpBuilder inside = OpBuilder::atBlockEnd(&block);
  for (Operation &op : from)
    inside.clone(op, map);
}

/// r: a stage of the rows' reductions.
GenOp rowStage(GenOp gen, RedOp red, const shape::Expr &rows, const std::string &name) {
  OpBuilder b(gen);
  Location loc = red.getLoc();
  auto type = ArrayType::get(b.getContext(), {rows}, gen.arrayType().getElementType());
  auto stage = GenOp::create(b, gen.getLoc(), type, b.getStringAttr(name), b.getArrayAttr({red.getIndices()[0]}));
  Block &body = stage.getBody().emplaceBlock();
  Value row = body.addArgument(b.getIndexType(), loc);
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  IRMapping map; // what the reduction takes from its stage
  red->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (operand.getParentBlock() == &gen.entry())
        cloneSlice(operand, map, inside);
  });
  SmallVector<Attribute> names(red.getIndices().begin() + 1, red.getIndices().end());
  auto own = RedOp::create(inside, loc, red.getResult().getType(), red.getKindAttr(), inside.getArrayAttr(names), TypedAttr(), red.rank());
  for (unsigned part = 0; part < red.rank(); ++part)
    cloneRegion(red.getParts()[part + 1].front(), row, map, own.getParts()[part], inside);
  YieldOp::create(inside, loc, own.getResult());
  return stage;
}

/// The reduction over the first index alone, of what the stage holds.
void reduceRows(RedOp red, GenOp rows) {
  OpBuilder b(red);
  Location loc = red.getLoc();
  Type type = red.getResult().getType();
  auto own = RedOp::create(b, loc, type, red.getKindAttr(), b.getArrayAttr({red.getIndices()[0]}), TypedAttr(), 2);
  own.getParts()[0].takeBody(red.getParts()[0]);
  Block &term = own.getParts()[1].emplaceBlock();
  Value row = term.addArgument(b.getIndexType(), loc);
  OpBuilder inside = OpBuilder::atBlockEnd(&term);
  Value read = PsiOp::create(inside, loc, type, rows.getResult(), row, inside.getDenseI64ArrayAttr({}));
  YieldOp::create(inside, loc, read);
  red.getResult().replaceAllUsesWith(own.getResult());
  red.erase();
}
} // namespace

bool moac::sumRows(KernelOp kernel) {
  StageNames names(kernel);
  bool any = false;
  for (GenOp gen : llvm::to_vector(kernel.entry().getOps<GenOp>())) {
    IndexExprs exprs(kernel);
    std::optional<shape::Expr> rows = rowsOf(gen, exprs);
    if (!rows)
      continue;
    auto red = gen.yielded().getDefiningOp<RedOp>();
    reduceRows(red, rowStage(gen, red, *rows, names.fresh(gen.getName().str() + "_rows")));
    any = true;
  }
  return any;
}
