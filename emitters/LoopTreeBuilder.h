// From ONF to the loop tree: the last step that knows MLIR.
//
// One kernel for each onf.func, with every name spelled for the target. No decision about loops is
// taken here; what is decided is how the text reads: names, inlining, where a directive is legal.
#ifndef MOAC_EMITTERS_LOOPTREEBUILDER_H
#define MOAC_EMITTERS_LOOPTREEBUILDER_H

#include "emitters/LangTraits.h"
#include "emitters/LoopTree.h"
#include "ir/Onf.h"

#include <string>
#include <vector>

namespace moac::emit {

/// One kernel for each function, in order. What cannot be built is in the file's `problems`.
tree::File buildLoopTree(const std::vector<onf::FuncOp> &functions, const LangTraits &lang);

/// `attention.moa:12`, or nothing when the location names no file.
std::string sourcePlace(mlir::Location location);

} // namespace moac::emit

#endif
