// Words that emitted Fortran does not give to anything of the user's.
#ifndef MOAC_EMITTERS_FORTRANNAMES_H
#define MOAC_EMITTERS_FORTRANNAMES_H

#include <string_view>
#include <vector>

namespace moac::emit {

/// Sorted, in lower case: words of statements, and intrinsic functions.
const std::vector<std::string_view> &fortranReserved();
/// Sorted, in lower case: names that emitted code uses itself.
const std::vector<std::string_view> &fortranInternal();

} // namespace moac::emit

#endif
