#!/usr/bin/env python3
"""Runs moac's kernels beside their peers and says how fast each is.

    python3 bench/bench.py                     everything (long; Ctrl-C keeps what is done)
    python3 bench/bench.py --quick             a few sizes of each suite
    python3 bench/bench.py --only matmul --only 'softmax.*f32' --n 512,1000 --threads 1,2

Needs a built moac (build/release/bin/moac or --moac) and a C compiler with OpenMP; OpenBLAS, oneDNN and PyTorch take part
when they are installed. Results go to build/bench (--out): results.json, results.csv, one SVG for each suite.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from sidebyside import report  # noqa: E402
from sidebyside.build import FLAGS, FORTRAN_FLAGS, BuildError, Builder  # noqa: E402
from sidebyside.cases import all_cases  # noqa: E402
from sidebyside.plot import write_plots  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few sizes, little time for each")
    parser.add_argument("--only", action="append", default=[], metavar="REGEX", help="cases whose name matches (any of them)")
    parser.add_argument("--n", default="", metavar="N,...", help="these sizes instead of each suite's own")
    parser.add_argument("--threads", default="", metavar="T,...", help="thread counts (1 and all)")
    parser.add_argument("--seconds", type=float, default=0, help="time for each case (3, quick 0.7)")
    parser.add_argument("--clock", choices=("auto", "wall", "cpu"), default="auto",
                        help="auto: processor time for one thread (other load does not count), else time on the wall")
    parser.add_argument("--rounds", type=int, default=5, help="at least so many batches of each contestant")
    parser.add_argument("--moac", default=os.path.join(ROOT, "build/release/bin/moac"), help="the compiler")
    parser.add_argument("--moac-flags", default="", help="further options of moac compile")
    parser.add_argument("--build", action="append", default=[], metavar="LABEL=CC FLAGS",
                        help=f"a build of moac's kernels; the default is moac=cc {FLAGS}")
    parser.add_argument("--fortran", nargs="?", const=f"gfortran {FORTRAN_FLAGS}", default="", metavar="FC FLAGS",
                        help=f"moac's kernels in Fortran too, and how they compare with the C (gfortran {FORTRAN_FLAGS})")
    parser.add_argument("--cc", default="cc", help="compiler of harness and peers")
    parser.add_argument("--no-torch", action="store_true", help="leave PyTorch out")
    parser.add_argument("--out", default=os.path.join(ROOT, "build/bench"), help="folder of results and objects")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    return parser.parse_args()


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as text:
            return re.search(r"model name\s*:\s*(.*)", text.read()).group(1)
    except (OSError, AttributeError):
        return platform.processor()


def has_torch():
    return subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, check=False).returncode == 0


def describe(array, sizes, ranges):
    entry = {"type": array.type, "count": array.count(sizes), "bytes": array.bytes(sizes), "shape": array.shape(sizes)}
    if array.name in ranges:
        entry["range"] = ranges[array.name]
    return entry


class Bench:
    def __init__(self, options):
        self.options = options
        compilers = dict(b.split("=", 1) for b in options.build)
        self.builder = Builder(options.moac, os.path.join(options.out, "objects"), options.cc, compilers,
                               options.fortran)
        self.harness = self.builder.file("harness.c")
        self.peers = self.builder.peers()
        self.torch = not options.no_torch and has_torch()
        self.rows, self.broken = [], 0

    def job(self, case, threads):
        options = self.options
        head, kernels = self.builder.kernel(case.file, case.kernel, options.moac_flags.split())
        missing = [s for s in head.symbols() if s not in case.sizes]
        if missing:
            raise BuildError(f"no size for {', '.join(missing)}")
        inputs, outputs = ([describe(a, case.sizes, case.ranges) for a in list_] for list_ in (head.inputs, head.outputs))
        order = sorted(self.peers, key=lambda label: label == "C")
        return {
            "harness": self.harness,
            "clock": "cpu" if threads == 1 and options.clock != "wall" else "wall",
            "threads": threads, "torch": self.torch, "peer": case.peer,
            "sizes": [case.sizes[s] for s in head.symbols()],
            "scalars": [{"type": s.type, "value": case.scalars[s.name]} for s in head.scalars],
            "inputs": inputs, "outputs": outputs, "flops": case.flops, "ceiling": case.ceiling,
            "read": sum(a["bytes"] for a in inputs), "written": sum(a["bytes"] for a in outputs),
            "tolerance": case.tolerance, "least_rounds": options.rounds,
            "seconds": options.seconds or (0.7 if options.quick else 3), "patience": 20,
            "peers": [{"label": label, "path": self.peers[label], "symbol": case.peer,
                       "fallback": case.fallback and label == "C"} for label in order],
            "kernels": [{"label": label, "path": path, "symbol": "bench_call"} for label, path in kernels.items()],
        }

    def measure(self, job):
        environment = dict(os.environ, OMP_NUM_THREADS=str(job["threads"]), OPENBLAS_NUM_THREADS=str(job["threads"]),
                           PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))
        child = subprocess.Popen([sys.executable, "-m", "sidebyside.child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env=environment)
        try:
            out, err = child.communicate(json.dumps(job), timeout=300)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise BuildError("no result within 300 s") from None
        except BaseException:
            child.kill()
            raise
        if child.returncode != 0:
            lines = err.strip().splitlines()
            raise BuildError(lines[-1] if lines else f"the measuring process ended with {child.returncode}")
        return json.loads(out)

    def one(self, case, threads):
        try:
            job = self.job(case, threads)
            rows = report.summarize(case, job, self.measure(job))
        except BuildError as error:
            rows = [{"suite": case.suite, "case": case.kernel, "sizes": case.sizes, "threads": threads, "unit": case.unit,
                     "contestant": "moac", "failed": str(error)}]
        self.broken += sum(1 for row in rows if row.get("failed"))
        self.rows += rows
        print("\n".join(report.table_lines(case, rows)), flush=True)


def main():
    sys.stdout.reconfigure(line_buffering=True)  # a log or a pipe sees each case when it is done
    options = arguments()
    cases = list(all_cases([int(n) for n in options.n.split(",") if n]))
    if options.quick:
        cases = [c for c in cases if c.quick or options.n]
    if options.only:
        cases = [c for c in cases if any(re.search(o, c.name()) for o in options.only)]
    if options.list:
        print("\n".join(c.name() for c in cases))
        return 0
    if not os.path.exists(options.moac):
        print(f"bench: no compiler at {options.moac}; build it (./build.sh build) or give --moac", file=sys.stderr)
        return 2
    all_threads = len(os.sched_getaffinity(0))
    threads = [int(t) for t in options.threads.split(",") if t] or sorted({1, all_threads})
    try:
        bench = Bench(options)
    except BuildError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    machine = {"cpu": cpu_name(), "cores": all_threads, "cc": bench.builder.version(options.cc), "load": os.getloadavg()[0],
               "builds": {**bench.builder.compilers, **({"moac Fortran": options.fortran} if options.fortran else {})}, "date": time.strftime("%Y-%m-%d %H:%M"),
               "peers": sorted(bench.peers) + ["PyTorch"] * bench.torch}
    print(f"{machine['cpu']}, {all_threads} cores, load {machine['load']:.1f}; {machine['cc']}; peers: {', '.join(machine['peers'])}")
    print("times: " + ("of the wall" if options.clock == "wall" else "of the processor for one thread, of the wall for several"))
    print(report.HEADING, end="")
    begin, done, total = time.time(), 0, len(cases) * len(threads)
    try:
        for t in threads:
            for case in cases:
                left = (time.time() - begin) / done * (total - done) if done else 0
                print(f"[{done + 1}/{total}{f', about {left / 60:.0f} min left' if left > 60 else ''}] {case.name()} ...",
                      end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
                bench.one(case, t)
                done += 1
    except KeyboardInterrupt:
        print(f"\nstopped after {done} of {total}; what is done is kept", file=sys.stderr)
    report.write(options.out, machine, bench.rows)
    plots = write_plots(options.out, bench.rows)
    print("\nsummary (medians over cases)\n" + "\n".join(report.summary(bench.rows)))
    print(f"\nresults: {os.path.relpath(options.out)}/results.json, results.csv, {len(plots)} plots")
    return 1 if bench.broken else 0


if __name__ == "__main__":
    sys.exit(main())
