/* thread.c: further threads of a PE. In a world of processes any thread belongs to the PE; where
 * PEs are threads or coroutines themselves, one has to say whose a new one is.
 */
#include "runtime/shmem/internal.h"
#include "runtime/shmem/scheduler.h"

#include <stdlib.h>

struct moac_shmem_thread {
  Pe *pe;
  pthread_t thread;
  int coroutine; /* -1: none */
  void (*body)(void *);
  void *argument;
};

static void *run(void *argument) {
  moac_shmem_thread *thread = argument;
  if (thread->pe->world->mode != WORLD_PROCESSES)
    moac_shmem_thread_pe = thread->pe;
  thread->body(thread->argument);
  moac_shmem_thread_pe = NULL;
  return NULL;
}

moac_shmem_status moac_shmem_thread_start(void (*body)(void *), void *argument,
                                          moac_shmem_thread **thread) {
  REQUIRE_PE(pe);
  if (body == NULL || thread == NULL)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "body or thread is NULL");
  moac_shmem_thread *made = malloc(sizeof *made);
  if (made == NULL)
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "no memory for a thread");
  *made = (moac_shmem_thread){.pe = pe, .coroutine = -1, .body = body, .argument = argument};
  bool coroutines = pe->world->scheduler != NULL;
  if (coroutines)
    made->coroutine = moac_shmem_scheduler_start(pe, body, argument);
  if (coroutines ? made->coroutine < 0 : pthread_create(&made->thread, NULL, run, made) != 0) {
    free(made);
    return FAIL(MOAC_SHMEM_SYSTEM, "too many threads");
  }
  *thread = made;
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_thread_join(moac_shmem_thread *thread) {
  REQUIRE_PE(pe);
  if (thread == NULL || thread->pe != pe)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "no thread of this PE");
  Status status = MOAC_SHMEM_OK;
  if (thread->coroutine >= 0)
    status = moac_shmem_scheduler_join(pe, thread->coroutine);
  else
    pthread_join(thread->thread, NULL);
  free(thread);
  return status;
}
