// Constructors and registration of the passes listed in Passes.td.
#ifndef MOAC_PASSES_PASSES_H
#define MOAC_PASSES_PASSES_H

#include "ir/Onf.h"

#include "mlir/Pass/Pass.h"

namespace moac {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// Adds the passes from moa to DNF (calls inlined, symbols bound, reads full, stages split).
void addDnfPasses(mlir::OpPassManager &manager, const std::map<std::string, int64_t> &bindings = {});
/// Adds the passes that give each kernel in DNF the default schedule, unless it has one, and place its inline stages.
void addSchedulePasses(mlir::OpPassManager &manager);
/// Adds the passes from DNF to ONF with the default schedule where the kernel has none.
void addGammaPasses(mlir::OpPassManager &manager);

} // namespace moac

#endif
