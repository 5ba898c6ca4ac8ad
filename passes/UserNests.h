// Nests as a user's directives say, completed by the default rules.
//
// Stages are taken from the results backwards, as by default. A stage whose loops nobody speaks of
// is treated as if there were no schedule; the root of a nest has the order that the user gave its
// loops, and the others join where the user placed them or, if their loops can be shared whole, by
// themselves. What cannot be done is refused in the user's names.
#ifndef MOAC_PASSES_USERNESTS_H
#define MOAC_PASSES_USERNESTS_H

#include "passes/Nests.h"
#include "passes/UserLoops.h"

namespace moac {

/// A nest and the loops of its members inside it.
struct PlannedNest {
  Nest nest;
  bool stated = false; ///< by the user; else the default rules order the members' loops
  std::map<Stage *, llvm::SmallVector<StageLoop>> inside;
  std::map<Stage *, std::vector<std::string>> lanes; ///< chosen by the user
  std::map<Stage *, std::vector<std::pair<std::string, std::string>>> unrolled; ///< and how often
};

/// The nests in the order they must run.
mlir::FailureOr<std::vector<PlannedNest>> userNests(StageGraph &graph, const UserSchedule &user,
                                                    const LiftedAxes &lifted);

} // namespace moac

#endif
