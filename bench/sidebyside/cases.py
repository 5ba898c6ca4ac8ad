"""What is measured: suites of cases.

A case names a kernel of bench/kernels, its sizes, the useful operations of the formula (not what a schedule chooses to do
again), the C name its peers have, and the ceiling it is held against:

    f32, f64   multiply-adds in registers, measured
    gemm TYPE  a library's product of 1024 by 1024 matrices; without a library, multiply-adds in registers
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


def chain_cases(n_list):
    for n in n_list or (4096, 1 << 24):
        for kernel, flops in (("axpy_f32", 2), ("axpy_f64", 2), ("axpy_chain_f32", 5), ("axpy_chain_f64", 5), ("axpy_operators_f32", 5)):
            yield streaming("chain", "stream.moa", kernel, {"N": n}, flops * n, kernel == "axpy_chain_f32" and n > 4096,
                            "axpy_chain_f32" if "operators" in kernel else None, scalars={"a": 0.75, "b": -0.5})


def reduction_cases(n_list):
    for t, d in [(n, n) for n in n_list or ()] or [(256, 1024), (8192, 2048), (4099, 1023)]:
        for kernel in ("row_sums_f32", "row_sums_f64", "column_sums_f32", "row_scan_f32", "row_scan_f64"):
            tolerance = 2e-4 if kernel.endswith("f32") else 1e-11
            yield streaming("reduction", "stream.moa", kernel, {"T": t, "D": d}, 2.0 * t * d, kernel == "row_sums_f32" and t > 8000,
                            tolerance=tolerance)
    for n in n_list or (1 << 24,):
        yield streaming("reduction", "stream.moa", "dot_f32", {"N": n}, 2.0 * n, tolerance=1e-2)
        yield streaming("reduction", "stream.moa", "dot_f64", {"N": n}, 2.0 * n, tolerance=1e-10)


def transpose_cases(n_list):
    for m, n in [(n, n) for n in n_list or ()] or [(256, 256), (4096, 4096), (4095, 3001)]:
        for kernel in ("transpose_f32", "transpose_f64", "transpose_word_f32"):
            yield streaming("transpose", "stream.moa", kernel, {"M": m, "N": n}, 0, kernel == "transpose_f32" and m == 4096,
                            "transpose_f32" if "word" in kernel else None)
    yield streaming("transpose", "stream.moa", "transpose_heads_f32", {"B": 4, "N": 1024, "H": 16, "D": 64}, 0)


def layer(suite, kernel, sizes, flops, quick=False, peer=None):
    return Case(suite, "layers.moa", kernel, sizes, flops, kernel if peer is None else peer, "gemm " + kernel[-3:], quick=quick, fallback=True,
                tolerance=1e-4 if kernel.endswith("f32") else 1e-11)


def layer_cases(n_list):
    for n in n_list or (56, 14, 112):
        sizes = {"B": 1, "C": 64, "H": n + 2, "W": n + 2, "O": 64, "R": 3, "S": 3}
        yield layer("conv2d", "conv2d_f32", sizes, 2.0 * 64 * 64 * 9 * n * n, n == 56)
    for t, d, f in ((512, 512, 2048), (16, 512, 2048), (1000, 500, 1003)) if not n_list else [(n, n, 4 * n) for n in n_list]:
        yield layer("mlp", "mlp_f32", {"T": t, "D": d, "F": f}, 6.0 * t * d * f, t == 512)
    yield from attention_cases(n_list)
    for n in n_list or (1 << 14, 1 << 17, 1 << 20):
        yield Case("decode", "layers.moa", "decode_f32", {"D": 64, "N": n}, 4.0 * n * 64, "decode_f32", "stream", quick=n == 1 << 17,
                   unit="GB/s", tolerance=1e-4, fallback=True)


def attention_cases(n_list):
    """Causal ones are charged for what they need: half."""
    for type_ in ("f32", "f64"):
        for d in (64, 128):
            for n in n_list or (512, 1023, 1024, 2048, 4096, 8192):
                sizes = {"B": 1, "N": n, "D": d, "M": n, "E": d}
                yield layer("attention", "attention_" + type_, sizes, 4.0 * n * n * d, type_ == "f32" and d == 64 and n == 1024)
    for n in n_list or (1024, 2048):
        sizes, work = {"B": 1, "N": n, "D": 64, "M": n, "E": 64}, 4.0 * n * n * 64
        yield layer("attention", "attention_word_f32", sizes, work, peer="attention_f32")
        yield layer("attention", "attention_turned_f32", sizes, work, peer="")
        yield layer("attention", "attention_causal_f32", {"B": 1, "N": n, "D": 64, "E": 64}, work / 2)
        yield layer("attention", "attention_grouped_f32", {"G": 2, "R": 4, "N": n // 4, "D": 64, "M": n, "E": 64}, 2 * work, peer="")


GENERATORS = (matmul_cases, respelled_cases, skinny_cases, row_cases, stencil_cases, chain_cases, reduction_cases,
              transpose_cases, layer_cases)


def all_cases(n_list=None):
    for generator in GENERATORS:
        yield from generator(n_list)
