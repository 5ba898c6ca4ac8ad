// Pages between forbidden pages; see Fences.h.
#include "tests/cases/Fences.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace moac::property;

Fenced::Fenced(size_t bytes, bool atEnd) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t inner = (bytes + page - 1) / page * page;
  length = inner + 2 * page;
  void *at = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return;
  mapped = static_cast<std::byte *>(at);
  if (inner && mprotect(mapped + page, inner, PROT_READ | PROT_WRITE) != 0)
    return;
  start = mapped + page + (atEnd ? inner - bytes : 0);
}

Fenced::Fenced(Fenced &&other) noexcept
    : mapped(other.mapped), start(other.start), length(other.length) {
  other.mapped = nullptr;
}

Fenced::~Fenced() {
  if (mapped)
    munmap(mapped, length);
}
