"""One case measured in a process of its own: a kernel that crashes or hangs costs its row, not the run.

Reads a job as JSON from standard input, writes one JSON object. All contestants share the arrays' inputs; each has outputs of
its own, and nothing is timed before its result agrees with the first peer's. Then rounds: in each one every contestant
runs a batch, in turned order from round to round (AB, BA), so that a slow stretch of the machine hits all alike.
"""
import ctypes
import json
import math
import os
import sys
import time

CTYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double}
SHORTEST_BATCH = 2e-3  # seconds
GEMM_SIZE = 1024       # of the product that is a ceiling
SETTLE = 0.02          # seconds for the idle threads of another contestant's pool to fall asleep


class Memory:
    """Aligned memory from the C library, touched by the threads that use it."""

    def __init__(self, harness, bytes_):
        libc = ctypes.CDLL(None)
        libc.aligned_alloc.restype = ctypes.c_void_p
        libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
        size = (max(bytes_, 1) + 4096 + 4095) // 4096 * 4096
        self.address = libc.aligned_alloc(4096, size)
        if not self.address:
            raise MemoryError(f"{size} bytes")
        harness.bench_clear(ctypes.c_void_p(self.address), ctypes.c_int64(size))


class Contestant:
    def __init__(self, label, function, pointers, sizes):
        self.label, self.function = label, function
        self.pointers = (ctypes.c_void_p * max(len(pointers), 1))(*pointers)
        self.sizes = (ctypes.c_int64 * max(len(sizes), 1))(*sizes)
        self.calls, self.once, self.seconds = 1, 0.5, []

    def run(self, harness, calls):
        return harness.bench_time(self.function, self.sizes, self.pointers, ctypes.c_int64(calls))


class PythonContestant(Contestant):
    clock = time.perf_counter

    def run(self, harness, calls):
        begin = self.clock()
        for _ in range(calls):
            self.function()
        return self.clock() - begin


class Case:
    def __init__(self, job):
        self.job = job
        self.harness = ctypes.CDLL(job["harness"])
        self.harness.bench_time.restype = ctypes.c_double
        self.harness.bench_threads(job["threads"])
        if job["clock"] == "cpu":
            self.harness.bench_processor_time()
        self.libraries = []

    def memory(self, array):
        return Memory(self.harness, array["bytes"])

    def fill(self, array, memory, seed):
        low, high = array.get("range", [-1.0, 1.0])
        fill = getattr(self.harness, "bench_fill_" + array["type"])
        fill(ctypes.c_void_p(memory.address), ctypes.c_int64(array["count"]), ctypes.c_int64(seed),
             ctypes.c_double(low), ctypes.c_double(high))

    def error(self, got, want):
        worst = 0.0
        for array, a, b in zip(self.job["outputs"], got, want):
            compare = getattr(self.harness, "bench_error_" + CTYPES[array["type"]].__name__[2:])
            compare.restype = ctypes.c_double
            worst = max(worst, compare(ctypes.c_void_p(a.address), ctypes.c_void_p(b.address), ctypes.c_int64(array["count"])))
        return worst

    def contestants(self):
        """(contestant, outputs) pairs; the first one is what the others are compared with."""
        job = self.job
        self.scalars = [CTYPES[s["type"]](s["value"]) for s in job["scalars"]]
        self.inputs = [self.memory(a) for a in job["inputs"]]
        for seed, (array, memory) in enumerate(zip(job["inputs"], self.inputs)):
            self.fill(array, memory, seed)
        before = [ctypes.addressof(s) for s in self.scalars] + [m.address for m in self.inputs]
        present = False
        for entry in job["peers"] + job["kernels"]:
            library = ctypes.CDLL(entry["path"])
            self.libraries.append(library)
            if hasattr(library, "peer_threads"):
                library.peer_threads(job["threads"])
            function = getattr(library, entry["symbol"], None)
            if function is None or (entry.get("fallback") and present):
                continue
            present = True
            outputs = [self.memory(a) for a in job["outputs"]]
            yield Contestant(entry["label"], function, before + [m.address for m in outputs], job["sizes"]), outputs
        yield from self.python_contestants(before)

    def python_contestants(self, before):
        if not self.job.get("torch"):
            return
        from . import torch_peers
        outputs = [self.memory(a) for a in self.job["outputs"]]
        function = torch_peers.make(self.job, before + [m.address for m in outputs])
        if function:
            PythonContestant.clock = time.thread_time if self.job["clock"] == "cpu" else time.perf_counter
            yield PythonContestant("PyTorch", function, before, self.job["sizes"]), outputs

    def ceiling(self):
        job = self.job
        kind = job.get("ceiling")
        if kind == "stream":
            read, written = job["read"], job["written"]
            self.extra = [Memory(self.harness, max(read, 1)), Memory(self.harness, max(written, 1))]
            return Contestant("ceiling", self.harness.bench_stream, [m.address for m in self.extra], [read, written])
        if kind and kind.startswith("gemm ") and self.gemm(kind[5:]):
            return Contestant("ceiling", self.gemm(kind[5:]), [m.address for m in self.gemm_arrays(kind[5:])], [GEMM_SIZE] * 3)
        kind = kind and kind.removeprefix("gemm ")
        if kind in ("f32", "f64"):
            lanes = getattr(self.harness, "bench_lanes_" + kind)
            lanes.restype = ctypes.c_int64
            steps = max(1000, int(job["flops"] / (2 * lanes() * job["threads"])))
            return Contestant("ceiling", getattr(self.harness, "bench_peak_" + kind), [0], [min(steps, 20_000_000)])
        return None

    def gemm(self, type_):
        """A library's product, if one is here."""
        for entry in self.job["peers"]:
            if entry["label"] != "C":
                if function := getattr(ctypes.CDLL(entry["path"]), "matmul_" + type_, None):
                    return function
        return None

    def gemm_arrays(self, type_):
        count = GEMM_SIZE * GEMM_SIZE
        array = {"type": type_, "count": count, "bytes": count * ctypes.sizeof(CTYPES[type_])}
        self.extra = [self.memory(array) for _ in range(3)]
        for seed, memory in enumerate(self.extra[:2]):
            self.fill(array, memory, seed)
        return self.extra

    def ceiling_work(self, contestant):
        """How many times the case's work one call of the ceiling does."""
        kind = self.job["ceiling"]
        if kind == "stream":
            return 1.0
        if kind.startswith("gemm ") and self.gemm(kind[5:]):
            return 2.0 * GEMM_SIZE**3 / self.job["flops"]
        lanes = getattr(self.harness, "bench_lanes_" + kind.removeprefix("gemm "))()
        return contestant.sizes[0] * 2 * lanes * self.job["threads"] / self.job["flops"]

    def verify(self):
        """Runs everyone once. What disagrees is reported and does not take part."""
        kept, report, reference = [], {}, None
        for contestant, outputs in self.contestants():
            status, begin = 0, time.perf_counter()
            if isinstance(contestant, PythonContestant):
                contestant.function()
            else:
                status = contestant.function(contestant.sizes, contestant.pointers)
            contestant.once = time.perf_counter() - begin
            if status != 0:
                report[contestant.label] = {"failed": f"status {status}"}
                continue
            if reference is None:
                reference = outputs
            error = self.error(outputs, reference)
            report[contestant.label] = {"error": error}
            if not error <= self.job["tolerance"]:
                report[contestant.label]["failed"] = f"wrong result, error {error:.1e}"
                continue
            kept.append(contestant)
        return kept, report

    def rounds(self, contestants):
        harness, job = self.harness, self.job
        for c in contestants:
            for _ in range(2):
                c.once = min(c.once, c.run(harness, 1)) if c.once < 1 else c.once
            c.calls = max(1, min(1_000_000, math.ceil(SHORTEST_BATCH / max(c.once, 1e-9))))
        begin, done = time.perf_counter(), 0
        while done < job["least_rounds"] or (time.perf_counter() - begin < job["seconds"] and done < 400):
            order = contestants if done % 2 == 0 else contestants[::-1]
            for c in order:
                if job["threads"] > 1:
                    time.sleep(SETTLE)
                if c.once < 0.02:
                    c.run(harness, max(1, c.calls // 8))
                c.seconds.append(c.run(harness, c.calls) / c.calls)
            done += 1
            if time.perf_counter() - begin > job["patience"]:
                break

    def measure(self):
        contestants, report = self.verify()
        ceiling = self.ceiling()
        timed = contestants + ([ceiling] if ceiling else [])
        if contestants:
            self.rounds(timed)
        for c in timed:
            entry = report.setdefault(c.label, {})
            work = self.ceiling_work(c) if c is ceiling else 1.0
            entry["seconds"] = [s / work for s in c.seconds]
        return report


def main():
    job = json.load(sys.stdin)
    out = os.dup(1)
    os.dup2(2, 1)  # what a library prints does not reach the reader of the result
    report = Case(job).measure()
    os.write(out, (json.dumps(report) + "\n").encode())


if __name__ == "__main__":
    main()
