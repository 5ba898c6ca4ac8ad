// Calls of compiled kernels whose arrays lie against pages that may not be touched.
//
// A read one element past an array, or before it, ends the process there and then: also reads that
// vector code makes and then throws away. Arrays can also be far larger than memory, since pages
// exist once they are written; reading any other page finds zeros.
#ifndef MOAC_TESTS_CASES_FENCES_H
#define MOAC_TESTS_CASES_FENCES_H

#include <cstddef>

namespace moac::property {

/// Memory of `bytes` bytes between two forbidden pages; zero until written. Null data() when the
/// address space does not have it.
class Fenced {
public:
  /// `atEnd`: the last byte is the last before the fence; else the first is the first after one.
  Fenced(size_t bytes, bool atEnd);
  ~Fenced();
  Fenced(Fenced &&other) noexcept;
  Fenced(const Fenced &) = delete;

  std::byte *data() const { return start; }

private:
  std::byte *mapped = nullptr, *start = nullptr;
  size_t length = 0;
};

} // namespace moac::property

#endif
