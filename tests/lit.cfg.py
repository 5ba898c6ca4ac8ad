# One lit suite for the whole project. Its source root is the project itself, so that a test may live in tests/ or be
# the documentation (README.md, frontend/Language.md): a page with RUN lines is a test. Where tools are and which
# host compilers exist comes from lit.site.cfg.py, which CMake writes; everything else is decided here.
import os
import shutil
import subprocess

import lit.formats

config.name = "moac"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".moa", ".mlir", ".md", ".test"]
config.test_source_root = config.moac_source_dir
config.excludes = ["build", "shared", "unit", "tools", "Inputs"]

tools = os.path.join(config.moac_source_dir, "tests", "tools")
examples = os.path.join(config.moac_source_dir, "examples")
config.substitutions += [
    ("%fence", f"'{config.python}' '{tools}/fence.py'"),
    ("%python", f"'{config.python}'"),
    ("%tools", tools),
    ("%examples", examples),
    ("%tests", os.path.join(config.moac_source_dir, "tests")),
    ("%bindir", config.moac_binary_dir),
    ("%runtime", os.path.join(config.moac_source_dir, "runtime")),
    ("%libdir", os.path.join(config.moac_binary_dir, "runtime")),
]

path = [os.path.join(config.moac_binary_dir, "bin"), config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
# Compiled kernels are cached in the build tree: tests neither read nor fill the user's cache.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
for name in ("CC", "FC", "OMP_NUM_THREADS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

for compiler in ("gcc", "g++", "clang-14", "clang-22", "gfortran", "flang-22"):
    if shutil.which(compiler, path=config.environment["PATH"]):
        config.available_features.add(compiler)
# The newest libomp-dev of a machine excludes clang 14's, which then compiles but does not link OpenMP.
if "clang-14" in config.available_features:
    probe = ["clang-14", "-fopenmp", "-xc", "-", "-o", os.devnull]
    if subprocess.run(probe, input=b"int main(void) { return 0; }", capture_output=True).returncode == 0:
        config.available_features.add("clang-14-openmp")
if config.sanitized:
    config.available_features.add("asan")
