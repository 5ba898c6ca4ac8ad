/* engine.h: the contract between the runtime and a communication engine of the site (MPI,
 * OpenSHMEM).
 *
 * An engine is a shared object that exports one table, moac_shmem_engine_table. The runtime loads
 * it when the launcher names it (MOAC_SHMEM_ENGINE), so that one program binary runs on every
 * backend and links none of them. All calls are made by one process per PE; memory() is called
 * once, by all PEs together, and everything else addresses that memory.
 */
#ifndef MOAC_SHMEM_ENGINE_H
#define MOAC_SHMEM_ENGINE_H

#include "runtime/shmem/moac_shmem.h"

enum { MOAC_SHMEM_ENGINE_VERSION = 1, MOAC_SHMEM_ENGINE_ALIGNMENT = 1 << 16 };

typedef struct moac_shmem_engine {
  int version;
  const char *name;
  bool (*start)(int *pe, int *pes);
  void *(*memory)(size_t bytes); /* aligned as above on every PE; NULL when there is none */
  void (*put)(void *target, const void *source, size_t bytes, int to, bool nbi);
  void (*get)(void *target, const void *source, size_t bytes, int from, bool nbi);
  /* On a word of 4 or 8 bytes; returns the old value. A SET may be answered with anything. */
  uint64_t (*atomic)(void *word, moac_shmem_atomic_op op, size_t bytes, uint64_t operand,
                     uint64_t compare, int at);
  void (*fence)(void);    /* orders puts and atomics to each PE */
  void (*quiet)(void);    /* completes everything */
  void (*progress)(void); /* lets deliveries to this PE happen and be seen */
  void (*barrier)(void);
  void (*exit)(int code); /* ends the job */
  void (*stop)(void);
} moac_shmem_engine;

#endif
