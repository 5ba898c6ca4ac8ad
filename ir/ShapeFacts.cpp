// Facts about shape expressions. Constants only so far; the prover follows.
#include "ir/ShapeNode.h"
namespace moac::shape {
void Facts::range(const std::string &name, const Expr &lo, const Expr &hi) {
  ranges.push_back({name, lo, hi});
}
void Facts::nonNegative(const Expr &e) { known.push_back(e); }
void Facts::equal(const Expr &a, const Expr &b) { equalities.emplace_back(a, b); }
bool Facts::proveNonNegative(const Expr &e) const { return e.constant() && *e.constant() >= 0; }
bool Facts::proveEqual(const Expr &a, const Expr &b) const { return a == b; }
std::optional<Expr> Facts::attainedMax(const Expr &e) const { return std::nullopt; }
std::optional<Expr> Facts::attainedMin(const Expr &e) const { return std::nullopt; }
std::optional<Expr> Facts::upperBound(const Expr &, const std::set<std::string> &) const {
  return std::nullopt;
}
std::optional<Expr> Facts::lowerBound(const Expr &, const std::set<std::string> &) const {
  return std::nullopt;
}
} // namespace moac::shape
