// The user's order of loops; see UserLoops.h.
#include "passes/UserLoops.h"
#include "passes/AxisChoice.h"
#include "passes/ReduceStrategy.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

LiftedAxes moac::stateLifts(StageGraph &graph, const UserSchedule &user, Schedule &schedule) {
  LiftedAxes lifted;
  for (const UserDirective &directive : user.all()) {
    if (!directive.is("lift"))
      continue;
    StringRef size = directive.mode;
    bool cyclic = size.consume_back(" cyclic");
    shape::Expr by = *shape::Expr::parse(std::string_view(size.data(), size.size()));
    for (auto &stage : graph.stages)
      for (const StageLoop &loop : allLoops(*stage, lifted)) {
        if (!isCalled(loop, *stage, directive.names[0]))
          continue;
        std::string word = loop.digit.name;
        shape::Expr extent = extentOf(loop.axis, graph.exprs);
        if (!lifted.lift(loop.axis, extent, word, by, cyclic, directive.names[1],
                         directive.names[2]))
          schedule.add("lift", stage->name(),
                       {word, directive.names[1].str(), directive.names[2].str()}, directive.mode);
      }
  }
  return lifted;
}

SmallVector<UserLoops::Mention> UserLoops::mentions(StringRef verb) const {
  SmallVector<Mention> found;
  for (const UserDirective &directive : user.all())
    if (directive.is(verb))
      for (unsigned name = 0; name < directive.names.size(); ++name)
        found.push_back({&directive, name});
  return found;
}

UserLoops::Mention UserLoops::mentionOf(StringRef verb, Stage &stage, const StageLoop &loop) const {
  for (Mention mention : mentions(verb))
    if (isCalled(loop, stage, mention.word()))
      return mention;
  return {};
}

LogicalResult UserLoops::refuse(Mention at, StringRef kind, const Twine &reason,
                                const Twine &help) {
  broken = true;
  return user.refuse(*at.directive, at.name, kind, reason, help);
}

bool UserLoops::isAtomic(Stage &stage) { return bool(dividedTerms(stage)); }

bool UserLoops::isSpokenOf(Stage &stage) const {
  if (isAtomic(stage))
    return true;
  for (const StageLoop &loop : allLoops(stage, lifted)) {
    if (lifted.isLifted(loop.axis))
      return true;
    for (StringRef verb : {"order", "parallel", "lanes", "unroll"})
      if (mentionOf(verb, stage, loop))
        return true;
  }
  return false;
}

FailureOr<UserLoops::Loops> UserLoops::orderOf(Stage &stage) {
  Loops loops;
  auto add = [&](BlockArgument axis) {
    for (Digit &digit : lifted.of(axis))
      loops.push_back({axis, std::move(digit)});
  };
  SmallVector<BlockArgument> axes(stage.gen.entry().getArguments());
  if (stage.rank() > 1)
    axes = defaultLoopOrder(stage, axes);
  for (BlockArgument axis : axes)
    add(axis);
  if (stage.root && llvm::none_of(loops, [](const StageLoop &loop) { return loop.isReduction(); }))
    for (BlockArgument axis : stage.root.term().getArguments())
      add(axis);
  LiftedAxes::mark(loops);
  if (isAtomic(stage)) { // the first loop over terms, which the threads divide, stands first
    auto *first = llvm::find_if(loops, [&](const StageLoop &loop) { return loop.axis == dividedTerms(stage); });
    std::rotate(loops.begin(), first, first + 1);
  }
  if (mlir::failed(arrange(stage, loops)))
    return failure();
  if (isAtomic(stage) && loops.front().axis != dividedTerms(stage))
    return refuse(mentions("order").front(), "cannot-order", "the threads divide the terms of '" + stage.name() + "', whose loop would run inside '" + loops.front().digit.name + "'",
                  "put the loop over the terms first");
  LiftedAxes::mark(loops);
  if (mlir::failed(checkReductions(stage, loops)))
    return failure();
  return loops;
}

/// Puts the loops that the user orders into the places that they have together.
LogicalResult UserLoops::arrange(Stage &stage, Loops &loops) {
  Loops wanted;
  for (Mention mention : mentions("order")) {
    const auto *loop = llvm::find_if(
        loops, [&](const StageLoop &l) { return isCalled(l, stage, mention.word()); });
    if (loop == loops.end())
      continue;
    if (llvm::any_of(wanted, [&](const StageLoop &l) {
          return l.axis == loop->axis && l.digit.name == loop->digit.name;
        }))
      return refuse(mention, "cannot-order", "it has its place already",
                    "name each loop of a value once");
    wanted.push_back(*loop);
  }
  const auto *next = wanted.begin();
  for (StageLoop &loop : loops)
    if (mentionOf("order", stage, loop))
      loop = *next++;
  return success();
}

bool UserLoops::isRegister(ArrayRef<StageLoop> loops) {
  const auto *first =
      llvm::find_if(loops, [](const StageLoop &loop) { return loop.isReduction(); });
  return first != loops.end() &&
         std::all_of(first, loops.end(), [](const StageLoop &loop) { return loop.isReduction(); });
}

/// The bounds of index `i` of `red` depend on `axis`.
static bool needs(RedOp red, unsigned i, const IndexSet &free, BlockArgument axis) {
  if (free.contains(axis))
    return true;
  return binderOf(axis) == red.getOperation() && axis.getArgNumber() < i &&
         !red.domain(i).getArgument(axis.getArgNumber()).use_empty();
}

LogicalResult UserLoops::checkReductions(Stage &stage, ArrayRef<StageLoop> loops) {
  for (size_t i = 0; i < loops.size(); ++i) {
    if (!loops[i].isReduction() || !loops[i].first)
      continue;
    IndexSet needed;
    auto red = cast<RedOp>(binderOf(loops[i].axis));
    collectFreeIndices(red.lower(loops[i].axis.getArgNumber()), needed);
    collectFreeIndices(red.upper(loops[i].axis.getArgNumber()), needed);
    for (size_t k = i + 1; k < loops.size(); ++k)
      if (needs(red, loops[i].axis.getArgNumber(), needed, loops[k].axis))
        return refuseOrder(stage, loops[i], loops[k],
                           "its bounds in '" + stage.name() + "' depend on '" +
                               loops[k].digit.name + "', which runs inside",
                           "put '" + loops[k].digit.name + "' before it");
  }
  bool any = llvm::any_of(loops, [](const StageLoop &loop) { return loop.isReduction(); });
  if (!any || isRegister(loops) || accumulatesInPlace(stage))
    return success();
  const auto *red = llvm::find_if(loops, [](const StageLoop &loop) { return loop.isReduction(); });
  return refuseOrder(stage, *red, loops.back(),
                     "'" + stage.name() +
                         "' cannot accumulate in its elements: their type is another, or the terms "
                         "are taken in order",
                     "put the loops of the reduction last");
}

LogicalResult UserLoops::refuseOrder(Stage &stage, const StageLoop &loop, const StageLoop &other,
                                     const std::string &reason, const std::string &help) {
  for (const StageLoop &each : {loop, other})
    for (StringRef verb : {"order", "lift"})
      if (Mention mention = mentionOf(verb, stage, each))
        return refuse(mention, "cannot-order", reason, help);
  return refuse(mentions("order").empty() ? Mention{&user.all().front(), 0}
                                          : mentions("order").front(),
                "cannot-order", reason, help);
}

unsigned UserLoops::leadingFree(ArrayRef<StageLoop> loops) {
  return llvm::find_if(loops, [](const StageLoop &loop) { return loop.isReduction(); }) -
         loops.begin();
}
