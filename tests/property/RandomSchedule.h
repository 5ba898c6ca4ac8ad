// Random schedules for random programs.
//
// A schedule grows one directive at a time from the loops and values that the compiler says the
// kernel has. A directive that is refused is dropped: so every schedule is legal, and every refusal
// is a message of the schedule's own kinds.
#ifndef MOAC_TESTS_PROPERTY_RANDOMSCHEDULE_H
#define MOAC_TESTS_PROPERTY_RANDOMSCHEDULE_H

#include "tests/property/RandomProgram.h"

namespace moac::property {

struct ScheduledProgram {
  RandomProgram program;
  std::vector<std::string> directives;

  std::string text() const;
  /// Some value may be computed more than once.
  bool recomputes() const;
};

/// Adds directives that the program allows. `strange` gets messages that are not refusals of a
/// schedule.
ScheduledProgram randomlyScheduled(RandomProgram program, Random &random, std::string &strange);

/// A directive less, or a smaller program under the same schedule.
std::vector<ScheduledProgram> shrunk(const ScheduledProgram &scheduled);

} // namespace moac::property

#endif
