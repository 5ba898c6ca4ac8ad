"""Write and print .npy files for tests, without NumPy.

    npy.py write FILE TYPE SHAPE VALUES     TYPE is a descr as <f8, SHAPE is 3,4 (or - for rank 0), VALUES blank-separated
    npy.py print FILE [DIGITS]              descr, shape, then one row of the last axis a line
    npy.py random FILE TYPE SHAPE SEED      numbers in [-1, 1)
"""
import random
import re
import struct
import sys

CODES = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
         "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?", "V2": "H"}


def write(path, descr, shape, values):
    extents = [] if shape == "-" else [int(n) for n in shape.split(",")]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({''.join(f'{n}, ' for n in extents)}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    code = CODES[descr[1:]]
    kind = float if code in "efd" else int
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *[kind(v) for v in values]))


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + length].decode()
    descr = re.search(r"'descr': '([^']*)'", header).group(1)
    extents = [int(n) for n in re.search(r"'shape': \(([^)]*)\)", header).group(1).replace(",", " ").split()]
    code = CODES[descr[1:]]
    body = data[10 + length:]
    return descr, extents, struct.unpack(f"<{len(body) // struct.calcsize('<' + code)}{code}", body)


def show(path, digits=6):
    descr, extents, values = read(path)
    print(descr, extents)
    row = max(extents[-1] if extents else 1, 1)
    for start in range(0, len(values), row):
        print(" ".join(f"{v:.{digits}f}" if isinstance(v, float) else str(v) for v in values[start:start + row]))


def main(command, path, *rest):
    if command == "write":
        write(path, rest[0], rest[1], rest[2].split())
    elif command == "random":
        count = 1
        for n in [] if rest[1] == "-" else rest[1].split(","):
            count *= int(n)
        numbers = random.Random(int(rest[2]))
        write(path, rest[0], rest[1], [numbers.uniform(-1, 1) for _ in range(count)])
    elif command == "print":
        show(path, *[int(d) for d in rest])
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
