"""Fail on habits that the project has ruled out and that a plain text search can see.

Each gate is a rule of this code base that no compiler checks: files stay short, emitters hold no language test,
clang's headers are seen by one file, and so on. Run as `gates.py SOURCE_ROOT`; prints every violation.
"""
import os
import re
import sys

FOLDERS = ("frontend", "ir", "passes", "emitters", "runtime", "examples", "tests", "cmake", "bench")
SOURCES = (".cpp", ".h", ".c", ".td", ".def", ".py", ".sh", ".cmake", ".moa", ".mlir")
LONGEST = 450

# (id, pattern, folders it applies to or None, file names excused, what to do instead)
GATES = (
    ("language-test", re.compile(r"if \(lang"), ("emitters",), (), "answer it in the language's table"),
    ("std-cout", re.compile(r"std::cout"), None, (), "print with fmt"),
    ("unfinished", re.compile(r"\b(TODO|FIXME|XXX)\b"), None, (), "finish it or open an issue"),
    ("clang-header", re.compile(r"#\s*include\s*[<\"]clang/"), None, ("ClangReader.cpp",), "go through CReading.h"),
    ("lost-location", re.compile(r"UnknownLoc::get|getUnknownLoc"), ("frontend", "passes"), (), "give the op a source location"),
    ("machine-path", re.compile(r"/(work|root|home)/[a-z]"), None, (), "use a relative path"),
    ("generated-include", re.compile(r"#\s*include\s*\".*\.inc\""), ("frontend", "emitters", "runtime"), (), "include the dialect's header"),
)


def files(root):
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(f for f in folders if f not in ("build", "__pycache__", "golden"))
            for name in sorted(names):
                if name.endswith(SOURCES) and name != "gates.py":  # it spells what it forbids
                    yield folder, os.path.join(where, name)


def listed_lit_folders(root):
    with open(os.path.join(root, "tests", "CMakeLists.txt"), encoding="utf-8") as text:
        return set(re.search(r"set\(MOAC_LIT_FOLDERS\s([^)]*)\)", text.read()).group(1).split())


def forgotten_lit_folders(root):
    """Folders under tests/ that hold lit tests but that ctest does not run."""
    tests = os.path.join(root, "tests")
    for name in sorted(os.listdir(tests)):
        if name in ("unit", "cases", "fuzz", "tools") or not os.path.isdir(os.path.join(tests, name)):
            continue
        held = [f for where, _, fs in os.walk(os.path.join(tests, name)) if "Inputs" not in where for f in fs]
        if any(f.endswith((".moa", ".mlir", ".test")) for f in held) and name not in listed_lit_folders(root):
            yield name


def main(root):
    broken = 0
    for folder, path in files(root):
        shown, name = os.path.relpath(path, root), os.path.basename(path)
        with open(path, encoding="utf-8") as text:
            lines = text.read().splitlines()
        if len(lines) > LONGEST:
            print(f"{shown}: {len(lines)} lines [too-long]; split it by concern (limit {LONGEST})")
            broken += 1
        for number, line in enumerate(lines, 1):
            for gate, pattern, where, excused, instead in GATES:
                if (where is None or folder in where) and name not in excused and pattern.search(line):
                    print(f"{shown}:{number}: [{gate}] {line.strip()}; {instead}")
                    broken += 1
    for name in forgotten_lit_folders(root):
        print(f"tests/{name}: holds lit tests but is not in MOAC_LIT_FOLDERS of tests/CMakeLists.txt")
        broken += 1
    return 1 if broken else 0


sys.exit(main(sys.argv[1]))
