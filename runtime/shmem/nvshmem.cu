/* nvshmem.cu: the host's side of moac_shmem_cuda.h. NVSHMEM is started by the identifier that PE 0
 * makes and broadcasts through the host's world, so it needs neither MPI nor a launcher of its own.
 */
#include "runtime/shmem/moac_shmem_cuda.h"

#include <nvshmem.h>
#include <nvshmemx.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool running;

static moac_shmem_status share_identifier(nvshmemx_uniqueid_t *id) {
  void *shared = NULL;
  moac_shmem_status status = moac_shmem_malloc(sizeof *id, &shared);
  if (status != MOAC_SHMEM_OK)
    return status;
  if (moac_shmem_my_pe() == 0 && nvshmemx_get_uniqueid(id) != 0)
    status = MOAC_SHMEM_SYSTEM;
  memcpy(shared, id, sizeof *id);
  moac_shmem_status sent =
      moac_shmem_broadcast(MOAC_SHMEM_TEAM_WORLD, shared, shared, sizeof *id, 0);
  memcpy(id, shared, sizeof *id);
  moac_shmem_status freed = moac_shmem_free(shared);
  return status != MOAC_SHMEM_OK ? status : sent != MOAC_SHMEM_OK ? sent : freed;
}

/* NVSHMEM ends the program at the first barrier when several processes use one GPU, unless NVIDIA's
 * MPS divides it between them, which it does by this variable. PEs of one machine are told by its
 * name. */
static moac_shmem_status check_room(int devices) {
  char name[256] = "";
  int pes = moac_shmem_n_pes(), here = 0;
  if (getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") != NULL)
    return MOAC_SHMEM_OK;
  gethostname(name, sizeof name - 1);
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char *c = name; *c != '\0'; ++c)
    hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
  void *shared = NULL;
  moac_shmem_status status = moac_shmem_malloc(((size_t)pes + 1) * sizeof hash, &shared);
  if (status != MOAC_SHMEM_OK)
    return status;
  uint64_t *all = (uint64_t *)shared;
  all[pes] = hash;
  status = moac_shmem_fcollect(MOAC_SHMEM_TEAM_WORLD, all, all + pes, sizeof hash);
  for (int pe = 0; pe < pes; ++pe)
    here += all[pe] == hash;
  moac_shmem_status freed = moac_shmem_free(shared);
  if (status == MOAC_SHMEM_OK && here > devices)
    status = MOAC_SHMEM_UNSUPPORTED;
  return status != MOAC_SHMEM_OK ? status : freed;
}

moac_shmem_status moac_shmem_cuda_init(int device) {
  int devices = 0;
  if (!moac_shmem_initialized())
    return MOAC_SHMEM_NOT_INITIALIZED;
  if (running)
    return MOAC_SHMEM_INVALID_ARGUMENT;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 || device < 0 ||
      cudaSetDevice(device % devices) != cudaSuccess)
    return MOAC_SHMEM_SYSTEM;
  moac_shmem_status status = check_room(devices);
  if (status != MOAC_SHMEM_OK)
    return status;
  /* Multicast can put GPUs that others share out of service; a site that wants it says so. */
  setenv("NVSHMEM_DISABLE_NVLS", "1", 0);
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  nvshmemx_init_attr_t how = NVSHMEMX_INIT_ATTR_INITIALIZER;
  status = share_identifier(&id);
  if (status != MOAC_SHMEM_OK)
    return status;
  if (nvshmemx_set_attr_uniqueid_args(moac_shmem_my_pe(), moac_shmem_n_pes(), &id, &how) != 0 ||
      nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &how) != 0)
    return MOAC_SHMEM_SYSTEM;
  running = true;
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_cuda_finalize(void) {
  if (!running)
    return MOAC_SHMEM_NOT_INITIALIZED;
  running = false;
  nvshmem_finalize();
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_cuda_calloc(size_t bytes, void **object) {
  if (!running || object == NULL)
    return running ? MOAC_SHMEM_INVALID_ARGUMENT : MOAC_SHMEM_NOT_INITIALIZED;
  *object = bytes == 0 ? NULL : nvshmem_calloc(1, bytes);
  return *object == NULL && bytes != 0 ? MOAC_SHMEM_HEAP_EXHAUSTED : MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_cuda_free(void *object) {
  if (!running)
    return MOAC_SHMEM_NOT_INITIALIZED;
  if (object != NULL)
    nvshmem_free(object);
  return MOAC_SHMEM_OK;
}

static moac_shmem_status check_pe(int pe) {
  if (!running)
    return MOAC_SHMEM_NOT_INITIALIZED;
  return pe >= 0 && pe < moac_shmem_n_pes() ? MOAC_SHMEM_OK : MOAC_SHMEM_INVALID_PE;
}

moac_shmem_status moac_shmem_cuda_ptr(const void *object, int pe, void **address) {
  moac_shmem_status status = address == NULL ? MOAC_SHMEM_INVALID_ARGUMENT : check_pe(pe);
  if (status != MOAC_SHMEM_OK)
    return status;
  *address = nvshmem_ptr(object, pe);
  return *address == NULL ? MOAC_SHMEM_UNSUPPORTED : MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_cuda_barrier(cudaStream_t stream) {
  if (!running)
    return MOAC_SHMEM_NOT_INITIALIZED;
  nvshmemx_barrier_all_on_stream(stream);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_cuda_put_signal(void *target, const void *source, size_t bytes,
                                             moac_shmem_signal signal, int pe,
                                             cudaStream_t stream) {
  moac_shmem_status status = check_pe(pe);
  if (status == MOAC_SHMEM_OK)
    nvshmemx_putmem_signal_on_stream(
        target, source, bytes, signal.word, signal.value,
        signal.op == MOAC_SHMEM_SIGNAL_SET ? NVSHMEM_SIGNAL_SET : NVSHMEM_SIGNAL_ADD, pe, stream);
  return status;
}

moac_shmem_status moac_shmem_cuda_signal_wait_until(uint64_t *word,
                                                    moac_shmem_comparison comparison,
                                                    uint64_t operand, cudaStream_t stream) {
  static const int all[] = {NVSHMEM_CMP_EQ, NVSHMEM_CMP_NE, NVSHMEM_CMP_GT,
                            NVSHMEM_CMP_GE, NVSHMEM_CMP_LT, NVSHMEM_CMP_LE};
  if (!running)
    return MOAC_SHMEM_NOT_INITIALIZED;
  if ((unsigned)comparison > MOAC_SHMEM_LE)
    return MOAC_SHMEM_INVALID_ARGUMENT;
  nvshmemx_signal_wait_until_on_stream(word, all[comparison], operand, stream);
  return MOAC_SHMEM_OK;
}
