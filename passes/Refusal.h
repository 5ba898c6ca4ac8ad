// What a pass refuses of a user's schedule, as it travels in an MLIR diagnostic.
//
// Passes know why a directive is impossible; the frontend knows where it stands in the source and
// how messages look. A refusal carries the number of the directive and of the name in it, and the
// id of the kind of message in frontend/Diagnostics.def.
#ifndef MOAC_PASSES_REFUSAL_H
#define MOAC_PASSES_REFUSAL_H

#include "mlir/IR/Diagnostics.h"

namespace moac {

struct Refusal {
  std::string kind, kernel, subject, reason, help;
  unsigned directive = 0, name = 0;
};

/// What `UserSchedule::refuse` attached to a diagnostic.
std::optional<Refusal> refusalIn(mlir::Diagnostic &diagnostic);

} // namespace moac

#endif
