// Definitions that emitted Fortran modules make for themselves: a registry of texts.
//
// A module holds those it uses and no others. Which ones follows from the words of its text, as in
// C (CSupport.h); a word that iso_c_binding declares is imported from there.
#ifndef MOAC_EMITTERS_FORTRANSUPPORT_H
#define MOAC_EMITTERS_FORTRANSUPPORT_H

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace moac::emit {

struct FortranPrologue {
  std::string imports;      // use statements
  std::string declarations; // kinds, constants, interfaces
  std::string procedures;
};
/// What a module that uses `words` must import and define, each definition as `write` has it.
FortranPrologue fortranPrologue(const std::set<std::string> &words, bool standalone,
                                std::string (*write)(const std::string &definition));

/// Identifiers in Fortran text outside its comments; conditional lines (!$) count as text.
std::set<std::string> fortranWords(std::string_view text);

/// A function of the small C that CLanes.def is written in, as Fortran; nothing when it holds
/// anything else.
std::optional<std::string> fortranFromLane(std::string_view text);
/// Whether a definition of CLanes.def is such a function (and not a directive).
bool isLaneFunction(std::string_view text);

} // namespace moac::emit

#endif
