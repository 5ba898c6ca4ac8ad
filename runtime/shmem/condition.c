/* condition.c: waiting for, and testing, words of this PE: the all, any and some forms over scalar
 * or vector operands, with words excluded by a status array. A condition that holds is an acquire.
 */
#include "runtime/shmem/embedded.h"
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

#include <sched.h>
#include <stdlib.h>

static bool is_signed(moac_shmem_type type) { return type <= MOAC_SHMEM_I64; }

static int64_t load_word(const void *words, size_t index, moac_shmem_type type) {
  switch (type) {
  case MOAC_SHMEM_I16:
    return __atomic_load_n((const int16_t *)words + index, __ATOMIC_ACQUIRE);
  case MOAC_SHMEM_U16:
    return __atomic_load_n((const uint16_t *)words + index, __ATOMIC_ACQUIRE);
  case MOAC_SHMEM_I32:
    return __atomic_load_n((const int32_t *)words + index, __ATOMIC_ACQUIRE);
  case MOAC_SHMEM_U32:
    return __atomic_load_n((const uint32_t *)words + index, __ATOMIC_ACQUIRE);
  default:
    return __atomic_load_n((const int64_t *)words + index, __ATOMIC_ACQUIRE);
  }
}

static int64_t plain_word(const void *words, size_t index, moac_shmem_type type) {
  switch (type) {
  case MOAC_SHMEM_I16:
    return ((const int16_t *)words)[index];
  case MOAC_SHMEM_U16:
    return ((const uint16_t *)words)[index];
  case MOAC_SHMEM_I32:
    return ((const int32_t *)words)[index];
  case MOAC_SHMEM_U32:
    return ((const uint32_t *)words)[index];
  default:
    return ((const int64_t *)words)[index];
  }
}

static bool compare(int64_t a, moac_shmem_comparison how, int64_t b, bool with_sign) {
  bool less = with_sign ? a < b : (uint64_t)a < (uint64_t)b;
  switch (how) {
  case MOAC_SHMEM_EQ:
    return a == b;
  case MOAC_SHMEM_NE:
    return a != b;
  case MOAC_SHMEM_GT:
    return !less && a != b;
  case MOAC_SHMEM_GE:
    return !less;
  case MOAC_SHMEM_LT:
    return less;
  default:
    return less || a == b;
  }
}

static Status check_condition(const char *name, const moac_shmem_condition *c,
                              moac_shmem_which which, const size_t *indices) {
  size_t bytes = moac_shmem_type_size(c->type);
  bool integer = c->type <= MOAC_SHMEM_U64 && bytes > 1;
  if (!integer || (unsigned)c->comparison > MOAC_SHMEM_LE || (unsigned)which > MOAC_SHMEM_SOME)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ARGUMENT, name, "type %d, comparison %d",
                           (int)c->type, (int)c->comparison);
  if (c->count != 0 &&
      (c->words == NULL || c->operand == NULL || (which == MOAC_SHMEM_SOME && indices == NULL)))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ARGUMENT, name, "%zu words, but a pointer is NULL",
                           c->count);
  if ((uintptr_t)c->words % bytes != 0)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, name, "%p is not aligned", c->words);
  return MOAC_SHMEM_OK;
}

static bool word_holds(const moac_shmem_condition *c, size_t i, int64_t *seen) {
  int64_t operand = plain_word(c->operand, c->vector ? i : 0, c->type);
  *seen = load_word(c->words, i, c->type);
  return compare(*seen, c->comparison, operand, is_signed(c->type));
}

/* One look at the words. True when the form is satisfied, which includes "every word is excluded".
 * `first` rotates the words that ANY looks at first, so that a busy low word starves nobody.
 * `values`, unless NULL: what each word held, which a trace must say. */
static bool look(moac_shmem_which which, const moac_shmem_condition *c, size_t first,
                 size_t *indices, size_t *hits, int64_t *values) {
  size_t held = 0, included = 0;
  int64_t ignored;
  for (size_t step = 0; step < c->count; ++step) {
    size_t i = which == MOAC_SHMEM_ANY ? (first + step) % c->count : step;
    if (c->status != NULL && c->status[i] != 0)
      continue;
    ++included;
    if (!word_holds(c, i, values != NULL ? &values[i] : &ignored)) {
      if (which == MOAC_SHMEM_ALL)
        break;
      continue;
    }
    if (which == MOAC_SHMEM_ANY)
      return *hits = i, true;
    if (which == MOAC_SHMEM_SOME)
      indices[held] = i;
    ++held;
  }
  if (which == MOAC_SHMEM_ALL)
    return *hits = held == included, held == included;
  *hits = which == MOAC_SHMEM_ANY ? SIZE_MAX : held;
  return held != 0 || included == 0;
}

/* Before a word is looked at, and not only when it disappoints: a program may call in a loop for
 * what is already there while others wait for this PE's engine. */
static inline void keep_going(Pe *pe) {
  static _Thread_local uint32_t looks;
  if (UNLIKELY(pe->backend->progress != NULL) && (++looks & 15u) == 0)
    pe->backend->progress(pe);
}

static void trace_words(Pe *pe, const char *kind, moac_shmem_which which,
                        const moac_shmem_condition *c, const size_t *indices, size_t hits,
                        const int64_t *values) {
  size_t bytes = moac_shmem_type_size(c->type);
  size_t records = which == MOAC_SHMEM_ALL   ? (hits != 0 ? c->count : 0)
                   : which == MOAC_SHMEM_ANY ? hits != SIZE_MAX
                                             : hits;
  for (size_t r = 0; r < records; ++r) {
    size_t i = which == MOAC_SHMEM_ALL ? r : which == MOAC_SHMEM_ANY ? hits : indices[r];
    if (which == MOAC_SHMEM_ALL && c->status != NULL && c->status[i] != 0)
      continue;
    TraceRecord record = {.kind = kind,
                          .com_id = c->com_id,
                          .mem = {(const char *)c->words + i * bytes, bytes, pe->pe},
                          .has_value = true,
                          .value = (uint64_t)values[i]};
    moac_shmem_trace_write(pe, &record);
  }
}

/* For what each word held; NULL without a trace. */
static Status make_values(Pe *pe, const moac_shmem_condition *c, int64_t **values) {
  *values = NULL;
  if (LIKELY(pe->trace == NULL))
    return MOAC_SHMEM_OK;
  *values = calloc(c->count + 1, sizeof **values);
  return *values != NULL ? MOAC_SHMEM_OK
                         : FAIL(MOAC_SHMEM_NO_RESOURCES, "no memory to trace %zu words", c->count);
}

moac_shmem_status moac_shmem_wait(moac_shmem_which which, const moac_shmem_condition *condition,
                                  size_t *indices, size_t *hits) {
  static _Thread_local size_t turn;
  size_t ignored;
  REQUIRE_PE(pe);
  RETURN_IF_FAILED(check_condition(__func__, condition, which, indices));
  schedule_point(pe);
  moac_shmem_local_load_point(pe);
  hits = hits == NULL ? &ignored : hits;
  int64_t *values;
  RETURN_IF_FAILED(make_values(pe, condition, &values));
  Status status = MOAC_SHMEM_OK;
  Waiter waiter = {0};
  keep_going(pe);
  size_t first = condition->count == 0 ? 0 : turn % condition->count;
  while (status == MOAC_SHMEM_OK && !look(which, condition, first, indices, hits, values))
    status = moac_shmem_pause(pe, &waiter, __func__);
  ++turn;
  if (UNLIKELY(values != NULL)) {
    if (status == MOAC_SHMEM_OK)
      trace_words(pe, "wait", which, condition, indices, *hits, values);
    free(values);
  }
  return status;
}

moac_shmem_status moac_shmem_test(moac_shmem_which which, const moac_shmem_condition *condition,
                                  size_t *indices, size_t *hits) {
  static _Thread_local size_t turn, misses;
  size_t ignored;
  REQUIRE_PE(pe);
  RETURN_IF_FAILED(check_condition(__func__, condition, which, indices));
  moac_shmem_local_load_point(pe);
  hits = hits == NULL ? &ignored : hits;
  int64_t *values;
  RETURN_IF_FAILED(make_values(pe, condition, &values));
  keep_going(pe);
  size_t first = condition->count == 0 ? 0 : turn++ % condition->count;
  bool held = look(which, condition, first, indices, hits, values);
  if (held) {
    schedule_point(pe);
    if (UNLIKELY(values != NULL))
      trace_words(pe, "test", which, condition, indices, *hits, values);
  }
  free(values);
  if (held)
    return MOAC_SHMEM_OK;
  if (pe->world->scheduler !=
      NULL) { /* a loop around test must not keep the only thread, nor spin for ever */
    Waiter waiter = {.polls = 1};
    if (++misses % 1024 != 0)
      return schedule_point(pe), MOAC_SHMEM_OK;
    return moac_shmem_pause(pe, &waiter, __func__);
  }
  if ((++misses & 63u) == 0 && pe->pes > pe->world->control->cores)
    sched_yield();
  return moac_shmem_check_peers(pe, __func__);
}

moac_shmem_status moac_shmem_signal_fetch(const uint64_t *word, uint64_t *value) {
  REQUIRE_PE(pe);
  schedule_point(pe);
  moac_shmem_local_load_point(pe);
  if (value == NULL || !moac_shmem_symmetric(pe, word, sizeof *word) || (uintptr_t)word % 8 != 0)
    return FAIL(MOAC_SHMEM_INVALID_ADDRESS, "%p is no signal word", (const void *)word);
  keep_going(pe);
  *value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  if (UNLIKELY(pe->trace != NULL)) {
    TraceRecord record = {
        .kind = "signal_fetch", .mem = {word, 8, pe->pe}, .has_value = true, .value = *value};
    moac_shmem_trace_write(pe, &record);
  }
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_signal_wait_until(const uint64_t *word,
                                               moac_shmem_comparison comparison, uint64_t operand,
                                               uint64_t *value) {
  REQUIRE_PE(pe);
  if ((unsigned)comparison > MOAC_SHMEM_LE)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "comparison %d", (int)comparison);
  if ((uintptr_t)word % 8 != 0 || !moac_shmem_symmetric(pe, word, sizeof *word))
    return FAIL(MOAC_SHMEM_INVALID_ADDRESS, "%p is no signal word", (const void *)word);
  schedule_point(pe);
  moac_shmem_local_load_point(pe);
  Waiter waiter = {0};
  uint64_t seen;
  keep_going(pe);
  while (seen = __atomic_load_n(word, __ATOMIC_ACQUIRE),
         !compare((int64_t)seen, comparison, (int64_t)operand, false))
    RETURN_IF_FAILED(moac_shmem_pause(pe, &waiter, __func__));
  if (value != NULL)
    *value = seen;
  if (UNLIKELY(pe->trace != NULL)) {
    TraceRecord record = {
        .kind = "wait", .mem = {word, 8, pe->pe}, .has_value = true, .value = seen};
    moac_shmem_trace_write(pe, &record);
  }
  return MOAC_SHMEM_OK;
}
