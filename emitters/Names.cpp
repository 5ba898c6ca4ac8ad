// Choosing names that a target accepts.
#include "emitters/Names.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace moac::emit {

std::vector<std::string_view> wordList(std::string_view text) {
  std::vector<std::string_view> words;
  size_t i = 0;
  while ((i = text.find_first_not_of(" \n", i)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(" \n", i), text.size());
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  std::sort(words.begin(), words.end());
  return words;
}

namespace {

std::string folded(const NameRules &rules, std::string_view word) {
  std::string out(word);
  if (rules.foldsCase)
    for (char &c : out)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool listed(const std::vector<std::string_view> &words, std::string_view word) {
  return std::binary_search(words.begin(), words.end(), word);
}

bool beginsReserved(const NameRules &rules, std::string_view word) {
  return std::any_of(rules.reservedPrefixes.begin(), rules.reservedPrefixes.end(),
                     [&](std::string_view start) { return word.substr(0, start.size()) == start; });
}

} // namespace

bool isReserved(const NameRules &rules, std::string_view word) {
  const std::string key = folded(rules, word);
  return beginsReserved(rules, key) || listed(*rules.reserved, key);
}

std::optional<std::string> interfaceNameProblem(const NameRules &rules, std::string_view word) {
  const std::string key = folded(rules, word);
  if (beginsReserved(rules, key))
    return fmt::format("names that begin like '{}' are reserved there", word);
  if (listed(*rules.reserved, key))
    return fmt::format("'{}' is a keyword or a library name there", word);
  if (word.size() > rules.maxLength)
    return fmt::format("'{}' has {} characters, at most {} are allowed there", word, word.size(),
                       rules.maxLength);
  return std::nullopt;
}

std::string nameKey(const NameRules &rules, std::string_view word) { return folded(rules, word); }

bool Names::has(std::string_view name) const {
  return std::find(live.begin(), live.end(), key(name)) != live.end();
}

std::string Names::adjusted(std::string_view word) const {
  std::string spelling(word);
  for (char &c : spelling)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  if (spelling.empty() || std::isdigit(static_cast<unsigned char>(spelling[0])))
    spelling = std::string(rules.prefix) + spelling;
  if (beginsReserved(rules, key(spelling)))
    spelling = std::string(rules.prefix) + spelling;
  if (spelling.size() > rules.maxLength)
    spelling.resize(rules.maxLength);
  while (listed(*rules.reserved, key(spelling)) || listed(*rules.internal, key(spelling)))
    spelling += '_';
  return spelling;
}

bool Names::free(const std::string &spelling, Elem type) const {
  const std::string k = key(spelling);
  if (std::find(live.begin(), live.end(), k) != live.end())
    return false;
  const auto old = ever.find(k);
  return !rules.flatScopes || old == ever.end() || old->second == type;
}

void Names::take(const std::string &spelling, Elem type) {
  live.push_back(key(spelling));
  ever.emplace(live.back(), type);
}

std::string Names::pick(std::string_view word, Elem type) {
  const std::string base = adjusted(word);
  std::string spelling = base;
  for (int number = 1; !free(spelling, type) || isReserved(rules, spelling); ++number) {
    const std::string suffix = fmt::format("_{}", number);
    spelling = base.substr(0, std::min(base.size(), rules.maxLength - suffix.size())) + suffix;
  }
  take(spelling, type);
  return spelling;
}

std::vector<std::string> Names::pickAll(const std::vector<std::string> &words) {
  std::vector<std::string> spellings(words.size());
  for (size_t i = 0; i < words.size(); ++i)
    if (adjusted(words[i]) == words[i] && free(words[i], Elem::Index)) {
      spellings[i] = words[i];
      take(words[i], Elem::Index);
    }
  for (size_t i = 0; i < words.size(); ++i)
    if (spellings[i].empty())
      spellings[i] = pick(words[i]);
  return spellings;
}

void Names::release(size_t mark) { live.resize(mark); }

} // namespace moac::emit
