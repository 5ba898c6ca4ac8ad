/*
 * Kernels of attention.moa, written by moac; change the source, not this file.
 *
 * Every kernel returns 0, or
 *   -1 (MOAC_NULL_POINTER)      an array that has elements is null
 *   -2 (MOAC_EXTENT)            an extent is negative or does not divide
 *   -3 (MOAC_CONSTRAINT)        a condition of the signature does not hold
 *   -4 (MOAC_INDEX)             an index read from data left its axis
 *   -5 (MOAC_OVERFLOW)          an array would be too large to exist
 *   -6 (MOAC_ALIASING)          an output overlaps another array
 *   -7 (MOAC_NO_MEMORY)         scratch memory could not be had
 *   -8 (MOAC_DIVISION_BY_ZERO)  an integer division by zero
 * After -4 and -8 the outputs may be partly written; after any other they are untouched. Arrays are
 * dense, the last axis varies fastest, and empty ones may be null. f16 and bf16 elements are
 * patterns of 16 bits.
 */
#ifndef MOAC_KERNELS_ATTENTION_H
#define MOAC_KERNELS_ATTENTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 *   in  Q: f64[B, N, D]
 *   in  K: f64[B, M, D]
 *   in  V: f64[B, M, E]
 *   out O: f64[B, N, E]
 */
int attention(int64_t B, int64_t N, int64_t D, int64_t M, int64_t E, const double *Q,
              const double *K, const double *V, double *O);

/*
 * The same with the caller's scratch memory: attention_ws_size() bytes of untyped storage, any
 * alignment. The size depends on the thread count; with less memory fewer threads work.
 */
size_t attention_ws_size(int64_t B, int64_t N, int64_t D, int64_t M, int64_t E);
int attention_ws(int64_t B, int64_t N, int64_t D, int64_t M, int64_t E, const double *Q,
                 const double *K, const double *V, double *O, void *ws, size_t ws_bytes);

#ifdef __cplusplus
}
#endif

#endif
