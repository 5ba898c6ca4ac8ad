// Covering sets by completion of pairs.
//
// A case starts from one uncovered pair and gets sizes for the other symbols; of these the one that
// covers most new pairs is taken. Constraints are a black box that speaks only about whole cases,
// so a refused case is tried again with other choices, a bounded number of times. The last tries
// may use sizes beside the list, for constraints such as `L == 2*H`.
#include "frontend/CheckCases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace moac;

namespace {

constexpr int64_t sizes[] = {0, 1, 2, 3, 17, 33, 127};
constexpr unsigned sizeCount = std::size(sizes);
constexpr size_t maxCases = 20000;
constexpr int maxTests = 300000;

using Case = std::vector<int64_t>;

/// The sizes and what equations such as `L == 2*H + 1` or `M == N*N` make of them.
std::vector<int64_t> extendedSizes() {
  std::set<int64_t> all(std::begin(sizes), std::end(sizes));
  for (int64_t n : sizes)
    for (int64_t derived : {n - 1, n + 1, 2 * n, 2 * n + 1, 3 * n, 4 * n, n * n})
      if (derived >= 0 && derived <= 512)
        all.insert(derived);
  return {all.begin(), all.end()};
}

unsigned sizeIndex(int64_t size) {
  return std::find(std::begin(sizes), std::end(sizes), size) - std::begin(sizes);
}

class Cover {
public:
  explicit Cover(const SizeRules &rules)
      : rules(rules), n(rules.symbols), covered(n * n * sizeCount * sizeCount) {}

  std::vector<Case> run() {
    if (n == 1)
      for (int64_t size : sizes)
        accept({size});
    for (unsigned a = 0; a < n; ++a)
      for (unsigned b = a + 1; b < n; ++b)
        for (unsigned x = 0; x < sizeCount; ++x)
          for (unsigned y = 0; y < sizeCount; ++y)
            if (!covered[pair(a, x, b, y)])
              complete(a, x, b, y);
    if (cases.empty() && n > 0)
      fallback();
    return std::move(cases);
  }

private:
  size_t pair(unsigned a, unsigned x, unsigned b, unsigned y) const {
    return ((a * n + b) * sizeCount + x) * sizeCount + y;
  }

  bool allowed(const Case &sizes) {
    if (++tests > maxTests || !refused.insert(sizes).second)
      return false;
    return rules.admits(sizes) && rules.work(sizes) <= rules.cap;
  }

  /// Takes a case if it is allowed, and marks its pairs.
  bool accept(const Case &chosen) {
    if (cases.size() >= maxCases || !allowed(chosen))
      return false;
    cases.push_back(chosen);
    for (unsigned a = 0; a < n; ++a)
      for (unsigned b = a + 1; b < n; ++b) {
        unsigned x = sizeIndex(chosen[a]), y = sizeIndex(chosen[b]);
        if (x < sizeCount && y < sizeCount)
          covered[pair(a, x, b, y)] = true;
      }
    return true;
  }

  /// New pairs that symbol c at size z would cover together with the symbols already fixed.
  unsigned gain(const Case &partial, const std::vector<bool> &fixed, unsigned c, unsigned z) const {
    unsigned count = 0;
    for (unsigned other = 0; other < n; ++other) {
      if (!fixed[other] || sizeIndex(partial[other]) >= sizeCount)
        continue;
      unsigned w = sizeIndex(partial[other]);
      count += !covered[other < c ? pair(other, w, c, z) : pair(c, z, other, w)];
    }
    return count;
  }

  /// Tries to find a case with symbol a at size x and b at y: greedily; then from cases that are
  /// known to satisfy the constraints; then small sizes at random; then beside the listed sizes.
  bool complete(unsigned a, unsigned x, unsigned b, unsigned y) {
    for (int attempt = 0; attempt < 28; ++attempt) {
      Case chosen = attempt < 4 ? greedy(a, x, b, y) : attempt < 20 ? known() : small();
      chosen[a] = sizes[x], chosen[b] = sizes[y];
      if (accept(chosen) || (attempt == 27 && repair(chosen, a, b)))
        return true;
    }
    return false;
  }

  Case greedy(unsigned a, unsigned x, unsigned b, unsigned y) {
    Case chosen(n, 0);
    std::vector<bool> fixed(n, false);
    chosen[a] = sizes[x], chosen[b] = sizes[y];
    fixed[a] = fixed[b] = true;
    const auto first = static_cast<unsigned>(random.below(n));
    for (unsigned step = 0; step < n; ++step) {
      const unsigned c = (first + step) % n;
      if (!fixed[c])
        chosen[c] = choose(chosen, fixed, c);
      fixed[c] = true;
    }
    return chosen;
  }

  int64_t choose(const Case &partial, const std::vector<bool> &fixed, unsigned c) {
    unsigned best = 0, bestGain = 0;
    const auto start = static_cast<unsigned>(random.below(sizeCount));
    for (unsigned k = 0; k < sizeCount; ++k) {
      const unsigned z = (start + k) % sizeCount, g = gain(partial, fixed, c, z);
      if (k == 0 || g > bestGain)
        best = z, bestGain = g;
    }
    return sizes[best];
  }

  Case known() {
    if (cases.empty())
      return small();
    return cases[static_cast<size_t>(random.below(static_cast<int64_t>(cases.size())))];
  }

  /// Small sizes satisfy work limits and differences.
  Case small() {
    Case chosen(n);
    for (int64_t &size : chosen)
      size = sizes[random.below(4)];
    return chosen;
  }

  /// Moves one free symbol of a refused case through the extended sizes.
  bool repair(Case chosen, unsigned a, unsigned b) {
    if (++repairs > 150 && repaired * 10 < repairs)
      return false; // not what these constraints need
    for (unsigned c = 0; c < n; ++c) {
      if (c == a || c == b)
        continue;
      int64_t old = chosen[c];
      for (int64_t size : extended) {
        chosen[c] = size;
        if (accept(chosen)) {
          ++repaired;
          return true;
        }
      }
      chosen[c] = old;
    }
    return false;
  }

  /// No pair of listed sizes can be had (`L == 2*H` with other demands): any cases at all, from the
  /// extended sizes.
  void fallback() {
    for (int attempt = 0; attempt < 100000 && cases.size() < 8; ++attempt) {
      Case chosen(n);
      for (int64_t &size : chosen)
        size = extended[static_cast<size_t>(random.below(static_cast<int64_t>(extended.size())))];
      accept(chosen);
    }
  }

  const SizeRules &rules;
  const unsigned n;
  std::vector<bool> covered;
  std::vector<Case> cases;
  std::set<Case> refused; ///< tested before: refused, or taken and of no more use
  const std::vector<int64_t> extended = extendedSizes();
  Random random{1};
  int tests = 0, repairs = 0, repaired = 0;
};

std::vector<Case> everyCase(const SizeRules &rules) {
  std::vector<Case> cases;
  std::vector<unsigned> digits(rules.symbols, 0);
  for (int tests = 0; tests < maxTests && cases.size() < maxCases; ++tests) {
    Case chosen(rules.symbols);
    for (unsigned k = 0; k < rules.symbols; ++k)
      chosen[k] = sizes[digits[k]];
    if (rules.admits(chosen) && rules.work(chosen) <= rules.cap)
      cases.push_back(chosen);
    unsigned k = 0;
    while (k < rules.symbols && ++digits[k] == sizeCount)
      digits[k++] = 0;
    if (k == rules.symbols)
      break;
  }
  return cases;
}

} // namespace

std::span<const int64_t> moac::checkSizes() { return sizes; }

std::vector<std::vector<int64_t>> moac::sizeCases(const SizeRules &rules) {
  if (rules.symbols == 0)
    return rules.admits({}) ? std::vector<Case>{{}} : std::vector<Case>{};
  std::vector<Case> cases = rules.full ? everyCase(rules) : Cover(rules).run();
  std::sort(cases.begin(), cases.end());
  cases.erase(std::unique(cases.begin(), cases.end()), cases.end());
  return cases;
}
