"""Checks emitted Fortran files of a folder: no line over 132 columns, no name over 63 characters, continuation marks
where they belong. Usage: fortran_lines.py FOLDER"""
import pathlib
import re
import sys

DIRECTIVES = ("!$omp", "!$acc")


def problems(path):
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        directive = line.lstrip()[:5] if line.lstrip().startswith(DIRECTIVES) else ""
        code = line if directive else line.split("!")[0]
        if len(line) > 132:
            yield f"{path.name}:{number}: {len(line)} columns"
        for name in re.findall(r"[A-Za-z_]\w{63,}", re.sub(r'"[^"]*"', "", code)):
            yield f"{path.name}:{number}: the name {name} has {len(name)} characters"
        if line.rstrip().endswith("&"):
            if line.strip() in ("&", f"{directive} &"):
                yield f"{path.name}:{number}: a continuation mark alone"
            following = lines[number].lstrip()
            if not (following.startswith(directive) if directive else not following.startswith(DIRECTIVES)):
                yield f"{path.name}:{number}: a directive and a statement are continued into each other"


def main(folder):
    files = sorted(pathlib.Path(folder).glob("*.f90"))
    found = [problem for path in files for problem in problems(path)]
    print("\n".join(found) if found else f"{len(files)} files")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
