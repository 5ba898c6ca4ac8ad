// Runs the cases of a bundle: every kernel in both forms, with device memory dirtied before each call.
//
// A case file is a sequence of 64-bit numbers and bytes as Bundle.cpp writes them. A case gives
// symbols, scalars, inputs, the status and the results that the interpreter found, with error
// bounds; or, to be timed, sizes only, for which the data is made here.
#include <math.h>
#include <openacc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int moac_kernel(const int64_t *, const void *const *, const void *const *, void *const *);
struct moac_entry {
  const char *name;
  moac_kernel *host, *device;
};
extern const struct moac_entry moac_kernels[];
extern const int moac_kernel_count;

enum { most = 64, dirt = 16 << 20 };

struct array {
  int64_t bytes, type, count; // type: 0 exact, else of floats the bits, 17 for bf16
  char *data;
  double *want, *bound;
};
struct test {
  int64_t kernel, status, uncertain, repeat;
  int64_t symbols[most];
  int scalars, inputs, outputs;
  struct array scalar[most], input[most], output[most];
  char sizes[512];
};

static void *memory(size_t bytes) {
  void *block = malloc(bytes + 64);
  if (block == NULL) {
    puts("out of memory");
    exit(3);
  }
  return block;
}

static int64_t number(FILE *file) {
  int64_t value = 0;
  if (fread(&value, sizeof value, 1, file) != 1) {
    puts("the case file ends too early");
    exit(3);
  }
  return value;
}

static void *block(FILE *file, int64_t bytes) {
  void *data = memory((size_t)bytes);
  if (fread(data, 1, (size_t)bytes, file) != (size_t)bytes) {
    puts("the case file ends too early");
    exit(3);
  }
  return data;
}

static double half(uint16_t h, int bf16) {
  if (bf16) {
    const uint32_t bits = (uint32_t)h << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  const int exponent = h >> 10 & 31;
  const double digits = h & 1023;
  const double size = exponent == 31  ? (digits != 0 ? NAN : INFINITY)
                      : exponent == 0 ? ldexp(digits, -24)
                                      : ldexp(digits + 1024, exponent - 25);
  return h & 0x8000 ? -size : size;
}

static double element(const struct array *array, int64_t k) {
  const char *at = array->data;
  if (array->type == 64)
    return ((const double *)at)[k];
  return array->type == 32 ? ((const float *)at)[k] : half(((const uint16_t *)at)[k], array->type == 17);
}

/// The worst error of an output, in bounds.
static double worst(const struct array *array) {
  double most_bounds = 0;
  if (array->type == 0)
    return memcmp(array->data, array->want, (size_t)array->bytes) == 0 ? 0 : INFINITY;
  for (int64_t k = 0; k < array->count; ++k) {
    const double got = element(array, k), want = array->want[k], bound = array->bound[k];
    if (got == want || (isnan(got) && isnan(want)) || !isfinite(bound) ||
        (array->type == 32 && got == (double)(float)want))
      continue;
    const double error = fabs(got - want) / bound;
    most_bounds = error <= most_bounds ? most_bounds : isnan(error) ? INFINITY : error;
  }
  return most_bounds;
}

static void read_test(FILE *file, struct test *test, int64_t kernel) {
  memset(test, 0, sizeof *test);
  test->kernel = kernel;
  test->repeat = number(file);
  test->status = number(file);
  test->uncertain = number(file);
  const int64_t symbols = number(file), length = number(file);
  for (int64_t k = 0; k < symbols; ++k)
    test->symbols[k] = number(file);
  char *sizes = block(file, length);
  memcpy(test->sizes, sizes, (size_t)(length < 511 ? length : 511));
  free(sizes);
  test->scalars = (int)number(file);
  for (int k = 0; k < test->scalars; ++k)
    test->scalar[k].data = block(file, test->scalar[k].bytes = number(file));
  test->inputs = (int)number(file);
  for (int k = 0; k < test->inputs; ++k) {
    struct array *array = &test->input[k];
    array->type = number(file);
    array->bytes = number(file);
    array->data = test->repeat ? memory((size_t)array->bytes) : block(file, array->bytes);
  }
  test->outputs = (int)number(file);
  for (int k = 0; k < test->outputs; ++k) {
    struct array *array = &test->output[k];
    array->type = number(file);
    array->bytes = number(file);
    array->count = number(file);
    array->data = memory((size_t)array->bytes);
    if (test->repeat || test->status != 0)
      continue;
    array->want = block(file, array->type == 0 ? array->bytes : 8 * array->count);
    array->bound = array->type == 0 ? NULL : block(file, 8 * array->count);
  }
}

static void free_test(struct test *test) {
  for (int k = 0; k < test->scalars; ++k)
    free(test->scalar[k].data);
  for (int k = 0; k < test->inputs; ++k)
    free(test->input[k].data);
  for (int k = 0; k < test->outputs; ++k) {
    free(test->output[k].data);
    free(test->output[k].want);
    free(test->output[k].bound);
  }
}

/// What freed device memory holds afterwards: nothing that looks like a result.
static void dirty(void) {
  static char *pattern;
  if (pattern == NULL) {
    pattern = memory(dirt);
    memset(pattern, 0xff, dirt);
  }
  void *device = acc_malloc(dirt);
  if (device == NULL)
    return;
  acc_memcpy_to_device(device, pattern, dirt);
  acc_free(device);
}

static int call(const struct test *test, moac_kernel *function) {
  const void *scalars[most], *inputs[most];
  void *outputs[most];
  for (int k = 0; k < test->scalars; ++k)
    scalars[k] = test->scalar[k].data;
  for (int k = 0; k < test->inputs; ++k)
    inputs[k] = test->input[k].data;
  for (int k = 0; k < test->outputs; ++k)
    outputs[k] = test->output[k].data;
  return function(test->symbols, scalars, inputs, outputs);
}

static size_t mapped(const struct array *array) { return (size_t)array->bytes + 8; }

static void enter(struct test *test) {
  for (int k = 0; k < test->inputs; ++k)
    acc_copyin(test->input[k].data, mapped(&test->input[k]));
  for (int k = 0; k < test->outputs; ++k) {
    memset(test->output[k].data, 0xff, mapped(&test->output[k]));
    acc_copyin(test->output[k].data, mapped(&test->output[k]));
  }
}

static void leave(struct test *test) {
  for (int k = 0; k < test->inputs; ++k)
    acc_delete(test->input[k].data, mapped(&test->input[k]));
  for (int k = 0; k < test->outputs; ++k)
    acc_copyout(test->output[k].data, mapped(&test->output[k]));
}

static int check(struct test *test, const char *form, int status, double *worst_bounds) {
  if (status != test->status) {
    if (test->uncertain)
      return 0;
    printf("FAIL %s %s at %s: status %d, not %d\n", moac_kernels[test->kernel].name, form,
           test->sizes, status, (int)test->status);
    return 1;
  }
  for (int k = 0; status == 0 && k < test->outputs; ++k) {
    const double error = worst(&test->output[k]);
    *worst_bounds = error > *worst_bounds ? error : *worst_bounds;
    if (!(error <= 8)) {
      printf("FAIL %s %s at %s: output %d is %g bounds off\n", moac_kernels[test->kernel].name,
             form, test->sizes, k, error);
      return 1;
    }
  }
  return 0;
}

static int run_test(struct test *test, double *worst_bounds) {
  const struct moac_entry *kernel = &moac_kernels[test->kernel];
  for (int k = 0; k < test->outputs; ++k)
    memset(test->output[k].data, 0xff, (size_t)test->output[k].bytes);
  dirty();
  int failures = check(test, "(host)", call(test, kernel->host), worst_bounds);
  enter(test);
  dirty();
  const int status = call(test, kernel->device);
  leave(test);
  return failures + check(test, "(device)", status, worst_bounds);
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill(struct array *array) {
  static uint64_t state = 88172645463325252u;
  const int64_t width = array->type == 64 ? 8 : array->type == 32 ? 4 : 0;
  if (width == 0)
    memset(array->data, 0, (size_t)array->bytes);
  for (int64_t k = 0; width && k < array->bytes / width; ++k) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const double x = (double)(int64_t)state * 0x1p-63;
    if (width == 8)
      ((double *)array->data)[k] = x;
    else
      ((float *)array->data)[k] = (float)x;
  }
}

static int time_test(struct test *test) {
  const struct moac_entry *kernel = &moac_kernels[test->kernel];
  for (int k = 0; k < test->inputs; ++k)
    fill(&test->input[k]);
  enter(test);
  double best = INFINITY;
  int status = 0;
  const double start = seconds();
  for (int64_t k = 0; k < test->repeat && status == 0 && (k < 3 || seconds() - start < 3); ++k) {
    const double begin = seconds();
    status = call(test, kernel->device);
    const double taken = seconds() - begin;
    best = taken < best ? taken : best;
  }
  leave(test);
  printf("time %s %s: %.4f ms, status %d\n", kernel->name, test->sizes, 1e3 * best, status);
  return status != 0;
}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  const char *only = argc > 2 ? argv[2] : NULL;
  if (file == NULL) {
    puts("usage: PROGRAM CASES [KERNEL]");
    return 2;
  }
  static struct test test;
  int failures = 0;
  for (int64_t kernel = 0; kernel < moac_kernel_count; ++kernel) {
    const int64_t cases = number(file);
    const int wanted = only == NULL || strcmp(only, moac_kernels[kernel].name) == 0;
    double worst_bounds = 0;
    int failed = 0, checked = 0;
    for (int64_t k = 0; k < cases; ++k) {
      read_test(file, &test, kernel);
      if (wanted && test.repeat)
        failed += time_test(&test);
      else if (wanted) {
        failed += run_test(&test, &worst_bounds);
        ++checked;
      }
      free_test(&test);
    }
    if (wanted)
      printf("%s %s: %d cases in 2 forms, worst error %.2g of 8 bounds\n", failed ? "FAIL" : "ok  ",
             moac_kernels[kernel].name, checked, worst_bounds);
    fflush(stdout);
    failures += failed;
  }
  return failures != 0;
}
