"""From sources to shared objects, each kept under a name made of everything that decides its bytes.

moac translates a kernel to C, the C compiler builds it with the flags emitted files recommend; harness and peers are built
the same way. A peer whose library cannot be linked is simply not there.
"""
import hashlib
import os
import re
import shutil
import subprocess

from .heads import adapter, read_heads

FLAGS = "-std=gnu11 -O3 -march=native -ffp-contract=fast -fopenmp"
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class BuildError(Exception):
    pass


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(str(error)) from None
    if done.returncode != 0:
        raise BuildError(" ".join(command) + "\n" + (done.stderr or done.stdout).strip())
    return done.stdout


class Builder:
    """`moac`: the program; `folder`: where objects are kept; `compilers`: label -> "cc -O3 ..." of moac's kernels."""

    def __init__(self, moac, folder, cc="cc", compilers=None):
        self.moac, self.folder, self.cc = moac, folder, cc
        self.compilers = compilers or {"moac": f"{cc} {FLAGS}"}
        self.versions = {}
        os.makedirs(folder, exist_ok=True)

    def version(self, program):
        if program not in self.versions:
            self.versions[program] = run([program, "--version"]).splitlines()[0]
        return self.versions[program]

    def shared(self, label, text, command, libraries=()):
        """Compiles C text; returns the object's path."""
        words = command.split()
        key = hashlib.sha256("\0".join([text, command, self.version(words[0]), *libraries]).encode()).hexdigest()[:16]
        path = os.path.join(self.folder, f"{label}-{key}.so")
        if not os.path.exists(path):
            source = os.path.join(self.folder, f"{label}-{key}.c")
            with open(source, "w", encoding="utf-8") as out:
                out.write(text)
            run(words + ["-shared", "-fPIC", "-o", path + ".partial", source, *libraries, "-lm"])
            os.replace(path + ".partial", path)
        return path

    def file(self, name, libraries=()):
        text = self.text(name)
        return self.shared(os.path.basename(name)[:-2], text, f"{self.cc} {FLAGS}", libraries)

    def text(self, name):
        """A source with the files beside it that it includes."""
        with open(os.path.join(HERE, name), encoding="utf-8") as source:
            lines = source.read().splitlines()
        for k, line in enumerate(lines):
            if found := re.match(r'#include "([\w.]+)"', line):
                lines[k] = self.text(os.path.join(os.path.dirname(name), found.group(1)))
        return "\n".join(lines) + "\n"

    def peers(self):
        """Label -> path of every C peer that can be built here."""
        found = {}
        for label, name, choices in PEERS:
            for libraries in choices:
                try:
                    found[label] = self.file(name, libraries)
                    break
                except BuildError:
                    continue
        return found

    def kernel(self, file, name, flags=()):
        """(head, label -> path) of one kernel, in every build asked for."""
        path = file if os.path.isabs(file) else os.path.join(HERE, "kernels", file)
        with open(path, encoding="utf-8") as source:
            heads = read_heads(source.read())
        if name not in heads:
            raise BuildError(f"{file} has no kernel '{name}'")
        folder = os.path.join(self.folder, "emitted", name)
        shutil.rmtree(folder, ignore_errors=True)
        run([self.moac, "compile", path, "--kernel", name, "--standalone", "-o", folder, *flags])
        stem = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
        with open(stem + ".h", encoding="utf-8") as header, open(stem + ".c", encoding="utf-8") as source:
            prototypes, text = header.read(), source.read()
        prototype = re.search(rf"\b{name}\s*\(([^;]*)\)\s*;", prototypes)
        if not prototype:
            raise BuildError(f"the header of {file} does not declare {name}")
        text = re.sub(rf'#include "{os.path.basename(stem)}.h"', lambda _: prototypes, text)
        text += "\n" + adapter(heads[name], prototype.group(1))
        return heads[name], {label: self.shared(name, text, command) for label, command in self.compilers.items()}


# Label, source, and the link options to try in turn.
PEERS = (
    ("C", "peers/reference.c", [()]),
    ("OpenBLAS", "peers/openblas.c", [("-lopenblas",), ("-l:libopenblas.so.0",)]),
    ("oneDNN", "peers/onednn.c", [("-ldnnl",), ("-l:libdnnl.so.3",), ("-l:libdnnl.so.2",)]),
)
