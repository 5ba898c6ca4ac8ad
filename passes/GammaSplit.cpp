// Which loops are cut, and where.
//
// Construction would take every boundary that the code asks for; this pass tries that on paper,
// counts the pieces, and states in the schedule what it may take. A cut costs code, never work, so
// the only limit is what a reader can follow: when pieces are too many, the outermost axis that is
// cut stays whole and the rest is tried again.
#include "passes/NestPieces.h"
#include "passes/Passes.h"
#include "passes/Slice.h"

#include "ir/KernelFacts.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMASPLIT
#include "passes/Passes.h.inc"

namespace {
constexpr unsigned mostPieces = 9;
constexpr unsigned mostOperations = 600;

/// The loops of one nest on paper.
class Trial {
public:
  Trial(Nest &nest, const Schedule &schedule, const LiftedAxes &lifted, const shape::Facts &entry, moa::IndexExprs &exprs,
        const llvm::DenseSet<Value> &whole)
      : nest(nest), lifted(lifted), exprs(exprs), whole(whole) {
    auto isArgument = [&](const std::string &name) { return isBound(name); };
    auto choose = [&](BlockArgument axis, ArrayRef<shape::Expr> asked) { return note(axis, asked); };
    for (const NestBlock &block : blocksOf(nest, entry, exprs, isArgument, choose))
      for (Stage *stage : nest.members) {
        SmallVector<StageLoop> loopsInside = loopOrder(nest, *stage, schedule, lifted, regionsOf(nest, *stage, exprs));
        for (auto [loop, axis] : llvm::zip(nest.loops, nest.axisOf[stage]))
          if (loop.last && axis != Nest::none)
            bound.insert(stage->gen.entry().getArgument(axis));
        SmallVector<StageLoop> order; // the loops in which an index becomes known
        for (const StageLoop &loop : loopsInside)
          if (loop.last)
            order.push_back(loop);
        bool inPlace = llvm::any_of(loopsInside, [](const StageLoop &loop) { return loop.isReduction(); });
        Value root = inPlace ? stage->root.termValue() : stage->gen.yielded();
        loops(order, root, inPlace ? stage->root : moa::RedOp(), block.facts);
      }
  }

  bool tooLarge() const { return pieces > mostPieces * nest.members.size() || operations > mostOperations; }

  using Found = llvm::MapVector<Value, std::vector<shape::Expr>>;
  Found cuts;  ///< outer axes first
  Found lifts; ///< quotients
  unsigned pieces = 0, operations = 0;

private:
  std::vector<shape::Expr> note(BlockArgument axis, ArrayRef<shape::Expr> asked) {
    if (whole.contains(axis))
      return {};
    for (const shape::Expr &at : asked)
      if (!llvm::is_contained(cuts[axis], at))
        cuts[axis].push_back(at);
    if (asked.empty() && cuts.count(axis) && cuts[axis].empty())
      cuts.erase(axis);
    return asked.vec();
  }

  bool isBound(const std::string &name) {
    auto argument = dyn_cast_or_null<BlockArgument>(exprs.valueOf(name));
    return argument && (isa<moa::KernelOp>(argument.getOwner()->getParentOp()) || bound.contains(argument));
  }

  void loops(ArrayRef<StageLoop> order, Value root, moa::RedOp accumulates, const shape::Facts &facts) {
    if (tooLarge())
      return;
    if (order.empty()) {
      ++pieces;
      return body(root, facts);
    }
    forPieces(order.front(), order.size() == 1, root, accumulates, facts, [&](const shape::Facts &inside) {
      loops(order.drop_front(), root, accumulates, inside);
    });
  }

  void forPieces(const StageLoop &loop, bool deepest, Value root, moa::RedOp accumulates, const shape::Facts &facts,
                 llvm::function_ref<void(const shape::Facts &)> inside) {
    BlockArgument axis = loop.axis;
    shape::Expr lo, hi;
    if (auto gen = dyn_cast<moa::GenOp>(binderOf(axis))) {
      hi = gen.arrayType().extents()[axis.getArgNumber()];
    } else {
      auto red = cast<moa::RedOp>(binderOf(axis));
      lo = exprs.toExpr(red.lower(axis.getArgNumber())), hi = exprs.toExpr(red.upper(axis.getArgNumber()));
    }
    auto isKnown = [&](const std::string &name) { return isBound(name); };
    std::string name = exprs.nameOf(axis);
    std::vector<shape::Expr> asked;
    if (loop.digit.step == shape::Expr(1)) // one that steps over indices is not cut
      asked = note(axis, boundariesOf(Inside{root, name, deepest, accumulates}, {lo, hi, isKnown}, facts, exprs));
    bound.insert(axis);
    for (const Piece &piece : cut(lo, hi, asked, facts)) {
      shape::Facts here = facts;
      piece.assume(here, name);
      if (accumulates && termIsIdentity(accumulates, here, exprs))
        continue;
      if (deepest && loop.digit.step == shape::Expr(1))
        lift(axis, root, here);
      inside(here);
    }
    bound.erase(axis);
  }

  /// What no boundary decides: x // m with unboundedly many values along the innermost axis.
  void lift(BlockArgument axis, Value root, const shape::Facts &facts) {
    std::optional<Quotient> along =
        runsAlong(root, exprs.nameOf(axis), facts, [&](const std::string &name) { return isBound(name); }, exprs);
    if (!along)
      return;
    shape::Expr quotient = shape::floordiv(along->x, along->m);
    if (!llvm::is_contained(lifts[axis], quotient))
      lifts[axis].push_back(quotient);
  }

  /// Reductions inside an expression are loops too.
  void body(Value root, const shape::Facts &facts) {
    SmallVector<std::pair<moa::RedOp, shape::Facts>> reductions;
    visitLive(root, facts, exprs, [&](Operation *op, const shape::Facts &here, unsigned depth) {
      if (auto red = dyn_cast<moa::RedOp>(op); red && depth == 0)
        reductions.push_back({red, here});
      else if (depth == 0)
        ++operations;
    });
    for (auto &[red, here] : reductions)
      reduction(red, 0, here);
  }

  void reduction(moa::RedOp red, unsigned i, const shape::Facts &facts) {
    if (tooLarge())
      return;
    if (i == red.rank()) {
      ++pieces;
      return body(red.termValue(), facts);
    }
    BlockArgument axis = red.term().getArgument(i);
    forPieces({axis, lifted.of(axis).back()}, i + 1 == red.rank(), red.termValue(), red, facts,
              [&](const shape::Facts &inside) { reduction(red, i + 1, inside); });
  }

  Nest &nest;
  const LiftedAxes &lifted;
  moa::IndexExprs &exprs;
  const llvm::DenseSet<Value> &whole;
  llvm::DenseSet<Value> bound;
};

struct GammaSplit : impl::GammaSplitBase<GammaSplit> {
  void runOnOperation() override {
    moa::KernelOp kernel = getOperation();
    Schedule schedule(kernel);
    StageGraph graph(kernel);
    FailureOr<LiftedAxes> lifted = liftedAxes(kernel, graph, schedule);
    if (failed(lifted))
      return signalPassFailure();
    FailureOr<SmallVector<Nest>> nests = scheduledNests(kernel, graph, *lifted);
    if (failed(nests))
      return signalPassFailure();
    shape::Facts entry = moa::entryFacts(kernel, graph.exprs);
    for (Nest &nest : *nests)
      if (!nest.contraction && !nest.online) // blocks cut their loops already
      decide(nest, schedule, *lifted, entry, graph);
    schedule.store(kernel);
  }

  void decide(Nest &nest, Schedule &schedule, const LiftedAxes &lifted, const shape::Facts &entry, StageGraph &graph) {
    llvm::DenseSet<Value> whole;
    while (true) {
      Trial trial(nest, schedule, lifted, entry, graph.exprs, whole);
      if (!trial.tooLarge() || trial.cuts.empty())
        return state(trial, schedule, graph);
      auto axis = cast<BlockArgument>(trial.cuts.front().first);
      remark::missed(nest.root->gen.getLoc(), remark::RemarkOpts::name("gamma-split").category("gamma"))
          << indexName(axis).str() << " stays whole: cutting it as well makes more than " << std::to_string(mostPieces)
          << " pieces or " << std::to_string(mostOperations) << " operations";
      whole.insert(axis);
    }
  }

  void state(Trial &trial, Schedule &schedule, StageGraph &graph) {
    for (auto &[axis, boundaries] : trial.cuts)
      state("split", " is cut at ", axis, boundaries, trial, schedule, graph);
    for (auto &[axis, quotients] : trial.lifts)
      state("lift", " is lifted along ", axis, quotients, trial, schedule, graph);
  }

  void state(StringRef verb, StringRef says, Value axis, ArrayRef<shape::Expr> expressions, Trial &trial,
             Schedule &schedule, StageGraph &graph) {
    Operation *op = binderOf(cast<BlockArgument>(axis));
    while (!isa<moa::GenOp>(op))
      op = op->getParentOp();
    Stage &stage = *graph.of(op->getResult(0));
    std::string text;
    for (const shape::Expr &e : expressions)
      text += (text.empty() ? "" : "; ") + spellCut(e, stage, graph.exprs);
    std::string word = indexName(cast<BlockArgument>(axis)).str();
    schedule.add(verb, stage.name(), word, text);
    remark::passed(stage.gen.getLoc(), remark::RemarkOpts::name("gamma-split").category("gamma"))
        << stage.name() << ": " << word << says.str() << text << " (" << std::to_string(trial.pieces) << " pieces)";
  }
};
} // namespace
} // namespace moac
