// What `moac check` runs a kernel on: which sizes, and which numbers.
//
// Sizes come from {0, 1, 2, 3, 17, 33, 127}: empty, smallest, odd and just past the blocks that
// schedules use. All combinations would be 7^n for n symbols; most faults need only two sizes to be
// unlucky together, so the cases are a pairwise covering set: for any two symbols every pair of
// sizes that the constraints allow occurs in some case. Data is reproducible from a seed, on every
// machine.
#ifndef MOAC_FRONTEND_CHECKCASES_H
#define MOAC_FRONTEND_CHECKCASES_H

#include "frontend/HostArray.h"

#include <functional>
#include <span>

namespace moac {

struct SizeRules {
  unsigned symbols = 0;
  /// Whether the kernel's constraints allow these sizes (one a symbol).
  std::function<bool(const std::vector<int64_t> &)> admits;
  /// Innermost iterations of the kernel at these sizes.
  std::function<double(const std::vector<int64_t> &)> work;
  double cap = 2e7;  ///< most innermost iterations of a case
  bool full = false; ///< every combination below the cap instead of a covering set
};

std::span<const int64_t> checkSizes();

/// Deterministic. Each result admits and stays below the cap. When constraints exclude the sizes
/// themselves (`L == 2*H`), neighbours and small multiples of them fill in. Bounded: about 300
/// thousand tests of `admits` at most.
std::vector<std::vector<int64_t>> sizeCases(const SizeRules &rules);

/// splitmix64: the same numbers everywhere, which the distributions of <random> do not promise.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t bits();
  /// Uniform in [0, bound); bound >= 1.
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(bits() % static_cast<uint64_t>(bound));
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; } ///< [0, 1)
  double gaussian(); ///< mean 0, variance 1, to about 1 %: a sum of uniforms

private:
  uint64_t state;
};

enum class DataKind {
  Gaussian,      ///< mean 0, variance 1
  SmallIntegers, ///< -4..4, where + - * max min are exact in every float type
  LargeMean,     ///< 1000 + gaussian: cancellation
  LowRank,       ///< outer product of the last two axes' vectors: many nearly equal results
  Special, ///< gaussian with infinities, NaN, zeros, the smallest and the largest values in places
};
constexpr DataKind allDataKinds[] = {DataKind::Gaussian, DataKind::SmallIntegers,
                                     DataKind::LargeMean, DataKind::LowRank, DataKind::Special};
const char *toString(DataKind kind);

/// An array of `kind`. Integer elements are small non-negative numbers for every kind but
/// SmallIntegers; bools are fair.
HostArray randomArray(ElementType type, const HostShape &shape, DataKind kind, Random &random);
/// Integer data that can index: uniform in [0, bound), ascending when `sorted`. All 0 when bound
/// < 1.
HostArray randomIndices(ElementType type, const HostShape &shape, int64_t bound, bool sorted,
                        Random &random);

} // namespace moac

#endif
