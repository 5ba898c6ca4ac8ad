// What of a stage is needed inside some loops of the nest that it is placed in.
//
// The loops around fix some indices of the readers and confine others to a tile. Interval
// arithmetic on the affine subscripts of the reads gives, for each axis of the stage, the one index
// that is read, or a range of them whose length is known at entry:
//
//     B[i] = S[i - 1] + S[i + 1]    inside tiles of 16 reads S from it - 1 on, 18 elements
//
// Where a subscript is no such thing (it depends on data, divides) the whole axis is needed.
#ifndef MOAC_PASSES_REGIONS_H
#define MOAC_PASSES_REGIONS_H

#include "passes/Digits.h"

namespace moac {

struct Nest;

/// Of one axis. Expressions are over symbols, over indices of the root that the loops around give,
/// and over what those have reached of its other axes (`reachedName`).
struct AxisRegion {
  mlir::BlockArgument
      point; ///< the root's index that is the only one read; then nothing else counts
  bool whole = false;
  shape::Expr lo, hi; ///< may leave the axis at both ends
  shape::Expr size;   ///< at least hi - lo, known at entry
};

/// The name of an index of the root while some of its loops are open.
std::string reachedName(mlir::BlockArgument axis, moa::IndexExprs &exprs);

/// One region for each axis of `stage`, inside the first `level` loops of the nest. All its readers
/// must be members.
llvm::SmallVector<AxisRegion> regionsOf(const Nest &nest, Stage &stage, unsigned level,
                                        moa::IndexExprs &exprs);

} // namespace moac

#endif
