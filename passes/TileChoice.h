// Which axes to tile so that cache lines are used up: an array that is read along another axis than the one it is written
// along touches a line per element. In tiles as wide as a line, what a line holds is read before it is pushed out. A single axis
// is tiled where its loop is to be lifted, which the loop that threads divide among them cannot be.
#ifndef MOAC_PASSES_TILECHOICE_H
#define MOAC_PASSES_TILECHOICE_H

#include "passes/Nests.h"

namespace moac {

struct TransposedTile {
  mlir::BlockArgument written; ///< innermost: the result is contiguous along it
  mlir::BlockArgument read;    ///< an operand is contiguous along it
  int64_t writtenLength = 0, readLength = 0;
};

/// The tile for a stage without reduction whose innermost loop is `innermost`; nothing when every read is as contiguous as
/// the writes, or an extent is known to be too small.
std::optional<TransposedTile> transposedTile(StageGraph &graph, Stage &stage, mlir::BlockArgument innermost);

/// The tile for a stage of one axis, without reduction, whose elements are read at quotients of the index that no cut of the
/// loop decides: threads share tiles, inside of which a loop over the quotient takes the division's place.
std::optional<int64_t> tileOfRuns(StageGraph &graph, Stage &stage);

} // namespace moac

#endif
