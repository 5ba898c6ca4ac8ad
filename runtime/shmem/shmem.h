/* shmem.h: the OpenSHMEM names over moac_shmem.h, so that existing programs compile unchanged. This
 * file holds types and constants; shmem_typed.h, written by generate_shim.py at build time, holds
 * the functions.
 *
 * The standard's functions return void where ours return a status. A failure that such a function
 * cannot report (a wrong PE, a dead peer) prints one line and ends the job through global_exit: the
 * alternative is a hang or silence.
 */
#ifndef SHMEM_H
#define SHMEM_H

#include "moac_shmem.h"

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_VENDOR_STRING "moac shmem"

typedef moac_shmem_context shmem_ctx_t;
typedef moac_shmem_team shmem_team_t;
typedef struct shmem_team_config_t {
  int num_contexts;
} shmem_team_config_t;
typedef struct shmem_ctx_session_config_t {
  size_t total_ops;
} shmem_ctx_session_config_t;

#define SHMEM_CTX_INVALID MOAC_SHMEM_CONTEXT_INVALID
#define SHMEM_CTX_DEFAULT MOAC_SHMEM_CONTEXT_DEFAULT
#define SHMEM_TEAM_INVALID MOAC_SHMEM_TEAM_INVALID
#define SHMEM_TEAM_WORLD MOAC_SHMEM_TEAM_WORLD
#define SHMEM_TEAM_SHARED MOAC_SHMEM_TEAM_WORLD /* one node: all PEs share memory */
#define SHMEM_TEAM_NUM_CONTEXTS 1L
#define SHMEM_CTX_PRIVATE ((long)MOAC_SHMEM_CONTEXT_PRIVATE)
#define SHMEM_CTX_SERIALIZED ((long)MOAC_SHMEM_CONTEXT_SERIALIZED)
#define SHMEM_CTX_NOSTORE ((long)MOAC_SHMEM_CONTEXT_NOSTORE)
#define SHMEM_CTX_SESSION_BATCH 1L
#define SHMEM_CTX_SESSION_OP_SIGNAL 2L
#define SHMEM_CTX_SESSION_TOTAL_OPS 1L

enum { SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE };
enum {
  SHMEM_CMP_EQ = MOAC_SHMEM_EQ,
  SHMEM_CMP_NE = MOAC_SHMEM_NE,
  SHMEM_CMP_GT = MOAC_SHMEM_GT,
  SHMEM_CMP_GE = MOAC_SHMEM_GE,
  SHMEM_CMP_LT = MOAC_SHMEM_LT,
  SHMEM_CMP_LE = MOAC_SHMEM_LE
};
enum { SHMEM_SIGNAL_SET = MOAC_SHMEM_SIGNAL_SET, SHMEM_SIGNAL_ADD = MOAC_SHMEM_SIGNAL_ADD };
#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE 2L

/* Active sets. */
#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 8
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

/* Names of earlier versions. */
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING

/* In C++ too: a GNU extension with the layout of std::complex. */
__extension__ typedef double _Complex SHMEM_COMPLEX_DOUBLE;
__extension__ typedef float _Complex SHMEM_COMPLEX_FLOAT;

#ifdef __cplusplus
extern "C" {
#endif
#include "shmem_typed.h"
void start_pes(int npes);
int _my_pe(void);
int _num_pes(void);
void *shmalloc(size_t size);
void shfree(void *object);
void *shmemalign(size_t alignment, size_t size);
void *shrealloc(void *old, size_t size);
void shmem_pcontrol(int level, ...);
#ifdef __cplusplus
}
#endif

/* shmem_sync takes a team, or in its deprecated form an active set. */
#define SHMEM_SYNC_PICK_(a, b, c, d, name, ...) name
#define shmem_sync(...)                                                                            \
  SHMEM_SYNC_PICK_(__VA_ARGS__, shmem_sync_deprecated_, 0, 0, shmem_team_sync, 0)(__VA_ARGS__)

#if !defined(SHMEM_NO_GENERICS) && !defined(__cplusplus) && defined(__STDC_VERSION__) &&           \
    __STDC_VERSION__ >= 201112L
#define shmem_signal_set(...)                                                                      \
  _Generic(SHMEM_FIRST_(__VA_ARGS__, 0), shmem_ctx_t                                               \
           : shmem_ctx_signal_set, default                                                         \
           : shmem_signal_set)(__VA_ARGS__)
#define shmem_signal_add(...)                                                                      \
  _Generic(SHMEM_FIRST_(__VA_ARGS__, 0), shmem_ctx_t                                               \
           : shmem_ctx_signal_add, default                                                         \
           : shmem_signal_add)(__VA_ARGS__)
#endif
#endif
