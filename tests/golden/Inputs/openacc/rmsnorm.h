/*
 * Kernels of rmsnorm.moa, written by moac; change the source, not this file.
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
#ifndef MOAC_KERNELS_RMSNORM_H
#define MOAC_KERNELS_RMSNORM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 *   in  X: f64[T, D]
 *   in  g: f64[D]
 *   out Z: f64[T, D]
 */
int rmsnorm(int64_t T, int64_t D, double eps, const double *X, const double *g, double *Z);

/*
 * The same for arrays that are on the device already: every pointer is one that an enclosing data
 * construct or acc_copyin() knows, and results stay there.
 */
int rmsnorm_device(int64_t T, int64_t D, double eps, const double *X, const double *g, double *Z);

#ifdef __cplusplus
}
#endif

#endif
