// Reading of cases: programs with their results beside them, in comments of a .moa file.
//
//     #> kernel M=2 N=3 : X = iota : s = 4 : Y = 0 1 2 3 4 5
//     #> kernel M=1 N=1 : X = fill 1 : s = 0 : status = -8
//
// Fields are separated by ` : `. The first names the kernel and its symbols; the others give an
// input, a scalar, a result, the status (0 unless said), or by `alias = X` the input whose memory
// is the first result's too. Values are numbers (also inf, nan), `iota`, `fill v`, `mod v`
// (position modulo v) and, of inputs, `gauss`. A result after `~` agrees to 1 in 10^6; one that is
// not named is compared between the stages only.
#ifndef MOAC_TESTS_CASES_CASEFILE_H
#define MOAC_TESTS_CASES_CASEFILE_H

#include "tests/property/Differential.h"

namespace moac::property {

struct CaseField {
  std::string text;
  bool approximate = false;
};

struct Case {
  unsigned line = 0;
  std::string kernel;
  SymbolSizes sizes;
  std::map<std::string, CaseField> fields;
  bool exact() const;
};

/// The cases of a file; one that cannot be read has no kernel.
std::vector<Case> readCases(const std::string &path);

/// An array of the values that a field stands for; nothing when they are too few, too many or not
/// numbers.
std::optional<HostArray> valuesOf(const CaseField &field, ElementType type, const HostShape &shape);

} // namespace moac::property

#endif
