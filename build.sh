#!/bin/bash
# The front door: one command builds, tests or demonstrates moac on a plain Debian 12 machine.
#
#   ./build.sh build    install what is missing, configure, build; leaves build/release/bin/moac
#   ./build.sh test     build, then run every test (unit, lit, pages, style gates)
#   ./build.sh demo     build, then compile three examples to C, run them and print a table
#   ./build.sh clean    remove build/
#
# PRESET=dev|asan|gcc chooses another CMake preset, JOBS=n the number of parallel jobs.
set -euo pipefail
cd "$(dirname "$0")"

preset=${PRESET:-release}
jobs=${JOBS:-$(nproc)}

build_packages=(
  cmake ninja-build gcc g++ libc6-dev python3 ccache
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools libclang-22-dev libclang-cpp22-dev
  clang-22 lld-22 libfmt-dev libcli11-dev libgtest-dev libhwloc-dev
)
# Emitted C and Fortran are compiled by every compiler they are promised for; libomp-14 is clang 14's OpenMP. With Open MPI
# the engines of the SHMEM layer are built and tested.
test_packages=(clang-14 libclang-rt-22-dev gfortran flang-22 openmpi-bin libopenmpi-dev)
# Debian lets only one of its libomp-*-dev packages in: where a newer one is, clang 14 is tested without threads.
[ -n "$(ls /usr/lib/llvm-*/lib/libomp.so 2>/dev/null | grep -v llvm-14)" ] || test_packages+=(libomp-14-dev)

say() { printf '== %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else return 1; fi
}

# Packages of the argument list that dpkg does not have; on a system without dpkg: none, and CMake will say more.
missing_packages() {
  command -v dpkg-query >/dev/null || return 0
  local name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$name"
  done
}

# --no-remove: a package that would throw out another one fails here instead.
install_missing() {
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  say "installing: $missing"
  local options=(-o DPkg::Lock::Timeout=300 -y --no-install-recommends --no-remove)
  # shellcheck disable=SC2086 # the list is split into words on purpose
  if ! { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "${options[@]}" install $missing >build-packages.log; }; then
    say "could not install them; as root, run:  apt-get install --no-install-recommends --no-remove $missing" >&2
    exit 1
  fi
  rm -f build-packages.log
}

build() {
  install_missing "${build_packages[@]}"
  say "building (preset $preset, $jobs jobs)"
  cmake --preset "$preset" >build-configure.log 2>&1 || { cat build-configure.log >&2; exit 1; }
  rm -f build-configure.log
  cmake --build "build/$preset" --parallel "$jobs"
}

case "${1:-}" in
build) build ;;
test)
  install_missing "${build_packages[@]}" "${test_packages[@]}"
  build
  say "testing"
  ctest --test-dir "build/$preset" --output-on-failure --parallel "$jobs"
  ;;
demo)
  build
  say "demo"
  exec "build/$preset/bin/moac-demo"
  ;;
clean) rm -rf build ;;
*)
  sed -n '2,9s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac
