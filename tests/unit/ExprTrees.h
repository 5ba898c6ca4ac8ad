// Random integer expressions as plain trees, for property tests of the shape algebra.
//
// A Tree is evaluated two ways: directly, in 128 bits and by the definitions of the language, and
// through the canonical Expr built from it. Whatever the algebra simplified, the two must agree.
#ifndef MOAC_TESTS_UNIT_EXPRTREES_H
#define MOAC_TESTS_UNIT_EXPRTREES_H

#include "ir/Shape.h"

#include <random>

namespace moac::testing {

struct Tree {
  char op; // 'n'ame, 'c'onstant, + - * / % < (min) > (max) | (abs)
  int64_t value = 0;
  std::string name;
  std::vector<Tree> args;
};

using Values = std::map<std::string, int64_t>;

inline Tree randomTree(std::mt19937 &random, const std::vector<std::string> &names, int depth) {
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(6) == 0) {
    if (pick(3) != 0)
      return {'n', 0, names[random() % names.size()], {}};
    return {'c', pick(13) - 4, "", {}};
  }
  char op = "++--**//%%//%%<>|"[pick(17)];
  Tree t{op, 0, "", {randomTree(random, names, depth - 1)}};
  if ((op == '/' || op == '%') && pick(3) != 0)
    t.args.push_back({'c', pick(9) - 2, "", {}});
  else if (op != '|')
    t.args.push_back(randomTree(random, names, depth - 1));
  return t;
}

inline shape::Expr build(const Tree &t) {
  if (t.op == 'n')
    return shape::Expr::name(t.name);
  if (t.op == 'c')
    return shape::Expr(t.value);
  shape::Expr a = build(t.args[0]);
  if (t.op == '|')
    return abs(a);
  shape::Expr b = build(t.args[1]);
  switch (t.op) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '/':
    return floordiv(a, b);
  case '%':
    return mod(a, b);
  case '<':
    return min(a, b);
  default:
    return max(a, b);
  }
}

/// The value by definition; nothing when a divisor is 0 or the value leaves 64 bits.
inline std::optional<__int128> direct(const Tree &t, const Values &values) {
  if (t.op == 'n')
    return values.at(t.name);
  if (t.op == 'c')
    return t.value;
  std::optional<__int128> a = direct(t.args[0], values), b = a;
  if (t.args.size() > 1)
    b = direct(t.args[1], values);
  if (!a || !b)
    return std::nullopt;
  __int128 x = *a, y = *b, r = 0;
  if ((t.op == '/' || t.op == '%') && y == 0)
    return std::nullopt;
  switch (t.op) {
  case '+':
    r = x + y;
    break;
  case '-':
    r = x - y;
    break;
  case '*':
    r = x * y;
    break;
  case '/':
  case '%': {
    __int128 q = x / y;
    while (q * y > x ? y > 0 : q * y < x && y < 0) // q must not exceed the real quotient
      --q;
    r = t.op == '/' ? q : x - q * y;
    break;
  }
  case '<':
    r = x < y ? x : y;
    break;
  case '>':
    r = x > y ? x : y;
    break;
  default:
    r = x < 0 ? -x : x;
  }
  if (r > INT64_MAX || r < INT64_MIN)
    return std::nullopt;
  return r;
}

/// Reproducible unless MOAC_SEED is set; the seed goes into every failure message.
inline unsigned seed() {
  const char *text = std::getenv("MOAC_SEED");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 20240611u;
}

} // namespace moac::testing

#endif
