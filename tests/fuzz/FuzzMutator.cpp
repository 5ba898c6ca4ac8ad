// What libFuzzer calls to change and to cross inputs: the mutator of the grammar, and every fifth
// time libFuzzer's own, which knows the compiler's comparisons; and how the sanitizer is set.
#include "tests/fuzz/Mutator.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

using moac::fuzz::Mutator;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

size_t put(const std::string &text, uint8_t *to, size_t maxSize) {
  const size_t size = std::min(text.size(), maxSize);
  std::memcpy(to, text.data(), size);
  return size;
}

std::string textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 5 == 0 || size == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  return put(Mutator(seed).mutate(textOf(data, size)), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2, uint8_t *out,
                                            size_t maxOutSize, unsigned seed) {
  return put(Mutator(seed).cross(textOf(data1, size1), textOf(data2, size2)), out, maxOutSize);
}

/// Only this project's code is instrumented, the libraries of LLVM are not: allocators and
/// containers that both instantiate cannot keep their poisoned memory consistent.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0:"
         "allocator_may_return_null=1";
}
