// Boxes of outer loops; see NestPieces.h.
#include "passes/NestPieces.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
std::map<std::string, shape::Expr> wordsOf(Stage &stage, IndexExprs &exprs, bool toNames) {
  std::map<std::string, shape::Expr> words;
  for (BlockArgument axis : indicesOf(stage)) {
    std::string word = indexName(axis).str(), name = exprs.nameOf(axis);
    words[toNames ? word : name] = shape::Expr::name(toNames ? name : word);
  }
  return words;
}

class Blocks {
public:
  Blocks(Nest &nest, IndexExprs &exprs, llvm::function_ref<bool(const std::string &)> isArgument,
         ChooseCuts choose)
      : nest(nest), exprs(exprs), isArgument(isArgument), choose(choose) {}

  void extend(NestBlock block) {
    auto loop = static_cast<unsigned>(block.pieces.size());
    if (loop == nest.depth)
      return blocks.push_back(std::move(block));
    const StageLoop &outer = nest.loops[loop];
    shape::Expr lo, hi = nest.root->gen.arrayType().extents()[outer.axis.getArgNumber()];
    // A lifted axis is cut inside its tiles; what is computed once outside of a loop must not be computed for each piece.
    bool between = llvm::any_of(nest.members, [&](Stage *stage) { return nest.level[stage] <= loop; });
    if (outer.lifted() || between)
      return whole(std::move(block), outer, cut(lo, hi, {}, block.facts));
    SmallVector<Inside> code;
    for (Stage *stage : nest.members) {
      if (nest.axisOf[stage][loop] == Nest::none)
        continue;
      bool deepest = loop + 1 == nest.depth && nest.innerAxes(*stage).empty();
      code.push_back({stage->gen.yielded(), exprs.nameOf(axis(stage, loop)), deepest});
    }
    std::vector<shape::Expr> asked = boundariesOf(code, {lo, hi, isArgument}, block.facts, exprs);
    for (Piece &piece : cut(lo, hi, choose(axis(nest.root, loop), asked), block.facts)) {
      NestBlock next = block;
      for (const Inside &each : code)
        piece.assume(next.facts, each.index);
      next.pieces.push_back(std::move(piece));
      extend(std::move(next));
    }
  }

  std::vector<NestBlock> blocks;

private:
  void whole(NestBlock block, const StageLoop &outer, ArrayRef<Piece> pieces) {
    if (pieces.empty())
      return;
    auto loop = static_cast<unsigned>(block.pieces.size());
    for (Stage *stage : nest.members)
      if (outer.last && nest.axisOf[stage][loop] != Nest::none)
        pieces.front().assume(block.facts, exprs.nameOf(axis(stage, loop)));
    block.pieces.push_back(pieces.front());
    extend(std::move(block));
  }

  BlockArgument axis(Stage *stage, unsigned loop) {
    return stage->gen.entry().getArgument(nest.axisOf[stage][loop]);
  }

  Nest &nest;
  IndexExprs &exprs;
  llvm::function_ref<bool(const std::string &)> isArgument;
  ChooseCuts choose;
};
} // namespace

std::vector<NestBlock> moac::blocksOf(Nest &nest, const shape::Facts &entry, IndexExprs &exprs,
                                      llvm::function_ref<bool(const std::string &)> isArgument,
                                      ChooseCuts choose) {
  Blocks blocks(nest, exprs, isArgument, choose);
  blocks.extend({{}, entry});
  return std::move(blocks.blocks);
}

std::string moac::spellCut(const shape::Expr &boundary, Stage &stage, IndexExprs &exprs) {
  return boundary.substitute(wordsOf(stage, exprs, false)).str();
}

Cuts moac::scheduledCuts(StringRef verb, ArrayRef<Nest> nests, const Schedule &schedule,
                         IndexExprs &exprs) {
  Cuts cuts;
  for (const Nest &nest : nests)
    for (Stage *stage : nest.members)
      for (BlockArgument axis : indicesOf(*stage))
        for (const shape::Expr &at : schedule.expressions(verb, stage->name(), indexName(axis)))
          cuts[axis].push_back(at.substitute(wordsOf(*stage, exprs, true)));
  return cuts;
}
