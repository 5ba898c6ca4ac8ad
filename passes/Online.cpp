// Recognising online groups by who reads what along which axis; see Online.h.
#include "passes/Online.h"
#include "passes/AxisChoice.h"
#include "passes/Decide.h"
#include "passes/Monotone.h"
#include "passes/OnDevice.h"
#include "passes/OnlineLaws.h"
#include "passes/Pieces.h"
#include "passes/ReduceStrategy.h"
#include "passes/Slice.h"

#include "ir/KernelFacts.h"
#include "ir/ShapeNode.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
class Finder {
public:
  Finder(StageGraph &graph, const Nest &nest) : graph(graph), nest(nest), rescale(graph, nest), moments(graph, nest) {}

  std::optional<Online> find() {
    if (nest.contraction || onDevice(nest.root->gen) || !isPlainNest())
      return std::nullopt;
    findStreamed();
    if (rescale.streamed.empty())
      return std::nullopt;
    for (Stage *stage : nest.members) {
      std::optional<OnlineMember> member = memberOf(*stage);
      if (!member)
        return std::nullopt;
      online.members.push_back(std::move(*member));
    }
    if (!readsFit() || !findDomain() ||
        !findLaws(online, rescale, moments, [&](Stage &stage) { return isReduction(stage); }, blocksFit))
      return std::nullopt;
    if (!findRow())
      divide();
    if (!isWorthIt())
      return std::nullopt;
    online.maskedLo = online.lo, online.maskedHi = online.hi;
    if (!online.inParts)
      findMask();
    orderByRole();
    return std::move(online);
  }

  SmallVector<Stage *> before() {
    findStreamed();
    SmallVector<Stage *> found;
    for (Stage *stage : nest.members)
      if (!rescale.streamed.contains(stage) &&
          llvm::none_of(rescale.streamed, [&](auto &each) { return graph.dependsOn(stage, each.first); }))
        found.push_back(stage);
    return rescale.streamed.empty() ? SmallVector<Stage *>() : found;
  }

private:
  /// Sums of blocks come after all that is computed row by row, which needs none of them.
  void orderByRole() {
    auto turn = [](const OnlineMember &member) { return member.role == OnlineRole::Finished ? 2 : member.role == OnlineRole::Accumulated ? 1 : 0; };
    auto members = std::exchange(online.members, {});
    for (int now : {0, 1, 2})
      llvm::copy_if(members, std::back_inserter(online.members), [&](const OnlineMember &member) { return turn(member) == now; });
  }

  bool isPlainNest() {
    for (const StageLoop &loop : ArrayRef(nest.loops).take_front(nest.depth))
      if (loop.lifted())
        return false;
    return llvm::all_of(nest.members, [&](Stage *stage) {
      return nest.level.at(stage) == nest.depth && !llvm::is_contained(nest.axisOf.at(stage), Nest::none) &&
             !isChecked(stage->gen.yielded()) && !stage->readChecked();
    });
  }

  Stage *memberRead(PsiOp psi) {
    Stage *stage = graph.of(psi.getArray());
    return stage && nest.axisOf.count(stage) ? stage : nullptr;
  }

  /// A reduction that reads a member at its own index streams along it; so does what it reads, and what that reads.
  void findStreamed() {
    for (Stage *stage : llvm::reverse(nest.members)) {
      BlockArgument index = rescale.streamed.lookup(stage);
      bool isElement = index != nullptr;
      if (!index && stage->root && stage->root.rank() == 1)
        index = stage->root.term().getArgument(0);
      if (!index)
        continue;
      stage->gen.getBody().walk([&](PsiOp psi) {
        Stage *source = memberRead(psi);
        auto at = llvm::find(psi.getSubscripts(), index);
        if (!source || at == psi.getSubscripts().end())
          return;
        rescale.streamed[source] = source->gen.entry().getArgument(at - psi.getSubscripts().begin());
        if (!isElement)
          rescale.streamed[stage] = index;
      });
    }
    auto isSingle = [](Stage *stage) { return stage && stage->root && stage->root.rank() == 1; };
    for (Stage *stage : nest.members) // one reduction of what is no member refers to another
      if (isSingle(stage) && !isStreamed(*stage))
        stage->gen.getBody().walk([&](PsiOp psi) {
          if (Stage *source = memberRead(psi); isSingle(source) && !rescale.streamed.contains(source)) {
            rescale.streamed[source] = source->root.term().getArgument(0);
            rescale.streamed.try_emplace(stage, stage->root.term().getArgument(0));
          }
        });
    for (Stage *stage : nest.members) // differences from means
      if (std::optional<Shift> shift = moments.of(*stage))
        for (Stage *each : {shift->by, shift->other, stage})
          rescale.streamed.try_emplace(each, each->root.term().getArgument(0));
    for (Stage *stage : nest.members) // a reduction of what is no member, that something streamed refers to
      if (stage->root && stage->root.rank() == 1 && !rescale.streamed.contains(stage) &&
          llvm::any_of(stage->readers, [&](StageRead &read) { return rescale.streamed.contains(read.reader); }) &&
          llvm::any_of(nest.members, [&](Stage *other) { return isReduction(*other) && domainOf(*other) == domainOf(*stage); }))
        rescale.streamed[stage] = stage->root.term().getArgument(0);
    if (rescale.streamed.empty())
      for (Stage *stage : nest.members)
        if (isSingle(stage) && sumsAll(*stage))
          rescale.streamed[stage] = stage->root.term().getArgument(0);
  }

  /// A reduction of a whole array, of its columns, or of rows that a user divides, that no other one waits for.
  bool sumsAll(Stage &stage) {
    auto waits = [&](Stage *other) { return other != &stage && other->hasReduction() && graph.dependsOn(other, &stage); };
    bool all = nest.depth == 0 ? stage.rank() == 0 || (stage.rank() == 1 && axisAcross(stage))
                               : nest.depth == stage.rank() && asksForParts(stage);
    return stage.rank() == nest.root->rank() && all && llvm::none_of(nest.members, waits);
  }
  bool isSumOfAll(Stage &stage) { return &stage == nest.root && isReduction(stage) && sumsAll(stage); } // of the nest's own

  template <typename Binder> bool streams(Stage &stage) {
    auto found = rescale.streamed.find(&stage);
    return found != rescale.streamed.end() && isa<Binder>(binderOf(found->second));
  }
  bool isStreamed(Stage &stage) { return streams<GenOp>(stage); }
  bool isReduction(Stage &stage) { return streams<RedOp>(stage); }
  static bool computesAsStored(Stage &stage) {
    Type type = stage.gen.arrayType().getElementType();
    return (type.isF32() || type.isF64()) && stage.gen.yielded().getType() == type;
  }

  std::optional<OnlineMember> memberOf(Stage &stage) {
    SmallVector<BlockArgument> inner = nest.innerAxes(stage);
    if (isStreamed(stage))
      return streamedMember(stage, inner);
    if (inner.size() > 1)
      return std::nullopt;
    OnlineMember member{&stage, OnlineRole::Finished, inner.empty() ? BlockArgument() : inner.front()};
    if (!isReduction(stage))
      return stage.hasReduction() ? std::nullopt : std::optional(member);
    static const StringRef kinds[] = {"add", "max", "min"};
    if (!llvm::is_contained(kinds, stage.root.getKind()) || !computesAsStored(stage) ||
        (stage.isResult && !isSumOfAll(stage)) || hasReductionInside(stage.root))
      return std::nullopt;
    member.role = OnlineRole::Reduced;
    if (inner.empty())
      return member;
    member.role = OnlineRole::Accumulated;
    if (stage.root.getKind() != "add")
      return std::nullopt;
    blocksFit &= accumulated(stage, member);
    return member;
  }

  static bool hasReductionInside(RedOp red) {
    return red.term().walk([](RedOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  std::optional<OnlineMember> streamedMember(Stage &stage, ArrayRef<BlockArgument> inner) {
    if (inner.size() != 1 || inner[0] != rescale.streamed[&stage] || !computesAsStored(stage) || stage.isResult)
      return std::nullopt;
    OnlineMember member{&stage, OnlineRole::Streamed, inner[0]};
    if (!stage.hasReduction())
      return member;
    member.role = OnlineRole::Scores;
    if (!readsNoMember(stage))
      return std::nullopt;
    blocksFit &= scores(stage, member);
    return member;
  }

  bool scores(Stage &stage, OnlineMember &member) {
    auto product = productOf(stage);
    if (!product || !isEntryBox(stage.root))
      return false;
    Contraction &c = member.blocks;
    c.stage = &stage, c.lane = member.lane;
    std::tie(c.rowOperand, c.laneOperand) = std::pair(product->getOperand(0), product->getOperand(1));
    if (!isFreeOf(c.rowOperand, c.lane))
      std::swap(c.rowOperand, c.laneOperand);
    llvm::append_range(c.reduced, stage.root.term().getArguments());
    return isFreeOf(c.rowOperand, c.lane);
  }

  /// The value of where(b, 0, value): whether the guard b is one that holds by itself is for `RescaleFinder` to say.
  static Value unguarded(Value value) {
    auto where = value.getDefiningOp<WhereOp>();
    return where ? where.elseValue() : value;
  }

  bool accumulated(Stage &stage, OnlineMember &member) {
    auto product = productOf(stage);
    if (!product)
      return false;
    Contraction &c = member.blocks;
    c.stage = &stage, c.lane = member.lane;
    std::tie(c.rowOperand, c.laneOperand) = std::pair(product->getOperand(0), product->getOperand(1));
    auto isStreamedRead = [&](Value value) {
      auto psi = unguarded(value).getDefiningOp<PsiOp>();
      Stage *source = psi ? memberRead(psi) : nullptr;
      return source && isStreamed(*source);
    };
    if (!isStreamedRead(c.rowOperand))
      std::swap(c.rowOperand, c.laneOperand);
    c.rowOperand = unguarded(c.rowOperand);
    c.reduced.push_back(stage.root.term().getArgument(0));
    bool leavesOnly = true;
    visitSlice(c.laneOperand, [&](Operation *op) {
      auto psi = dyn_cast<PsiOp>(op);
      leavesOnly &= !psi || !memberRead(psi);
    });
    return isStreamedRead(c.rowOperand) && leavesOnly;
  }

  std::optional<ScalarOp> productOf(Stage &stage) {
    if (!stage.root || stage.root.getKind() != "add" || hasReductionInside(stage.root))
      return std::nullopt;
    auto product = stage.root.termValue().getDefiningOp<ScalarOp>();
    return product && product.kind() == ScalarFn::mul_ ? std::optional(product) : std::nullopt;
  }

  /// Every index runs from 0 to what is known when the kernel is entered.
  bool isEntryBox(RedOp red) {
    for (unsigned i = 0; i < red.rank(); ++i) {
      if (!(graph.exprs.toExpr(red.lower(i)) == shape::Expr(0)))
        return false;
      for (const std::string &name : graph.exprs.toExpr(red.upper(i)).names()) {
        auto argument = dyn_cast_or_null<BlockArgument>(graph.exprs.valueOf(name));
        if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
          return false;
      }
    }
    return true;
  }

  bool readsNoMember(Stage &stage) {
    return !stage.gen.getBody().walk([&](PsiOp psi) {
      return memberRead(psi) ? WalkResult::interrupt() : WalkResult::advance();
    }).wasInterrupted();
  }

  /// Members are read by members at the frame's indices; what is streamed at the streamed index, by what is streamed as well.
  bool readsFit() {
    for (OnlineMember &member : llvm::make_filter_range(online.members, [&](OnlineMember &each) { return !isSumOfAll(*each.stage); }))
      for (StageRead &read : member.stage->readers) {
        const OnlineMember *reader = online.of(read.reader);
        if (!reader && member.role == OnlineRole::Finished && (nest.depth == 0 || member.stage == nest.root))
          continue; // by later nests, in the array that it is stored in
        if (!reader)
          return false;
        for (auto [own, other] : llvm::zip(nest.axisOf.at(member.stage), nest.axisOf.at(read.reader)))
          if (read.psi.getSubscripts()[own] != read.reader->gen.entry().getArgument(other))
            return false;
        bool streams = reader->role != OnlineRole::Finished;
        if (isStreamed(*member.stage)) {
          if (!streams || read.psi.getSubscripts()[member.lane.getArgNumber()] != rescale.streamed.lookup(read.reader))
            return false;
        } else if (streams && member.role != OnlineRole::Reduced && !isOfMean(read)) {
          return false;
        }
      }
    return true;
  }

  /// The mean, or the sum that is divided for it where it stands.
  bool isOfMean(StageRead &read) {
    return llvm::any_of(moments.usesIn(*read.reader), [&](const MeanUse &use) {
      return use.value == read.psi.getResult() || llvm::is_contained(use.value.getDefiningOp()->getOperands(), read.psi.getResult());
    });
  }

  /// An expression of a member's axes in those of the root.
  shape::Expr inRoot(const shape::Expr &e, Stage &stage) {
    std::map<std::string, shape::Expr> names;
    for (auto [own, root] : llvm::zip(nest.axisOf.at(&stage), nest.axisOf.at(nest.root)))
      names[graph.exprs.nameOf(stage.gen.entry().getArgument(own))] =
          shape::Expr::name(graph.exprs.nameOf(nest.root->gen.entry().getArgument(root)));
    return e.substitute(names);
  }

  /// Where a reduction runs, in names of the root's axes.
  std::pair<shape::Expr, shape::Expr> domainOf(Stage &stage) {
    return {inRoot(graph.exprs.toExpr(stage.root.lower(0)), stage), inRoot(graph.exprs.toExpr(stage.root.upper(0)), stage)};
  }

  bool findDomain() {
    for (OnlineMember &member : online.members) {
      if (isStreamed(*member.stage)) {
        shape::Expr extent = member.stage->gen.arrayType().extents()[member.lane.getArgNumber()];
        if (online.extent == shape::Expr())
          online.extent = extent;
        if (!(online.extent == extent))
          return false;
      } else if (isReduction(*member.stage)) {
        auto [lo, hi] = domainOf(*member.stage);
        if (!online.first)
          online.first = member.stage, online.lo = lo, online.hi = hi;
        if (!(online.lo == lo) || !(online.hi == hi))
          return false;
      }
    }
    if (online.extent == shape::Expr())
      online.extent = online.hi;
    if (!online.first || !isMonotone(online.lo) || !isMonotone(online.hi))
      return false;
    shape::Facts facts = entryFacts(nest.root->gen->getParentOfType<KernelOp>(), graph.exprs);
    for (BlockArgument axis : nest.root->gen.entry().getArguments())
      assumeDomain(facts, axis, graph.exprs);
    return facts.proveNonNegative(online.lo) && facts.proveNonNegative(online.extent - online.hi); // else a part of the domain has no element
  }

  /// Known at entry but for indices of the frame, and monotone in each of them: then a tile of rows has its extremes at its ends.
  bool isMonotone(const shape::Expr &e) {
    return llvm::all_of(e.names(), [&](const std::string &name) {
      auto index = dyn_cast_or_null<BlockArgument>(graph.exprs.valueOf(name));
      if (!index || isa<KernelOp>(index.getOwner()->getParentOp()))
        return index != nullptr;
      bool isOfFrame = llvm::any_of(nest.axisOf.at(nest.root), [&](unsigned axis) { return nest.root->gen.entry().getArgument(axis) == index; });
      return isOfFrame && directionOf(e, name);
    });
  }

  /// The last loop on which no operand of lanes depends: its indices share the panels. Too few of them do not pay for panels.
  bool findRow() {
    constexpr int64_t few = 2;
    for (unsigned loop = nest.depth; blocksFit && loop-- > 0;) {
      bool shares = true;
      for (OnlineMember &member : online.members)
        if (member.blocks.stage)
          shares &= isFreeOf(member.blocks.laneOperand, member.stage->gen.entry().getArgument(nest.axisOf.at(member.stage)[loop]));
      if (!shares)
        continue;
      online.row = loop;
      std::optional<int64_t> rows = nest.root->gen.arrayType().extents()[nest.axisOf.at(nest.root)[loop]].constant();
      if (rows && *rows <= few)
        return false;
      for (OnlineMember &member : online.members)
        if (member.blocks.stage)
          for (auto [i, axis] : llvm::enumerate(nest.axisOf.at(member.stage))) {
            BlockArgument index = member.stage->gen.entry().getArgument(axis);
            if (i == loop)
              member.blocks.row = index;
            else
              member.blocks.outer.push_back(index);
          }
      return count(OnlineRole::Accumulated) > 0;
    }
    return false;
  }

  void divide() {
    online.inParts = true;
    for (OnlineMember &member : online.members) {
      member.blocks = {};
      if (member.role == OnlineRole::Scores)
        member.role = OnlineRole::Streamed;
    }
  }

  int64_t count(OnlineRole role) {
    return llvm::count_if(online.members, [&](const OnlineMember &member) { return member.role == role; });
  }

  /// Several reductions share the pass. Parts are for long axes, and for sums of lanes or whole arrays: a row in cache can be
  /// read twice.
  bool isWorthIt() {
    int64_t sums = count(OnlineRole::Accumulated), all = sums + count(OnlineRole::Reduced);
    if (!online.inParts)
      return all > 1;
    if (StringRef said = strategyOf(*online.first); !said.empty())
      return said == "private";
    constexpr int64_t shortest = 512;
    return online.extent.constant().value_or(shortest) >= shortest && (nest.depth == 0 ? all > 0 : sums > 0 && all > 1);
  }

  /// Where the maximum that all other reductions refer to has terms.
  void findMask() {
    Stage *maximum = nullptr;
    for (OnlineMember &member : online.members)
      if (isReduction(*member.stage)) {
        Stage *refers = member.rescales.size() == 1 ? member.rescales[0].by : member.rescales.empty() ? member.stage : nullptr;
        if (!refers || (maximum && refers != maximum))
          return;
        maximum = refers;
      }
    if (!maximum || maximum->root.getKind() != "max")
      return;
    IndexExprs &exprs = graph.exprs;
    RedOp red = maximum->root;
    shape::Facts facts = entryFacts(maximum->gen->getParentOfType<KernelOp>(), exprs);
    for (BlockArgument axis : maximum->gen.entry().getArguments())
      assumeDomain(facts, axis, exprs);
    auto outside = [&](const std::string &name) {
      auto argument = dyn_cast_or_null<BlockArgument>(exprs.valueOf(name));
      return argument && binderOf(argument) != red.getOperation();
    };
    std::string index = exprs.nameOf(red.term().getArgument(0));
    shape::Expr lo = exprs.toExpr(red.lower(0)), hi = exprs.toExpr(red.upper(0));
    std::vector<shape::Expr> asked = boundariesOf(Inside{red.termValue(), index, false, red}, {lo, hi, outside}, facts, exprs);
    std::vector<Piece> pieces = cut(lo, hi, asked, facts);
    auto isNothing = [&](const Piece &piece) {
      shape::Facts here = facts;
      piece.assume(here, index);
      return termIsIdentity(red, here, exprs);
    };
    auto from = llvm::find_if_not(pieces, isNothing);
    auto to = std::find_if(from, pieces.end(), isNothing);
    if (from == pieces.end() || std::find_if_not(to, pieces.end(), isNothing) != pieces.end() || static_cast<size_t>(to - from) == pieces.size())
      return;
    shape::Expr first = from->los[0], end = (to - 1)->his[0];
    for (const shape::Expr &other : from->los)
      first = shape::max(first, other);
    for (const shape::Expr &other : (to - 1)->his)
      end = shape::min(end, other);
    first = inRoot(first, *maximum), end = inRoot(end, *maximum);
    if (isMonotone(first) && isMonotone(end))
      online.maskedLo = first, online.maskedHi = end;
  }

  StageGraph &graph;
  const Nest &nest;
  RescaleFinder rescale;
  MomentFinder moments;
  Online online;
  bool blocksFit = true; ///< sums have the form that register blocks need
};
} // namespace

std::optional<Online> moac::onlineOf(StageGraph &graph, const Nest &nest) { return Finder(graph, nest).find(); }
SmallVector<Stage *> moac::beforeStream(StageGraph &graph, const Nest &nest) { return Finder(graph, nest).before(); }
