// What the interpreter's tests share: textual IR in, outcome out. MLIR stays in the .cpp.
#ifndef MOAC_TESTS_INTERPRETERFIXTURE_H
#define MOAC_TESTS_INTERPRETERFIXTURE_H

#include "ir/Interpreter.h"

#include <cmath>
#include <gtest/gtest.h>

namespace moac {

/// Parses and verifies `text` and runs its last kernel or function.
Outcome run(const std::string &text, const Arguments &arguments, const Limits &limits = {});

/// The values of a result, or a failure with the outcome's message.
std::vector<double> values(const Outcome &outcome, size_t result = 0);

/// A kernel of no inputs whose one result `r` of rank 0 and type `type` (stored as `storage`) is
/// the value `%r` that `body` computes.
std::string scalarKernel(const std::string &type, const std::string &body,
                         const std::string &storage = "");

} // namespace moac

#endif
