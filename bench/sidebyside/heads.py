"""Reading a kernel's head, `kernel f(A: f32[M, K], s: f32) -> C: f32[M, N]`, to know what it is called with.

Extents are integer expressions whose spelling Python shares, so they are evaluated as such. From the same head comes the C
adapter that turns a kernel's own signature into the one every contestant has.
"""
import re
from dataclasses import dataclass, field

BYTES = {"f32": 4, "f64": 8, "i32": 4, "i64": 8}
C_TYPES = {"f32": "float", "f64": "double", "i32": "int32_t", "i64": "int64_t"}


@dataclass
class Array:
    name: str
    type: str
    extents: list  # texts

    def shape(self, sizes):
        return [int(eval(e, {"__builtins__": {}}, dict(sizes))) for e in self.extents]  # pylint: disable=eval-used

    def count(self, sizes):
        total = 1
        for extent in self.shape(sizes):
            total *= extent
        return total

    def bytes(self, sizes):
        return self.count(sizes) * BYTES[self.type]


@dataclass
class Head:
    name: str
    scalars: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)

    def arrays(self):
        return self.inputs + self.outputs

    def symbols(self):
        """Names in extents, in order of first appearance: the order of the C interface."""
        seen = []
        for array in self.arrays():
            for extent in array.extents:
                seen += [n for n in re.findall(r"[A-Za-z_]\w*", extent) if n not in seen]
        return seen


PARAMETER = re.compile(r"(\w+)\s*:\s*(\w+)\s*(?:\[([^\]]*)\])?")


def read_heads(text):
    """All kernels of a .moa text by name."""
    heads = {}
    text = re.sub(r"#.*", "", text)
    for match in re.finditer(r"kernel\s+(\w+)\s*\((.*?)\)\s*->\s*(\([^)]*\)|[^{]*)", text, re.S):
        head = Head(match.group(1))
        for name, type_, extents in PARAMETER.findall(match.group(2)):
            array = Array(name, type_, [e.strip() for e in extents.split(",")] if extents else [])
            (head.inputs if array.extents else head.scalars).append(array)
        results = re.split(r"\bwhere\b|\binplace\b", match.group(3))[0]
        for name, type_, extents in PARAMETER.findall(results):
            head.outputs.append(Array(name, type_, [e.strip() for e in extents.split(",")] if extents else []))
        heads[head.name] = head
    return heads


def adapter(head, prototype):
    """C text of `bench_call`, given the kernel's prototype as its header has it."""
    symbols = {name: k for k, name in enumerate(head.symbols())}
    places = {a.name: k for k, a in enumerate(head.scalars + head.arrays())}
    types = {a.name: C_TYPES[a.type] for a in head.scalars}
    words = []
    for parameter in prototype.split(","):
        name = re.findall(r"\w+", parameter)[-1]
        bare = name if name in symbols or name in places else name.rstrip("_")
        if bare in symbols:
            words.append(f"n[{symbols[bare]}]")
        elif bare in types:
            words.append(f"*(const {types[bare]} *)p[{places[bare]}]")
        else:
            words.append(f"p[{places[bare]}]")
    return f"int bench_call(const int64_t *n, void *const *p) {{ (void)n; return {head.name}({', '.join(words)}); }}\n"
