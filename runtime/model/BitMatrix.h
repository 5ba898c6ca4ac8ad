// A relation over the events of one execution: one bit per pair, rows of machine words, so that the
// transitive closure works on 64 pairs at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace moac::model {

/// A binary relation on 0..n-1.
class BitMatrix {
public:
  BitMatrix() = default;
  explicit BitMatrix(int n) : n(n), words((n + 63) / 64), bits(std::size_t(n) * words) {}

  int size() const { return n; }
  bool test(int a, int b) const { return bits[at(a) + b / 64] >> (b % 64) & 1; }
  void set(int a, int b) { bits[at(a) + b / 64] |= uint64_t{1} << (b % 64); }

  /// Calls `visit(b)` for each b related to by a, ascending.
  template <typename Visit> void forEach(int a, Visit visit) const {
    for (int w = 0; w < words; ++w)
      for (uint64_t row = bits[at(a) + w]; row; row &= row - 1)
        visit(w * 64 + std::countr_zero(row));
  }

  void unite(const BitMatrix &other) {
    for (std::size_t i = 0; i < bits.size(); ++i)
      bits[i] |= other.bits[i];
  }

  /// Makes the relation transitive.
  void close() {
    for (int via = 0; via < n; ++via)
      for (int a = 0; a < n; ++a)
        if (a != via && test(a, via))
          uniteRow(a, via);
  }

  /// Adds (a, b) to a transitive relation and keeps it transitive.
  void addClosed(int a, int b) {
    if (test(a, b))
      return;
    for (int x = 0; x < n; ++x)
      if (x == a || test(x, a)) {
        set(x, b);
        uniteRow(x, b);
      }
  }

  /// For a transitive relation: whether some event precedes itself.
  bool cyclic() const {
    for (int a = 0; a < n; ++a)
      if (test(a, a))
        return true;
    return false;
  }

private:
  std::size_t at(int a) const { return std::size_t(a) * words; }
  void uniteRow(int to, int from) {
    for (int w = 0; w < words; ++w)
      bits[at(to) + w] |= bits[at(from) + w];
  }

  int n = 0, words = 0;
  std::vector<uint64_t> bits;
};

} // namespace moac::model
