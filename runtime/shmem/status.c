/* status.c: texts of statuses and of this thread's last failure. No allocation, so that it works
 * when memory is out. */
#include "runtime/shmem/internal.h"

#include <stdarg.h>

static _Thread_local char last_error[256] = "no failure so far";

static const char *const texts[] = {
    [MOAC_SHMEM_OK] = "ok",
    [MOAC_SHMEM_NOT_INITIALIZED] = "not initialized",
    [MOAC_SHMEM_INVALID_ARGUMENT] = "invalid argument",
    [MOAC_SHMEM_INVALID_PE] = "invalid PE number",
    [MOAC_SHMEM_INVALID_ADDRESS] = "not a symmetric address",
    [MOAC_SHMEM_INVALID_TEAM] = "invalid team",
    [MOAC_SHMEM_INVALID_CONTEXT] = "invalid context",
    [MOAC_SHMEM_SIZE_OVERFLOW] = "size overflow",
    [MOAC_SHMEM_OVERLAP] = "buffers overlap",
    [MOAC_SHMEM_HEAP_EXHAUSTED] = "symmetric heap exhausted",
    [MOAC_SHMEM_NO_RESOURCES] = "no resources left",
    [MOAC_SHMEM_MISMATCH] = "collective calls do not match",
    [MOAC_SHMEM_PE_FAILED] = "a PE failed",
    [MOAC_SHMEM_EXITING] = "a PE called global_exit",
    [MOAC_SHMEM_DEADLOCK] = "deadlock",
    [MOAC_SHMEM_UNSUPPORTED] = "unsupported by the backend",
    [MOAC_SHMEM_SYSTEM] = "refused by the operating system",
};

const char *moac_shmem_status_text(moac_shmem_status status) {
  unsigned index = (unsigned)status;
  return index < sizeof texts / sizeof texts[0] ? texts[index] : "unknown status";
}

const char *moac_shmem_last_error(void) { return last_error; }

Status moac_shmem_fail(Status status, const char *call, const char *format, ...) {
  Pe *pe = self_pe();
  int used = pe == NULL ? snprintf(last_error, sizeof last_error, "%s: ", call)
                        : snprintf(last_error, sizeof last_error, "PE %d: %s: ", pe->pe, call);
  if (used > 0 && (size_t)used < sizeof last_error) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error + used, sizeof last_error - (size_t)used, format, arguments);
    va_end(arguments);
  }
  return status;
}

size_t moac_shmem_type_size(moac_shmem_type type) {
  static const uint8_t sizes[MOAC_SHMEM_TYPES] = {
      1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, sizeof(long double), 8, 16, 1};
  return (unsigned)type < MOAC_SHMEM_TYPES ? sizes[type] : 0;
}

bool moac_shmem_overlap(const void *a, const void *b, size_t bytes_a, size_t bytes_b) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  return bytes_a != 0 && bytes_b != 0 && x != y && (x < y ? y - x < bytes_a : x - y < bytes_b);
}
