#!/usr/bin/env python3
"""Is the number of threads that kernels choose a good one? Compares it with every other number and with the plain serial loop.

    python3 bench/threads.py                                  n = 1 ... 8192 and odd neighbours
    python3 bench/threads.py --n 100,1000 --only dot
    python3 bench/threads.py --write-sources FOLDER           C for a machine without moac, which then runs
    python3 bench/threads.py --sources FOLDER --csv FILE

A kernel estimates its work and takes as many threads as pay for being woken. Here the same emitted file is built three times:
as it is, with its choice replaced by the number it is told, and without threads. All are called in turn, the order turning from
run to run; a row shows medians of 31 runs. Sizes whose serial loop takes less than 5 us are compared with that loop only.
The last column says what is wrong: more than 1.2 times the best number's time, or more than 100 ns behind the serial loop.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLAGS = "-std=gnu11 -O3 -march=native -ffp-contract=fast -fPIC -shared"
KERNELS = {  # file, call, elements of an array for n
    "dot": ("stream", "dot_f32(n * n, a, b, c)", "n * n"),
    "axpy": ("stream", "axpy_f32(n * n, 2, a, b, c)", "n * n"),
    "row_sums": ("stream", "row_sums_f32(n, n, a, c)", "n * n"),
    "transpose": ("stream", "transpose_f32(n, n, a, c)", "n * n"),
    "rmsnorm": ("rows", "rmsnorm_f32(n, n, 1, a, b, c)", "n * n"),
    "softmax": ("rows", "softmax_f32(n, n, a, c)", "n * n"),
    "few_rows": ("rows", "softmax_f32(4, n, a, c)", "4 * n"),
}

DRIVER = r"""
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int (*Call)(int64_t n, const float *a, const float *b, float *c);
enum { runs = 31, most = 256 };
static double times[most][runs];
static float *a, *b, *c;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int order(const void *x, const void *y) {
  double d = *(const double *)x - *(const double *)y;
  return d < 0 ? -1 : d > 0;
}
static double once(Call f, int threads, int64_t n, long batch) {
  omp_set_num_threads(threads);
  if (f(n, a, b, c) != 0)
    exit(3);
  double start = now();
  for (long i = 0; i < batch; ++i)
    f(n, a, b, c);
  return (now() - start) / (double)batch;
}

int main(int argc, char **argv) { /* folder, elements, n, threads ... */
  const char *names[3] = {"chosen", "told", "serial"};
  Call call[3];
  for (int i = 0; i < 3; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", argv[1], names[i]);
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL || (call[i] = (Call)dlsym(library, "bench_call")) == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
  }
  int64_t count = atoll(argv[2]) + 64, n = atoll(argv[3]);
  int others = argc - 4, all = omp_get_max_threads();
  a = malloc(sizeof(float) * (size_t)count), b = malloc(sizeof(float) * (size_t)count), c = malloc(sizeof(float) * (size_t)count);
  for (int64_t i = 0; i < count; ++i)
    a[i] = (float)(i % 17) - 8, b[i] = (float)(i % 13) - 6, c[i] = 0;
  double serial = once(call[2], 1, n, 1);
  long batch = (long)(50e-6 / (serial + 20e-9)) + 1;
  for (int run = 0; run < runs; ++run)
    for (int k = 0; k < others + 2; ++k) {
      int which = run % 2 ? others + 1 - k : k;
      times[which][run] = which == 0   ? once(call[0], all, n, batch)
                          : which == 1 ? once(call[2], 1, n, batch)
                                       : once(call[1], atoi(argv[which + 2]), n, batch);
    }
  for (int k = 0; k < others + 2; ++k) {
    qsort(times[k], runs, sizeof(double), order);
    printf("%.10g\n", times[k][runs / 2]);
  }
  return 0;
}
"""


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(" ".join(command) + "\n" + (done.stderr or done.stdout))
    return done.stdout


def write_sources(moac, folder):
    os.makedirs(folder, exist_ok=True)
    for name in sorted({kernel[0] for kernel in KERNELS.values()}):
        run([moac, "compile", os.path.join(ROOT, "bench/kernels", name + ".moa"), "--standalone", "-o", folder])


def build(sources, name, cc, folder):
    file, call, _ = KERNELS[name]
    with open(os.path.join(sources, file + ".c"), encoding="utf-8") as text:
        chosen = text.read()
    told, changed = re.subn(r"(moac_threads\(double work\) \{\n)[^}]*\}",
                            r"\1  (void)work;\n  return omp_in_parallel() ? 1 : omp_get_max_threads();\n}", chosen)
    if changed != 1:
        sys.exit(f"{file}.c does not choose a number of threads")
    call = f"\nint bench_call(int64_t n, const float *a, const float *b, float *c) {{ (void)a, (void)b; return {call}; }}\n"
    for label, text, flags in (("chosen", chosen, "-fopenmp"), ("told", told, "-fopenmp"), ("serial", chosen, "-fopenmp-simd")):
        path = os.path.join(folder, label + ".c")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text + call)
        run([*cc.split(), *FLAGS.split(), "-w", *flags.split(), "-I", sources, path, "-o", path[:-1] + "so", "-lm"])


def sizes_to_try(given):
    if given:
        return [int(n) for n in given.split(",")]
    powers = [2**i for i in range(14)]
    return sorted({n for p in powers for n in (p, p + 1, p + p // 2 - 1) if 1 <= n <= 8193})


def verdict(chosen, serial, best):
    wrong = []
    if serial >= 5e-6 and chosen > 1.2 * best:
        wrong.append("best")
    if chosen > serial + 100e-9 and chosen > 1.03 * serial:
        wrong.append("serial")
    return " ".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moac", default=os.path.join(ROOT, "build/release/bin/moac"), help="the compiler")
    parser.add_argument("--cc", default="cc", help="the C compiler")
    parser.add_argument("--only", default="", metavar="REGEX", help="kernels whose name matches")
    parser.add_argument("--n", default="", metavar="N,...", help="these sizes")
    parser.add_argument("--threads", default="", metavar="T,...", help="numbers to compare with (powers of 2 and all)")
    parser.add_argument("--sources", default="", metavar="FOLDER", help="C that --write-sources wrote")
    parser.add_argument("--write-sources", default="", metavar="FOLDER", help="write the C and stop")
    parser.add_argument("--csv", default="", metavar="FILE", help="the table as CSV")
    options = parser.parse_args()
    if options.write_sources:
        return write_sources(options.moac, options.write_sources)
    cores = len(os.sched_getaffinity(0))
    numbers = [int(t) for t in options.threads.split(",")] if options.threads else sorted(
        {t for t in (1, 2, 4, 8, 16, 32, 64, 128) if t < cores} | {cores})
    rows, bad = [], 0
    with tempfile.TemporaryDirectory() as folder:
        sources = options.sources or os.path.join(folder, "sources")
        if not options.sources:
            write_sources(options.moac, sources)
        driver = os.path.join(folder, "driver")
        with open(driver + ".c", "w", encoding="utf-8") as out:
            out.write(DRIVER)
        run([*options.cc.split(), "-std=gnu11", "-O2", "-fopenmp", driver + ".c", "-o", driver, "-ldl"])
        print(f"{'kernel':10} {'n':>5} {'chosen us':>11} {'serial us':>11} {'best us':>11} {'at':>4} {'x best':>7} {'x serial':>8}")
        for name in KERNELS:
            if not re.search(options.only, name):
                continue
            build(sources, name, options.cc, folder)
            for n in sizes_to_try(options.n):
                count = eval(KERNELS[name][2], {"n": n})  # of the table above
                out = run([driver, folder, str(count), str(n), *map(str, numbers)],
                          env=dict(os.environ, OMP_NUM_THREADS=str(cores))).split()
                chosen, serial, *told = map(float, out)
                best = min(told + [serial])
                at = 0 if best == serial else numbers[told.index(best)]
                wrong = verdict(chosen, serial, best)
                bad += bool(wrong)
                rows.append([name, n, chosen, serial, best, at, chosen / best, chosen / serial, wrong])
                print(f"{name:10} {n:5} {chosen * 1e6:11.3f} {serial * 1e6:11.3f} {best * 1e6:11.3f} {at or 'loop':>4} "
                      f"{chosen / best:7.2f} {chosen / serial:8.2f} {wrong}", flush=True)
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as out:
            table = csv.writer(out)
            table.writerow(["kernel", "n", "chosen_s", "serial_s", "best_s", "best_threads", "x_best", "x_serial", "wrong"])
            table.writerows(rows)
    print(f"{len(rows)} sizes, {bad} of them wrong; {cores} cores")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
