"""From sources to shared objects, each kept under a name made of everything that decides its bytes.

moac translates a kernel to C, the C compiler builds it with the flags emitted files recommend; harness and peers are built
the same way. On demand the same kernel is a contestant in Fortran too, called through the header that both languages share; both link the
runtime library then, which Fortran asks for what it cannot say itself.
A peer whose library cannot be linked is simply not there.
"""
import hashlib
import os
import platform
import re
import shutil
import subprocess

from .heads import adapter, read_heads

FLAGS = "-std=gnu11 -O3 -march=native -ffp-contract=fast -fopenmp"
FORTRAN_FLAGS = "-O3 -march=native -ffp-contract=fast -fopenmp --param max-inline-insns-auto=400" + (
    " -mprefer-vector-width=512" if platform.machine() == "x86_64" else "")
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


def runtime_of(moac):
    """(header, library) of libmoac-runtime, beside the program in a build tree or where both are installed."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(moac)))
    for header, folder in ((os.path.join(HERE, "..", "runtime"), "runtime"), (os.path.join(above, "include"), "lib")):
        library = os.path.join(above, folder, "libmoac-runtime.a")
        if os.path.exists(library) and os.path.exists(os.path.join(header, "moac.h")):
            return os.path.join(header, "moac.h"), library
    raise BuildError(f"no runtime library beside {moac}")


class Builder:
    """`moac`: the program; `folder`: where objects are kept; `compilers`: label -> "cc -O3 ..." of moac's kernels;
    `fortran`: a command for the same kernels in Fortran, or nothing."""

    def __init__(self, moac, folder, cc="cc", compilers=None, fortran=""):
        self.moac, self.folder, self.cc = moac, folder, cc
        self.compilers = compilers or {"moac": f"{cc} {FLAGS}"}
        self.fortran, self.versions = fortran, {}
        self.runtime = runtime_of(moac) if fortran else None
        os.makedirs(folder, exist_ok=True)

    def version(self, program):
        if program not in self.versions:
            self.versions[program] = run([program, "--version"]).splitlines()[0]
        return self.versions[program]

    def shared(self, label, text, command, libraries=()):
        """Compiles C text; returns the object's path."""
        return self.built(label, {".c": text}, command, libraries)

    def built(self, label, texts, command, libraries=()):
        """Compiles one file for each suffix of `texts`, in that order, to one shared object; returns its path."""
        words = command.split()
        text = "\0".join(texts.values())
        key = hashlib.sha256("\0".join([text, command, self.version(words[0]), *libraries]).encode()).hexdigest()[:16]
        path = os.path.join(self.folder, f"{label}-{key}.so")
        if not os.path.exists(path):
            sources = []
            for suffix, text in texts.items():
                sources.append(os.path.join(self.folder, f"{label}-{key}{suffix}"))
                with open(sources[-1], "w", encoding="utf-8") as out:
                    out.write(text)
            modules = ["-J", self.folder] if ".f90" in texts else []
            run(words + modules + ["-shared", "-fPIC", "-o", path + ".partial", *sources, *libraries, "-lm"])
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
        prototypes, text = self.emitted(path, name, "c-openmp", ".c", flags)
        prototype = re.search(rf"\b{name}\s*\(([^;]*)\)\s*;", prototypes)
        if not prototype:
            raise BuildError(f"the header of {file} does not declare {name}")
        call = "\n" + adapter(heads[name], prototype.group(1))
        linked = [self.runtime[1]] if self.runtime else []
        built = {label: self.shared(name, text + call, command, linked) for label, command in self.compilers.items()}
        if self.fortran:
            prototypes, text = self.emitted(path, name, "fortran-openmp", ".f90", flags)
            built["moac Fortran"] = self.built(name, {".f90": text, ".c": prototypes + call}, self.fortran, linked)
        return heads[name], built

    def emitted(self, path, name, target, suffix, flags):
        """(header, text) of a kernel in one language; in C the headers stand in the text."""
        folder = os.path.join(self.folder, "emitted", name)
        shutil.rmtree(folder, ignore_errors=True)
        alone = [] if self.runtime else ["--standalone"]
        run([self.moac, "compile", path, "--kernel", name, *alone, "--target", target, "-o", folder, *flags])
        stem = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
        with open(stem + ".h", encoding="utf-8") as header, open(stem + suffix, encoding="utf-8") as source:
            prototypes, text = header.read(), source.read()
        headers = {os.path.basename(stem) + ".h": prototypes}
        if self.runtime:
            with open(self.runtime[0], encoding="utf-8") as header:
                headers["moac.h"] = header.read()
        return prototypes, re.sub(r'#include "(\w+\.h)"', lambda found: headers[found.group(1)], text)


# Label, source, and the link options to try in turn.
PEERS = (
    ("C", "peers/reference.c", [()]),
    ("OpenBLAS", "peers/openblas.c", [("-lopenblas",), ("-l:libopenblas.so.0",)]),
    ("oneDNN", "peers/onednn.c", [("-ldnnl",), ("-l:libdnnl.so.3",), ("-l:libdnnl.so.2",)]),
)
