// The reserved words as tables, generated from Words.def.
//
// Look-up is by sorted table, because the lexer asks for every identifier of a file.
#include "frontend/Words.h"

#include <algorithm>
#include <array>

namespace moac {
namespace {

struct TypeRow {
  std::string_view text;
  TypeClass typeClass;
  unsigned bits;
  ElementType computes;
};
constexpr TypeRow typeRows[] = {
#define MOAC_TYPE(NAME, CLASS, BITS, COMPUTES)                                                     \
  {#NAME, TypeClass::CLASS, BITS, ElementType::COMPUTES##_},
#include "frontend/Words.def"
};

struct WordRow {
  std::string_view text;
  bool reduces, prefix, infix;
};
constexpr WordRow wordRows[] = {
#define MOAC_WORD(NAME, SPELLING, REDUCES, PREFIX, INFIX) {SPELLING, REDUCES, PREFIX, INFIX},
#include "frontend/Words.def"
};

struct FuncRow {
  std::string_view text;
  unsigned arity;
};
constexpr FuncRow funcRows[] = {
#define MOAC_FUNC(NAME, SPELLING, ARITY) {SPELLING, ARITY},
#include "frontend/Words.def"
};

struct KeywordRow {
  std::string_view text;
};
constexpr KeywordRow keywordRows[] = {
#define MOAC_KEYWORD(NAME, SPELLING) {SPELLING},
#include "frontend/Words.def"
};

struct Entry {
  std::string_view text;
  int index;
};

/// The rows of a table sorted by spelling, each with its index in the table.
template <typename Row, size_t N> std::array<Entry, N> sortRows(const Row (&rows)[N]) {
  std::array<Entry, N> sorted;
  for (size_t i = 0; i < N; ++i)
    sorted[i] = {rows[i].text, int(i)};
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry &a, const Entry &b) { return a.text < b.text; });
  return sorted;
}

template <typename Enum, size_t N>
std::optional<Enum> find(const std::array<Entry, N> &sorted, std::string_view text) {
  auto at = std::lower_bound(sorted.begin(), sorted.end(), text,
                             [](const Entry &entry, std::string_view t) { return entry.text < t; });
  if (at == sorted.end() || at->text != text)
    return std::nullopt;
  return static_cast<Enum>(at->index);
}

} // namespace

std::string_view spelling(ElementType type) { return typeRows[int(type)].text; }
std::string_view spelling(Word word) { return wordRows[int(word)].text; }
std::string_view spelling(Func func) { return funcRows[int(func)].text; }
std::string_view spelling(Keyword keyword) { return keywordRows[int(keyword)].text; }

std::span<const ElementType> allElementTypes() {
  static constexpr ElementType types[] = {
#define MOAC_TYPE(NAME, CLASS, BITS, COMPUTES) ElementType::NAME##_,
#include "frontend/Words.def"
  };
  return types;
}

std::optional<ElementType> findElementType(std::string_view text) {
  static const auto sorted = sortRows(typeRows);
  return find<ElementType>(sorted, text);
}

std::optional<Word> findWord(std::string_view text) {
  static const auto sorted = sortRows(wordRows);
  return find<Word>(sorted, text);
}

std::optional<Func> findFunc(std::string_view text) {
  static const auto sorted = sortRows(funcRows);
  return find<Func>(sorted, text);
}

std::optional<Keyword> findKeyword(std::string_view text) {
  static const auto sorted = sortRows(keywordRows);
  return find<Keyword>(sorted, text);
}

TypeClass typeClass(ElementType type) { return typeRows[int(type)].typeClass; }
unsigned bitWidth(ElementType type) { return typeRows[int(type)].bits; }
ElementType computeType(ElementType type) { return typeRows[int(type)].computes; }

bool isReduction(Word word) { return wordRows[int(word)].reduces; }
bool isPrefix(Word word) { return wordRows[int(word)].prefix; }
bool isInfix(Word word) { return wordRows[int(word)].infix; }
unsigned arity(Func func) { return funcRows[int(func)].arity; }

std::vector<std::string> functionNames() {
  std::vector<std::string> names = {
#define MOAC_FUNC(NAME, SPELLING, ARITY) SPELLING,
#include "frontend/Words.def"
  };
  const std::string_view reductions[] = {
#define MOAC_WORD(NAME, SPELLING, REDUCES, PREFIX, INFIX) REDUCES ? SPELLING : "",
#include "frontend/Words.def"
  };
  for (std::string_view word : reductions)
    if (!word.empty())
      names.emplace_back(word);
  return names;
}

bool isReserved(std::string_view text) {
  return findKeyword(text) || findElementType(text) || findWord(text) || findFunc(text);
}

} // namespace moac
