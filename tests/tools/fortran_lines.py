"""Checks emitted Fortran files of a folder: no line over 132 columns, no name over 63 characters, continuation marks
where they belong. Usage: fortran_lines.py FOLDER"""
import pathlib
import re
import sys


def problems(path):
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        code = line.split("!")[0] if not line.lstrip().startswith("!$omp") else line
        if len(line) > 132:
            yield f"{path.name}:{number}: {len(line)} columns"
        for name in re.findall(r"[A-Za-z_]\w{63,}", re.sub(r'"[^"]*"', "", code)):
            yield f"{path.name}:{number}: the name {name} has {len(name)} characters"
        if line.rstrip().endswith("&"):
            if line.strip() in ("&", "!$omp &"):
                yield f"{path.name}:{number}: a continuation mark alone"
            directive = line.lstrip().startswith("!$omp")
            if directive != lines[number].lstrip().startswith("!$omp"):
                yield f"{path.name}:{number}: a directive and a statement are continued into each other"


def main(folder):
    files = sorted(pathlib.Path(folder).glob("*.f90"))
    found = [problem for path in files for problem in problems(path)]
    print("\n".join(found) if found else f"{len(files)} files")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
