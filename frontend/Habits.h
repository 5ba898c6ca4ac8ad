// What people write who come from other languages, and what it is called here.
//
// Edit distance finds a slip of the finger; it does not lead from `matmul` to `(+.*)` or from `if`
// to `where`. Each table maps a spelling of another language to the remedy that a message gives.
#ifndef MOAC_FRONTEND_HABITS_H
#define MOAC_FRONTEND_HABITS_H

#include <span>
#include <string>
#include <string_view>

namespace moac {

/// What to write for a function of another language, or empty.
std::string_view functionHabit(std::string_view name);
/// The element type for a type's name in another language, or one near it; empty when none is.
std::string typeHabit(std::string_view name);
/// What to write for a statement that begins with this word, or empty.
std::string_view statementHabit(std::string_view word);
/// The word that begins an item, for one that does in another language, or empty.
std::string_view itemHabit(std::string_view word);
/// What to write for a sign that the language lacks, or empty.
std::string_view signHabit(std::string_view sign);

/// The help about an unknown function: a habit, or the nearest of the names that exist.
std::string suggestFunction(std::string_view name, std::span<const std::string> candidates);

} // namespace moac

#endif
