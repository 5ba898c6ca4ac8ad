/* engine.c: the backend over a loaded engine. All contexts are the engine's one ordering domain,
 * which is stronger than asked. put_signal is put, fence, atomic. There is no pointer to another
 * PE's memory and no sleep: a wait keeps the engine going.
 */
#define _GNU_SOURCE
#include "runtime/shmem/engine.h"
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

#include <dlfcn.h>
#include <stdlib.h>

static const moac_shmem_engine *engine;     /* stays loaded: engines start once in a process */
static char *engine_slice, *engine_statics; /* statics: NULL when there is no room for them */
static int engine_pe, engine_pes;

static void stop_engine(void) { engine->stop(); }

static Status load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  const moac_shmem_engine *table =
      library == NULL ? NULL : dlsym(library, "moac_shmem_engine_table");
  if (table == NULL)
    return FAIL(MOAC_SHMEM_SYSTEM, "engine %s: %s", path, dlerror());
  if (table->version != MOAC_SHMEM_ENGINE_VERSION)
    return FAIL(MOAC_SHMEM_SYSTEM, "engine %s was built for another version", path);
  if (!table->start(&engine_pe, &engine_pes))
    return FAIL(MOAC_SHMEM_SYSTEM, "engine %s does not start", table->name);
  engine = table;
  atexit(stop_engine);
  return MOAC_SHMEM_OK;
}

/* The control block is private to each PE; of the mapped slices only the addresses are used up. */
Status moac_shmem_engine_join(const char *path, World *world, int *number) {
  size_t heap = 0;
  const char *text = getenv("MOAC_SHMEM_HEAP");
  if (engine == NULL)
    RETURN_IF_FAILED(load(path));
  if (text == NULL || !moac_shmem_parse_size(text, &heap))
    heap = moac_shmem_heap_from_environment();
  ArenaPlan plan = {engine_pes, heap, 0, getenv("MOAC_SHMEM_TRACE")};
  RETURN_IF_FAILED(moac_shmem_arena_create(&plan, true, world));
  size_t slice = (size_t)world->control->slice_bytes, statics = moac_shmem_statics_size();
  if (engine_slice == NULL && statics != 0) {
    engine_slice = engine->memory(slice + statics);
    engine_statics = engine_slice == NULL ? NULL : engine_slice + slice;
  }
  if (engine_slice == NULL)
    engine_slice = engine->memory(slice);
  if (engine_slice == NULL) {
    moac_shmem_arena_release(world);
    return FAIL(MOAC_SHMEM_HEAP_EXHAUSTED, "engine %s has no %zu bytes", engine->name, heap);
  }
  memset(engine_slice, 0, world->control->sync_bytes);
  engine->barrier();
  world->own_slice = engine_slice;
  world->own_statics = engine_statics;
  *number = engine_pe;
  return MOAC_SHMEM_OK;
}

void moac_shmem_engine_barrier(void) { engine->barrier(); }
void moac_shmem_engine_exit(int code) { engine->exit(code); }

/* Where the engine knows a symmetric object: a static one has moved into its memory. */
static void *known(Pe *pe, const void *object) {
  if (LIKELY((size_t)((const char *)object - pe->slice) < pe->slice_bytes))
    return (void *)(uintptr_t)object;
  for (int i = 0; i < pe->segment_count; ++i) {
    size_t within = (size_t)((const char *)object - pe->segments[i].local);
    if (within < pe->segments[i].bytes)
      return engine_statics + pe->segments[i].offset + within;
  }
  return (void *)(uintptr_t)object;
}

static Status engine_put(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                         int to, bool nbi) {
  (void)issue;
  engine->put(known(pe, target), source, bytes, to, nbi);
  return MOAC_SHMEM_OK;
}

static Status engine_get(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                         int from, bool nbi) {
  (void)issue;
  engine->get(target, known(pe, source), bytes, from, nbi);
  return MOAC_SHMEM_OK;
}

static uint64_t load_value(const void *from, size_t bytes) {
  uint64_t value = 0;
  if (from != NULL)
    memcpy(&value, from, bytes); /* little-endian: the low bytes are the value */
  return value;
}

static Status engine_atomic(Pe *pe, Issue issue, void *word, const moac_shmem_atomic *atomic,
                            int at, bool nbi) {
  (void)issue, (void)nbi;
  size_t bytes = moac_shmem_type_size(atomic->type);
  uint64_t old =
      engine->atomic(known(pe, word), atomic->op, bytes, load_value(atomic->operand, bytes),
                     load_value(atomic->compare, bytes), at);
  if (atomic->fetched != NULL)
    memcpy(atomic->fetched, &old, bytes);
  return MOAC_SHMEM_OK;
}

static Status engine_put_signal(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                                moac_shmem_signal signal, int to, bool nbi) {
  if (bytes != 0) {
    engine->put(known(pe, target), source, bytes, to, nbi);
    engine->fence();
  }
  bool adds = signal.op == MOAC_SHMEM_SIGNAL_ADD;
  uint64_t old =
      engine->atomic(known(pe, signal.word), adds ? MOAC_SHMEM_ATOMIC_ADD : MOAC_SHMEM_ATOMIC_SET,
                     sizeof signal.value, signal.value, 0, to);
  if (adds)
    trace_added(pe, issue, signal, old);
  return MOAC_SHMEM_OK;
}

static Status engine_fence(Pe *pe, Issue issue) {
  (void)pe, (void)issue;
  engine->fence();
  return MOAC_SHMEM_OK;
}

static Status engine_quiet(Pe *pe, Issue issue) {
  (void)pe, (void)issue;
  engine->quiet();
  return MOAC_SHMEM_OK;
}

static void *engine_ptr(Pe *pe, const void *object, int at) {
  return at == pe->pe ? (void *)(uintptr_t)object : NULL;
}

static void engine_progress(Pe *pe) {
  (void)pe;
  engine->progress();
}

const Backend moac_shmem_engine_backend = {
    .name = "engine",
    .in_order = false,
    .put = engine_put,
    .get = engine_get,
    .atomic = engine_atomic,
    .put_signal = engine_put_signal,
    .fence = engine_fence,
    .quiet = engine_quiet,
    .ptr = engine_ptr,
    .progress = engine_progress,
};
