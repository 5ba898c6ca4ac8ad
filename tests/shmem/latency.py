"""The three numbers of latency.c on every backend that is there, side by side in one run.

    latency.py FOLDER [ROUNDS]       FOLDER holds moac-launch and shmem-latency; the best of ROUNDS (3) counts
"""
import os
import re
import subprocess
import sys

WAYS = [  # what the column is called, the options of the launcher, the program
    ("embedded", [], "shmem-latency"),
    ("oshmem, native", ["--engine", "oshmem"], "shmem-latency-native"),
    ("oshmem", ["--engine", "oshmem"], "shmem-latency"),
    ("mpi", ["--engine", "mpi"], "shmem-latency"),
]


def measure(folder, options, program):
    done = subprocess.run([os.path.join(folder, "moac-launch"), "-n", "2", *options, os.path.join(folder, program)],
                          capture_output=True, text=True, timeout=300)
    found = re.search(r"put +([\d.]+) us.*one way +([\d.]+) us.*put +([\d.]+) GB/s, memcpy ([\d.]+)", done.stdout, re.S)
    return [float(word) for word in found.groups()] if found else None


def main(folder, rounds="3"):
    print(f"{'':16}{'8-byte put':>12}{'one way':>12}{'8 MiB put':>12}{'of memcpy':>12}")
    for name, options, program in WAYS:
        runs = [run for run in (measure(folder, options, program) for _ in range(int(rounds))) if run]
        if not runs:
            print(f"{name:16}  not there")
            continue
        small, one_way = (min(run[i] for run in runs) for i in (0, 1))
        large, share = max((run[2], run[2] / run[3]) for run in runs)
        print(f"{name:16}{small:9.3f} us{one_way:9.3f} us{large:7.1f} GB/s{share:12.2f}")


main(*sys.argv[1:])
