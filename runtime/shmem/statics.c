/* statics.c: global and static variables as symmetric objects.
 *
 * The standard makes them remotely accessible, but they lie in the program's private pages. At init
 * each PE copies its writable program pages into its own region of the arena file and maps that
 * region over them; peers map the region too. An address travels as (segment, offset), so PEs may
 * be loaded at different addresses. The part of a segment that the loader has made read-only
 * (relocated tables) stays as it is.
 *
 * Over an engine, which reaches only memory that it gave, the pages are moved into that memory: its
 * mapping is mapped a second time over them, or, where it is private to this process, both become
 * mappings of one file. Addresses travel as those of the first mapping.
 *
 * Between the copy and the mapping nobody may write those pages: init is called before the program
 * starts threads, the functions here keep their state on the stack, and both steps are bare system
 * calls, since a sanitizer's versions of them keep state of their own and refuse to read the gaps
 * between variables. A child process of a PE shares its statics until it calls exec.
 */
#define _GNU_SOURCE
#include "runtime/shmem/internal.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct Layout {
  uintptr_t start[MAX_SEGMENTS], end[MAX_SEGMENTS];
  int count;
  bool too_many;
} Layout;

/* Writable pages of one program header, less the pages of the read-only part. */
static void add_segment(Layout *layout, uintptr_t start, uintptr_t end, uintptr_t fixed,
                        uintptr_t fixed_end) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  start = start / page * page;
  end = (end + page - 1) / page * page;
  if (fixed_end > start && fixed < end) {
    if (fixed / page * page > start)
      add_segment(layout, start, fixed / page * page, 0, 0);
    start = fixed_end / page * page;
  }
  if (start >= end)
    return;
  if (layout->count == MAX_SEGMENTS) {
    layout->too_many = true;
    return;
  }
  layout->start[layout->count] = start;
  layout->end[layout->count++] = end;
}

/* The first object that the loader reports is the program itself. */
static int read_layout(struct dl_phdr_info *info, size_t size, void *result) {
  (void)size;
  uintptr_t fixed = 0, fixed_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      fixed = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      fixed_end = fixed + info->dlpi_phdr[i].p_memsz;
    }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && (header->p_flags & PF_W) != 0)
      add_segment(result, start, start + header->p_memsz, fixed, fixed_end);
  }
  return 1;
}

/* Over `start`; false when refused. */
static bool map_over(char *start, size_t bytes, int fd, off_t at) {
#ifdef SYS_mmap
  return syscall(SYS_mmap, start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, at) ==
         (long)(intptr_t)start;
#else
  return mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, at) == start;
#endif
}

static bool write_all(int fd, const char *from, size_t bytes, off_t at) {
  while (bytes != 0) {
    ssize_t done = syscall(SYS_pwrite64, fd, from, bytes, at);
    if (done <= 0)
      return false;
    from += done;
    at += done;
    bytes -= (size_t)done;
  }
  return true;
}

/* Fills the PE's segments; their bytes together. */
static size_t find_segments(Pe *pe, Layout *layout) {
  size_t offset = 0;
  *layout = (Layout){.count = 0};
  dl_iterate_phdr(read_layout, layout);
  for (int i = 0; i < layout->count; ++i) {
    size_t bytes = layout->end[i] - layout->start[i];
    pe->segments[i] = (Segment){(char *)layout->start[i], bytes, offset};
    offset += bytes;
  }
  return offset;
}

/* Copies the segments to the file from `region` on and maps it over them. */
static Status move_to(Pe *pe, int count, int fd, off_t region) {
  for (int i = 0; i < count; ++i) {
    Segment segment = pe->segments[i];
    off_t at = region + (off_t)segment.offset;
    if (!write_all(fd, segment.local, segment.bytes, at) ||
        !map_over(segment.local, segment.bytes, fd, at))
      return FAIL(MOAC_SHMEM_SYSTEM, "moving %zu bytes of statics: %s", segment.bytes,
                  strerror(errno));
  }
  pe->segment_count = count;
  return MOAC_SHMEM_OK;
}

Status moac_shmem_statics_share(Pe *pe) {
  World *world = pe->world;
  Layout layout;
  size_t bytes = find_segments(pe, &layout);
  if (layout.too_many || bytes > STATICS_BYTES_MAX)
    return FAIL(MOAC_SHMEM_UNSUPPORTED, "%d writable segments, %zu bytes of statics", layout.count,
                bytes);
  off_t region = (off_t)(world->control->statics_offset + (uint64_t)pe->pe * STATICS_BYTES_MAX);
  pe->slot->statics_bytes = bytes;
  return move_to(pe, layout.count, world->arena_fd, region);
}

/* --- Over an engine
 * ---------------------------------------------------------------------------------- */

size_t moac_shmem_statics_size(void) {
  Layout layout = {.count = 0};
  size_t bytes = 0;
  dl_iterate_phdr(read_layout, &layout);
  for (int i = 0; i < layout.count; ++i)
    bytes += layout.end[i] - layout.start[i];
  return layout.too_many || bytes > STATICS_BYTES_MAX ? 0 : bytes;
}

/* `twin` is in memory of the engine, and its contents may be lost. */
static bool map_twice(const Segment *segment, char *twin, int fd) {
  char *start = segment->local;
  size_t bytes = segment->bytes;
  off_t at = (off_t)segment->offset;
  if (!write_all(fd, start, bytes, at) ||
      syscall(SYS_pread64, fd, twin, bytes, at) != (long)(ssize_t)bytes)
    return false;
  /* An old size of 0 asks for one more mapping; a private one cannot have it. */
  if (syscall(SYS_mremap, twin, 0UL, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, start) ==
      (long)(intptr_t)start)
    return true;
  return errno == EINVAL && map_over(start, bytes, fd, at) && map_over(twin, bytes, fd, at);
}

Status moac_shmem_statics_twin(Pe *pe) {
  static bool moved; /* in an earlier life of this process */
  Layout layout;
  size_t bytes = find_segments(pe, &layout);
  pe->segment_count = layout.count;
  if (moved)
    return MOAC_SHMEM_OK;
  int fd = memfd_create("moac-shmem", MFD_CLOEXEC);
  bool good = fd >= 0 && ftruncate(fd, (off_t)bytes) == 0;
  moved = true;
  for (int i = 0; good && i < layout.count; ++i)
    good = map_twice(&pe->segments[i], pe->world->own_statics + pe->segments[i].offset, fd);
  int why = errno;
  if (fd >= 0)
    close(fd);
  return good ? MOAC_SHMEM_OK
              : FAIL(MOAC_SHMEM_SYSTEM, "moving %zu bytes of statics: %s", bytes, strerror(why));
}

/* Programs that were built apart have other offsets: then their statics are not symmetric. */
Status moac_shmem_statics_compare(Pe *pe) {
  Call call;
  const char *all;
  uint64_t mine[1 + MAX_SEGMENTS] = {(uint64_t)pe->segment_count};
  for (int i = 0; i < pe->segment_count; ++i)
    mine[1 + i] = pe->segments[i].bytes;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, MOAC_SHMEM_TEAM_WORLD, "moac_shmem_init", 0));
  RETURN_IF_FAILED(moac_shmem_call_exchange(&call, mine, sizeof mine, &all));
  for (int other = 0; other < pe->pes; ++other)
    if (memcmp(all + (size_t)other * MAIL_BYTES, mine, sizeof mine) != 0)
      pe->segment_count = 0;
  return MOAC_SHMEM_OK;
}

/* --- Over mapped memory
 * ------------------------------------------------------------------------------ */

Status moac_shmem_statics_map_peers(Pe *pe) {
  World *world = pe->world;
  pe->statics = calloc((size_t)pe->pes, sizeof *pe->statics);
  pe->statics_bytes = calloc((size_t)pe->pes, sizeof *pe->statics_bytes);
  if (pe->statics == NULL || pe->statics_bytes == NULL)
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "table of %d PEs", pe->pes);
  for (int other = 0; other < pe->pes; ++other) {
    uint64_t bytes = world->control->slots[other].statics_bytes;
    off_t at = (off_t)(world->control->statics_offset + (uint64_t)other * STATICS_BYTES_MAX);
    if (bytes == 0 || bytes > STATICS_BYTES_MAX || other == pe->pe)
      continue;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, world->arena_fd, at);
    if (base == MAP_FAILED)
      return FAIL(MOAC_SHMEM_SYSTEM, "mapping the statics of PE %d: %s", other, strerror(errno));
    pe->statics[other] = base;
    pe->statics_bytes[other] = bytes;
  }
  return MOAC_SHMEM_OK;
}

void *moac_shmem_statics_translate(Pe *pe, const void *object, size_t bytes, int at) {
  if (pe->statics == NULL)
    return NULL;
  for (int i = 0; i < pe->segment_count; ++i) {
    size_t within = (size_t)((const char *)object - pe->segments[i].local);
    if (within >= pe->segments[i].bytes)
      continue;
    size_t offset = pe->segments[i].offset + within;
    if (at == pe->pe)
      return (void *)(uintptr_t)object;
    bool fits = offset < pe->statics_bytes[at] && bytes <= pe->statics_bytes[at] - offset;
    return fits ? pe->statics[at] + offset : NULL;
  }
  return NULL;
}
