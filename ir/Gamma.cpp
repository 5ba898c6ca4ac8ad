// Layout maps: indices to offsets and back, and the splitting of axes.
#include "ir/Gamma.h"

#include <algorithm>

namespace moac::shape {

namespace {

std::vector<Expr> reversed(std::vector<Expr> v) {
  std::reverse(v.begin(), v.end());
  return v;
}

Expr dot(const Index &i, const std::vector<Expr> &strides) {
  Expr offset;
  for (size_t k = 0; k < std::min(i.size(), strides.size()); ++k)
    offset = offset + i[k] * strides[k];
  return offset;
}

} // namespace

Expr total(const Extents &s) {
  Expr product(1);
  for (const Expr &extent : s)
    product = product * extent;
  return product;
}

std::vector<Expr> colStrides(const Extents &s) {
  std::vector<Expr> strides;
  Expr product(1);
  for (const Expr &extent : s) {
    strides.push_back(product);
    product = product * extent;
  }
  return strides;
}

std::vector<Expr> rowStrides(const Extents &s) { return reversed(colStrides(reversed(s))); }

Expr gammaRow(const Index &i, const Extents &s) { return dot(i, rowStrides(s)); }
Expr gammaCol(const Index &i, const Extents &s) { return dot(i, colStrides(s)); }

Index gammaColInverse(const Expr &offset, const Extents &s) {
  Index index;
  Expr rest = offset;
  for (size_t k = 0; k < s.size(); ++k) {
    bool last = k + 1 == s.size(); // an offset in range leaves less than the last extent
    index.push_back(last ? rest : mod(rest, s[k]));
    if (!last)
      rest = floordiv(rest, s[k]);
  }
  return index;
}

Index gammaRowInverse(const Expr &offset, const Extents &s) {
  return reversed(gammaColInverse(offset, reversed(s)));
}

Lift lift(const Expr &n, const Expr &t, const std::string &outer, const std::string &inner,
          bool cyclic) {
  Expr blocks = floordiv(n + t - Expr(1), t), o = Expr::name(outer), i = Expr::name(inner);
  if (cyclic) // inner*blocks + outer < n
    return {blocks, t, i * blocks + o, min(t, floordiv(n - o + blocks - Expr(1), blocks))};
  return {blocks, t, o * t + i, min(t, n - o * t)};
}

} // namespace moac::shape
