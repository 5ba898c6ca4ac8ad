// Which values are inlined and which are named; the expressions themselves are in ScalarBuild.cpp.
#include "emitters/ScalarTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace moac::emit {
using namespace tree;

namespace {

/// Expressions of this many nodes are repeated rather than named.
constexpr size_t shortIndex = 7;
/// The same at the top of a kernel or team, where sizes must be known before any statement.
constexpr size_t longestSize = 40;
/// Anything longer gets a name, so that lines stay readable and building them linear.
constexpr size_t longestExpression = 120;

/// Sums and products of symbols and constants: repeated where sizes must be known.
bool isSize(const Expr &e) {
  if (e.kind == Expr::Kind::Apply && e.type != Elem::Index && e.op != Op::add_ && e.op != Op::mul_)
    return false;
  return (e.type == Elem::Index || e.type == Elem::F64) && e.kind != Expr::Kind::Load &&
         llvm::all_of(e.args, isSize);
}

bool hasDivision(const Expr &e) {
  const bool divides = e.kind == Expr::Kind::Apply &&
                       (e.op == Op::floordiv_ || e.op == Op::mod_ || e.op == Op::quotient_ ||
                        e.op == Op::remainder_);
  return divides || llvm::any_of(e.args, hasDivision);
}

bool hasLoad(const Expr &e) { return e.kind == Expr::Kind::Load || llvm::any_of(e.args, hasLoad); }

} // namespace

bool ScalarTree::isPure(Operation *op) {
  return isa<moa::ConstantOp, moa::ScalarOp, moa::CastOp, moa::WhereOp, onf::LoadOp,
             onf::TunedOp, onf::NamedOp>(op);
}

static Value written(Operation *op) {
  if (auto store = dyn_cast<onf::StoreOp>(op))
    return store.getBuffer();
  if (auto update = dyn_cast<onf::UpdateOp>(op))
    return update.getBuffer();
  return {};
}

void ScalarTree::markLive(Operation *op) {
  SmallVector<Operation *> pending = {op};
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (!next || !live.insert(next).second)
      continue;
    for (Value operand : next->getOperands())
      pending.push_back(operand.getDefiningOp());
    if (auto where = dyn_cast<moa::WhereOp>(next))
      for (Region *region : {&where.getThenRegion(), &where.getElseRegion()})
        pending.push_back(region->front().getTerminator());
  }
}

void ScalarTree::findLive() {
  SmallVector<Operation *> writes; // to buffers of the function: needed where a load that is needed follows
  function.walk([&](Operation *op) {
    Value buffer = written(op);
    if (buffer && isa_and_nonnull<onf::AllocOp>(buffer.getDefiningOp()))
      writes.push_back(op);
    else if (!isPure(op) && !isa<moa::YieldOp, onf::AllocOp>(op))
      markLive(op);
  });
  auto isNeeded = [&](Operation *write) {
    return llvm::any_of(written(write).getUsers(), [&](Operation *user) { return isa<onf::LoadOp, onf::GatherOp>(user) && isLive(user); });
  };
  for (bool more = true; more;) {
    more = false;
    for (Operation *write : writes)
      if (!isLive(write) && isNeeded(write))
        markLive(write), more = true;
  }
}

unsigned ScalarTree::liveUses(Value value) {
  return llvm::count_if(value.getUses(), [&](OpOperand &use) { return isLive(use.getOwner()); });
}

void ScalarTree::bind(Value value, Expr name, IndexFacts facts) {
  known[value] = {std::move(name), {}, std::move(facts)};
}

void ScalarTree::bindLoop(onf::ForOp loop, std::string spelling) {
  const IndexFacts &lo = known.find(loop.getLo())->second.facts;
  const IndexFacts &hi = known.find(loop.getHi())->second.facts;
  IndexFacts facts;
  facts.bounded = lo.bounded && hi.bounded;
  facts.nonNegative = lo.nonNegative;
  facts.loops = {loop.iv()};
  bind(loop.iv(), tree::name(std::move(spelling)), facts);
}

bool ScalarTree::isNamedExtent(Operation *op) {
  auto scalar = dyn_cast<moa::ScalarOp>(op);
  if (extents.empty() || !scalar || !scalar.getResult().getType().isIndex())
    return false;
  const auto found = extents.find(algebra.toExpr(scalar.getResult()));
  if (found == extents.end())
    return false;
  IndexFacts facts;
  facts.bounded = facts.nonNegative = true;
  bind(scalar.getResult(), tree::name(found->second), facts);
  return true;
}

void ScalarTree::define(Operation *op, Body &body) {
  if (!isLive(op) || isNamedExtent(op))
    return;
  if (auto where = dyn_cast<moa::WhereOp>(op)) {
    std::optional<Known> choice = buildWhere(where);
    if (!choice)
      return branchOn(where, body);
    if (inlines(op, *choice))
      known[op->getResult(0)] = std::move(*choice);
    else
      name(op, std::move(*choice), body);
    return;
  }
  Known built = build(op);
  if (inlines(op, built) && !isa<onf::NamedOp>(op))
    known[op->getResult(0)] = std::move(built);
  else
    name(op, std::move(built), body);
}

void ScalarTree::name(Operation *op, Known built, Body &body) {
  const Value result = op->getResult(0);
  std::string word = result.getType().isIndex() ? "at" : "value";
  if (auto named = dyn_cast<onf::NamedOp>(op))
    word = named.getName().str();
  if (auto load = dyn_cast<onf::LoadOp>(op))
    word = buffer(load.getBuffer()).name + "_" + word;
  const std::string spelling = names.pick(word, built.expr.type);
  const Elem type = built.expr.type;
  body.push_back({Let{spelling, std::move(built.expr)}});
  known[result] = {tree::name(spelling, type), {}, std::move(built.facts)};
}

/// Nothing but sizes of memory and of teams' work is computed from it: a name would have no use.
bool ScalarTree::isOnlySpelledOut(Operation *op) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
    return isa<onf::AllocOp, onf::ParallelOp>(user) || (isa<moa::ScalarOp, moa::CastOp>(user) && isOnlySpelledOut(user)) ||
           !isLive(user);
  });
}

bool ScalarTree::inlines(Operation *op, const Known &built) {
  const Value result = op->getResult(0);
  const size_t size = weight(built.expr);
  if (size == 1 && built.reads.empty())
    return true;
  if (allInline)
    return true;
  // Sizes of scratch memory are asked for before any local exists: they are formulas of the arguments.
  if (llvm::any_of(result.getUsers(), llvm::IsaPred<onf::AllocOp>) || isOnlySpelledOut(op))
    return true;
  const bool atTop = isa<onf::FuncOp, onf::ParallelOp>(op->getParentOp());
  const bool shortEnough =
      atTop ? size <= longestSize && isSize(built.expr)
            : size <= shortIndex && built.expr.type == Elem::Index && !hasLoad(built.expr);
  if (size > longestExpression)
    return false;
  const bool once = liveUses(result) <= 1;
  if (!once && !shortEnough && size > 1)
    return false;
  return llvm::all_of(result.getUses(), [&](OpOperand &use) {
    return !isLive(use.getOwner()) || reaches(op, use.getOwner(), built);
  });
}

/// True if the expression means the same at `use` and costs no more there.
bool ScalarTree::reaches(Operation *from, Operation *use, const Known &built) {
  const bool cheap = built.expr.type == Elem::Index && !hasLoad(built.expr) &&
                     built.reads.empty() && weight(built.expr) <= 2 * shortIndex &&
                     !hasDivision(built.expr);
  Operation *place = use;
  for (; place->getBlock() != from->getBlock(); place = place->getParentOp()) {
    Operation *parent = place->getParentOp();
    if (isa<onf::ForOp, onf::ParallelOp>(parent) && !cheap)
      return false;
    if (isa<onf::IfOp>(parent) && !built.reads.empty())
      return false;
  }
  if (auto loop = dyn_cast<onf::ForOp>(use); loop && !built.reads.empty())
    return false; // the bound is evaluated again after the body has run
  return built.reads.empty() || !writtenBetween(from, place, built.reads);
}

bool ScalarTree::writtenBetween(Operation *from, Operation *to, ArrayRef<Value> reads) {
  for (Operation *op = from->getNextNode(); op && op != to; op = op->getNextNode()) {
    if (isPure(op))
      continue;
    const WalkResult found = op->walk([&](Operation *inner) {
      return llvm::is_contained(reads, written(inner)) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return true;
  }
  return false;
}

Expr ScalarTree::expr(Value value) { return known.find(value)->second.expr; }

/// Makes what is known of a value an expression without names of its own; `before` gets what was known.
void ScalarTree::spellOut(Value value, Renamed &before) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<moa::ScalarOp, moa::CastOp, moa::WhereOp>(op) || isNamedExtent(op) ||
      !before.insert({value, known.find(value)->second}).second)
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
        spellOut(operand, before);
  });
  auto where = dyn_cast<moa::WhereOp>(op);
  std::optional<Known> whole = where ? buildWhere(where) : build(op);
  if (whole && weight(whole->expr) <= longestExpression)
    known[value] = std::move(*whole);
}

Expr ScalarTree::spelledOut(Value value) {
  Renamed before;
  spellOut(value, before);
  Expr whole = expr(value);
  for (auto &[part, was] : before)
    known[part] = std::move(was);
  return whole;
}

/// Digests the operations of a side of a `where`, all inlined; false when that grows too large.
bool ScalarTree::defineInside(Block &block, unsigned &budget) {
  for (Operation &op : block.without_terminator()) {
    if (!isLive(&op))
      continue;
    if (isNamedExtent(&op))
      continue;
    Known built;
    if (auto where = dyn_cast<moa::WhereOp>(op)) {
      std::optional<Known> choice = buildWhere(where);
      if (!choice)
        return false;
      built = std::move(*choice);
    } else {
      built = build(&op);
    }
    const unsigned repeated = weight(built.expr) * std::max(1u, liveUses(op.getResult(0)));
    if (repeated > budget)
      return false;
    if (weight(built.expr) > 1)
      budget -= std::min<unsigned>(budget, repeated - weight(built.expr));
    known[op.getResult(0)] = std::move(built);
  }
  return true;
}

void ScalarTree::branchOn(moa::WhereOp op, Body &body) {
  const Elem type = elemOf(op.getResult().getType());
  const std::string variable = names.pick("choice", type);
  body.push_back({Variable{variable, type, std::nullopt}});
  If branch{expr(op.getCondition()), {}, {}};
  assignSide(op.getThenRegion(), variable, branch.then);
  assignSide(op.getElseRegion(), variable, branch.otherwise);
  body.push_back({std::move(branch)});
  bind(op.getResult(), tree::name(variable, type));
}

void ScalarTree::assignSide(Region &region, const std::string &variable, Body &body) {
  const size_t mark = names.mark();
  for (Operation &inner : region.front().without_terminator())
    define(&inner, body);
  body.push_back({Assign{variable, expr(region.front().getTerminator()->getOperand(0))}});
  names.release(mark);
}

} // namespace moac::emit
