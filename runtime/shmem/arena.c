/* arena.c: the memory that all PEs of a world share.
 *
 * Processes share a file without a name (memfd, or a POSIX shared memory object that is unlinked
 * before anybody could see it), inherited through the launcher, so that nothing can stay behind in
 * /dev/shm whatever dies. Threads and coroutines share an anonymous mapping. Pages are reserved,
 * not committed: a PE pays for what it touches.
 */
#define _GNU_SOURCE
#include "runtime/shmem/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, ALIGNMENT_SHARED = 1 << 16, ALIGNMENT_OWN = 1 << 30 };
static uint64_t round_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

size_t moac_shmem_sync_area_bytes(int pes) {
  size_t words = (size_t)SYNC_ROUNDS + 2 + 2 * (size_t)pes + 15;
  return (size_t)round_up(words * sizeof(uint64_t) + 2 * (size_t)pes * MAIL_BYTES, CACHE_LINE);
}

static int usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

static int nameless_file(void) {
#ifdef SYS_memfd_create
  int fd = (int)syscall(SYS_memfd_create, "moac-shmem", 0u);
  if (fd >= 0)
    return fd;
#endif
  char name[64];
  snprintf(name, sizeof name, "/moac-shmem-%ld", (long)getpid());
  int named = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (named >= 0)
    shm_unlink(name);
  return named;
}

/* Slices of one mapping must themselves be multiples of the alignment; processes each have their
 * own mapping. */
static bool plan_sizes(const ArenaPlan *plan, bool one_mapping, Control *sizes) {
  uint64_t pes = (uint64_t)plan->pes;
  uint64_t control = round_up(sizeof(Control) + pes * sizeof(PeSlot), PAGE);
  sizes->sync_bytes = round_up(TEAM_SLOTS * (uint64_t)moac_shmem_sync_area_bytes(plan->pes), PAGE);
  if (plan->heap_bytes > ((uint64_t)1 << 46) / pes)
    return false;
  sizes->alignment = one_mapping ? ALIGNMENT_SHARED : ALIGNMENT_OWN;
  sizes->slice_bytes =
      round_up(sizes->sync_bytes + plan->heap_bytes, one_mapping ? ALIGNMENT_SHARED : PAGE);
  sizes->statics_offset = control + pes * sizes->slice_bytes;
  sizes->arena_bytes = sizes->statics_offset;
  sizes->pes = plan->pes;
  sizes->cores = usable_cores();
  sizes->chaos_seed = plan->chaos_seed;
  return true;
}

/* Maps the arena so that the slice of `pe` starts on a multiple of the arena's alignment. */
static void *map_aligned(const Control *sizes, int pe, int flags, int fd) {
  uint64_t unit = sizes->alignment,
           control = sizes->statics_offset - (uint64_t)sizes->pes * sizes->slice_bytes;
  uint64_t own = control + (uint64_t)pe * sizes->slice_bytes, room = sizes->arena_bytes + unit;
  char *free_range =
      mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (free_range == MAP_FAILED)
    return MAP_FAILED;
  uint64_t skip = (unit - ((uintptr_t)free_range + own) % unit) % unit;
  char *base = free_range + skip, *end = base + sizes->arena_bytes;
  void *mapped = mmap(base, sizes->arena_bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
  if (mapped == MAP_FAILED) {
    munmap(free_range, room);
    return MAP_FAILED;
  }
  if (skip != 0)
    munmap(free_range, skip);
  if (end != free_range + room)
    munmap(end, (size_t)(free_range + room - end));
  return mapped;
}

static void place_slices(World *world) {
  Control *control = world->control;
  world->slices =
      (char *)control + control->statics_offset - (uint64_t)control->pes * control->slice_bytes;
}

Status moac_shmem_arena_create(const ArenaPlan *plan, bool anonymous, World *world) {
  Control sizes;
  memset(&sizes, 0, sizeof sizes);
  if (plan->pes < 1 || plan->pes > MAX_PES)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "%d PEs asked for, 1..%d possible", plan->pes,
                MAX_PES);
  if (!plan_sizes(plan, anonymous, &sizes))
    return FAIL(MOAC_SHMEM_SIZE_OVERFLOW, "%d heaps of %zu bytes", plan->pes, plan->heap_bytes);
  world->arena_fd = -1;
  int flags = MAP_SHARED | MAP_NORESERVE | (anonymous ? MAP_ANONYMOUS : 0);
  if (!anonymous) {
    world->arena_fd = nameless_file();
    uint64_t file = sizes.arena_bytes + (uint64_t)plan->pes * STATICS_BYTES_MAX;
    if (world->arena_fd < 0 || ftruncate(world->arena_fd, (off_t)file) != 0)
      return FAIL(MOAC_SHMEM_SYSTEM, "shared memory of %llu bytes: %s", (unsigned long long)file,
                  strerror(errno));
  }
  void *base = map_aligned(&sizes, 0, flags, world->arena_fd);
  if (base == MAP_FAILED)
    return FAIL(MOAC_SHMEM_SYSTEM, "mapping %llu bytes: %s", (unsigned long long)sizes.arena_bytes,
                strerror(errno));
  if (plan->trace != NULL)
    snprintf(sizes.trace, sizeof sizes.trace, "%s", plan->trace);
  sizes.magic = CONTROL_MAGIC;
  memcpy(base, &sizes, sizeof sizes);
  world->control = base;
  place_slices(world);
  return MOAC_SHMEM_OK;
}

/* The others wait in init for a PE that has no room for the arena: it writes that into the head. */
static void refuse(int fd, const Control *sizes, int pe) {
  size_t bytes = sizeof(Control) + (size_t)sizes->pes * sizeof(PeSlot);
  Control *head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED)
    return; /* then only its end will be noticed */
  head->slots[pe].refused = true;
  moac_shmem_mark_failed(head, pe, 0);
  munmap(head, bytes);
}

Status moac_shmem_arena_attach(int fd, int pe, World *world) {
  struct stat about;
  if (fstat(fd, &about) != 0 || (size_t)about.st_size < sizeof(Control))
    return FAIL(MOAC_SHMEM_SYSTEM, "file descriptor %d does not hold an arena", fd);
  Control *head = mmap(NULL, sizeof *head, PROT_READ, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED)
    return FAIL(MOAC_SHMEM_SYSTEM, "mapping file descriptor %d: %s", fd, strerror(errno));
  Control sizes;
  memcpy(&sizes, head, sizeof sizes);
  munmap(head, sizeof *head);
  if (sizes.magic != CONTROL_MAGIC || sizes.arena_bytes > (uint64_t)about.st_size)
    return FAIL(MOAC_SHMEM_SYSTEM, "file descriptor %d was not made by this version", fd);
  if (pe < 0 || pe >= sizes.pes)
    return FAIL(MOAC_SHMEM_SYSTEM, "PE %d in a world of %d", pe, sizes.pes);
  void *base = map_aligned(&sizes, pe, MAP_SHARED | MAP_NORESERVE, fd);
  if (base == MAP_FAILED) {
    int why = errno;
    refuse(fd, &sizes, pe);
    return FAIL(MOAC_SHMEM_SYSTEM, "mapping %llu bytes: %s", (unsigned long long)sizes.arena_bytes,
                strerror(why));
  }
  world->arena_fd = fd;
  world->inherited = true;
  world->control = base;
  place_slices(world);
  return MOAC_SHMEM_OK;
}

void moac_shmem_arena_release(World *world) {
  if (world->control != NULL)
    munmap(world->control, world->control->arena_bytes);
  if (world->arena_fd >= 0 && !world->inherited)
    close(world->arena_fd);
  world->control = NULL;
  world->arena_fd = -1;
}
