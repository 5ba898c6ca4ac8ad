// Spelling of names: the user's words where the target allows them, predictable ones elsewhere.
//
// A name that the target keeps for itself gets a `_` at its end (`if` -> `if_`), one that begins
// like a reserved family gets the table's prefix (`_x` -> `v_x`); a name that is taken gets a
// number. The same requests in the same order give the same answers.
#ifndef MOAC_EMITTERS_NAMES_H
#define MOAC_EMITTERS_NAMES_H

#include "emitters/LangTraits.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moac::emit {

/// Words of a list separated by blanks, sorted.
std::vector<std::string_view> wordList(std::string_view text);
/// True if the target keeps `word` for itself (keyword, macro, library name or reserved family).
bool isReserved(const NameRules &rules, std::string_view word);
/// What names are compared by: the word itself, or its lower case.
std::string nameKey(const NameRules &rules, std::string_view word);
/// Why a kernel cannot have this name in the target, in the user's words; nothing when it can.
std::optional<std::string> interfaceNameProblem(const NameRules &rules, std::string_view word);

/// The names in use at one place of one function. Scopes nest: names picked after mark() are given
/// back by release().
class Names {
public:
  explicit Names(const NameRules &rules) : rules(rules) {}

  /// Spellings for names that must all be live at once (a kernel's parameters): words that need no
  /// change keep theirs, whatever stands before them in the list.
  std::vector<std::string> pickAll(const std::vector<std::string> &words);
  /// A spelling for a new thing of type `type` that is live from now on.
  std::string pick(std::string_view word, Elem type = Elem::Index);
  /// Whether a name is live.
  bool has(std::string_view name) const;
  const NameRules &ruleSet() const { return rules; }
  size_t mark() const { return live.size(); }
  void release(size_t mark);

private:
  std::string adjusted(std::string_view word) const;
  bool free(const std::string &spelling, Elem type) const;
  std::string key(std::string_view spelling) const { return nameKey(rules, spelling); }
  void take(const std::string &spelling, Elem type);

  const NameRules &rules;
  std::vector<std::string> live;                 // keys
  std::map<std::string, Elem, std::less<>> ever; // every key taken, with its type
};

} // namespace moac::emit

#endif
