#!/usr/bin/env python3
"""Checks emitted OpenACC: every array that a launch touches stands in exactly one of its data clauses, with its length;
workers and lanes are explicit; nothing is updated by atomics or left running; no line is too long.

    acc_clauses.py FOLDER     all of its .c and .f90 files
"""
import pathlib
import re
import sys

CLAUSE = re.compile(r"\b(present|copyin|copyout|create|copy)\(([^()\[\]]+)(\[0:[^\]]*\])?\)")


def launches(text):
    """Each launch directive with the statement that it stands before."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not re.match(r"\s*#pragma acc (parallel|serial)", line):
            continue
        directive, at = line, number
        while directive.endswith("\\"):
            at += 1
            directive = directive[:-1] + lines[at].strip()
        depth, body = 0, []
        for inner in lines[at + 1:]:
            body.append(inner.split("//")[0])
            depth += inner.count("{") - inner.count("}")
            if depth == 0:
                break
        yield number + 1, directive, "\n".join(body)


def wrong_clauses(directive, clauses, used):
    """`clauses`: (way, name, length) of each array or scalar of a launch; `used`: the arrays in its body."""
    named = [name for _, name, _ in clauses]
    for name in sorted(set(named)):
        if named.count(name) != 1:
            yield f"{name} stands in {named.count(name)} clauses"
    arrays = {name for way, name, length in clauses if way != "copy" or length}
    if any(not length for way, _, length in clauses if way != "copy"):
        yield "an array without its length"
    for name in sorted(used - arrays):
        yield f"{name} is in no clause"
    for name in sorted(arrays - used):
        yield f"{name} is not used"
    if "parallel" in directive and not re.search(r"num_workers\(\d+\) vector_length\(32\)", directive):
        yield "workers or lanes are left to the compiler"
    if re.search(r"\b(async|wait)\b", directive):
        yield "a launch that is not waited for"


def problems(path):
    text = path.read_text()
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 100 and "moac_overlap(" not in line:
            yield number, f"{len(line)} columns"
        if "acc atomic" in line or "\t" in line:
            yield number, "an atomic or a tab"
    for number, directive, body in launches(text):
        local = set(re.findall(r"^\s*\w+ (\w+)\[[^\]]*\];", body, re.M))
        used = set(re.findall(r"\b([A-Za-z_]\w*)\[", body)) - local
        for what in wrong_clauses(directive, CLAUSE.findall(directive), used):
            yield number, what


def fortran_clauses(directive):
    """(way, name, length) of each data clause; lengths may hold any number of parentheses."""
    for start in re.finditer(r"\b(present|copyin|copyout|create|copy)\(", directive):
        depth, end = 1, start.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(directive[end], 0)
            end += 1
        name, _, length = directive[start.end():end - 1].partition("(0:")
        yield start.group(1), name.strip().lower(), length


def fortran_problems(path):
    """The arrays are the dummies with a shape of the subroutine around a launch."""
    lines = [line for line in path.read_text().split("\n") if line.lstrip()[:1] != "!" or line.lstrip()[:5] == "!$acc"]
    text = re.sub(r" &\n *!\$acc", "", "\n".join(lines))
    text = re.sub(r" &\n *", " ", text)
    if "!$acc atomic" in text:
        yield "somewhere", "an atomic"
    for procedure in re.findall(r"^  subroutine \w+_loops\(.*?^  end subroutine", text, re.M | re.S):
        where = procedure.split("(")[0].split()[-1]
        dummies = " ".join(re.findall(r"intent\((?:in|inout)\) :: (.*)", procedure))
        arrays = {name.lower() for name in re.findall(r"(\w+)\(0:", dummies)}
        launch = r"!\$acc (parallel loop|parallel)\b([^\n]*)\n(.*?)!\$acc end \1\n"
        for kind, clauses, body in re.findall(launch, procedure, re.S):
            code = re.sub(r"!(?!\$acc).*", "", body)
            used = {word.lower() for word in re.findall(r"\b(\w+)\(", code)} & arrays
            for what in wrong_clauses(kind + clauses, list(fortran_clauses(clauses)), used):
                yield where, what


def main():
    folder = pathlib.Path(sys.argv[1])
    files = sorted(folder.glob("*.c")) + sorted(folder.glob("*.f90"))
    readers = {".c": problems, ".f90": fortran_problems}
    found = [f"{path.name}:{place}: {what}" for path in files for place, what in readers[path.suffix](path)]
    print("\n".join(found) if found else f"{len(files)} files are in order")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
