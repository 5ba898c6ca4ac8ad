/* pshmem.h: the profiling interface. shmem.h declares every function under its p name too; the
 * shmem_ names are weak. */
#ifndef PSHMEM_H
#define PSHMEM_H
#include "shmem.h"
#endif
