/* embedded.h: the parts of the default backend that the chaos engine and the waits use too. */
#ifndef MOAC_SHMEM_EMBEDDED_H
#define MOAC_SHMEM_EMBEDDED_H

#include "runtime/shmem/internal.h"

/* The address of PE at's copy of a symmetric object, or NULL. */
char *moac_shmem_embedded_translate(Pe *pe, const void *object, size_t bytes, int at);
/* Before a synchronising load of this PE's own memory: pays for a fence that came before it. */
void moac_shmem_local_load_point(Pe *pe);

#endif
