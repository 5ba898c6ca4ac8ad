/* launch.c: starts the PEs of a world and watches them.
 *
 * The arena is a nameless file that the children inherit, so there is nothing to clean up. A PE
 * that ends before it has finalized, in whatever way, is marked failed in the control block at
 * once; the others' waits then return PE_FAILED. PEs that have not ended GRACE seconds after a
 * failure or a global_exit are killed, so the job always ends. When the launcher itself dies the
 * kernel kills the PEs.
 */
#define _GNU_SOURCE
#include "runtime/shmem/launch.h"
#include "runtime/shmem/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_SECONDS = 5, USAGE = 2, CANNOT_RUN = 127 };

typedef struct Options {
  ArenaPlan plan;
  const char *engine; /* NULL: embedded */
  char **program;
} Options;

typedef struct Job {
  World world;
  pid_t *children;
  int running, code;
  double deadline; /* 0: none */
} Job;

static int usage(const char *name, const char *what) {
  fprintf(stderr,
          "%s: %s\nusage: %s -n PES [--heap BYTES[K|M|G]] [--chaos SEED] [--trace FOLDER] "
          "[--engine mpi] PROGRAM [ARGUMENT...]\n",
          name, what, name);
  return USAGE;
}

static bool read_count(const char *text, uint64_t least, uint64_t most, uint64_t *value) {
  char *end = NULL;
  if (text == NULL || *text < '0' || *text > '9')
    return false;
  errno = 0;
  *value = strtoull(text, &end, 0);
  return errno == 0 && *end == '\0' && *value >= least && *value <= most;
}

static const char *parse(int argc, char **argv, Options *options) {
  uint64_t pes = 0, seed = 0;
  int at = 1;
  options->plan.heap_bytes = moac_shmem_heap_from_environment();
  for (; at < argc && argv[at][0] == '-'; at += 2) {
    const char *value = at + 1 < argc ? argv[at + 1] : NULL;
    if (strcmp(argv[at], "--") == 0) {
      at += 1;
      break;
    }
    if (strcmp(argv[at], "-n") == 0 || strcmp(argv[at], "-np") == 0) {
      if (!read_count(value, 1, MAX_PES, &pes))
        return "-n wants a number of PEs, 1 to 1024";
    } else if (strcmp(argv[at], "--heap") == 0) {
      if (value == NULL || !moac_shmem_parse_size(value, &options->plan.heap_bytes))
        return "--heap wants a number of bytes";
    } else if (strcmp(argv[at], "--chaos") == 0) {
      if (!read_count(value, 1, UINT64_MAX, &seed))
        return "--chaos wants a seed, at least 1";
    } else if (strcmp(argv[at], "--trace") == 0) {
      options->plan.trace = value;
      if (value == NULL || strlen(value) > 200)
        return "--trace wants a folder";
    } else if (strcmp(argv[at], "--engine") == 0) {
      options->engine = value;
      if (value == NULL || strcmp(value, "mpi") != 0)
        return "--engine wants mpi";
    } else {
      return "unknown option";
    }
  }
  options->plan.pes = (int)pes;
  options->plan.chaos_seed = seed;
  options->program = argv + at;
  if (options->engine != NULL && seed != 0)
    return "--chaos is the embedded backend's";
  return pes == 0 ? "-n is missing" : at >= argc ? "PROGRAM is missing" : NULL;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become_pe(Job *job, const Options *options, int pe, pid_t launcher) {
  char number[16], fd[16];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher)
    _exit(CANNOT_RUN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  snprintf(number, sizeof number, "%d", pe);
  snprintf(fd, sizeof fd, "%d", job->world.arena_fd);
  setenv("MOAC_SHMEM_PE", number, 1);
  setenv("MOAC_SHMEM_FD", fd, 1);
  execvp(options->program[0], options->program);
  fprintf(stderr, "moac launch: cannot run %s: %s\n", options->program[0], strerror(errno));
  _exit(CANNOT_RUN);
}

static void give_up_after_grace(Job *job) {
  if (job->deadline == 0)
    job->deadline = now() + GRACE_SECONDS;
}

static void mark_failed(Job *job, int pe, int status) {
  Control *control = job->world.control;
  control->slots[pe].wait_status = status;
  atomic_store(&control->slots[pe].state, PE_FAILED);
  atomic_fetch_add(&control->failures, 1);
  for (int other = 0; other < control->pes; ++other)
    moac_shmem_wake_slow(&control->slots[other]);
}

/* A PE has ended with this wait status. */
static void note_end(Job *job, int pe, int status) {
  Control *control = job->world.control;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  uint32_t exiting = atomic_load(&control->exiting);
  uint32_t state = atomic_load(&control->slots[pe].state);
  job->children[pe] = 0;
  job->running--;
  if (exiting != 0) { /* global_exit decides the code; the others end as they can */
    job->code = (int)exiting - 1;
    give_up_after_grace(job);
    return;
  }
  if (code != 0 && job->code == 0) {
    job->code = code;
    if (WIFSIGNALED(status))
      fprintf(stderr, "moac launch: PE %d was killed by signal %d (%s)\n", pe, WTERMSIG(status),
              strsignal(WTERMSIG(status)));
  }
  if (state == PE_FINALIZED)
    return;
  mark_failed(job, pe, status);
  if (state == PE_ABSENT && code == 0)
    return; /* a program that never calls init; only PEs that wait for this one in init mind */
  if (job->code == 0)
    job->code = 1;
  give_up_after_grace(job);
}

static void reap(Job *job) {
  int status;
  pid_t ended;
  while (job->running > 0 && (ended = waitpid(-1, &status, WNOHANG)) > 0)
    for (int pe = 0; pe < job->world.control->pes; ++pe)
      if (job->children[pe] == ended)
        note_end(job, pe, status);
}

static void signal_all(Job *job, int number) {
  for (int pe = 0; pe < job->world.control->pes; ++pe)
    if (job->children[pe] > 0)
      kill(job->children[pe], number);
}

/* Sleeps in sigtimedwait, so a death is noticed at once and an interrupt is passed on. */
static void watch(Job *job, const sigset_t *watched) {
  while (job->running > 0) {
    struct timespec limit = {0, 100 * 1000 * 1000};
    int got = sigtimedwait(watched, NULL, &limit);
    if (got == SIGINT || got == SIGTERM || got == SIGHUP) {
      signal_all(job, got);
      give_up_after_grace(job);
      job->code = 128 + got;
    }
    reap(job);
    if (job->running > 0 && atomic_load(&job->world.control->exiting) != 0)
      give_up_after_grace(job);
    if (job->deadline != 0 && now() > job->deadline)
      signal_all(job, SIGKILL);
  }
}

static int start_all(Job *job, const Options *options) {
  pid_t launcher = getpid();
  fflush(NULL);
  for (int pe = 0; pe < options->plan.pes; ++pe) {
    pid_t child = fork();
    if (child == 0)
      become_pe(job, options, pe, launcher);
    if (child < 0) {
      fprintf(stderr, "moac launch: cannot start PE %d: %s\n", pe, strerror(errno));
      job->code = 1;
      signal_all(job, SIGKILL);
      return 1;
    }
    job->children[pe] = child;
    job->running++;
  }
  return 0;
}

/* What Open MPI needs and a user should not have to know; the user's own settings win. */
static void set_openmpi_environment(void) {
  static const char *const settings[][2] = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0"},
      {"OMPI_MCA_btl", "^openib"},
      {"OMPI_MCA_osc",
       "^rdma,ucx"}, /* compare_and_swap of the one crashes, the other never progresses */
  };
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i)
    setenv(settings[i][0], settings[i][1], 0);
}

/* The engine's own launcher takes over this process. The engine lies beside this program. */
static int run_with_engine(const char *name, const Options *options) {
  char path[4096], pes[16], size[32];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
  char *folder_end = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
  if (folder_end == NULL)
    return usage(name, "cannot find its own folder");
  snprintf(folder_end, 64, "/moac-shmem-%s.so", options->engine);
  if (access(path, R_OK) != 0) {
    fprintf(stderr, "%s: %s is not there: this installation was built without that engine\n", name,
            path);
    return 1;
  }
  int count = 0;
  while (options->program[count] != NULL)
    ++count;
  char **command = calloc((size_t)count + 4, sizeof *command);
  if (command == NULL)
    return 1;
  command[0] = "mpirun";
  command[1] = "-np";
  command[2] = pes;
  memcpy(command + 3, options->program, (size_t)count * sizeof *command);
  snprintf(pes, sizeof pes, "%d", options->plan.pes);
  snprintf(size, sizeof size, "%zu", options->plan.heap_bytes);
  setenv("MOAC_SHMEM_ENGINE", path, 1);
  setenv("MOAC_SHMEM_HEAP", size, 1);
  if (options->plan.trace != NULL)
    setenv("MOAC_SHMEM_TRACE", options->plan.trace, 1);
  set_openmpi_environment();
  execvp(command[0], command);
  fprintf(stderr, "%s: cannot run %s: %s\n", name, command[0], strerror(errno));
  free(command);
  return CANNOT_RUN;
}

int moac_launch_main(int argc, char **argv) {
  Options options = {.program = NULL};
  const char *name = argc > 0 ? argv[0] : "moac launch", *wrong = parse(argc, argv, &options);
  if (wrong != NULL)
    return usage(name, wrong);
  if (options.plan.trace != NULL && mkdir(options.plan.trace, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "%s: cannot make %s: %s\n", name, options.plan.trace, strerror(errno));
    return 1;
  }
  if (options.engine != NULL)
    return run_with_engine(name, &options);
  Job job = {.world = {.mode = WORLD_PROCESSES, .arena_fd = -1}};
  job.children = calloc((size_t)options.plan.pes, sizeof *job.children);
  if (job.children == NULL ||
      moac_shmem_arena_create(&options.plan, false, &job.world) != MOAC_SHMEM_OK) {
    fprintf(stderr, "%s: %s\n", name, moac_shmem_last_error());
    free(job.children);
    return 1;
  }
  sigset_t watched, before;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGHUP);
  sigprocmask(SIG_BLOCK, &watched, &before);
  start_all(&job, &options);
  watch(&job, &watched);
  sigprocmask(SIG_SETMASK, &before, NULL);
  moac_shmem_arena_release(&job.world);
  free(job.children);
  return job.code;
}
