// What a change may gain before it is built: a measured baseline, candidates as ranges of assumptions, gates that reject
// them, and the effect on the whole program. A description (JSON, checked key by key) holds measurements and assumptions;
// everything else is computed, with a machine for residency:
//
//     resident   blocks on one SM at a time: what registers, shared memory and warps allow
//     projected  time * (1 - idle * recovered) + overhead, a range as its inputs are
//     complete   projected + what has to run before
//     total      total - share + share / speedup
//
// Projections screen candidates, they predict nothing: cycles without an issue do not translate into time one to one.
// Digits that somebody has published may stand in the description as texts ("claims"); they are compared with what comes
// out. Nothing here knows MLIR.
#ifndef MOAC_IR_SCENARIO_H
#define MOAC_IR_SCENARIO_H

#include "ir/Machine.h"

namespace moac::scenario {

struct Range {
  double low = 0, high = 0;
};

/// Quantities by name as texts, digit for digit: "complete low" -> "217".
using Claims = std::map<std::string, std::string>;

/// What one block asks for.
struct Resources {
  int64_t threads = 0;
  Range registers;            ///< 32-bit registers of a block
  bool perThread = false;     ///< `registers` is for each thread
  Range shared;               ///< bytes of a block
};

struct Baseline {
  double time = 0; ///< of the part that candidates replace
  double idle = 0; ///< share of its cycles in which nothing could issue
  std::optional<Resources> resources;
  std::vector<std::pair<std::string, double>> measured; ///< further numbers, for the reader
  Claims claims;
};

/// What runs before the part, unchanged: measured pieces, and a range with margin.
struct Before {
  std::vector<std::pair<std::string, double>> pieces;
  Range time;
  Claims claims;
};

struct Candidate {
  std::string name;
  Resources resources;
  Range recovered; ///< share of the idle cycles that becomes useful
  Range overhead;  ///< time that the change costs
  std::string unverified; ///< what its residency hinges on, unless empty
  std::map<std::string, double> facts; ///< measured or decided by design; true and false are 1 and 0
  Claims claims;
};

/// A condition on a quantity or fact; a candidate that fails it is rejected, one that has no such number leaves it open.
struct Gate {
  std::string name, quantity;
  enum class Relation : uint8_t { Below, AtMost, AtLeast, Is } relation = Relation::AtMost;
  double limit = 0;
  bool shareOfBaseline = false; ///< `limit` is a share of the baseline's time
};

struct EndToEnd {
  std::string unit = "s";
  double total = 0, share = 0;
  struct Speedup {
    std::string name;
    double speedup = 1;
    Claims claims;
  };
  std::vector<Speedup> speedups;
  double reference = 0; ///< an older total to compare with; 0: none
  Claims claims;
};

struct Scenario {
  std::string name, part = "part", whole = "whole", unit = "ms";
  int64_t decimals = 2;
  Baseline baseline;
  std::optional<Before> before;
  std::vector<Candidate> candidates;
  std::vector<Gate> gates;
  std::optional<EndToEnd> endToEnd;
};

/// A scenario, or a line for everything that is wrong with the description.
struct ScenarioAnswer {
  std::optional<Scenario> scenario;
  std::string error;
};
ScenarioAnswer parseScenario(std::string_view json, const std::string &where);

// ---- what follows ----

struct Verdict {
  enum class Kind : uint8_t { Passed, Rejected, Open } kind = Kind::Open;
  double value = 0, limit = 0;
};

struct Compared {
  std::string what, claimed, computed;
  bool agrees() const { return claimed == computed; }
};

/// Numbers of a candidate or of the baseline by name: "warps", "projected low".
using Quantities = std::map<std::string, double>;

struct Outcome {
  Quantities baseline, before, endToEnd;
  std::vector<Quantities> candidates; ///< as in the scenario, as the following two
  std::vector<std::vector<Verdict>> verdicts; ///< a gate each
  std::vector<Quantities> speedups;
  std::optional<size_t> winner, runnerUp; ///< of those that no gate rejects, by the lowest complete time
  std::vector<Compared> claims;
};
/// Never fails; what the machine does not know has no quantity.
Outcome evaluate(const Scenario &scenario, const Machine &machine);

std::string scenarioText(const Scenario &scenario, const Outcome &outcome, const Machine &machine);
std::string scenarioJson(const Scenario &scenario, const Outcome &outcome, const Machine &machine);

} // namespace moac::scenario

#endif
