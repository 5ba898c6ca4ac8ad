#!/bin/sh
# Takes what moac writes now as the golden files. Read the difference before you commit it.
#   tests/golden/accept.sh build/release/bin/moac
cd "$(dirname "$0")/../.." && for kernel in attention stencil spmv; do
  "$1" compile "examples/$kernel.moa" --standalone -o tests/golden/Inputs || exit 1
done
for kernel in stencil spmv; do
  "$1" compile "examples/$kernel.moa" --standalone --target fortran-openmp -o tests/golden/Inputs || exit 1
done
for kernel in rmsnorm softmax; do
  "$1" compile "examples/$kernel.moa" --standalone --target c-openacc -o tests/golden/Inputs/openacc || exit 1
done
"$1" compile examples/rmsnorm.moa --standalone --target fortran-openacc -o tests/golden/Inputs/openacc
