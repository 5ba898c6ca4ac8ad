// What the measuring process calls through ctypes: a clock around batches of calls, data, comparison,
// and the machine's own ceilings. Every contestant has the same shape,
//
//     int f(const int64_t *n, void *const *p)     n: the case's symbols, p: scalars, inputs, outputs
//
// so that moac's kernels, libraries and hand-written loops are timed by the same few lines.
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef int (*contestant)(const int64_t *n, void *const *p);

static clockid_t clockId = CLOCK_MONOTONIC;

/// Processor time of the calling thread instead of time on the wall: what other processes take does not count. Only for one
/// thread.
void bench_processor_time(void) { clockId = CLOCK_THREAD_CPUTIME_ID; }

static double now(void) {
  struct timespec t;
  clock_gettime(clockId, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Seconds of `calls` calls.
double bench_time(contestant f, const int64_t *n, void *const *p, int64_t calls) {
  const double begin = now();
  for (int64_t c = 0; c < calls; ++c)
    f(n, p);
  return now() - begin;
}

void bench_threads(int threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
}

/// Pages are touched by the threads that will work on them.
void bench_clear(char *to, int64_t bytes) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < bytes; i += 4096)
    memset(to + i, 0, (size_t)(bytes - i < 4096 ? bytes - i : 4096));
}

/// Uniform numbers of [low, high), a function of the seed and the position alone.
static double uniform(uint64_t seed, int64_t i) {
  uint64_t x = (uint64_t)i * 0x9E3779B97F4A7C15u + seed * 0xBF58476D1CE4E5B9u + 1;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

void bench_fill_f32(float *to, int64_t count, int64_t seed, double low, double high) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i)
    to[i] = (float)(low + (high - low) * uniform((uint64_t)seed, i));
}

void bench_fill_f64(double *to, int64_t count, int64_t seed, double low, double high) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i)
    to[i] = low + (high - low) * uniform((uint64_t)seed, i);
}

/// Largest difference over the largest value wanted; infinite when something is not a number.
#define COMPARE(type)                                                                               \
  double bench_error_##type(const type *got, const type *want, int64_t count) {                     \
    double difference = 0, largest = 0;                                                             \
    int64_t broken = 0;                                                                             \
    _Pragma("omp parallel for schedule(static) reduction(max : difference, largest) reduction(+ : broken)") \
    for (int64_t i = 0; i < count; ++i) {                                                           \
      const double d = fabs((double)got[i] - (double)want[i]), w = fabs((double)want[i]);           \
      broken += !(d < INFINITY);                                                                    \
      difference = d > difference ? d : difference;                                                 \
      largest = w > largest ? w : largest;                                                          \
    }                                                                                               \
    return broken ? INFINITY : difference == 0 ? 0 : difference / (largest > 0 ? largest : 1);      \
  }
COMPARE(float)
COMPARE(double)

// ---- ceilings ------------------------------------------------------------------------------------------------

#if defined(__AVX512F__)
enum { vectorBytes = 64, accumulators = 14 };
#elif defined(__AVX__)
enum { vectorBytes = 32, accumulators = 10 };
#else
enum { vectorBytes = 16, accumulators = 10 };
#endif

/// The rate of multiply-adds in registers: n[0] of them by each lane of each accumulator of each thread.
/// Flops of a call: 2 * n[0] * bench_lanes * threads.
#define PEAK(name, type)                                                                            \
  typedef type name##_vector __attribute__((vector_size(vectorBytes)));                             \
  int64_t bench_lanes_##name(void) { return accumulators * (int64_t)(vectorBytes / sizeof(type)); } \
  int bench_peak_##name(const int64_t *n, void *const *p) {                                         \
    (void)p;                                                                                        \
    double total = 0;                                                                               \
    _Pragma("omp parallel reduction(+ : total)") {                                                  \
      name##_vector a[accumulators], x = {0}, y = {0};                                              \
      x += (type)0.5, y += (type)0.25;                                                              \
      for (int r = 0; r < accumulators; ++r)                                                        \
        a[r] = x + (type)r;                                                                         \
      for (int64_t i = 0; i < n[0]; ++i) {                                                          \
        _Pragma("GCC unroll 16") for (int r = 0; r < accumulators; ++r) a[r] = a[r] * x + y;        \
        __asm__ volatile("" : "+x"(x));                                                             \
      }                                                                                             \
      for (int r = 0; r < accumulators; ++r)                                                        \
        total += (double)a[r][0];                                                                   \
    }                                                                                               \
    return total == 0.5;                                                                            \
  }
PEAK(f32, float)
PEAK(f64, double)

/// Moves n[0] bytes from p[0] and n[1] bytes to p[1], as fast as the machine does: the part they share is copied, what is
/// left is read or written. Each thread has one contiguous part of each.
int bench_stream(const int64_t *n, void *const *p) {
  const int64_t both = n[0] < n[1] ? n[0] : n[1];
  const int64_t more = n[0] > n[1] ? n[0] - both : n[1] - both;
  int64_t total = 0;
#pragma omp parallel reduction(+ : total)
  {
    const int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    const int64_t lo = both / 64 * me / threads * 64, hi = me + 1 < threads ? both / 64 * (me + 1) / threads * 64 : both;
    memcpy((char *)p[1] + lo, (const char *)p[0] + lo, (size_t)(hi - lo));
    const int64_t words = more / 8, from = words * me / threads, to = words * (me + 1) / threads;
    if (n[0] > n[1]) {
      const int64_t *restrict source = (const int64_t *)((const char *)p[0] + both / 8 * 8);
      int64_t sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t i = from; i < to; ++i)
        sum += source[i];
      total += sum;
    } else if (to > from) {
      memset((char *)p[1] + both + from * 8, 0, (size_t)(to - from) * 8);
    }
  }
  return total == 1;
}
