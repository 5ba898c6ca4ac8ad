#!/usr/bin/env python3
"""Runs a kernel that `moac compile --table` wrote in Python and compares it with moac's interpreter.

    python_equals.py MOA PY KERNEL SYMBOLS SCALARS INPUTS OUTPUT
e.g. python_equals.py matmul.moa matmul.py matmul M=2,K=3,N=4 - A:M,K B:K,N C:M,N
"""
import importlib.util
import math
import random
import struct
import subprocess
import sys
import tempfile


def write(name, shape, values):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }" % "".join(f"{n}, " for n in shape)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(values)}d", *values))


def read(name):
    data = open(name, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack(f"<{(len(data) - start) // 8}d", data[start:]))


def assignments(text):
    return dict(pair.split("=") for pair in text.split(",")) if text != "-" else {}


def main():
    source, emitted, kernel, symbol_text, scalar_text, *arrays = sys.argv[1:]
    symbols = {name: int(value) for name, value in assignments(symbol_text).items()}
    scalars = {name: float(value) for name, value in assignments(scalar_text).items()}
    spec = importlib.util.spec_from_file_location("kernels", emitted)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    random.seed(7)
    values, shapes = {}, {}
    for array in arrays:
        name, axes = array.split(":")
        shapes[name] = [symbols[axis] for axis in axes.split(",")]
        values[name] = [random.gauss(0, 1) for _ in range(math.prod(shapes[name]))]
    out = arrays[-1].split(":")[0]
    with tempfile.TemporaryDirectory() as folder:
        command = ["moac", "run", source, "--kernel", kernel, "--target", "interp", "--out", f"{out}={folder}/{out}.npy"]
        for name in list(values)[:-1]:
            write(f"{folder}/{name}.npy", shapes[name], values[name])
            command += ["--in", f"{name}={folder}/{name}.npy"]
        for name, value in scalars.items():
            command += ["--set", f"{name}={value}"]
        subprocess.run(command, check=True)
        want = read(f"{folder}/{out}.npy")
    values[out] = [math.nan] * len(want)
    status = getattr(module, kernel)(*symbols.values(), *scalars.values(), *values.values())
    worst = max(abs(got - expected) / (1 + abs(expected)) for got, expected in zip(values[out], want))
    if status != 0 or not worst < 1e-13:
        print(f"{kernel}: status {status}, {worst} off")
        return 1
    print(f"{kernel} equals the interpreter in {len(want)} elements")
    return 0


if __name__ == "__main__":
    sys.exit(main())
