// Enumerations over the reserved words of Words.def, and the questions asked of them.
//
// Everything here is generated from the table, so that a new type, word or function is one line
// there.
#ifndef MOAC_FRONTEND_WORDS_H
#define MOAC_FRONTEND_WORDS_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace moac {

/// Element types of arrays and scalars, spelled as in the language with an underscore behind,
/// because `bool` is a C++ word: `ElementType::bf16_`.
enum class ElementType {
#define MOAC_TYPE(NAME, CLASS, BITS, COMPUTES) NAME##_,
#include "frontend/Words.def"
};

/// What arithmetic an element type has.
enum class TypeClass { Float, Int, Uint, Bool };

/// Words of the algebra: reductions, structure words before an operand, words between operands.
enum class Word {
#define MOAC_WORD(NAME, SPELLING, REDUCES, PREFIX, INFIX) NAME,
#include "frontend/Words.def"
};

/// Scalar functions that are called with parentheses.
enum class Func {
#define MOAC_FUNC(NAME, SPELLING, ARITY) NAME,
#include "frontend/Words.def"
};

/// Reserved words with a place of their own in the grammar.
enum class Keyword {
#define MOAC_KEYWORD(NAME, SPELLING) NAME,
#include "frontend/Words.def"
};

std::string_view spelling(ElementType type);
std::string_view spelling(Word word);
std::string_view spelling(Func func);
std::string_view spelling(Keyword keyword);

/// All element types, in the order of Words.def.
std::span<const ElementType> allElementTypes();

std::optional<ElementType> findElementType(std::string_view text);
std::optional<Word> findWord(std::string_view text);
std::optional<Func> findFunc(std::string_view text);
std::optional<Keyword> findKeyword(std::string_view text);

TypeClass typeClass(ElementType type);
/// Size of one stored element in bits.
unsigned bitWidth(ElementType type);
/// The type in which expressions over elements of `type` compute (`f32` for `bf16`).
ElementType computeType(ElementType type);

/// Whether the word reduces (`sum`, `softmax`): only these take binds, `sum[k](..)`.
bool isReduction(Word word);
/// Whether the word may stand before one operand, `shape A`.
bool isPrefix(Word word);
/// Whether the word may stand between two operands, `s reshape A`.
bool isInfix(Word word);
/// Number of arguments of a scalar function.
unsigned arity(Func func);

/// Spellings of everything that is called or reduces, for did-you-mean.
std::vector<std::string> functionNames();

/// Whether `text` may not be used as a name: the words above, item words, constants, `and`,
/// `omega`, ...
bool isReserved(std::string_view text);

} // namespace moac

#endif
