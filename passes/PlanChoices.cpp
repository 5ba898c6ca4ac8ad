// Choices by kind of nest; see PlanChoices.h.
#include "passes/PlanChoices.h"
#include "passes/Contraction.h"
#include "passes/Nests.h"
#include "passes/Online.h"
#include "passes/Slice.h"
#include "passes/UserSchedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
using Words = std::vector<std::string>;
using Axes = SmallVector<BlockArgument>;

class Chooser {
public:
  Chooser(KernelOp kernel, StageGraph &graph, SmallVector<Nest> &nests, const Machine &machine)
      : schedule(kernel), graph(graph), nests(nests), machine(machine) {}

  std::vector<PlanChoice> run() {
    for (Nest &nest : nests)
      keep(nest);
    for (Nest &nest : nests) {
      here = &nest;
      if (nest.online)
        apart();
      else if (nest.contraction)
        contraction();
      else
        ordinary();
    }
    here = nullptr;
    placements();
    return std::move(choices);
  }

private:
  // ---- names

  static std::string nameOf(BlockArgument axis) { return loopNames(axis).back().str(); }
  static std::string join(const Axes &axes) {
    Words words;
    for (BlockArgument axis : axes)
      words.push_back(nameOf(axis));
    return llvm::join(words, ", ");
  }
  /// Of a loop that a lift makes.
  static std::string part(BlockArgument axis, const char *which) {
    std::string name = nameOf(axis);
    std::replace(name.begin(), name.end(), '.', '_');
    return name + which;
  }
  static std::string lift(BlockArgument axis, int64_t by) {
    return "lift " + nameOf(axis) + " by " + std::to_string(by) + " as " + part(axis, "_tile") + ", " + part(axis, "_in");
  }

  // ---- results

  /// The streamed axis of an online group has to be named again beside any other directive.
  void keep(Nest &nest) {
    if (std::optional<Online> group = nest.online ? onlineOf(graph, nest) : std::nullopt)
      online[&nest] = "online " + loopNames(group->first->root.term().getArgument(0)).front().str();
  }

  void choose(const std::string &what, Words directives) {
    Words others;
    for (auto &[nest, line] : online)
      if (nest != here)
        others.push_back(line);
    choices.push_back({here ? here->root->name() : "", what, std::move(directives), std::move(others)});
  }

  // ---- capacities

  static int64_t elementBytes(Stage &stage) {
    Type type = stage.gen.arrayType().getElementType();
    return type.isIntOrFloat() ? std::max(1u, type.getIntOrFloatBitWidth() / 8) : 8;
  }
  /// The side of square tiles of three arrays that a memory holds, a power of two.
  int64_t sideFor(Stage &stage, size_t level) const {
    const MachineMemory &memory = machine.memories[std::min(level, machine.memories.size() - 1)];
    int64_t side = 8;
    while (3 * 4 * side * side * elementBytes(stage) <= memory.bytes / memory.sharedBy && side < 1024)
      side *= 2;
    return side;
  }

  // ---- a contraction without its blocks

  void contraction() {
    std::optional<Contraction> found = contractionOf(graph, *here->contraction);
    if (!found)
      return;
    const Contraction &c = *found;
    const std::string name = c.stage->name();
    Axes before = c.outer;
    auto with = [&](Axes axes) {
      Axes all = before;
      llvm::append_range(all, axes);
      return all;
    };
    Axes inner = {c.row};
    llvm::append_range(inner, c.reduced);
    inner.push_back(c.lane);
    Axes summed = {c.row, c.lane};
    llvm::append_range(summed, c.reduced);
    const std::string shared = "parallel " + nameOf(before.empty() ? c.row : before.front());
    choose(name + " in plain loops", {"order " + join(with(inner)), shared});
    choose(name + " in plain loops, each sum in a register", {"order " + join(with(summed)), shared});
    tiles(c, shared, before);
    blocks(c);
  }

  /// Bytes that a core keeps near: half of what it has, the rest is for what streams by.
  int64_t half(size_t level) const {
    const MachineMemory &memory = machine.memories[std::min(level, machine.memories.size() - 1)];
    return memory.bytes / memory.sharedBy / 2;
  }
  static int64_t powerBelow(int64_t value, int64_t least, int64_t most) {
    return std::clamp<int64_t>(int64_t(llvm::bit_floor(uint64_t(std::max<int64_t>(1, value)))), least, most);
  }
  /// Two vectors of columns, as the blocks have.
  int64_t columns(int64_t bytes) const { return std::max<int64_t>(1, 2 * machine.vector.bytes / bytes); }

  /// The blocks with other tiles: terms so that a panel of one block is in the first cache, columns so that a packed tile is
  /// in a further one.
  void blocks(const Contraction &c) {
    const int64_t bytes = elementBytes(*c.stage), fit = powerBelow(half(0) / (columns(bytes) * bytes), 32, 4096);
    for (int64_t depth : {fit / 2, fit, 2 * fit})
      for (size_t level = 1; level + 1 < machine.memories.size(); ++level) {
        const int64_t width = powerBelow(half(level) / (depth * bytes), 64, 4096);
        choose(c.stage->name() + " in blocks, tiles of " + std::to_string(depth) + " terms and " + std::to_string(width) + " columns",
               {"tile " + nameOf(c.reduced[0]) + " by " + std::to_string(depth), "tile " + nameOf(c.lane) + " by " + std::to_string(width)});
      }
  }

  void tiles(const Contraction &c, const std::string &shared, const Axes &before) {
    const int64_t depth = sideFor(*c.stage, 0), width = sideFor(*c.stage, 1);
    BlockArgument k = c.reduced.front();
    Words order;
    for (BlockArgument axis : before)
      order.push_back(nameOf(axis));
    order.push_back(part(c.lane, "_tile")), order.push_back(nameOf(c.row)), order.push_back(part(k, "_tile")), order.push_back(part(k, "_in"));
    for (BlockArgument axis : ArrayRef(c.reduced).drop_front())
      order.push_back(nameOf(axis));
    order.push_back(part(c.lane, "_in"));
    Words lines = {lift(c.lane, width), lift(k, depth), "order " + llvm::join(order, ", "),
                   before.empty() ? "parallel " + part(c.lane, "_tile") : shared};
    const std::string what = c.stage->name() + " in tiles of " + std::to_string(width) + " by " + std::to_string(depth);
    choose(what, lines);
    auto read = c.laneOperand.getDefiningOp<PsiOp>();
    auto leaf = read ? dyn_cast<BlockArgument>(read.getArray()) : BlockArgument();
    auto kernel = leaf ? dyn_cast<KernelOp>(leaf.getOwner()->getParentOp()) : KernelOp();
    if (!kernel || c.reduced.size() != 1)
      return;
    std::string array = kernel.argName(leaf.getArgNumber()).str();
    lines.push_back("pack " + array + " at " + part(c.lane, "_tile") + " as [" + nameOf(k) + ", " + part(c.lane, "_in") + "]");
    choose(what + ", " + array + " packed", lines);
  }

  // ---- an online group, one member after the other

  void apart() {
    std::optional<Online> group = onlineOf(graph, *here);
    if (!group)
      return;
    Words names;
    for (const OnlineMember &member : group->members)
      if (!member.stage->isResult)
        names.push_back(member.stage->name());
    if (!names.empty())
      choose("the stages of " + here->root->name() + " one after the other", {"place " + llvm::join(names, ", ") + " store"});
    // Rows by streamed indices: their values stay in the second cache.
    auto tiled = tiledAxes(*group, *here);
    if (tiled.size() != 2)
      return;
    BlockArgument row = tiled[0].second, key = tiled[1].second;
    const int64_t bytes = elementBytes(*group->first), keys = powerBelow(half(0) / (columns(bytes) * bytes), 32, 4096);
    for (int64_t length : {keys / 2, keys, 2 * keys})
      for (int64_t rows : {24, 48, 96})
        if (rows * length * bytes <= half(1))
          choose(here->root->name() + " in one pass, tiles of " + std::to_string(rows) + " by " + std::to_string(length),
                 {online[here], "tile " + nameOf(row) + " by " + std::to_string(rows), "tile " + nameOf(key) + " by " + std::to_string(length)});
  }

  // ---- other nests

  void ordinary() {
    Stage &root = *here->root;
    Axes axes(root.gen.entry().getArguments().begin(), root.gen.entry().getArguments().end());
    if (axes.size() < 2)
      return;
    BlockArgument last = axes.back(), other = axes[axes.size() - 2];
    if (here->members.size() == 1 && !root.hasReduction()) {
      Axes swapped = axes;
      std::swap(swapped.back(), swapped[swapped.size() - 2]);
      choose(root.name() + " with " + nameOf(other) + " innermost", {"order " + join(swapped)});
      choose(root.name() + " with " + nameOf(last) + " innermost", {"order " + join(axes)});
      for (size_t level : {size_t(0), size_t(1)})
        squares(root, axes, sideFor(root, level));
    }
    insideTiles(root, axes.front());
  }

  void squares(Stage &root, const Axes &axes, int64_t side) {
    BlockArgument last = axes.back(), other = axes[axes.size() - 2];
    Words order, outer;
    for (BlockArgument axis : ArrayRef(axes).drop_back(2))
      outer.push_back(nameOf(axis));
    outer.push_back(part(other, "_tile")), outer.push_back(part(last, "_tile"));
    order = outer;
    order.push_back(part(other, "_in")), order.push_back(part(last, "_in"));
    choose(root.name() + " in tiles of " + std::to_string(side) + " by " + std::to_string(side),
           {lift(other, side), lift(last, side), "order " + llvm::join(order, ", "), "parallel " + llvm::join(outer, ", ")});
  }

  /// What only this nest reads, and a nest of its own computes, is computed for each tile.
  void insideTiles(Stage &root, BlockArgument axis) {
    for (Nest &nest : nests)
      if (Stage *stage = nest.root; &nest != here && !nest.online && !nest.contraction && !stage->isResult && !stage->readers.empty() &&
                                    llvm::all_of(stage->readers, [&](StageRead &read) { return read.reader == &root; }))
        for (int64_t length : {int64_t(16), int64_t(64)})
          choose(stage->name() + " for each " + std::to_string(length) + " indices of " + nameOf(axis),
                 {lift(axis, length), "place " + stage->name() + " at " + part(axis, "_tile"), "parallel " + part(axis, "_tile")});
  }

  // ---- values

  void placements() {
    for (auto &stage : graph.stages) {
      bool blocks = llvm::any_of(nests, [&](Nest &nest) { return (nest.online || nest.contraction) && llvm::is_contained(nest.members, stage.get()); });
      if (!stage->isResult && !blocks && !stage->readers.empty() && !stage->hasReduction())
        choose(stage->name() + " computed again where it is read", {"place " + stage->name() + " inline"});
    }
    for (DirectiveAttr d : schedule.all())
      if (d.getVerb().getValue() == "place" && d.getMode().getValue() == "inline" && !d.getStage().getValue().empty())
        choose(d.getStage().getValue().str() + " stored", {"place " + d.getStage().getValue().str() + " store"});
  }

  Schedule schedule;
  StageGraph &graph;
  SmallVector<Nest> &nests;
  const Machine &machine;
  Nest *here = nullptr;
  std::map<Nest *, std::string> online;
  std::vector<PlanChoice> choices;
};
} // namespace

std::vector<PlanChoice> moac::planChoices(KernelOp kernel, const Machine &machine) {
  StageGraph graph(kernel);
  FailureOr<LiftedAxes> lifted = liftedAxes(kernel, graph, Schedule(kernel));
  if (failed(lifted))
    return {};
  FailureOr<SmallVector<Nest>> nests = scheduledNests(kernel, graph, *lifted);
  return failed(nests) ? std::vector<PlanChoice>() : Chooser(kernel, graph, *nests, machine).run();
}
