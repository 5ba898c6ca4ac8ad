// Small C functions that emitted files define for themselves: a registry of texts.
//
// An emitted file holds the support functions it uses and no others. Which ones follows from the
// words of the text: a support function that names another brings it along, and a word that a
// standard header declares brings the header.
#ifndef MOAC_EMITTERS_CSUPPORT_H
#define MOAC_EMITTERS_CSUPPORT_H

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace moac::emit {

/// One definition. `standalone` ones take the place of libmoac-runtime and are used without it
/// only.
struct Support {
  std::string_view name;
  bool standalone;
  std::string_view text;
};
/// All definitions, each after those it uses.
const std::vector<Support> &cSupport();

struct Prologue {
  std::vector<std::string> headers; // <math.h>, sorted
  std::string tuned; // the constants of ir/Tuned.def, by instruction set
  std::vector<std::string_view> definitions;
};
/// What a file that uses `words` must include and define.
Prologue cPrologue(const std::set<std::string> &words, bool standalone);

/// Identifiers in C text outside its comments.
std::set<std::string> cWords(std::string_view text);

} // namespace moac::emit

#endif
