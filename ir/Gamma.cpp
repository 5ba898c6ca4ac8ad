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

namespace {

/// Two shapes taken apart from their last axes, in common factors. `extent` is what is left of an axis; of the
/// source, `index` is what is left of its index; of the target, `weight` is what the next digit counts.
class Reindexing {
public:
  Reindexing(const Index &i, const Extents &from, const Extents &to)
      : i(i), from(from), to(to), out(to.size()), f(from.size()), t(to.size()) {}

  Index run() {
    while (nextSource() && nextTarget())
      if (!digit()) {
        throughOffset();
        break;
      }
    return out;
  }

private:
  bool nextSource() {
    while (extent == Expr(1)) {
      if (f == 0)
        return false;
      extent = from[--f];
      index = i[f];
    }
    return true;
  }
  bool nextTarget() {
    while (room == Expr(1)) {
      if (t == 0)
        return false;
      room = to[--t];
      weight = Expr(1);
    }
    return true;
  }
  void put(const Expr &value) { out[t] = out[t] + value * weight; }

  bool digit() {
    if (std::optional<Expr> left = exactQuotient(room, extent)) {
      put(index);
      weight = weight * extent;
      room = *left;
      extent = Expr(1);
    } else if (std::optional<Expr> rest = exactQuotient(extent, room)) {
      put(mod(index, room));
      index = floordiv(index, room);
      extent = *rest;
      room = Expr(1);
    } else {
      return false;
    }
    return true;
  }

  /// What is left has no factor in common that the algebra sees.
  void throughOffset() {
    Index rest(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(f));
    Extents extents(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(f));
    rest.push_back(index);
    extents.push_back(extent);
    Extents target(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(t));
    target.push_back(room);
    Index digits = gammaRowInverse(gammaRow(rest, extents), target);
    put(digits.back());
    std::copy(digits.begin(), digits.end() - 1, out.begin());
  }

  const Index &i;
  const Extents &from, &to;
  Index out;
  size_t f, t;
  Expr extent{1}, index, room{1}, weight{1};
};

} // namespace

Index reindexRow(const Index &i, const Extents &from, const Extents &to) {
  return Reindexing(i, from, to).run();
}

Lift lift(const Expr &n, const Expr &t, const std::string &outer, const std::string &inner,
          bool cyclic) {
  Expr blocks = floordiv(n + t - Expr(1), t), o = Expr::name(outer), i = Expr::name(inner);
  if (cyclic) // inner*blocks + outer < n
    return {blocks, t, i * blocks + o, min(t, floordiv(n - o + blocks - Expr(1), blocks))};
  return {blocks, t, o * t + i, min(t, n - o * t)};
}

} // namespace moac::shape
