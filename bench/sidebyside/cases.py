"""What is measured: suites of cases.

A case names a kernel of bench/kernels, its sizes, the useful operations of the formula (not what a schedule chooses to do
again), the C name its peers have, and the ceiling it is held against:

    f32, f64   multiply-adds in registers, measured
    stream     a copy and read of as many bytes as the kernel must move, measured over as much memory
"""
from dataclasses import dataclass, field


@dataclass
class Case:
    suite: str
    file: str
    kernel: str
    sizes: dict
    flops: float = 0
    peer: str = ""
    ceiling: str = ""
    label: str = ""
    scalars: dict = field(default_factory=dict)
    ranges: dict = field(default_factory=dict)
    tolerance: float = 0
    quick: bool = False
    fallback: bool = False  # C loops only where no library has the peer
    unit: str = "GF/s"      # or GB/s of what must be moved

    def name(self):
        return f"{self.suite} {self.label or self.kernel} " + " ".join(f"{k}={v}" for k, v in self.sizes.items())


SQUARE = (64, 96, 128, 192, 256, 512, 1000, 1023, 2048)
QUICK = (128, 512)


def product(suite, variant, type_, sizes, quick=False, peer=None, batch=1):
    """A product of M*K*N multiply-adds; `sizes` in any order of symbols."""
    work = 2.0 * batch
    for name in ("M", "K", "N", "P", "Q", "R"):
        work *= sizes.get(name, 1)
    kernel = f"matmul_{variant}_{type_}" if variant else f"matmul_{type_}"
    peer = f"matmul_{peer}_{type_}" if peer else f"matmul_{type_}"
    return Case(suite, "matmul.moa", kernel, sizes, work, peer, type_, scalars={"s": 0.75}, quick=quick,
                tolerance=2e-5 if type_ == "f32" else 1e-12, fallback=True)


def matmul_cases(n_list):
    for type_ in ("f32", "f64"):
        for n in n_list or SQUARE:
            yield product("matmul", "", type_, {"M": n, "K": n, "N": n}, n in QUICK)
        for variant in ("abt", "atb"):
            order = "KMN" if variant == "atb" else "MKN"
            for n in n_list or (128, 512, 1000, 1023, 2048):
                yield product("matmul", variant, type_, {s: n for s in order}, n == 512, variant)


def respelled_cases(n_list):
    for type_ in ("f32", "f64"):
        for n in n_list or (128, 512, 1023):
            for variant in ("operator", "renamed", "turned", "scaled", "bias", "relu"):
                names = "PRQ" if variant == "renamed" else "MKN"
                peer = None if variant in ("operator", "renamed") else variant
                yield product("respelled", variant, type_, {s: n for s in names}, n == 512 and type_ == "f32", peer)


def skinny_cases(n_list):
    for type_ in ("f32", "f64"):
        for m in (1, 4, 16):
            for n in n_list or (2048,):
                yield product("skinny", "", type_, {"M": m, "K": n, "N": n}, type_ == "f32")
                yield product("skinny", "abt", type_, {"M": m, "K": n, "N": n}, False, "abt")
        yield product("skinny", "batched", type_, {"B": 64, "M": 64, "K": 64, "N": 64}, False, "batched", 64)


def streaming(suite, file, kernel, sizes, flops, quick=False, peer=None, tolerance=None, **more):
    return Case(suite, file, kernel, sizes, flops, peer or kernel, "stream", quick=quick, unit="GB/s",
                tolerance=tolerance or (1e-5 if kernel.endswith("f32") else 1e-12), **more)


def row_cases(n_list):
    for type_ in ("f32", "f64"):
        for t, d in [(n, n) for n in n_list or ()] or [(256, 1024), (16384, 1024), (4096, 4096), (4099, 1023)]:
            big = (t, d) == (16384, 1024)
            yield streaming("rmsnorm", "rows.moa", "rmsnorm_" + type_, {"T": t, "D": d}, 4.0 * t * d, big,
                            scalars={"eps": 1e-6})
            yield streaming("softmax", "rows.moa", "softmax_" + type_, {"T": t, "C": d}, 4.0 * t * d, big,
                            ranges={"X": [-4, 4]})
            if type_ == "f32" and big:
                yield streaming("softmax", "rows.moa", "softmax_word_f32", {"T": t, "C": d}, 4.0 * t * d, False,
                                "softmax_f32", ranges={"X": [-4, 4]})


def stencil_cases(n_list):
    for type_ in ("f32", "f64"):
        for n in n_list or (512, 4096, 4099):
            yield streaming("stencil", "stencil.moa", "stencil2d_" + type_, {"N": n, "M": n}, 7.0 * n * n, n == 4096,
                            scalars={"a": 0.125})
        for n in ((64, 256, 257) if not n_list else ()):
            yield streaming("stencil", "stencil.moa", "stencil3d_" + type_, {"L": n, "N": n, "M": n}, 9.0 * n**3, n == 256,
                            scalars={"a": 0.125})


GENERATORS = (matmul_cases, respelled_cases, skinny_cases, row_cases, stencil_cases)


def all_cases(n_list=None):
    for generator in GENERATORS:
        yield from generator(n_list)
