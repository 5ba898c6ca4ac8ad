// Ranges of seeds in child processes, so that a program which crashes or hangs the compiler costs
// its range and no more, and every core works.
#ifndef MOAC_TESTS_PROPERTY_WORKERS_H
#define MOAC_TESTS_PROPERTY_WORKERS_H

#include <cstdint>
#include <functional>
#include <string>

namespace moac::property {

/// What a child found wrong with the programs of seeds [from, to); empty when nothing is.
using RangeTest = std::function<std::string(uint64_t from, uint64_t to)>;

/// Runs `test` on [first, first + count), `chunk` seeds a child and `jobs` children at once.
/// `report` gets what is wrong as it is found. A chunk whose child dies or takes longer than
/// `seconds` is run again seed by seed. Returns the number of reports.
unsigned runRanges(uint64_t first, uint64_t count, uint64_t chunk, unsigned jobs, unsigned seconds,
                   const RangeTest &test, const std::function<void(const std::string &)> &report);

} // namespace moac::property

#endif
