// The litmus programs of the repository, parsed, and traces of programs held against the litmus checker.
#pragma once

#include "runtime/model/Litmus.h"
#include "runtime/model/TraceCheck.h"

#include <string>
#include <vector>

namespace moac::model::test {

/// Every program of tests/litmus; a file that does not parse fails the test.
std::vector<Program> litmusPrograms();
/// What the trace checker says of a trace; one that cannot be read or is not valid fails the test.
TraceReport checked(const std::string &text, TraceModel model = TraceModel::Paper);
/// A run is flagged if and only if its order, built from the definitions, has a race, and then the program is racy.
void agreesOnRandomPrograms(unsigned rounds, TraceModel traces, const Model &model);

} // namespace moac::model::test
