// `schedule KERNEL for MACHINE { ... }` as data on the kernel.
//
// The directives are attached as they stand, with names unresolved: which loops and values they
// mean is known once the kernel is in normal form, and passes/UserSchedule.h says how. What can be
// told before, is told here.
#ifndef MOAC_FRONTEND_SCHEDULES_H
#define MOAC_FRONTEND_SCHEDULES_H

#include "frontend/Signature.h"

#include "mlir/IR/BuiltinOps.h"

namespace moac {
struct Refusal;
}

namespace moac::sema {

/// Reports what a pass refused, where the source says it.
void reportRefusal(const Refusal &refusal, const std::vector<ast::File> &files, Diagnostics &diags);
void attachSchedules(const std::vector<ast::File> &files, const Items &items, mlir::ModuleOp module,
                     Diagnostics &diags);

} // namespace moac::sema

#endif
