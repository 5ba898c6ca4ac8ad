/* heap.c: the symmetric heap. Every PE runs the same deterministic first-fit allocator over the
 * same sequence of calls, so equal objects get equal offsets and nothing has to be exchanged but
 * the arguments (checked for equality). The block list lives in private memory: a program that
 * writes past an object cannot break the allocator.
 */
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

#include <stdlib.h>

typedef struct Block {
  size_t offset, bytes;
  uint32_t com_id;
  bool used;
} Block;

typedef struct Heap {
  char *base;
  size_t bytes, phase;
  Block *blocks; /* by offset, without gaps */
  size_t count, capacity, tagged;
} Heap;

enum { UNIT = 64 }; /* objects start on cache lines */

Heap *moac_shmem_heap_create(char *base, size_t bytes, size_t phase) {
  Heap *heap = calloc(1, sizeof *heap);
  Block *blocks = calloc(16, sizeof *blocks);
  if (heap == NULL || blocks == NULL) {
    free(heap);
    free(blocks);
    return NULL;
  }
  blocks[0] = (Block){0, bytes, 0, false};
  *heap = (Heap){base, bytes, phase, blocks, 1, 16, 0};
  return heap;
}

void moac_shmem_heap_destroy(Heap *heap) {
  if (heap != NULL)
    free(heap->blocks);
  free(heap);
}

static Block *find_block(Heap *heap, const void *object) {
  size_t offset = (size_t)((const char *)object - heap->base), low = 0, high = heap->count;
  if (offset >= heap->bytes)
    return NULL;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (heap->blocks[middle].offset <= offset)
      low = middle;
    else
      high = middle;
  }
  return &heap->blocks[low];
}

uint32_t moac_shmem_heap_com_id(Heap *heap, const void *object) {
  Block *block = heap->tagged == 0 ? NULL : find_block(heap, object);
  return block != NULL && block->used ? block->com_id : 0;
}

/* Room for the two blocks that a call can add: looked for before the PEs agree, so that a PE
 * without private memory can tell the others. */
static bool has_room(Heap *heap) {
  if (heap->count + 2 <= heap->capacity)
    return true;
  Block *larger = realloc(heap->blocks, 2 * heap->capacity * sizeof *larger);
  if (larger == NULL)
    return false;
  heap->blocks = larger;
  heap->capacity *= 2;
  return true;
}

static void insert_after(Heap *heap, size_t index, Block block) {
  memmove(heap->blocks + index + 2, heap->blocks + index + 1,
          (heap->count - index - 1) * sizeof *heap->blocks);
  heap->blocks[index + 1] = block;
  heap->count++;
}

/* Shortens block `index` to `bytes` and gives the rest back. */
static void split_block(Heap *heap, size_t index, size_t bytes) {
  Block *block = &heap->blocks[index];
  Block rest = {block->offset + bytes, block->bytes - bytes, 0, false};
  if (rest.bytes == 0)
    return;
  block->bytes = bytes;
  insert_after(heap, index, rest);
}

/* In whole units; 0 when that does not fit a size_t. */
static size_t in_units(size_t bytes) {
  return bytes > SIZE_MAX - UNIT ? 0 : (bytes + UNIT - 1) / UNIT * UNIT;
}

static Status carve(Heap *heap, size_t alignment, size_t bytes, uint32_t com_id, void **object) {
  size_t wanted = in_units(bytes);
  for (size_t i = 0; wanted != 0 && i < heap->count; ++i) {
    Block *block = &heap->blocks[i];
    size_t start = heap->phase + block->offset; /* not the address: PEs must agree */
    size_t skip = (size_t)((alignment - start % alignment) % alignment);
    if (block->used || block->bytes < skip || block->bytes - skip < wanted)
      continue;
    if (skip != 0)
      split_block(heap, i++, skip);
    split_block(heap, i, wanted);
    heap->blocks[i].used = true;
    heap->blocks[i].com_id = com_id;
    heap->tagged += com_id != 0;
    *object = heap->base + heap->blocks[i].offset;
    return MOAC_SHMEM_OK;
  }
  return MOAC_SHMEM_HEAP_EXHAUSTED;
}

static void merge_with_next(Heap *heap, size_t index) {
  Block *block = &heap->blocks[index];
  if (index + 1 >= heap->count || block->used || block[1].used)
    return;
  block->bytes += block[1].bytes;
  memmove(block + 1, block + 2, (heap->count - index - 2) * sizeof *block);
  heap->count--;
}

/* Shrinks a used block, or grows it over the free one behind it. */
static bool resize_in_place(Heap *heap, Block *block, size_t bytes) {
  size_t index = (size_t)(block - heap->blocks), wanted = in_units(bytes);
  Block *next = index + 1 < heap->count && !block[1].used ? block + 1 : NULL;
  if (wanted == 0 || wanted > block->bytes + (next == NULL ? 0 : next->bytes))
    return false;
  if (next != NULL) {
    block->bytes += next->bytes;
    memmove(next, next + 1, (heap->count - index - 2) * sizeof *next);
    heap->count--;
  }
  split_block(heap, index, wanted);
  return true;
}

static void release(Heap *heap, Block *block) {
  size_t index = (size_t)(block - heap->blocks);
  heap->tagged -= block->com_id != 0;
  block->used = false;
  block->com_id = 0;
  merge_with_next(heap, index);
  if (index > 0)
    merge_with_next(heap, index - 1);
}

/* --- Collective calls
 * ------------------------------------------------------------------------------ */

/* What the PEs must agree on. */
typedef struct Request {
  uint64_t bytes, alignment, offset, com_id;
  uint64_t poor; /* 1: this PE has no private memory for its block list */
} Request;

static Status agree(const char *name, Request mine) {
  Call call;
  const char *all;
  Issue issue = {.index = 0};
  Pe *pe = self_pe();
  find_context(pe, MOAC_SHMEM_CONTEXT_DEFAULT, &issue);
  RETURN_IF_FAILED(pe->backend->quiet(pe, issue));
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, MOAC_SHMEM_TEAM_WORLD, name, 0x4eab));
  mine.poor = mine.bytes != 0 && !has_room(pe->heap);
  RETURN_IF_FAILED(moac_shmem_call_exchange(&call, &mine, sizeof mine, &all));
  int poor = -1;
  for (int other = pe->pes - 1; other >= 0; --other) {
    Request theirs;
    memcpy(&theirs, all + (size_t)other * MAIL_BYTES, sizeof theirs);
    if (memcmp(&theirs, &mine, offsetof(Request, poor)) != 0)
      return moac_shmem_fail(MOAC_SHMEM_MISMATCH, name, "PE %d called it with other arguments",
                             other);
    poor = theirs.poor != 0 ? other : poor;
  }
  if (poor >= 0)
    return moac_shmem_fail(MOAC_SHMEM_NO_RESOURCES, name,
                           "PE %d has no memory for its list of objects", poor);
  return MOAC_SHMEM_OK;
}

static Status place(Pe *pe, const char *name, Request request, void **object) {
  Status status =
      carve(pe->heap, request.alignment, request.bytes, (uint32_t)request.com_id, object);
  if (status == MOAC_SHMEM_HEAP_EXHAUSTED)
    moac_shmem_fail(status, name, "%llu bytes asked from a heap of %zu",
                    (unsigned long long)request.bytes, pe->heap->bytes);
  return status;
}

static Status allocate(const char *name, Request request, void **object) {
  *object = NULL;
  if (request.bytes == 0)
    return MOAC_SHMEM_OK;
  RETURN_IF_FAILED(agree(name, request));
  return place(self_pe(), name, request, object);
}

moac_shmem_status moac_shmem_malloc(size_t bytes, void **object) {
  REQUIRE_PE(pe);
  return allocate(__func__, (Request){.bytes = bytes, .alignment = UNIT}, object);
}

moac_shmem_status moac_shmem_malloc_tagged(size_t bytes, uint32_t com_id, void **object) {
  REQUIRE_PE(pe);
  return allocate(__func__, (Request){bytes, UNIT, 0, com_id, 0}, object);
}

moac_shmem_status moac_shmem_align(size_t alignment, size_t bytes, void **object) {
  REQUIRE_PE(pe);
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 ||
      alignment > pe->world->control->alignment)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "alignment %zu", alignment);
  return allocate(__func__, (Request){bytes, alignment < UNIT ? UNIT : alignment, 0, 0, 0}, object);
}

moac_shmem_status moac_shmem_calloc(size_t count, size_t size, void **object) {
  REQUIRE_PE(pe);
  size_t bytes;
  *object = NULL;
  if (__builtin_mul_overflow(count, size, &bytes))
    return FAIL(MOAC_SHMEM_SIZE_OVERFLOW, "%zu times %zu bytes", count, size);
  RETURN_IF_FAILED(allocate(__func__, (Request){.bytes = bytes, .alignment = UNIT}, object));
  if (bytes == 0)
    return MOAC_SHMEM_OK;
  memset(*object, 0, bytes);
  return moac_shmem_sync(MOAC_SHMEM_TEAM_WORLD); /* nobody may write before the zeros are there */
}

static Status used_block(Pe *pe, const char *name, void *object, Block **block) {
  *block = find_block(pe->heap, object);
  if (*block == NULL || !(*block)->used || pe->heap->base + (*block)->offset != (char *)object)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, name, "%p is no allocated object", object);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_free(void *object) {
  REQUIRE_PE(pe);
  Block *block;
  if (object == NULL)
    return MOAC_SHMEM_OK;
  RETURN_IF_FAILED(used_block(pe, __func__, object, &block));
  size_t index = (size_t)(block - pe->heap->blocks); /* the list may move */
  RETURN_IF_FAILED(agree(__func__, (Request){.offset = block->offset + 1}));
  release(pe->heap, &pe->heap->blocks[index]);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_realloc(void *old, size_t bytes, void **object) {
  REQUIRE_PE(pe);
  Block *block;
  if (old == NULL)
    return allocate(__func__, (Request){.bytes = bytes, .alignment = UNIT}, object);
  RETURN_IF_FAILED(used_block(pe, __func__, old, &block));
  *object = NULL;
  if (bytes == 0)
    return moac_shmem_free(old);
  size_t index = (size_t)(block - pe->heap->blocks), kept = block->bytes;
  Request request = {bytes, UNIT, block->offset + 1, block->com_id, 0};
  RETURN_IF_FAILED(agree(__func__, request));
  if (resize_in_place(pe->heap, &pe->heap->blocks[index], bytes)) {
    *object = old;
    return MOAC_SHMEM_OK;
  }
  RETURN_IF_FAILED(place(pe, __func__, request, object));
  memcpy(*object, old, kept);  /* it did not fit, so it grows */
  return moac_shmem_free(old); /* its exchange is the barrier after the copy */
}
