// One way to run a kernel among those that a planner tries; see PlanChoices.h. No MLIR.
#ifndef MOAC_PASSES_PLANCHOICE_H
#define MOAC_PASSES_PLANCHOICE_H

#include <string>
#include <vector>

namespace moac {

struct PlanChoice {
  std::string nest;                    ///< choices of different nests go together
  std::string what;                    ///< for a reader: "C in tiles of 32 by 32"
  std::vector<std::string> directives; ///< of this nest
  std::vector<std::string> others;     ///< what keeps the other nests as they are by default
};

} // namespace moac

#endif
