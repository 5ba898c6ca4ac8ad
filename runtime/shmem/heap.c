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

static bool insert_after(Heap *heap, size_t index, Block block) {
  if (heap->count == heap->capacity) {
    Block *larger = realloc(heap->blocks, 2 * heap->capacity * sizeof *larger);
    if (larger == NULL)
      return false;
    heap->blocks = larger;
    heap->capacity *= 2;
  }
  memmove(heap->blocks + index + 2, heap->blocks + index + 1,
          (heap->count - index - 1) * sizeof *heap->blocks);
  heap->blocks[index + 1] = block;
  heap->count++;
  return true;
}

/* Shortens block `index` to `bytes` and gives the rest back. */
static bool split_block(Heap *heap, size_t index, size_t bytes) {
  Block *block = &heap->blocks[index];
  Block rest = {block->offset + bytes, block->bytes - bytes, 0, false};
  if (rest.bytes == 0)
    return true;
  if (!insert_after(heap, index, rest))
    return false;
  heap->blocks[index].bytes = bytes;
  return true;
}

static Status carve(Heap *heap, size_t alignment, size_t bytes, uint32_t com_id, void **object) {
  size_t wanted = (bytes + UNIT - 1) / UNIT * UNIT;
  for (size_t i = 0; wanted >= bytes && i < heap->count; ++i) {
    Block *block = &heap->blocks[i];
    size_t start = heap->phase + block->offset; /* not the address: PEs must agree */
    size_t skip = (size_t)((alignment - start % alignment) % alignment);
    if (block->used || block->bytes < skip || block->bytes - skip < wanted)
      continue;
    if (skip != 0 && !split_block(heap, i++, skip))
      return FAIL(MOAC_SHMEM_NO_RESOURCES, "no memory for the block list");
    if (!split_block(heap, i, wanted))
      return FAIL(MOAC_SHMEM_NO_RESOURCES, "no memory for the block list");
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
} Request;

static Status agree(const char *name, const Request *mine) {
  Call call;
  const char *all;
  Issue issue = {.index = 0};
  Pe *pe = self_pe();
  find_context(pe, MOAC_SHMEM_CONTEXT_DEFAULT, &issue);
  RETURN_IF_FAILED(pe->backend->quiet(pe, issue));
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, MOAC_SHMEM_TEAM_WORLD, name, 0x4eab));
  RETURN_IF_FAILED(moac_shmem_call_exchange(&call, mine, sizeof *mine, &all));
  for (int other = 0; other < pe->pes; ++other)
    if (memcmp(all + (size_t)other * MAIL_BYTES, mine, sizeof *mine) != 0)
      return moac_shmem_fail(MOAC_SHMEM_MISMATCH, name, "PE %d called it with other arguments",
                             other);
  return MOAC_SHMEM_OK;
}

static Status allocate(const char *name, Request request, void **object) {
  Pe *pe = self_pe();
  *object = NULL;
  if (request.bytes == 0)
    return MOAC_SHMEM_OK;
  RETURN_IF_FAILED(agree(name, &request));
  Status status =
      carve(pe->heap, request.alignment, request.bytes, (uint32_t)request.com_id, object);
  if (status == MOAC_SHMEM_HEAP_EXHAUSTED)
    moac_shmem_fail(status, name, "%llu bytes asked from a heap of %zu",
                    (unsigned long long)request.bytes, pe->heap->bytes);
  return status;
}

moac_shmem_status moac_shmem_malloc(size_t bytes, void **object) {
  REQUIRE_PE(pe);
  return allocate(__func__, (Request){bytes, UNIT, 0, 0}, object);
}

moac_shmem_status moac_shmem_malloc_tagged(size_t bytes, uint32_t com_id, void **object) {
  REQUIRE_PE(pe);
  return allocate(__func__, (Request){bytes, UNIT, 0, com_id}, object);
}

moac_shmem_status moac_shmem_align(size_t alignment, size_t bytes, void **object) {
  REQUIRE_PE(pe);
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 ||
      alignment > pe->world->control->alignment)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "alignment %zu", alignment);
  return allocate(__func__, (Request){bytes, alignment < UNIT ? UNIT : alignment, 0, 0}, object);
}

moac_shmem_status moac_shmem_calloc(size_t count, size_t size, void **object) {
  REQUIRE_PE(pe);
  size_t bytes;
  *object = NULL;
  if (__builtin_mul_overflow(count, size, &bytes))
    return FAIL(MOAC_SHMEM_SIZE_OVERFLOW, "%zu times %zu bytes", count, size);
  RETURN_IF_FAILED(allocate(__func__, (Request){bytes, UNIT, 0, 0}, object));
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
  Request request = {0, 0, block->offset + 1, 0};
  RETURN_IF_FAILED(agree(__func__, &request));
  release(pe->heap, block);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_realloc(void *old, size_t bytes, void **object) {
  REQUIRE_PE(pe);
  Block *block;
  if (old == NULL)
    return allocate(__func__, (Request){bytes, UNIT, 0, 0}, object);
  RETURN_IF_FAILED(used_block(pe, __func__, old, &block));
  *object = NULL;
  if (bytes == 0)
    return moac_shmem_free(old);
  size_t kept = block->bytes < bytes ? block->bytes : bytes;
  RETURN_IF_FAILED(
      allocate(__func__, (Request){bytes, UNIT, block->offset + 1, block->com_id}, object));
  memcpy(*object, old, kept);
  return moac_shmem_free(old); /* its exchange is the barrier after the copy */
}
