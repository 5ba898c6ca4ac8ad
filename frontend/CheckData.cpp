// The numbers of CheckCases.h: a generator that is the same on every machine, and arrays of each
// kind.
#include "frontend/CheckCases.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace moac;

uint64_t Random::bits() {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::gaussian() {
  double sum = -6; // twelve uniforms have mean 6 and variance 1
  for (int k = 0; k < 12; ++k)
    sum += uniform();
  return sum;
}

const char *moac::toString(DataKind kind) {
  switch (kind) {
  case DataKind::Gaussian:
    return "gaussian";
  case DataKind::SmallIntegers:
    return "small integers";
  case DataKind::LargeMean:
    return "large mean";
  case DataKind::LowRank:
    return "low rank";
  case DataKind::Special:
    return "special values";
  }
  return "";
}

namespace {

struct Limits {
  double largest, smallest; ///< finite; smallest is subnormal
};

Limits limits(ElementType type) {
  switch (type) {
  case ElementType::f16_:
    return {65504, 0x1p-24};
  case ElementType::bf16_:
    return {0x1.fep127, 0x1p-133};
  case ElementType::f32_:
    return {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()};
  default:
    return {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()};
  }
}

double special(ElementType type, Random &random) {
  const Limits limit = limits(type);
  const double values[] = {std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN(),
                           0.0,
                           -0.0,
                           limit.smallest,
                           -limit.smallest,
                           limit.largest,
                           -limit.largest};
  return values[random.below(std::size(values))];
}

void fillLowRank(HostArray &array, Random &random) {
  const HostShape &shape = array.shape();
  const int64_t columns = shape.empty() ? 1 : shape.back();
  std::vector<double> row(static_cast<size_t>(std::max<int64_t>(columns, 1)));
  for (double &value : row)
    value = random.gaussian();
  double scale = 1;
  for (int64_t k = 0; k < array.size(); ++k) {
    if (k % columns == 0)
      scale = random.gaussian();
    array.set(k, scale * row[static_cast<size_t>(k % columns)]);
  }
}

double element(ElementType type, DataKind kind, Random &random) {
  switch (kind) {
  case DataKind::SmallIntegers:
    return static_cast<double>(random.below(9) - 4);
  case DataKind::LargeMean:
    return 1000 + random.gaussian();
  case DataKind::Special:
    return random.below(8) == 0 ? special(type, random) : random.gaussian();
  default:
    return random.gaussian();
  }
}

} // namespace

HostArray moac::randomArray(ElementType type, const HostShape &shape, DataKind kind,
                            Random &random) {
  HostArray array(type, shape);
  const bool isFloat = typeClass(type) == TypeClass::Float;
  if (isFloat && kind == DataKind::LowRank) {
    fillLowRank(array, random);
    return array;
  }
  for (int64_t k = 0; k < array.size(); ++k) {
    if (type == ElementType::bool_)
      array.set(k, static_cast<double>(random.below(2)));
    else if (isFloat || (kind == DataKind::SmallIntegers && typeClass(type) == TypeClass::Int))
      array.set(k, element(type, kind, random));
    else
      array.set(k, static_cast<double>(random.below(5)));
  }
  return array;
}

HostArray moac::randomIndices(ElementType type, const HostShape &shape, int64_t bound, bool sorted,
                              Random &random) {
  HostArray array(type, shape);
  std::vector<int64_t> values(static_cast<size_t>(array.size()));
  for (int64_t &value : values)
    value = bound < 1 ? 0 : random.below(bound);
  if (sorted)
    std::sort(values.begin(), values.end());
  for (int64_t k = 0; k < array.size(); ++k)
    array.set(k, values[static_cast<size_t>(k)]);
  return array;
}
