// The algebra of conditions: products, inclusion and exclusion, complement.
#include "ir/WorkTree.h"

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
