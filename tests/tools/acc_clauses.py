#!/usr/bin/env python3
"""Checks emitted OpenACC: every array that a launch touches stands in exactly one of its data clauses, with its length;
workers and lanes are explicit; nothing is updated by atomics; no line is too long.

    acc_clauses.py FOLDER     all of its .c files
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


def problems(path):
    text = path.read_text()
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 100:
            yield number, f"{len(line)} columns"
        if "acc atomic" in line or "\t" in line:
            yield number, "an atomic or a tab"
    for number, directive, body in launches(text):
        clauses = CLAUSE.findall(directive)
        named = [name for _, name, _ in clauses]
        for name in sorted(set(named)):
            if named.count(name) != 1:
                yield number, f"{name} stands in {named.count(name)} clauses"
        arrays = {name for way, name, length in clauses if way != "copy" or length}
        if any(not length for way, _, length in clauses if way != "copy"):
            yield number, "an array without its length"
        local = set(re.findall(r"^\s*\w+ (\w+)\[[^\]]*\];", body, re.M))
        for name in sorted(set(re.findall(r"\b([A-Za-z_]\w*)\[", body)) - local - arrays):
            yield number, f"{name} is in no clause"
        for name in sorted(arrays - set(re.findall(r"\b([A-Za-z_]\w*)\[", body))):
            yield number, f"{name} is not used"
        if "parallel" in directive and not re.search(r"num_workers\(\d+\) vector_length\(32\)", directive):
            yield number, "workers or lanes are left to the compiler"


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.c"))
    found = [f"{path.name}:{number}: {what}" for path in files for number, what in problems(path)]
    print("\n".join(found) if found else f"{len(files)} files are in order")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
