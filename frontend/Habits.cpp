// The tables of Habits.h.
#include "frontend/Habits.h"

#include "frontend/Diagnostics.h"

#include <algorithm>

namespace moac {
namespace {

struct Habit {
  std::string_view theirs, ours;
};

constexpr Habit functions[] = {
    {"average", "the mean along the leading axis is `mean A`"},
    {"avg", "the mean along the leading axis is `mean A`"},
    {"arange", "0 to n - 1 is `iota n`"},
    {"cat", "arrays are joined by `A ++ B`"},
    {"concat", "arrays are joined by `A ++ B`"},
    {"concatenate", "arrays are joined by `A ++ B`"},
    {"cumsum", "the sums of all prefixes are `(scan +) A`"},
    {"dot", "the inner product is `a (+.*) b`"},
    {"einsum", "write the formula: `C[i, j] = sum[k](A[i, k] * B[k, j])`"},
    {"fabs", "write `abs(x)`"},
    {"flatten", "all elements in a row are `ravel A`"},
    {"flip", "an axis is turned round by `reverse A`"},
    {"if", "a choice is `where(c, a, b)`"},
    {"len", "the length of the leading axis is `(shape A)[0]`"},
    {"length", "the length of the leading axis is `(shape A)[0]`"},
    {"ln", "the natural logarithm is `log(x)`"},
    {"log10", "write `log(x) / log(10.0)`"},
    {"matmul", "the product of matrices is `A (+.*) B`"},
    {"maximum", "the greater of two is `max(a, b)`"},
    {"minimum", "the smaller of two is `min(a, b)`"},
    {"mod", "the remainder is `a % b`"},
    {"norm", "write `sqrt(sum(x * x))`"},
    {"ones", "write `A[i] = 1.0`; the extent of i is that of its result or `i: n`"},
    {"permute", "axes are moved by `<1 0> transpose A`"},
    {"power", "write `pow(a, b)`"},
    {"range", "0 to n - 1 is `iota n`; a reduction runs over `k in lo..hi`"},
    {"relu", "write `max(x, 0.0)`"},
    {"roll", "an axis is shifted round by `<1> rotate A`"},
    {"select", "a choice is `where(c, a, b)`"},
    {"sign", "write `where(x > 0, 1.0, where(x < 0, -1.0, 0.0))`"},
    {"size", "the number of elements is `total A`"},
    {"square", "write `x * x`"},
    {"tan", "write `sin(x) / cos(x)`"},
    {"zeros", "write `A[i] = 0.0`; the extent of i is that of its result or `i: n`"},
};

constexpr Habit types[] = {
    {"float", "f32"},     {"double", "f64"},    {"real", "f64"},     {"half", "f16"},
    {"int", "i32"},       {"long", "i64"},      {"float32", "f32"},  {"float64", "f64"},
    {"bfloat16", "bf16"}, {"int32", "i32"},     {"int64", "i64"},    {"uint8", "u8"},
    {"int8", "i8"},       {"float16", "f16"},   {"boolean", "bool"}, {"int16", "i16"},
    {"uint16", "u16"},    {"uint32", "u32"},    {"uint64", "u64"},   {"integer", "i64"},
    {"unsigned", "u32"},  {"size_t", "i64"},    {"logical", "bool"}, {"char", "i8"},
};

constexpr std::string_view loops =
    "there are no loops: `y[i] = ..` defines every element, `sum[k](..)` reduces";
constexpr std::string_view keyword = "a definition has no keyword: `name = ..`";
constexpr Habit statements[] = {
    {"for", loops},      {"while", loops},     {"do", loops},
    {"foreach", loops},  {"let", keyword},     {"var", keyword},
    {"const", keyword},  {"val", keyword},     {"auto", keyword},
    {"double", keyword}, {"float", keyword},   {"int", keyword},
    {"if", "a choice is an expression: `y = where(c, a, b)`"},
    {"else", "a choice is an expression: `y = where(c, a, b)`"},
    {"return", "results are defined by their names, as every value is: `y = ..`"},
};

constexpr Habit items[] = {
    {"def", "kernel"},    {"func", "kernel"},    {"function", "kernel"}, {"void", "kernel"},
    {"include", "import"}, {"use", "import"},    {"from", "import"},     {"lambda", "fn"},
    {"proc", "kernel"},   {"subroutine", "kernel"},
};

constexpr Habit signs[] = {
    {"^", "a power is 'pow(a, b)'"},
    {"@", "the product of matrices is 'A (+.*) B'"},
    {"?", "a choice is 'where(c, a, b)'"},
    {"'", "a transposed array is 'transpose A'"},
    {"\\", "a formula goes on in the next line behind an operator or inside brackets"},
    {"~", "not is 'not c'"},
    {"$", "names have letters, digits and '_'"},
};

template <size_t N> std::string_view find(const Habit (&table)[N], std::string_view theirs) {
  const auto *habit = std::ranges::find(table, theirs, &Habit::theirs);
  return habit == std::end(table) ? std::string_view() : habit->ours;
}

} // namespace

std::string_view functionHabit(std::string_view name) { return find(functions, name); }
std::string_view statementHabit(std::string_view word) { return find(statements, word); }
std::string_view itemHabit(std::string_view word) { return find(items, word); }
std::string_view signHabit(std::string_view sign) { return find(signs, sign); }

std::string typeHabit(std::string_view name) {
  if (std::string_view ours = find(types, name); !ours.empty())
    return std::string(ours);
  std::vector<std::string> theirs;
  for (const Habit &habit : types)
    if (habit.theirs.size() > 3) // a slip in a short word leads anywhere
      theirs.emplace_back(habit.theirs);
  std::string_view near = nearest(name, theirs);
  return near.empty() ? "" : std::string(find(types, near));
}

std::string suggestFunction(std::string_view name, std::span<const std::string> candidates) {
  std::string_view habit = functionHabit(name);
  if (std::string_view type = find(types, name); habit.empty() && !type.empty())
    return "a cast is `" + std::string(type) + "(x)`";
  return habit.empty() ? didYouMean(name, candidates) : std::string(habit);
}

} // namespace moac
