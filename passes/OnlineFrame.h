// What the loops of an online group share: sizes, the indices that are bound, places in tiles.
#ifndef MOAC_PASSES_ONLINEFRAME_H
#define MOAC_PASSES_ONLINEFRAME_H

#include "passes/ContractionPanels.h"
#include "passes/OnlineLoops.h"

namespace moac {

/// The sum of products of a member: its panels and where it stands.
struct OnlineBlocks {
  OnlineBlocks(const OnlineMember &member, const Schedule &schedule, ContractionSite &site)
      : member(member), f(member.blocks, schedule, site), left(f, member.blocks.rowOperand, member.blocks.row),
        right(f, member.blocks.laneOperand, member.blocks.lane) {}
  const OnlineMember &member;
  ContractionFrame f;
  Panel left, right; ///< `left` of Scores only: what is accumulated is in a tile already
};

/// What a reduction that others refer to needs beside its value: what terms refer to now, and the last correction, for each row.
/// For a maximum the factor of the correction; for a sum by whose mean others are shifted how far the mean fell.
struct OnlineReference {
  mlir::Value value, factor;
  llvm::StringRef fn; ///< of a maximum
  bool isMean() const { return fn.empty(); }
  mlir::Value current; ///< of the row at hand
};

class OnlineFrame {
public:
  using Value = mlir::Value;

  OnlineFrame(const Online &online, const Nest &nest, const Schedule &schedule, OnlineSite &site);
  mlir::LogicalResult sizes();

  LoopFrame &f() { return loops; }
  OnlineBlocks &blocksOf(const OnlineMember &member);

  /// The index of a loop of the nest outside the rows.
  void bindOuter(unsigned loop, Value index);
  /// Scalar code of a member for one row.
  BodyEmitter emitterFor(Stage &stage, Value row);
  /// Computes what the code of these members needs that is the same for all rows: before their loops.
  void hoistInvariants(llvm::function_ref<bool(const OnlineMember &)> needed);
  /// A bound of the reductions' domain for one row.
  Value boundAt(const shape::Expr &bound, Value row);
  /// What one row needs of it: less where a mask leaves terms out.
  Value lowAt(Value row) { return needed(online.lo, online.maskedLo, row); }
  Value highAt(Value row) { return needed(online.hi, online.maskedHi, row); }
  bool isMasked() const { return !(online.lo == online.maskedLo) || !(online.hi == online.maskedHi); }
  /// Finds out whether all that the terms are multiplied with is finite, before any loop.
  void probe();
  mlir::BlockArgument axisOf(Stage &stage, unsigned loop) const { return stage.gen.entry().getArgument(nest.axisOf.at(&stage)[loop]); }
  std::string rowName() const { return indexName(axisOf(*nest.root, online.row)).str(); }
  std::string keyName() const { return indexName(online.first->root.term().getArgument(0)).str(); }
  bool isWhole() const { return !isMasked() && online.lo == shape::Expr(0) && online.hi == online.extent; }

  /// The streamed stage that alone reads the scores, without what is reduced: it finishes their blocks.
  const OnlineMember *followerOf(const OnlineMember &scores);
  bool isFollower(const OnlineMember &member);
  /// The streamed stage whose elements a sum multiplies.
  Stage *sourceOf(const OnlineMember &accumulated);
  unsigned positionOf(Stage *stage);
  Value extentOf(Stage &stage, mlir::BlockArgument axis);
  /// Elements of a member for each row, null where there is one.
  Value widthOf(const OnlineMember &member) { return member.lane ? extentOf(*member.stage, member.lane) : Value(); }

  /// A loop over the rows of the tile, if they have one; gives the index of the row.
  Value openEachRow();
  /// A loop over the elements of a member in a row, if there are several.
  Value openLanes(const OnlineMember &member);
  /// The first and the end of the streamed indices that a row has in this tile, from the tile's beginning on.
  std::pair<Value, Value> keysOf(Value row);
  /// A sum as it is once what its terms refer to has changed; `localRow` counts from the tile's beginning on.
  Value corrected(const OnlineMember &member, Value sum, Value localRow, Value lane = {});
  /// Has the mean of a sum move from that of `before` over `seen` terms to that of `all` over `count`.
  void moveMean(Stage &stage, Value before, Value seen, Value all, Value count, Value lane);
  /// Tells the code of a member what its means are so far.
  void bindMeans(const OnlineMember &member, BodyEmitter &emitter, Value lane = {});

  /// A buffer for each thread: rows of a tile by `pitch` elements, a variable for one element of one row.
  Value allocate(mlir::Location loc, mlir::Type type, const std::string &name, Value pitch = {});
  /// The place in such a buffer.
  Value at(Value localRow, Value pitch = {}, Value element = {});
  /// Says that a member's elements for the rows of the tile are in `buffer`; those of `lane` from `from` on, rows `pitch` apart.
  void keep(Stage &stage, Value buffer, mlir::BlockArgument lane, Value from, Value pitch);

  // ---- scalars of one type
  Value scalar(llvm::StringRef fn, mlir::ValueRange operands);
  Value least(mlir::Type type);
  Value isLeast(Value value);
  Value select(Value condition, Value taken, Value other);
  Value load(mlir::Type type, Value buffer, Value offset) { return onf::LoadOp::create(b, loc, type, buffer, offset); }
  void store(Value value, Value buffer, Value offset, bool opens = false);
  void note(Stage &stage);

  const Online &online;
  const Nest &nest;
  const Schedule &schedule;
  OnlineSite &site;
  mlir::OpBuilder &b;
  mlir::Location loc;
  std::vector<std::unique_ptr<OnlineBlocks>> blocks;
  LoopFrame loops;
  llvm::SmallVector<Value> outer; ///< indices of the nest's loops
  Value rows, keys;               ///< extents; one row if there is no loop over rows
  Value tileRows, tileKeys, pitch;
  Value partKeys, parts;          ///< where the axis is divided: how much of it a part has, and how many there are
  Value mostParts;                ///< a bound of that, for places
  llvm::StringRef space = "thread";
  Value i0, rowCount, k0, keyCount;
  Value seen;    ///< terms that are folded already
  Value batchIn; ///< index in the tile of the batch
  Value local;   ///< the row at hand, counted from the tile's beginning on
  llvm::DenseMap<Stage *, Value> buffers; ///< places in tiles
  llvm::MapVector<Stage *, OnlineReference> references;

private:
  void hoistInvariants(Stage &stage);
  Value needed(const shape::Expr &bound, const shape::Expr &masked, Value row);
  void probe(const OnlineMember &member, Value sum);
  Value finite; ///< where the mask may leave terms out
  llvm::DenseMap<Stage *, llvm::SmallVector<std::pair<Value, Value>>> invariants;
};

} // namespace moac

#endif
