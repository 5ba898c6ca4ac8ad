// What a kernel costs, counted from the loops that are printed: operations by kind, accesses by array, scratch memory,
// and the bytes that each memory level of a machine moves.
//
// Counts are exact for calls that return 0 (the interpreter counts the same numbers) unless `notes` say that a bound or
// condition depends on data; then they are upper bounds. Bytes per memory level are a model: see Traffic.cpp.
#ifndef MOAC_IR_COST_H
#define MOAC_IR_COST_H

#include "ir/Machine.h"
#include "ir/WorkTree.h"

namespace moac::cost {

/// Kinds of scalar work, as a processor sees them.
enum class Kind : uint8_t { Add, Multiply, Fused, Divide, Root, Function, Compare, Move, Integer };
inline constexpr unsigned kindCount = 9;
const char *kindWord(Kind kind);
/// Kind of "add.f64".
Kind kindOf(const std::string &operation);
/// Floating-point operations that one execution stands for: 2 for a fused multiply-add, 0 for integers, selections
/// and conversions.
int64_t flopsOf(Kind kind);

struct ArrayCost {
  WorkArray array;
  Count loads, stores, updates;
  /// What must move at least: an argument's size once, if it is touched; 0 for scratch.
  Expr compulsoryBytes;
};

/// Blocks of a symmetric array that processing elements give each other.
struct SentCost {
  std::string array;
  Count messages, bytes; ///< from this one to all others
  Count bytesOfAll;      ///< by all of them: the blocks make up the array
};

struct Cost {
  std::string kernel;
  std::vector<std::string> symbols;
  std::vector<Definition> definitions;     ///< names in formulas that are no symbols
  std::map<std::string, Count> operations; ///< "add.f64"
  Count fusable;                           ///< multiplications that can fuse with the addition after them
  Count atomics;
  std::vector<ArrayCost> arrays; ///< registers of one element apart
  Expr sharedBytes, threadBytes, stackBytes, symmetricBytes;
  std::string processingElements; ///< as in WorkTree
  std::vector<SentCost> sent;
  std::vector<std::string> notes; ///< empty: every count is exact

  Count byKind(Kind kind) const;
  Count flops() const;
  Expr compulsoryBytes() const;
  /// "op add.f64", "load A", "store A", "update A" for every array, scalar registers included: what
  /// the interpreter counts.
  std::map<std::string, Count> counted;
};

Cost costOf(const WorkTree &tree);

/// Where the formulas at these sizes differ from numbers counted in a run (keys of Cost::counted; 0 is left out); empty
/// when they agree. An upper bound agrees with anything below it.
std::string difference(const Cost &cost, const Sizes &sizes, const std::map<std::string, uint64_t> &run);

/// Bytes of one array that cross the border of a memory level, in a run at some sizes.
struct LevelTraffic {
  std::string level; ///< "L1": between it and what is behind it
  struct OfArray {
    std::string array;
    double bytes = 0;
    std::string formula; ///< over the symbols; trips of clipped or triangular loops are rounded up
  };
  std::vector<OfArray> arrays;
  double total() const;
};

/// One entry for each cache of the machine, the nearest first; nothing when a size is missing.
std::optional<std::vector<LevelTraffic>> trafficOf(const WorkTree &tree, const Machine &machine, const Sizes &sizes);

/// A report for a reader, or as JSON. Numbers appear for the sizes given (all of the cost's symbols, or none).
struct CostReport {
  const Cost &cost;
  Sizes sizes;
  std::optional<std::vector<LevelTraffic>> traffic;
  std::string machine;
};
std::string costText(const CostReport &report);
std::string costJson(const CostReport &report);

} // namespace moac::cost

#endif
