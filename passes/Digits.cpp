// Lifting axes; see Digits.h.
#include "passes/Digits.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

bool StageLoop::isReduction() const { return isa<RedOp>(binderOf(axis)); }

bool StageLoop::lifted() const { return indexName(axis) != digit.name; }

SmallVector<Digit> LiftedAxes::of(BlockArgument axis) const {
  auto found = digits.find(axis);
  if (found != digits.end())
    return found->second;
  return {Digit{indexName(axis).str(), shape::Expr(1), std::nullopt}};
}

std::optional<std::string> LiftedAxes::lift(BlockArgument axis, const shape::Expr &extent,
                                            StringRef name, const shape::Expr &by, bool cyclic,
                                            StringRef outer, StringRef inner) {
  SmallVector<Digit> list = of(axis);
  auto *at = llvm::find_if(list, [&](const Digit &digit) { return name == digit.name; });
  if (at == list.end())
    return "'" + name.str() + "' is no loop of '" + indexName(axis).str() +
           "' any more: it is lifted already";
  Digit lifted = *at, low, high;
  // The length of an inner digit is part of the representation: it must be divided exactly.
  std::optional<shape::Expr> outerSpan;
  if (lifted.span) {
    std::optional<shape::Expr> length = shape::exactQuotient(*lifted.span, lifted.step);
    std::optional<shape::Expr> parts = length ? shape::exactQuotient(*length, by) : std::nullopt;
    if (!parts)
      return by.str() + " does not divide the length of '" + name.str() + "', " +
             (length ? length->str() : lifted.span->str());
    outerSpan = *parts * lifted.step;
  }
  if (cyclic) {
    if (!outerSpan) {
      shape::Expr per = lifted.step * by;
      outerSpan = lifted.step *
                  shape::max(shape::Expr(1), shape::floordiv(extent + per - shape::Expr(1), per));
    }
    high = {inner.str(), *outerSpan, lifted.span};
    low = {outer.str(), lifted.step, *outerSpan};
  } else {
    high = {outer.str(), lifted.step * by, lifted.span};
    low = {inner.str(), lifted.step, lifted.step * by};
  }
  *at = high;
  list.insert(at + 1, low);
  digits[axis] = std::move(list);
  return std::nullopt;
}

void LiftedAxes::mark(MutableArrayRef<StageLoop> loops) {
  auto isOf = [](BlockArgument axis) {
    return [axis](const StageLoop &loop) { return loop.axis == axis; };
  };
  for (size_t i = 0; i < loops.size(); ++i) {
    loops[i].first = llvm::none_of(loops.take_front(i), isOf(loops[i].axis));
    loops[i].last = llvm::none_of(loops.drop_front(i + 1), isOf(loops[i].axis));
  }
}

SmallVector<BlockArgument> moac::indicesOf(Stage &stage) {
  SmallVector<BlockArgument> axes(stage.gen.entry().getArguments());
  stage.gen.getBody().walk([&](RedOp red) { llvm::append_range(axes, red.term().getArguments()); });
  return axes;
}

shape::Expr moac::extentOf(BlockArgument axis, IndexExprs &exprs) {
  if (auto gen = dyn_cast<GenOp>(binderOf(axis)))
    return gen.arrayType().extents()[axis.getArgNumber()];
  auto red = cast<RedOp>(binderOf(axis));
  return exprs.toExpr(red.upper(axis.getArgNumber())) -
         exprs.toExpr(red.lower(axis.getArgNumber()));
}

bool moac::knownAtEntry(const shape::Expr &e, IndexExprs &exprs) {
  return llvm::all_of(e.names(), [&](const std::string &name) {
    auto argument = dyn_cast_or_null<BlockArgument>(exprs.valueOf(name));
    return argument && isa<KernelOp>(argument.getOwner()->getParentOp());
  });
}

namespace {
/// `lift STAGE [loop, outer, inner] "64"`.
LogicalResult apply(DirectiveAttr directive, Stage &stage, StageGraph &graph, LiftedAxes &axes) {
  auto word = [&](unsigned i) { return cast<StringAttr>(directive.getAxes()[i]).getValue(); };
  StringRef mode = directive.getMode().getValue();
  bool cyclic = mode.consume_back(" cyclic");
  std::optional<shape::Expr> by = shape::Expr::parse(std::string_view(mode.data(), mode.size()));
  if (!by || !knownAtEntry(*by, graph.exprs) || by->constant().value_or(1) < 1)
    return stage.gen.emitError() << "'" << word(0) << "' cannot be lifted by '" << mode
                                 << "': it takes a positive number that is known at entry";
  for (BlockArgument axis : indicesOf(stage)) {
    if (llvm::none_of(axes.of(axis), [&](const Digit &digit) { return digit.name == word(0); }))
      continue;
    shape::Expr extent = extentOf(axis, graph.exprs);
    std::optional<std::string> reason;
    auto red = dyn_cast<RedOp>(binderOf(axis));
    if (red && (red.isFold() || red.isArg()))
      reason = red.getKind().str() + " takes its terms in order";
    else if (cyclic && !knownAtEntry(extent, graph.exprs))
      reason = "the bounds of '" + indexName(axis).str() + "' are not known at entry";
    else
      reason = axes.lift(axis, extent, word(0), *by, cyclic, word(1), word(2));
    if (reason)
      return stage.gen.emitError()
             << "'" << word(0) << "' of '" << stage.name() << "' cannot be lifted: " << *reason;
    return success();
  }
  return stage.gen.emitError() << "'" << stage.name() << "' has no loop '" << word(0)
                               << "' to lift";
}
} // namespace

FailureOr<LiftedAxes> moac::liftedAxes(KernelOp kernel, StageGraph &graph,
                                       const Schedule &schedule) {
  LiftedAxes axes;
  for (DirectiveAttr directive : schedule.all()) {
    constexpr unsigned words = 3; // with one axis it lifts along a quotient
    if (directive.getVerb().getValue() != "lift" || directive.getAxes().size() != words ||
        directive.getStage().getValue().empty()) // a user's, in the user's names
      continue;
    auto stage = llvm::find_if(graph.stages, [&](auto &candidate) {
      return candidate->name() == directive.getStage().getValue();
    });
    if (stage == graph.stages.end())
      return kernel.emitError() << "the schedule lifts '" << directive.getStage().getValue()
                                << "', which is no stage";
    if (failed(apply(directive, **stage, graph, axes)))
      return failure();
  }
  return axes;
}
