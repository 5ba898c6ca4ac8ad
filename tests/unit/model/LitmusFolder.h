// Where the litmus programs of the repository are. The path is compiled into one small file, so
// that a compiler cache can share the object files of all others between checkouts.
#pragma once

#include <string>

namespace moac::model::test {

/// The folder tests/litmus of the source tree.
std::string litmusFolder();

} // namespace moac::model::test
