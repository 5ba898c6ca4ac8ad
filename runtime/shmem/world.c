/* world.c: how a PE enters and leaves a world: processes through the launcher's environment,
 * threads and coroutines through moac_shmem_run.
 */
#define _GNU_SOURCE
#include "runtime/shmem/chaos.h"
#include "runtime/shmem/internal.h"
#include "runtime/shmem/scheduler.h"
#include "runtime/shmem/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

_Thread_local Pe *moac_shmem_thread_pe;
Pe *moac_shmem_process_pe;
static World process_world = {.mode = WORLD_PROCESSES, .arena_fd = -1};
static uint32_t generation; /* how often init has run in this process */

/* With a core of its own a PE falls asleep only after a wait of milliseconds: two partners that
 * wake each other through the kernel would never get back to spinning. */
enum { SPINS_OWN_CORE = 2000, SPINS_SHARED_CORE = 100, YIELDS_OWN_CORE = 2000 };
enum { YIELDS_SHARED_CORE = 64, DEFAULT_HEAP = 1 << 27, RUN_HEAP = 1 << 20 };

Status moac_shmem_pe_enter(World *world, int number, Pe **made) {
  Control *control = world->control;
  Pe *pe = calloc(1, sizeof *pe);
  if (pe == NULL)
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "no memory for the state of PE %d", number);
  pe->world = world;
  pe->pe = number;
  pe->pes = control->pes;
  pe->slice = world->slices + (size_t)number * control->slice_bytes;
  pe->slice_bytes = control->slice_bytes;
  pe->slot = &control->slots[number];
  bool own_core = control->pes <= control->cores;
  pe->spins = own_core ? SPINS_OWN_CORE : SPINS_SHARED_CORE;
  pe->yields = own_core ? YIELDS_OWN_CORE : YIELDS_SHARED_CORE;
  pe->backend = &moac_shmem_embedded;
  if (world->own_slice != NULL) {
    pe->slice = world->own_slice;
    pe->backend = &moac_shmem_engine_backend;
  }
  pthread_mutex_init(&pe->lock, NULL);
  pe->heap =
      moac_shmem_heap_create(pe->slice + control->sync_bytes,
                             control->slice_bytes - control->sync_bytes, control->sync_bytes);
  if (pe->heap == NULL) {
    moac_shmem_pe_leave(pe);
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "no memory for the state of PE %d", number);
  }
  pe->contexts[0] = (Context){true, 0, 0, 0};
  pe->contexts[INTERNAL_CONTEXT] = (Context){true, 0, 0, 0};
  *made = pe;
  return MOAC_SHMEM_OK;
}

void moac_shmem_pe_leave(Pe *pe) {
  moac_shmem_trace_stop(pe);
  if (pe->chaos != NULL)
    moac_shmem_chaos_stop(pe);
  moac_shmem_heap_destroy(pe->heap);
  pthread_mutex_destroy(&pe->lock);
  free(pe->statics);
  free(pe->statics_bytes);
  free(pe);
}

/* Before the sync areas can be used every PE must be mapped in: a counter in the control block. */
static Status start_together(Pe *pe) {
  Control *control = pe->world->control;
  if (control->chaos_seed != 0 && !moac_shmem_chaos_start(pe, control->chaos_seed))
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "no memory for deliveries in flight");
  if (!moac_shmem_trace_start(pe))
    return FAIL(MOAC_SHMEM_SYSTEM, "cannot write a trace to %s", control->trace);
  atomic_store(&pe->slot->state, PE_RUNNING);
  if (pe->world->own_slice != NULL) {
    moac_shmem_team_open(pe, 0, 0, 1, pe->pes, 0);
    return MOAC_SHMEM_OK;
  }
  atomic_fetch_add(&control->arrived, 1);
  uint32_t all = (uint32_t)pe->pes * (pe->world->mode == WORLD_PROCESSES ? ++generation : 1);
  Waiter waiter = {0};
  while (atomic_load(&control->arrived) < all)
    RETURN_IF_FAILED(moac_shmem_pause(pe, &waiter, "moac_shmem_init"));
  pe->epoch_limit = atomic_load(&control->epoch_limit);
  moac_shmem_team_open(pe, 0, 0, 1, pe->pes, pe->epoch_limit);
  return MOAC_SHMEM_OK;
}

static Status quiet_all(Pe *pe) {
  for (int index = 0; index < CONTEXT_SLOTS; ++index) {
    Issue issue = {.context = &pe->contexts[index], .index = index};
    if (issue.context->used)
      RETURN_IF_FAILED(pe->backend->quiet(pe, issue));
  }
  return MOAC_SHMEM_OK;
}

static Status leave_together(Pe *pe) {
  Status status = quiet_all(pe);
  if (status == MOAC_SHMEM_OK)
    status = moac_shmem_sync(MOAC_SHMEM_TEAM_WORLD);
  Status flushed = quiet_all(pe); /* the sync's own flags */
  uint64_t limit = moac_shmem_largest_counter(pe),
           known = atomic_load(&pe->world->control->epoch_limit);
  while (known < limit &&
         !atomic_compare_exchange_weak(&pe->world->control->epoch_limit, &known, limit))
    ;
  atomic_store(&pe->slot->state, PE_FINALIZED);
  return status == MOAC_SHMEM_OK ? flushed : status;
}

/* --- Processes
 * ------------------------------------------------------------------------------------ */

static bool read_number(const char *name, long *value) {
  const char *text = getenv(name);
  char *end = NULL;
  if (text == NULL || *text == '\0')
    return false;
  *value = strtol(text, &end, 10);
  return *end == '\0' && *value >= 0;
}

bool moac_shmem_parse_size(const char *text, size_t *bytes) {
  static const char units[] = "KMGT";
  char *unit = NULL;
  double size = strtod(text, &unit);
  const char *found =
      unit == text || *unit == '\0' ? NULL : strchr(units, toupper((unsigned char)*unit));
  if (unit == text || (*unit != '\0' && (found == NULL || unit[1] != '\0')))
    return false;
  for (long power = found == NULL ? 0 : found - units + 1; power > 0; --power)
    size *= 1024;
  *bytes = size >= 1 && size < 1e15 ? (size_t)size : 0;
  return *bytes != 0;
}

size_t moac_shmem_heap_from_environment(void) {
  const char *text = getenv("SHMEM_SYMMETRIC_SIZE");
  size_t bytes;
  return text != NULL && moac_shmem_parse_size(text, &bytes) ? bytes : (size_t)DEFAULT_HEAP;
}

static Status join(World *world, int *number) {
  long fd = 0, pe = 0;
  const char *engine = getenv("MOAC_SHMEM_ENGINE");
  *number = 0;
  if (engine != NULL && *engine != '\0')
    return moac_shmem_engine_join(engine, world, number);
  if (!read_number("MOAC_SHMEM_FD", &fd) || !read_number("MOAC_SHMEM_PE", &pe)) {
    ArenaPlan alone = {1, moac_shmem_heap_from_environment(), 0, NULL};
    return moac_shmem_arena_create(&alone, false, world);
  }
  RETURN_IF_FAILED(moac_shmem_arena_attach((int)fd, pe > MAX_PES ? -1 : (int)pe, world));
  *number = (int)pe;
  return MOAC_SHMEM_OK;
}

/* The others must not wait for a PE that could not join, even if its process goes on. */
static void refuse(Control *control, int pe) {
  control->slots[pe].refused = true;
  moac_shmem_mark_failed(control, pe, 0);
}

moac_shmem_status moac_shmem_init(void) {
  if (self_pe() != NULL)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "already initialized");
  int number = 0;
  Pe *pe = NULL;
  RETURN_IF_FAILED(join(&process_world, &number));
  Status status = moac_shmem_pe_enter(&process_world, number, &pe);
  if (status == MOAC_SHMEM_OK && process_world.own_slice == NULL)
    status = moac_shmem_statics_share(pe);
  if (status == MOAC_SHMEM_OK && process_world.own_statics != NULL)
    status = moac_shmem_statics_twin(pe);
  if (status != MOAC_SHMEM_OK) {
    refuse(process_world.control, number);
    if (pe != NULL)
      moac_shmem_pe_leave(pe);
    moac_shmem_arena_release(&process_world);
    return status;
  }
  moac_shmem_process_pe = pe;
  if (status == MOAC_SHMEM_OK)
    status = start_together(pe);
  if (status == MOAC_SHMEM_OK && process_world.own_slice == NULL)
    status = moac_shmem_statics_map_peers(pe);
  if (status == MOAC_SHMEM_OK)
    status = process_world.own_slice != NULL ? moac_shmem_statics_compare(pe)
                                             : moac_shmem_sync(MOAC_SHMEM_TEAM_WORLD);
  if (status != MOAC_SHMEM_OK && status != MOAC_SHMEM_PE_FAILED && status != MOAC_SHMEM_EXITING)
    refuse(process_world.control, number);
  return status;
}

moac_shmem_status moac_shmem_finalize(void) {
  REQUIRE_PE(pe);
  if (pe->world->mode != WORLD_PROCESSES)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "moac_shmem_run finalizes its PEs itself");
  Status status = leave_together(pe);
  moac_shmem_process_pe = NULL;
  if (process_world.own_slice != NULL)
    moac_shmem_engine_barrier(); /* nobody clears its sync area while others still sync */
  moac_shmem_pe_leave(pe);
  moac_shmem_arena_release(&process_world);
  return status;
}

bool moac_shmem_initialized(void) { return self_pe() != NULL; }
int moac_shmem_my_pe(void) { return self_pe() == NULL ? -1 : self_pe()->pe; }
int moac_shmem_n_pes(void) { return self_pe() == NULL ? 0 : self_pe()->pes; }

void moac_shmem_global_exit(int code) {
  Pe *pe = self_pe();
  if (pe == NULL)
    exit(code);
  uint32_t none = 0;
  atomic_compare_exchange_strong(&pe->world->control->exiting, &none, (uint32_t)(code & 0xff) + 1);
  for (int other = 0; other < pe->pes; ++other)
    moac_shmem_wake_slow(&pe->world->control->slots[other]);
  if (pe->world->own_slice != NULL)
    moac_shmem_engine_exit(code);
  if (pe->world->mode == WORLD_PROCESSES)
    exit(code);
  if (pe->world->mode == WORLD_COROUTINES)
    moac_shmem_scheduler_end(pe);
  pthread_exit(NULL);
}

moac_shmem_status moac_shmem_reseed(uint64_t seed) {
  REQUIRE_PE(pe);
  if (pe->chaos == NULL || seed == 0)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "no seed, or a world that was not started with one");
  moac_shmem_chaos_reseed(pe, seed);
  if (pe->pe == 0 && pe->world->scheduler != NULL)
    moac_shmem_scheduler_reseed(pe, seed);
  return MOAC_SHMEM_OK;
}

void moac_shmem_step(void) {
  Pe *pe = self_pe();
  if (pe == NULL)
    return;
  schedule_point(pe);
  if (pe->backend->progress != NULL)
    pe->backend->progress(pe);
}

/* --- Threads and coroutines
 * ------------------------------------------------------------------------ */

typedef struct Job {
  World *world;
  int number;
  void (*body)(void *);
  void *argument;
  Pe *pe;
  Status status;
} Job;

static void run_pe(Job *job) {
  job->status = moac_shmem_pe_enter(job->world, job->number, &job->pe);
  if (job->status != MOAC_SHMEM_OK) {
    moac_shmem_mark_failed(job->world->control, job->number, 0);
    return;
  }
  moac_shmem_thread_pe = job->pe;
  job->status = start_together(job->pe);
  if (job->status != MOAC_SHMEM_OK)
    return;
  job->body(job->argument);
  job->status = leave_together(job->pe);
}

static void *thread_main(void *job) {
  run_pe(job);
  moac_shmem_thread_pe = NULL;
  return NULL;
}

static void coroutine_main(World *world, int number, void *jobs) {
  (void)world;
  run_pe((Job *)jobs + number);
}

static Status run_threads(Job *jobs, int pes) {
  pthread_t *threads = calloc((size_t)pes, sizeof *threads);
  int started = 0;
  while (threads != NULL && started < pes &&
         pthread_create(&threads[started], NULL, thread_main, &jobs[started]) == 0)
    ++started;
  if (started < pes)
    moac_shmem_mark_failed(jobs->world->control, started, 0);
  for (int pe = 0; pe < started; ++pe)
    pthread_join(threads[pe], NULL);
  free(threads);
  return started == pes ? MOAC_SHMEM_OK : FAIL(MOAC_SHMEM_SYSTEM, "thread %d of %d", started, pes);
}

static Status first_failure(Status status, Job *jobs, int pes) {
  if (status == MOAC_SHMEM_OK && atomic_load(&jobs->world->control->exiting) != 0)
    status = MOAC_SHMEM_EXITING;
  for (int pe = 0; pe < pes && status == MOAC_SHMEM_OK; ++pe)
    status = jobs[pe].status;
  return status;
}

moac_shmem_status moac_shmem_run(const moac_shmem_run_options *options, void (*body)(void *),
                                 void *argument) {
  if (options == NULL || body == NULL || (unsigned)options->mode > MOAC_SHMEM_COROUTINES)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "options, body or mode");
  if (moac_shmem_thread_pe != NULL)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "called from inside a world");
  World world = {.mode = options->mode == MOAC_SHMEM_THREADS ? WORLD_THREADS : WORLD_COROUTINES,
                 .arena_fd = -1};
  ArenaPlan plan = {options->pes, options->heap_bytes == 0 ? (size_t)RUN_HEAP : options->heap_bytes,
                    options->chaos_seed, options->trace};
  RETURN_IF_FAILED(moac_shmem_arena_create(&plan, true, &world));
  Job *jobs = calloc((size_t)plan.pes, sizeof *jobs);
  Status status = jobs == NULL ? FAIL(MOAC_SHMEM_NO_RESOURCES, "%d PEs", plan.pes) : MOAC_SHMEM_OK;
  for (int pe = 0; jobs != NULL && pe < plan.pes; ++pe)
    jobs[pe] = (Job){&world, pe, body, argument, NULL, MOAC_SHMEM_OK};
  if (status == MOAC_SHMEM_OK)
    status = world.mode == WORLD_THREADS
                 ? run_threads(jobs, plan.pes)
                 : moac_shmem_scheduler_run(&world, options->chaos_seed, coroutine_main, jobs);
  if (jobs != NULL)
    status = first_failure(status, jobs, plan.pes);
  for (int pe = 0; jobs != NULL && pe < plan.pes; ++pe)
    if (jobs[pe].pe != NULL)
      moac_shmem_pe_leave(jobs[pe].pe);
  free(jobs);
  moac_shmem_arena_release(&world);
  return status;
}
