"""PyTorch as a contestant: the same memory, seen as tensors; results go to the outputs given.

`make` returns a function to call, or nothing when PyTorch has no counterpart of the case.
"""
import ctypes

SIMPLE = {"f32": ctypes.c_float, "f64": ctypes.c_double}


def tensor(torch, array, address):
    count = max(array["count"], 1)
    memory = (SIMPLE[array["type"]] * count).from_address(address)
    return torch.frombuffer(memory, dtype=torch.float32 if array["type"] == "f32" else torch.float64,
                            count=array["count"]).view(array["shape"])


def softmax(torch, s, i, o):
    return lambda: torch.softmax(i[0], -1, out=o[0])


def attention(torch, s, i, o):
    function = torch.nn.functional.scaled_dot_product_attention
    return lambda: o[0].copy_(function(*i))


def rmsnorm(torch, s, i, o):
    return lambda: torch.mul(i[0] * torch.rsqrt(i[0].pow(2).mean(-1, keepdim=True) + s[0]), i[1], out=o[0])


def mlp(torch, s, i, o):
    return lambda: torch.mm(torch.nn.functional.silu(i[0] @ i[1]) * (i[0] @ i[2]), i[3], out=o[0])


# By the peer's name without its type; each gets torch, scalars, inputs, outputs.
MAKERS = {
    "matmul": lambda t, s, i, o: lambda: t.mm(i[0], i[1], out=o[0]),
    "matmul_abt": lambda t, s, i, o: lambda: t.mm(i[0], i[1].T, out=o[0]),
    "matmul_atb": lambda t, s, i, o: lambda: t.mm(i[0].T, i[1], out=o[0]),
    "matmul_batched": lambda t, s, i, o: lambda: t.bmm(i[0], i[1], out=o[0]),
    "matmul_bias": lambda t, s, i, o: lambda: t.addmm(i[2], i[0], i[1], out=o[0]),
    "softmax": softmax,
    "rmsnorm": rmsnorm,
    "mlp": mlp,
    "conv2d": lambda t, s, i, o: lambda: o[0].copy_(t.nn.functional.conv2d(i[0], i[1])),
    "attention": attention,
    "transpose": lambda t, s, i, o: lambda: o[0].copy_(i[0].T),
    "transpose_heads": lambda t, s, i, o: lambda: o[0].copy_(i[0].permute(0, 2, 1, 3)),
    "axpy": lambda t, s, i, o: lambda: t.add(i[1], i[0], alpha=s[0], out=o[0]),
    "row_sums": lambda t, s, i, o: lambda: t.sum(i[0] * i[0], -1, out=o[0]),
    "row_scan": lambda t, s, i, o: lambda: t.cumsum(i[0], -1, out=o[0]),
}


def make(job, addresses):
    import torch
    maker = MAKERS.get(job["peer"].rsplit("_", 1)[0])
    if maker is None or (job["peer"].startswith("attention") and not hasattr(torch.nn.functional, "scaled_dot_product_attention")):
        return None
    torch.set_num_threads(job["threads"])
    torch.set_grad_enabled(False)
    arrays = [tensor(torch, a, at) for a, at in zip(job["inputs"] + job["outputs"], addresses[len(job["scalars"]):])]
    inputs, outputs = arrays[:len(job["inputs"])], arrays[len(job["inputs"]):]
    return maker(torch, [s["value"] for s in job["scalars"]], inputs, outputs)
