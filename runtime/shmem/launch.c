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
  const char *hosts;  /* of an engine; NULL: this one */
  char **program;
} Options;

typedef struct Job {
  World world;
  pid_t *children;
  int running, code;
  double deadline; /* 0: none */
} Job;

static int help(void) {
  printf(
      "usage: moac launch -n PES [OPTION...] PROGRAM [ARGUMENT...]\n\n"
      "Runs PROGRAM as PES processing elements that share symmetric memory.\n\n"
      "  -n PES            1 to 1024; more than there are cores is fine\n"
      "  --heap BYTES      symmetric heap of each, as in 64M; otherwise SHMEM_SYMMETRIC_SIZE, or "
      "128M\n"
      "  --chaos SEED      deliver in any order that the memory model allows; a seed repeats its "
      "order\n"
      "  --trace FOLDER    write what happened, for moac shmem-check FOLDER\n"
      "  --engine NAME     mpi or oshmem: over what the site has, instead of shared memory\n"
      "  --hosts NAME,...  with an engine: where the PEs run, as in left:2,right:2\n\n"
      "The exit code is that of the first PE that failed, or 128 and the signal that killed it.\n");
  return 0;
}

/* Says what is wrong, points at the word, and what else there is. */
static int refuse(int argc, char **argv, int at, const char *wrong) {
  int column = 0;
  fprintf(stderr, "moac launch: %s\n  moac launch", wrong);
  for (int i = 1; i < argc; ++i) {
    fprintf(stderr, " %s", argv[i]);
    column += i < at ? (int)strlen(argv[i]) + 1 : 0;
  }
  fprintf(stderr, "\n  %*s^\nmoac launch --help lists the options\n",
          (int)strlen("moac launch ") + column, "");
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

static const char *read_engine_option(const char *option, const char *value, Options *options) {
  if (strcmp(option, "--engine") == 0) {
    options->engine = value;
    return value != NULL && (strcmp(value, "mpi") == 0 || strcmp(value, "oshmem") == 0)
               ? NULL
               : "--engine wants mpi or oshmem";
  }
  if (strcmp(option, "--hosts") != 0)
    return "there is no such option";
  options->hosts = value;
  return value != NULL ? NULL : "--hosts wants names, separated by commas";
}

/* NULL, or what is wrong. value may be NULL. */
static const char *read_option(const char *option, const char *value, Options *options) {
  uint64_t pes = 0;
  if (strcmp(option, "-n") == 0 || strcmp(option, "-np") == 0) {
    if (!read_count(value, 1, MAX_PES, &pes))
      return "-n wants a number of PEs, 1 to 1024";
    options->plan.pes = (int)pes;
    return NULL;
  }
  if (strcmp(option, "--heap") == 0)
    return value != NULL && moac_shmem_parse_size(value, &options->plan.heap_bytes)
               ? NULL
               : "--heap wants a number of bytes";
  if (strcmp(option, "--chaos") == 0)
    return read_count(value, 1, UINT64_MAX, &options->plan.chaos_seed)
               ? NULL
               : "--chaos wants a seed, at least 1";
  if (strcmp(option, "--trace") != 0)
    return read_engine_option(option, value, options);
  options->plan.trace = value;
  return value != NULL && strlen(value) <= 200 ? NULL : "--trace wants a folder";
}

static int position(char **argv, const char *word) {
  int at = 1;
  while (strcmp(argv[at], word) != 0)
    ++at;
  return at;
}

/* NULL, or what is wrong with word *where. */
static const char *parse(int argc, char **argv, Options *options, int *where) {
  int at = 1;
  options->plan.heap_bytes = moac_shmem_heap_from_environment();
  for (; at < argc && argv[at][0] == '-'; at += 2) {
    if (strcmp(argv[at], "--") == 0) {
      at += 1;
      break;
    }
    const char *wrong = read_option(argv[at], at + 1 < argc ? argv[at + 1] : NULL, options);
    *where = at;
    if (wrong != NULL)
      return wrong;
  }
  options->program = argv + (at < argc ? at : argc);
  *where = at < argc ? at : argc;
  if (options->engine != NULL && options->plan.chaos_seed != 0)
    return *where = position(argv, "--chaos"), "--chaos is the embedded backend's";
  if (options->hosts != NULL && options->engine == NULL)
    return *where = position(argv, "--hosts"),
           "the embedded backend has one host; --hosts wants an engine";
  return options->plan.pes == 0 ? "-n is missing: how many PEs?"
         : at >= argc           ? "which program?"
                                : NULL;
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
  moac_shmem_mark_failed(control, pe, status);
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

int moac_launch_main(int argc, char **argv) {
  Options options = {.program = NULL};
  static const char name[] = "moac launch";
  int where = 1;
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    return help();
  const char *wrong = parse(argc, argv, &options, &where);
  if (wrong != NULL)
    return refuse(argc, argv, where, wrong);
  if (options.plan.trace != NULL && mkdir(options.plan.trace, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "%s: cannot make %s: %s\n", name, options.plan.trace, strerror(errno));
    return 1;
  }
  if (options.engine != NULL)
    return moac_launch_engine(options.engine, options.hosts, &options.plan, options.program);
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
