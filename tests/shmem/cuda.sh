#!/bin/sh
# Builds the layer, its part between GPUs and the bench with gcc and nvcc alone, and runs the bench with one PE a GPU.
# For machines with GPUs, where the compiler's own dependencies need not be.
#
#   tests/shmem/cuda.sh NVSHMEM FOLDER      NVSHMEM holds include/ and lib/, as the package nvidia-nvshmem-cu13 installs it;
#                                           FOLDER receives what is built
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
nvshmem=$1
mkdir -p "$2"
cd "$2"
for name in arena atomic chaos collectives combine condition context embedded engine heap lock reduce rma scheduler statics \
  status sync team trace wait world launch launch_engine launch_main; do
  gcc -O2 -std=gnu11 "-I$root" -fPIC -c "$root/runtime/shmem/$name.c" -o "$name.o" &
done
for file in runtime/shmem/nvshmem.cu tests/shmem/cuda_bench.cu tests/shmem/cuda_workloads.cu; do
  nvcc -std=c++17 -O2 -rdc=true -arch=sm_90 "-I$root" "-I$nvshmem/include" -c "$root/$file" -o "$(basename "$file" .cu).cu.o" &
done
wait
rm -f layer.a
ar rc layer.a $(ls ./*.o | grep -v -e launch -e '\.cu\.o')
gcc -o moac-launch launch.o launch_engine.o launch_main.o layer.a -lpthread -ldl
ln -sf "$nvshmem/lib/libnvshmem_host.so.3" libnvshmem_host.so
nvcc -arch=sm_90 -o cuda-bench ./*.cu.o layer.a -L. "-L$nvshmem/lib" -lnvshmem_host -lnvshmem_device \
  -lcuda -L"$(dirname "$(command -v nvcc)")/../lib64/stubs" -lpthread -ldl
# One machine: the bootstrap needs no network, the GPUs no other transport than their links.
export LD_LIBRARY_PATH="$nvshmem/lib:${LD_LIBRARY_PATH:-}" NVSHMEM_REMOTE_TRANSPORT=none NVSHMEM_SYMMETRIC_SIZE=8G \
  NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=lo NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY=AF_INET
exec ./moac-launch -n "$(nvidia-smi -L | wc -l)" ./cuda-bench
