// From directives on stages back to the user's syntax; see ScheduleText.h.
#include "passes/ScheduleText.h"
#include "passes/Contraction.h"
#include "passes/Nests.h"
#include "passes/Online.h"
#include "passes/Slice.h"
#include "passes/UserSchedule.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
using Words = std::vector<std::string>;

/// A map in the order of its first insertions.
template <class V> struct Listed {
  std::vector<std::pair<std::string, V>> entries;
  V &operator[](const std::string &key) {
    auto found = llvm::find_if(entries, [&](const auto &entry) { return entry.first == key; });
    if (found != entries.end())
      return found->second;
    return entries.emplace_back(key, V()).second;
  }
};

class ScheduleWriter {
public:
  ScheduleWriter(KernelOp kernel, const LiftedAxes &lifted, SmallVector<Nest> &nests,
                 StageGraph &graph)
      : schedule(kernel), lifted(lifted), nests(nests), graph(graph) {}

  std::string write() {
    for (Nest &nest : nests)
      blocks |= inBlocks(nest);
    lifts();
    placements("inline");
    orders();
    for (Nest &nest : nests)
      online(nest), tiles(nest);
    for (Nest &nest : nests)
      placed(nest);
    placements("store");
    atomics();
    loopSets("parallel");
    loopSets("lanes");
    unrolls();
    consequences();
    return std::move(out);
  }

private:
  void line(const Twine &text) { out += ("  " + text + "\n").str(); }

  /// What its loops are follows from the formula, not from directives.
  static bool inBlocks(const Nest &nest) { return nest.contraction || nest.online; }

  void online(Nest &nest) {
    std::optional<Online> group = nest.online ? onlineOf(graph, nest) : std::nullopt;
    if (!group)
      return;
    StringRef streamed = loopNames(group->first->root.term().getArgument(0)).front();
    line("online " + streamed);
    if (group->inParts)
      line("reduce " + streamed + " : private");
  }

  void atomics() {
    for (auto &stage : graph.stages)
      if (schedule.mode("reduce", stage->name()) == "atomic")
        line("reduce " + loopNames(stage->root.term().getArgument(0)).back() + " : atomic");
  }

  /// Lengths of the tiles that moac makes.
  void tiles(Nest &nest) {
    Named axes;
    std::vector<std::string> sizes;
    if (std::optional<Contraction> c = nest.contraction ? contractionOf(graph, *nest.contraction) : std::nullopt) {
      for (BlockArgument axis : {c->lane, c->row, c->reduced[0]})
        axes.push_back({c->stage, loopOf(axis)});
      sizes = schedule.sizes("tile", c->stage->name());
    } else if (std::optional<Online> group = nest.online ? onlineOf(graph, nest) : std::nullopt) {
      for (auto [index, axis] : tiledAxes(*group, nest))
        axes.push_back({index == 0 ? nest.root : group->first, loopOf(axis)});
      sizes = schedule.sizes("online", nest.root->name());
    }
    for (auto [named, size] : llvm::zip(axes, sizes))
      line("tile " + longName(*named.first, named.second) + " by " + size);
  }

  StageLoop loopOf(BlockArgument axis) const { return {axis, lifted.of(axis).front()}; }

  // ---- names

  bool isOrdinary(Stage &stage) {
    return llvm::none_of(nests, [&](Nest &nest) {
      return inBlocks(nest) && llvm::is_contained(nest.members, &stage);
    });
  }

  std::optional<StageLoop> loopNamed(Stage &stage, StringRef name) {
    for (const StageLoop &loop : allLoops(stage, lifted))
      if (loop.digit.name == name)
        return loop;
    return std::nullopt;
  }

  static std::string shortName(const StageLoop &loop) {
    return loop.lifted() ? loop.digit.name : loopNames(loop.axis).front().str();
  }
  static std::string longName(Stage &stage, const StageLoop &loop) {
    return loop.lifted() ? stage.name() + "." + loop.digit.name : loopNames(loop.axis).back().str();
  }

  using Named = std::vector<std::pair<Stage *, StageLoop>>;

  // ---- directives

  void lifts() {
    Listed<std::pair<std::string, Named>> groups;
    for (DirectiveAttr d : schedule.all()) {
      if (d.getVerb().getValue() != "lift" || d.getAxes().size() == 1 ||
          d.getStage().getValue().empty())
        continue;
      auto word = [&](unsigned i) { return cast<StringAttr>(d.getAxes()[i]).getValue().str(); };
      std::string tail = " by " + d.getMode().getValue().str() + " as " + word(1) + ", " + word(2);
      for (auto &stage : graph.stages)
        if (stage->name() == d.getStage().getValue())
          for (BlockArgument axis : indicesOf(*stage)) {
            bool whole = indexName(axis) == word(0) && lifted.isLifted(axis);
            if (whole || llvm::is_contained(madeOf(*stage, axis), word(0))) {
              auto &[ending, loops] = groups[word(0) + tail];
              ending = tail;
              loops.push_back(
                  {stage.get(), StageLoop{axis, {word(0), shape::Expr(1), std::nullopt}}});
            }
          }
    }
    for (auto &[key, group] : groups.entries)
      liftLines(group.first, group.second);
  }

  /// Loops that lifts of a stage have made and lifted again.
  Words madeOf(Stage &stage, BlockArgument axis) {
    Words made;
    for (DirectiveAttr d : schedule.all())
      if (d.getVerb().getValue() == "lift" && d.getAxes().size() > 1 &&
          d.getStage().getValue() == stage.name() && lifted.isLifted(axis))
        for (unsigned i : {1u, 2u})
          made.push_back(cast<StringAttr>(d.getAxes()[i]).getValue().str());
    return made;
  }

  void liftLines(const std::string &tail, const Named &loops) {
    std::string word = shortName(loops.front().second);
    size_t general = 0;
    for (auto &stage : graph.stages)
      for (BlockArgument axis : indicesOf(*stage))
        general += llvm::is_contained(loopNames(axis), word) ||
                   llvm::is_contained(madeOf(*stage, axis), word);
    if (general == loops.size())
      return line("lift " + word + tail);
    for (auto &[stage, loop] : loops)
      line("lift " + longName(*stage, loop) + tail);
  }

  void placements(StringRef mode) {
    Words names;
    for (DirectiveAttr d : schedule.all())
      if (d.getVerb().getValue() == "place" && d.getMode().getValue() == mode &&
          !d.getStage().getValue().empty())
        names.push_back(d.getStage().getValue().str());
    llvm::erase_if(names, [&](const std::string &name) {
      return llvm::any_of(
          graph.stages, [&](auto &stage) { return stage->name() == name && !isOrdinary(*stage); });
    });
    for (auto &stage : graph.stages)
      if (stage->gen->hasAttr("packs") && llvm::is_contained(names, stage->name())) {
        line(packed(*stage, ""));
        llvm::erase(names, stage->name());
      }
    if (!names.empty())
      line("place " + llvm::join(names, ", ") + " " + mode);
  }

  /// A copy by what it is a copy of.
  std::string packed(Stage &copy, const std::string &loop) {
    auto named = copy.gen->getAttrOfType<IntegerAttr>("packs").getInt();
    Words axes;
    for (BlockArgument axis : copy.gen.entry().getArguments().take_back(named))
      axes.push_back(loopNames(axis).front().str());
    StringRef name = copy.gen.getName();
    name.consume_back("_pack");
    return ("pack " + name + loop + " as [" + llvm::join(axes, ", ") + "]").str();
  }

  void placed(Nest &nest) {
    if (inBlocks(nest))
      return;
    for (Stage *stage : nest.members) {
      if (stage == nest.root || nest.level[stage] == 0)
        continue;
      const StageLoop &at = nest.loops[nest.level[stage] - 1];
      unsigned roots = llvm::count_if(nests, [&](Nest &other) {
        return llvm::any_of(allLoops(*other.root, lifted), [&](const StageLoop &loop) {
          return isCalled(loop, *other.root, shortName(at));
        });
      });
      std::string loop = " at " + (roots == 1 ? shortName(at) : longName(*nest.root, at));
      line(stage->gen->hasAttr("packs") ? packed(*stage, loop) : "place " + stage->name() + loop);
    }
  }

  /// All loops of a member in its order, with those that it shares and the sums in a register.
  SmallVector<StageLoop> orderOf(Nest &nest, Stage &stage, bool shared) {
    SmallVector<StageLoop> order;
    if (&stage == nest.root)
      llvm::append_range(order, nest.loops);
    else if (shared)
      for (auto [loop, axis] : llvm::zip(nest.loops, nest.axisOf[&stage]))
        if (axis != Nest::none)
          for (const StageLoop &own : allLoops(stage, lifted))
            if (own.axis == stage.gen.entry().getArgument(axis) &&
                (!own.lifted() || own.digit.name == loop.digit.name))
              order.push_back(own);
    llvm::append_range(
        order, loopOrder(nest, stage, schedule, lifted, regionsOf(nest, stage, graph.exprs)));
    bool inRegister = stage.root && llvm::none_of(order, [](const StageLoop &loop) {
                        return loop.isReduction();
                      });
    if (inRegister && (shared || &stage == nest.root))
      for (const StageLoop &loop : allLoops(stage, lifted))
        if (loop.isReduction() && binderOf(loop.axis) == stage.root.getOperation())
          order.push_back(loop);
    return order;
  }

  /// One order for all, if the stages' orders fit together.
  void orders() {
    std::vector<Words> all;
    bool fits = !blocks;
    for (Nest &nest : nests)
      for (Stage *stage : nest.members) {
        for (const AxisRegion &region : regionsOf(nest, *stage, graph.exprs))
          fits &= region.point || region.whole;
        Words words;
        for (const StageLoop &loop : orderOf(nest, *stage, true))
          words.push_back(shortName(loop));
        fits &= std::set<std::string>(words.begin(), words.end()).size() == words.size();
        all.push_back(std::move(words));
      }
    if (std::optional<Words> merged = fits ? merge(all) : std::nullopt) {
      if (merged->size() > 1)
        line("order " + llvm::join(*merged, ", "));
      return;
    }
    for (Nest &nest : nests)
      for (Stage *stage : nest.members) {
        Words names;
        for (const StageLoop &loop :
             inBlocks(nest) ? SmallVector<StageLoop>() : orderOf(nest, *stage, false))
          names.push_back(longName(*stage, loop));
        if (names.size() > 1)
          line("order " + llvm::join(names, ", "));
      }
  }

  static std::optional<Words> merge(std::vector<Words> lists) {
    Words merged;
    while (true) {
      llvm::erase_if(lists, [](const Words &list) { return list.empty(); });
      if (lists.empty())
        return merged;
      auto isFree = [&](const std::string &word) {
        return llvm::none_of(lists, [&](const Words &list) {
          return std::find(list.begin() + 1, list.end(), word) != list.end();
        });
      };
      auto next = llvm::find_if(lists, [&](const Words &list) { return isFree(list.front()); });
      if (next == lists.end())
        return std::nullopt;
      std::string word = next->front();
      merged.push_back(word);
      for (Words &list : lists)
        if (list.front() == word)
          list.erase(list.begin());
    }
  }

  void loopSets(StringRef verb) {
    Listed<Named> byWord; // a directive for each name, so that each can be short or long
    for (Nest &nest : nests)
      for (Stage *stage : nest.members) {
        if (inBlocks(nest))
          continue;
        for (const std::string &name : schedule.axes(verb, stage->name()))
          if (std::optional<StageLoop> loop = loopNamed(*stage, name))
            byWord[shortName(*loop)].push_back({stage, *loop});
      }
    Words words;
    for (auto &[word, loops] : byWord.entries) {
      std::set<std::string> exact;
      for (auto &[stage, loop] : loops)
        exact.insert(longName(*stage, loop));
      bool isShort = !blocks && (verb == "lanes" ? innermost(word) : ofRoots(word)) == exact;
      for (auto &[stage, loop] : loops)
        if (std::string name = isShort ? word : longName(*stage, loop);
            !llvm::is_contained(words, name))
          words.push_back(name);
    }
    if (!words.empty())
      line(verb + " " + llvm::join(words, ", "));
  }

  std::set<std::string> ofRoots(StringRef word) {
    std::set<std::string> all;
    for (Nest &nest : nests)
      for (const StageLoop &loop : allLoops(*nest.root, lifted))
        if (isCalled(loop, *nest.root, word))
          all.insert(longName(*nest.root, loop));
    return all;
  }

  std::set<std::string> innermost(StringRef word) {
    std::set<std::string> all;
    for (Nest &nest : nests)
      for (Stage *stage : nest.members)
        if (SmallVector<StageLoop> order = orderOf(nest, *stage, true);
            !order.empty() && isCalled(order.back(), *stage, word))
          all.insert(longName(*stage, order.back()));
    return all;
  }

  void unrolls() {
    for (DirectiveAttr d : schedule.all())
      for (auto &stage : graph.stages)
        if (d.getVerb().getValue() == "unroll" && d.getStage().getValue() == stage->name() &&
            isOrdinary(*stage))
          if (std::optional<StageLoop> loop =
                  loopNamed(*stage, cast<StringAttr>(d.getAxes()[0]).getValue())) {
            StringRef times = d.getMode().getValue();
            line("unroll " + longName(*stage, *loop) + (times.empty() ? "" : " by " + times));
          }
  }

  /// Comments: what moac derives from the directives.
  void consequences() {
    for (DirectiveAttr d : schedule.all()) {
      std::string verb = d.getVerb().getValue().str(), stage = d.getStage().getValue().str(),
                  mode = d.getMode().getValue().str();
      Words axes;
      for (Attribute axis : d.getAxes())
        axes.push_back(cast<StringAttr>(axis).getValue().str());
      bool ofBlocks = llvm::any_of(
          nests, [&](Nest &nest) {
            return (nest.contraction && nest.contraction->name() == stage) ||
                   (nest.online && llvm::any_of(nest.members, [&](Stage *s) { return s->name() == stage; }));
          });
      if (stage.empty() || verb == "reduce")
        continue;
      if (verb == "split")
        line("# split " + stage + ": " + axes[0] + " at " + mode);
      else if (verb == "lift" && axes.size() == 1)
        line("# lift " + stage + ": " + axes[0] + " along " + mode);
      else if (ofBlocks && verb != "nest" && verb != "keep" && verb != "coalesce" && verb != "place" && verb != "order" && verb != "tile" &&
               (verb != "online" || llvm::count(mode, ',') > 1))
        line("# " + verb + " " + stage + ": " + llvm::join(axes, ", ") +
             (mode.empty() ? "" : " by " + mode));
    }
  }

  Schedule schedule;
  const LiftedAxes &lifted;
  SmallVector<Nest> &nests;
  StageGraph &graph;
  bool blocks = false; ///< some nest runs in register blocks: short names would speak of it
  std::string out;
};
} // namespace

std::string moac::scheduleText(KernelOp kernel) {
  StageGraph graph(kernel);
  FailureOr<LiftedAxes> lifted = liftedAxes(kernel, graph, Schedule(kernel));
  if (failed(lifted))
    return "";
  FailureOr<SmallVector<Nest>> nests = scheduledNests(kernel, graph, *lifted);
  return failed(nests) ? "" : ScheduleWriter(kernel, *lifted, *nests, graph).write();
}
