"""Compile emitted C with every compiler and flag it is promised for, all warnings being errors.

    compile_matrix.py [--full] FOLDER...

Every .c file of the folders is compiled (not linked) with each compiler present of gcc, clang-14 and clang-22, with and
without -fopenmp and -march=native, at -O0 to -O3. Without --full the combinations are a covering set: every pair of
settings occurs. Every .h file is read as C99, C11 and C++17. At least one .c file and one compiler must exist.
"""
import itertools
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
COMPILERS = ["gcc", "clang-14", "clang-22"]
SETTINGS = [["-fopenmp", ""], ["-march=native", ""], ["-O0", "-O1", "-O2", "-O3"]]


def covering(axes):
    """Few rows of the product in which every pair of values of two axes occurs; greedy, deterministic."""
    rows = list(itertools.product(*axes))
    pairs = {(a, r[a], b, r[b]) for r in rows for a in range(len(axes)) for b in range(a)}
    chosen = []
    while pairs:
        def gain(row):
            return sum((a, row[a], b, row[b]) in pairs for a in range(len(axes)) for b in range(a))
        best = max(rows, key=gain)
        chosen.append(best)
        pairs -= {(a, best[a], b, best[b]) for a in range(len(axes)) for b in range(a)}
    return chosen


def find(folders, suffix):
    return [os.path.join(where, name) for folder in folders for where, _, names in sorted(os.walk(folder))
            for name in sorted(names) if name.endswith(suffix)]


def main(arguments):
    full = "--full" in arguments
    folders = [a for a in arguments if a != "--full"]
    compilers = [c for c in COMPILERS if shutil.which(c)]
    sources, headers = find(folders, ".c"), find(folders, ".h")
    if not compilers or not sources or not headers:
        sys.exit(f"nothing to do: {len(compilers)} compilers, {len(sources)} sources, {len(headers)} headers")
    axes = [compilers] + SETTINGS
    rows = list(itertools.product(*axes)) if full else covering(axes)
    jobs = []
    for source in sources:
        for compiler, *flags in rows:
            openmp = [] if "-fopenmp" in flags else ["-Wno-unknown-pragmas"]
            jobs.append([compiler, "-std=c11", *STRICT, *openmp, *filter(None, flags), "-c", source, "-o", os.devnull])
    for header in headers:
        for language, standard in (("c", "c99"), ("c", "c11"), ("c++", "c++17")):
            for compiler in compilers:
                jobs.append([compiler, f"-std={standard}", *STRICT, "-x", language, "-include", header,
                             "-fsyntax-only", os.devnull])
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, result in zip(jobs, pool.map(lambda j: subprocess.run(j, capture_output=True, text=True), jobs)):
            if result.returncode or result.stderr:
                failed += 1
                print(" ".join(job), result.stderr, sep="\n")
    print(f"{len(jobs)} compilations of {len(sources)} sources with {', '.join(compilers)}: {failed} failed")
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))
