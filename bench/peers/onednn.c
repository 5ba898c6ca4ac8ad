// Products through oneDNN's BLAS-like entry, where the library can be linked. Its threads are OpenMP's.
#include <stdint.h>

extern int dnnl_sgemm(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float, float *,
                      int64_t);

typedef const int64_t *Sizes;
typedef void *const *Arrays;

int matmul_f32(Sizes n, Arrays p) { // M K N
  return dnnl_sgemm('N', 'N', n[0], n[2], n[1], 1, p[0], n[1], p[1], n[2], 0, p[2], n[2]);
}

int matmul_abt_f32(Sizes n, Arrays p) {
  return dnnl_sgemm('N', 'T', n[0], n[2], n[1], 1, p[0], n[1], p[1], n[1], 0, p[2], n[2]);
}

int matmul_atb_f32(Sizes n, Arrays p) { // K M N
  return dnnl_sgemm('T', 'N', n[1], n[2], n[0], 1, p[0], n[1], p[1], n[2], 0, p[2], n[2]);
}
