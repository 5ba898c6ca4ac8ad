// Random expression trees of every kind the parser can make, for property tests. Deterministic by
// seed.
#ifndef MOAC_TESTS_UNIT_RANDOMEXPR_H
#define MOAC_TESTS_UNIT_RANDOMEXPR_H

#include "frontend/Ast.h"

#include <random>

namespace moac::test {

class RandomExpr {
public:
  explicit RandomExpr(uint64_t seed) : random(seed) {}

  /// A tree of at most `depth` levels. Names and numbers are meaningless: it parses, it need not
  /// type.
  ast::ExprPtr expr(int depth);

private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); }
  bool coin() { return below(2) == 0; }
  std::string name();
  ast::ExprPtr leaf();
  ast::ExprPtr call(int depth);
  ast::ExprPtr reduce(int depth);
  ast::ExprPtr index(int depth);
  ast::ExprPtr section(int depth);
  ast::ExprPtr compare(int depth);
  ast::OperatorPtr op(int depth, bool inOmega);
  ast::FnRef fn(bool userNames);
  Word word(bool (*allowed)(Word));
  std::vector<ast::ExprPtr> list(int least, int most, int depth);

  std::mt19937_64 random;
};

} // namespace moac::test

#endif
