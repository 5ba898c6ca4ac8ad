// What laws are made of, and the list of all of them; see PsiLaws.h.
#include "passes/PsiLaws.h"
#include "ir/IndexForm.h"
#include "ir/KernelFacts.h"
#include "ir/MaterializeExpr.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Redex::Redex(PsiOp psi, Location loc, PatternRewriter &builder)
    : psi(psi), loc(loc), b(builder), exprs(psi->getParentOfType<KernelOp>()) {
  for (auto [axis, subscript] : llvm::enumerate(psi.getSubscripts()))
    index.push_back({subscript, llvm::is_contained(psi.getChecked(), static_cast<int64_t>(axis))});
}

Value Redex::read(Value array, ArrayRef<Subscript> at) {
  auto type = cast<ArrayType>(array.getType());
  SmallVector<Value> subscripts;
  SmallVector<int64_t> checked;
  for (auto [axis, subscript] : llvm::enumerate(at)) {
    subscripts.push_back(subscript.value);
    if (subscript.checked)
      checked.push_back(static_cast<int64_t>(axis));
  }
  bool full = static_cast<int64_t>(at.size()) == type.rank();
  Type result = full ? valueType(type.getElementType())
                     : Type(ArrayType::get(b.getContext(), type.getExtentTexts().drop_front(at.size()), type.getElementType(), false));
  return PsiOp::create(b, loc, result, array, subscripts, b.getDenseI64ArrayAttr(checked));
}

Value Redex::readUnchecked() {
  return PsiOp::create(b, loc, psi.getResult().getType(), psi.getArray(), psi.getSubscripts(), b.getDenseI64ArrayAttr({}));
}

shape::Expr Redex::expr(Subscript subscript) {
  return isAlgebraic(subscript.value) ? exprs.toExpr(subscript.value)
                                      : shape::Expr::name(exprs.claim("checked", subscript.value));
}

Redex::Subscript Redex::make(const shape::Expr &e, bool checked) {
  return {materialize(e, b, loc, [&](const std::string &name) { return exprs.valueAt(name, b.getInsertionBlock()); }), checked};
}

shape::Expr Redex::simplified(const shape::Expr &e) { return simplifyAt(psi, e, exprs); }

Value Redex::inlined(Block &block, ValueRange arguments) {
  IRMapping map;
  map.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    b.clone(op, map);
  return map.lookupOrDefault(block.getTerminator()->getOperand(0));
}

Value Redex::stored(Value value, Type elementType) {
  if (!isa<FloatType>(elementType) || value.getType() == elementType)
    return value;
  Value narrow = CastOp::create(b, loc, elementType, value);
  return CastOp::create(b, loc, value.getType(), narrow);
}

Value Redex::where(Value condition, Type type, llvm::function_ref<Value()> thenValue, llvm::function_ref<Value()> elseValue) {
  auto op = WhereOp::create(b, loc, type, condition);
  OpBuilder::InsertionGuard keep(b);
  b.createBlock(&op.getThenRegion());
  YieldOp::create(b, loc, thenValue());
  b.createBlock(&op.getElseRegion());
  YieldOp::create(b, loc, elseValue());
  return op.getResult();
}

Value Redex::select(Subscript position, ValueRange values) {
  shape::Expr at = simplified(expr(position));
  if (std::optional<int64_t> known = at.constant(); known && *known >= 0 && *known < static_cast<int64_t>(values.size()))
    return values[*known];
  if (values.size() == 1)
    return values.front();
  Value first = indexConstant(b, loc, static_cast<int64_t>(0));
  Value isFirst = buildIndex(b, loc, ScalarFn::eq_, {make(at).value, first});
  return where(
      isFirst, values.front().getType(), [&] { return values.front(); },
      [&] { return select(make(at - shape::Expr(1)), values.drop_front()); });
}

GenOp moac::gatherGen(OpBuilder &b, Location loc, Value array, StringRef name) {
  auto type = cast<ArrayType>(array.getType());
  SmallVector<Attribute> names;
  for (auto [axis, extent] : llvm::enumerate(type.extents()))
    names.push_back(b.getStringAttr(axisName(extent, axis)));
  auto own = ArrayType::get(b.getContext(), type.getExtentTexts(), type.getElementType(), false);
  auto gen = GenOp::create(b, loc, own, b.getStringAttr(name), b.getArrayAttr(names));
  OpBuilder::InsertionGuard keep(b);
  Block *body = b.createBlock(&gen.getBody());
  for (int64_t i = 0; i < type.rank(); ++i)
    body->addArgument(b.getIndexType(), loc);
  Value element = PsiOp::create(b, loc, valueType(type.getElementType()), array, SmallVector<Value>(body->getArguments()),
                                b.getDenseI64ArrayAttr({}));
  YieldOp::create(b, loc, element);
  return gen;
}

GenOp moac::nameArray(Operation *op, StringRef base, StageNames &names, RewriterBase &rewriter) {
  OpBuilder::InsertionGuard keep(rewriter);
  rewriter.setInsertionPointAfter(op);
  Value array = op->getResult(0);
  auto gen = gatherGen(rewriter, op->getLoc(), array, names.fresh(base.str()));
  rewriter.replaceUsesWithIf(array, gen.getResult(), [&](OpOperand &use) { return !gen->isAncestor(use.getOwner()); });
  reportLaw(op->getLoc(), gatherText(), gen);
  return gen;
}

void moac::reportLaw(Location loc, const LawText &law, Operation *at) {
  auto kernel = at->getParentOfType<KernelOp>();
  remark::passed(loc, remark::RemarkOpts::name(law.id).category("psi").function(kernel ? kernel.getSymName() : ""))
      << StringRef(law.equation);
}

namespace {
class Heights {
public:
  unsigned of(Value array) {
    if (auto it = known.find(array); it != known.end())
      return it->second;
    unsigned height = compute(array);
    known[array] = height;
    return height;
  }

private:
  unsigned compute(Value array) {
    if (auto argument = dyn_cast<BlockArgument>(array)) {
      auto omega = dyn_cast<OmegaOp>(argument.getOwner()->getParentOp());
      return omega ? 1 + of(omega.getArrays()[argument.getArgNumber()]) : 0;
    }
    Operation *op = array.getDefiningOp();
    if (isa<CallOp>(op) || (isa<GenOp>(op) && !op->hasAttr("anonymous")))
      return 0;
    unsigned below = 0;
    auto visit = [&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isa<ArrayType>(operand.getType()))
          below = std::max(below, of(operand));
    };
    visit(op);
    for (Region &region : op->getRegions())
      region.walk(visit);
    // A cell is a read of its operand, and what the region yields is read once more.
    return below + (isa<OmegaOp>(op) ? 2 : 1);
  }
  llvm::DenseMap<Value, unsigned> known;
};

std::vector<LawGroup> groups() { return {readLaws(), moveLaws(), shapeLaws(), functionLaws(), reductionLaws(), rankLaws()}; }
} // namespace

unsigned moac::readHeight(PsiOp read) { return 2 * Heights().of(read.getArray()) + !read.getChecked().empty(); }

void moac::addPsiLaws(RewritePatternSet &patterns) {
  for (const LawGroup &group : groups())
    group.add(patterns);
}

const LawText &moac::gatherText() {
  static constexpr LawText text{"P20", "psi-gather", "A == gen[i] of i psi A", "A is a result, or computed and read more than once",
                                "What is assigned is assigned element by element: an array that must exist becomes a stage of its own.",
                                "left to right, before all others", "the arrays that must exist and are no stage yet"};
  return text;
}

const std::vector<const LawText *> &moac::lawTexts() {
  static const std::vector<const LawText *> texts = [] {
    std::vector<const LawText *> all{&gatherText()};
    for (const LawGroup &group : groups())
      all.insert(all.end(), group.texts.begin(), group.texts.end());
    std::sort(all.begin(), all.end(),
              [](const LawText *a, const LawText *b) { return std::stoi(std::string(a->id.substr(1))) < std::stoi(std::string(b->id.substr(1))); });
    return all;
  }();
  return texts;
}

const LawText *moac::lawText(std::string_view idOrWord) {
  for (const LawText *law : lawTexts())
    if (StringRef(law->id).equals_insensitive(idOrWord) || law->word == idOrWord)
      return law;
  return nullptr;
}

std::string moac::lawPage(const LawText &law) {
  std::string page = std::string(law.id) + " " + std::string(law.word) + "\n\n  " + std::string(law.equation) + "\n\n";
  page += "Used " + std::string(law.direction) + " when: " + std::string(law.condition) + ".\n";
  page += "It shrinks " + std::string(law.measure) + ".\n";
  return page + std::string(law.meaning) + "\n";
}
