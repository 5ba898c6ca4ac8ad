/* trace.c: writes the records of one PE to FOLDER/pe-N.moat in the text format of
 * runtime/model/Trace.md. Stamps come from the monotonic clock, which all PEs of a node share.
 * Lines are built in a buffer and written whole, so that a PE that dies leaves complete lines.
 */
#define _GNU_SOURCE
#include "runtime/shmem/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* Room for a long path. */
enum { LINE_BYTES = 16384, SITE_BYTES = 8192 };

typedef struct Trace {
  FILE *file;
  pthread_mutex_t lock;
  int team_ids[TEAM_SLOTS], teams;
  uint64_t adds;
} Trace;

static _Thread_local const char *site_file;
static _Thread_local int site_line;
static _Thread_local int thread_number = -1;
static _Atomic int threads;

void moac_shmem_at(const char *file, int line) {
  site_file = file;
  site_line = line;
}

TraceSite moac_shmem_trace_site(void) { return (TraceSite){site_file, site_line}; }

uint64_t moac_shmem_trace_stamp(Pe *pe) {
  struct timespec t;
  (void)pe;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Heap and statics have spaces of their own; everything else is private to the process. */
static int put_range(Pe *pe, char *line, size_t room, const char *key, TraceRange range) {
  if (range.address == NULL)
    return 0;
  const char *space = "p/";
  uint64_t number = (uint64_t)(uintptr_t)range.address;
  size_t offset = (size_t)((const char *)range.address - pe->slice);
  if (offset < pe->slice_bytes) {
    space = "h/";
    number = offset;
  }
  for (int i = 0; i < pe->segment_count; ++i) {
    size_t within = (size_t)((const char *)range.address - pe->segments[i].local);
    if (within < pe->segments[i].bytes) {
      space = "s/";
      number = pe->segments[i].offset + within;
    }
  }
  return snprintf(line, room, " %s=%d:%s0x%" PRIx64 "+%zu", key, range.pe, space, number,
                  range.bytes);
}

/* Blanks, control characters, # and % of a path would mislead the reader: written as %20. */
static int put_site(char *line) {
  static const char digits[] = "0123456789abcdef";
  int used = 4;
  if (site_file == NULL)
    return 0;
  memcpy(line, " at=", 4);
  for (const unsigned char *c = (const unsigned char *)site_file; *c != '\0'; ++c) {
    if (used > SITE_BYTES - 24) /* leave it out */
      return 0;
    bool plain = *c > ' ' && *c != 127 && *c != '#' && *c != '%';
    line[used++] = plain ? (char)*c : '%';
    if (!plain) {
      line[used++] = digits[*c >> 4];
      line[used++] = digits[*c & 15];
    }
  }
  return used + sprintf(line + used, ":%d", site_line);
}

static int format_record(Pe *pe, char *line, size_t room, const TraceRecord *r) {
  Trace *trace = pe->trace;
  int used = snprintf(line, room, "%s pe=%d t=%" PRIu64, r->kind, pe->pe,
                      r->stamp != 0 ? r->stamp : moac_shmem_trace_stamp(pe));
#define ADD(...) used += snprintf(line + used, room - (size_t)used, __VA_ARGS__)
  if (thread_number > 0)
    ADD(" thr=%d", thread_number);
  used += put_site(line + used);
  if (r->context != 0)
    ADD(" ctx=%d", r->context);
  if (r->com_id != 0)
    ADD(" com=%" PRIu32, r->com_id);
  if (r->team != 0)
    ADD(" team=%d seq=%" PRIu64, trace->team_ids[r->team - 1], r->sequence);
  if (r->name != NULL)
    ADD(" name=%s", r->name);
  used += put_range(pe, line + used, room - (size_t)used, "dst", r->dst);
  used += put_range(pe, line + used, room - (size_t)used, "src", r->src);
  used += put_range(pe, line + used, room - (size_t)used, "mem", r->mem);
  used += put_range(pe, line + used, room - (size_t)used, "sig", r->sig);
  used += put_range(pe, line + used, room - (size_t)used, "lock", r->lock);
  for (size_t i = 0; i < r->to_count; ++i)
    ADD("%s%d", i == 0 ? " to=" : ",", r->to[i]);
  if (r->seen != 0)
    ADD(" seen=%" PRIu64, r->seen);
  if (r->add != 0)
    ADD(" add=%" PRIu64, r->add);
  if (r->has_value)
    ADD(" val=%" PRId64, (int64_t)r->value);
  if (r->has_old)
    ADD(" old=%" PRId64, (int64_t)r->old);
  ADD("%s%s%s%s%s%s\n", r->nbi ? " nbi" : "", r->nostore ? " nostore" : "", r->fail ? " fail" : "",
      r->atomic ? " atomic" : "", r->acquire ? " acq" : "", r->release ? " rel" : "");
#undef ADD
  return used;
}

void moac_shmem_trace_write(Pe *pe, const TraceRecord *record) {
  char line[LINE_BYTES];
  Trace *trace = pe->trace;
  pthread_mutex_lock(&trace->lock);
  if (thread_number < 0)
    thread_number = pe->world->mode == WORLD_PROCESSES ? atomic_fetch_add(&threads, 1) : 0;
  int used = format_record(pe, line, sizeof line, record);
  if (used > 0 && used < (int)sizeof line)
    fwrite(line, 1, (size_t)used, trace->file);
  pthread_mutex_unlock(&trace->lock);
}

uint64_t moac_shmem_trace_next_add(Pe *pe) {
  pthread_mutex_lock(&pe->trace->lock);
  uint64_t number = ++pe->trace->adds;
  pthread_mutex_unlock(&pe->trace->lock);
  return number;
}

void moac_shmem_trace_added(Pe *pe, uint64_t add, uint64_t old, uint64_t value) {
  pthread_mutex_lock(&pe->trace->lock);
  fprintf(pe->trace->file,
          "added pe=%d t=%" PRIu64 " add=%" PRIu64 " val=%" PRId64 " old=%" PRId64 "\n", pe->pe,
          moac_shmem_trace_stamp(pe), add, (int64_t)value, (int64_t)old);
  pthread_mutex_unlock(&pe->trace->lock);
}

bool moac_shmem_trace_start(Pe *pe) {
  char path[300];
  if (pe->world->control->trace[0] == '\0')
    return true;
  snprintf(path, sizeof path, "%s/pe-%04d.moat", pe->world->control->trace, pe->pe);
  Trace *trace = calloc(1, sizeof *trace);
  FILE *file = trace == NULL ? NULL : fopen(path, "w");
  if (file == NULL) {
    free(trace);
    return false;
  }
  trace->file = file;
  pthread_mutex_init(&trace->lock, NULL);
  trace->teams = 1;
  pe->trace = trace;
  fprintf(file, "moac-trace 1\npes %d\n", pe->pes);
  return true;
}

void moac_shmem_trace_stop(Pe *pe) {
  if (pe->trace == NULL)
    return;
  fclose(pe->trace->file);
  pthread_mutex_destroy(&pe->trace->lock);
  free(pe->trace);
  pe->trace = NULL;
}

void moac_shmem_trace_call(const Call *call, const char *kind, TraceRange source,
                           TraceRange target) {
  const char prefix[] = "moac_shmem_";
  bool named = strcmp(kind, "coll") == 0;
  TraceRecord record = {.kind = kind,
                        .team = call->team->slot + 1,
                        .sequence = call->number - call->team->base - 1,
                        .name = named ? call->name + (sizeof prefix - 1) : NULL,
                        .src = source,
                        .dst = target};
  moac_shmem_trace_write(call->pe, &record);
}

/* An id that members agree on without talking: first member, stride, size and what counters started
 * from. */
void moac_shmem_trace_team(Pe *pe, const Team *team) {
  if (pe->trace == NULL)
    return;
  uint64_t mix = team->base * 0x9e3779b97f4a7c15u + (uint64_t)team->slot;
  mix = (mix ^ (uint64_t)team->start) * 0xbf58476d1ce4e5b9u;
  mix = (mix ^ (uint64_t)(int64_t)team->stride) * 0x94d049bb133111ebu;
  mix = (mix ^ (uint64_t)team->size) * 0x9e3779b97f4a7c15u;
  int id = (int)(mix >> 34) | 1;
  pe->trace->team_ids[team->slot] = id;
  fprintf(pe->trace->file, "team %d ", id);
  for (int rank = 0; rank < team->size; ++rank)
    fprintf(pe->trace->file, "%s%d", rank == 0 ? "" : ",", team_pe(team, rank));
  fprintf(pe->trace->file, "\n");
}

/* --- Accesses that the program announces
 * ---------------------------------------------------------------- */

void moac_shmem_note_access(const void *object, size_t bytes, int at, int flags) {
  Pe *pe = self_pe();
  if (pe == NULL || pe->trace == NULL)
    return;
  uint32_t com_id = (uint32_t)flags >> 8;
  TraceRecord record = {.kind = (flags & MOAC_SHMEM_NOTE_STORE) != 0 ? "st" : "ld",
                        .com_id = com_id != 0 ? com_id : moac_shmem_access_com_id(object),
                        .atomic = (flags & MOAC_SHMEM_NOTE_ATOMIC) != 0,
                        .acquire = (flags & MOAC_SHMEM_NOTE_ACQUIRE) != 0,
                        .release = (flags & MOAC_SHMEM_NOTE_RELEASE) != 0,
                        .mem = {object, bytes, at}};
  moac_shmem_trace_write(pe, &record);
}

void moac_shmem_note_load(const void *address, size_t bytes) {
  moac_shmem_note_access(address, bytes, moac_shmem_my_pe(), 0);
}

void moac_shmem_note_store(const void *address, size_t bytes) {
  moac_shmem_note_access(address, bytes, moac_shmem_my_pe(), MOAC_SHMEM_NOTE_STORE);
}
