// The algebra of conditions: products, inclusion and exclusion, complement.
#include "ir/WorkTree.h"

#include <algorithm>

using namespace moac::cost;

namespace {
constexpr size_t mostTerms = 64;
}

Indicator Indicator::operator&(const Indicator &other) const {
  Indicator product{{}, exact && other.exact};
  if (terms.size() * other.terms.size() > mostTerms)
    return always(false);
  for (const Term &a : terms)
    for (const Term &b : other.terms) {
      Term term{a.sign * b.sign, a.conditions};
      term.conditions.insert(term.conditions.end(), b.conditions.begin(), b.conditions.end());
      product.terms.push_back(std::move(term));
    }
  return product;
}

Indicator Indicator::operator!() const {
  Indicator complement = always(exact);
  for (const Term &term : terms)
    complement.terms.push_back({-term.sign, term.conditions});
  return complement;
}

Indicator Indicator::operator|(const Indicator &other) const {
  if (!exact || !other.exact)
    return always(false);
  return !(!*this & !other);
}

Sizes moac::cost::complete(Sizes sizes, const std::vector<Definition> &definitions) {
  for (const Definition &d : definitions) {
    int64_t taken = 0;
    bool known = true;
    for (const Indicator::Term &term : d.when.terms)
      taken += term.sign * std::all_of(term.conditions.begin(), term.conditions.end(), [&](const Expr &e) {
        std::optional<int64_t> value = e.evaluate(sizes);
        known &= value.has_value();
        return value.value_or(0) >= 0;
      });
    if (std::optional<int64_t> value = (taken ? d.yes : d.no).evaluate(sizes); value && known)
      sizes[d.name] = *value;
  }
  return sizes;
}

std::string Definition::str() const {
  std::string condition;
  for (const Indicator::Term &term : when.terms) {
    std::string all;
    for (const Expr &e : term.conditions)
      all += (all.empty() ? "" : " and ") + e.str() + " >= 0";
    condition += (condition.empty() ? "" : term.sign > 0 ? " or " : " and not ") + (all.empty() ? "true" : all);
  }
  return name + " = where(" + condition + ", " + yes.str() + ", " + no.str() + ")";
}
