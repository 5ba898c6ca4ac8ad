// The loops of one stage inside a nest: initialise, accumulate, finish.
#ifndef MOAC_PASSES_STAGELOOPS_H
#define MOAC_PASSES_STAGELOOPS_H

#include "passes/BodyEmitter.h"
#include "passes/Schedule.h"
#include "passes/Stages.h"

namespace moac {

/// Opens `for name = lo to hi`, moves the builder inside and gives the index.
mlir::Value openLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lo, mlir::Value hi, llvm::StringRef name,
                     llvm::StringRef role, unsigned collapse = 0, bool reverse = false);

/// Emits a stage whose other axes are bound in `emitter`: loops over `order`, outermost first, and the value of each element
/// written to `place`. When the order holds the axes of the root reduction, the stage accumulates in `place`. With `shared`, the
/// work of a team, the first loop is one over terms that the team divides: updates are atomic.
void emitStageLoops(mlir::OpBuilder &builder, Stage &stage, const Storage &place, llvm::ArrayRef<StageLoop> order,
                    const Schedule &schedule, BodyEmitter &emitter, mlir::Value shared = {});

} // namespace moac

#endif
