/* launch_engine.c: jobs over an engine of the site. The engine's own launcher, Open MPI's mpirun,
 * starts the processes; this file gives it what it needs to be told, so that users need not know.
 */
#define _GNU_SOURCE
#include "runtime/shmem/internal.h"
#include "runtime/shmem/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Relative to the installation; the build says where. */
#ifndef MOAC_ENGINE_FOLDER
#define MOAC_ENGINE_FOLDER "lib/moac"
#endif

enum { CANNOT_RUN = 127, HEAP_SLACK = 64 << 20 };

/* The user's own settings win. */
static void set_openmpi_environment(void) {
  static const char *const settings[][2] = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      /* Without these two every program crashes when it ends. */
      {"OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0"},
      {"OMPI_MCA_btl", "^openib"},
      /* compare_and_swap of the one crashes, the other never progresses. */
      {"OMPI_MCA_osc", "^rdma,ucx"},
      /* Else a PE that waits inside the engine keeps its core from the one that would answer it. */
      {"OMPI_MCA_mpi_yield_when_idle", "1"},
  };
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i)
    setenv(settings[i][0], settings[i][1], 0);
}

/* An engine lies beside this program where it was built, in the library folder where it is
 * installed. */
static bool find_engine(const char *engine, char *path, size_t room) {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  char *folder_end = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
  if (folder_end == NULL)
    return false;
  *folder_end = '\0';
  static const char *const folders[] = {"", "/../" MOAC_ENGINE_FOLDER};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
    int used = snprintf(path, room, "%s%s/moac-shmem-%s.so", program, folders[i], engine);
    if (used > 0 && (size_t)used < room && access(path, R_OK) == 0)
      return true;
  }
  fprintf(stderr,
          "moac launch: neither %s nor " MOAC_ENGINE_FOLDER
          " holds moac-shmem-%s.so: this installation was built without that engine\n",
          program, engine);
  return false;
}

/* What the PEs are told: the engine and the sizes. An OpenSHMEM needs to know its heap beforehand:
 * ours, the sync areas and, if they fit the slack, the program's statics lie in one object of it.
 * Pages that nobody touches cost nothing. */
static bool set_job_environment(const char *engine, const ArenaPlan *plan) {
  char path[4096 + 64], size[32];
  if (!find_engine(engine, path, sizeof path))
    return false;
  setenv("MOAC_SHMEM_ENGINE", path, 1);
  snprintf(size, sizeof size, "%zu", plan->heap_bytes);
  setenv("MOAC_SHMEM_HEAP", size, 1);
  snprintf(size, sizeof size, "%zu",
           plan->heap_bytes + TEAM_SLOTS * moac_shmem_sync_area_bytes(plan->pes) + HEAP_SLACK);
  setenv("SHMEM_SYMMETRIC_SIZE", size, 1);
  if (plan->trace != NULL)
    setenv("MOAC_SHMEM_TRACE", plan->trace, 1);
  return true;
}

int moac_launch_engine(const char *engine, const char *hosts, const ArenaPlan *plan,
                       char **program) {
  /* To other hosts only what is named travels. */
  static const char *const forwarded[] = {
      "MOAC_SHMEM_ENGINE", "MOAC_SHMEM_HEAP", "SHMEM_SYMMETRIC_SIZE",
      "MOAC_SHMEM_TRACE",  "UCX_TLS",         "UCX_NET_DEVICES"};
  enum { FORWARDED = sizeof forwarded / sizeof forwarded[0], OWN = 8 };
  size_t count = 0, at = 0;
  char pes[16];
  if (!set_job_environment(engine, plan))
    return 1;
  set_openmpi_environment();
  while (program[count] != NULL)
    ++count;
  const char **command = calloc(count + OWN + (size_t)2 * FORWARDED, sizeof *command);
  if (command == NULL)
    return 1;
  snprintf(pes, sizeof pes, "%d", plan->pes);
  command[at++] = "mpirun";
  command[at++] = "-np";
  command[at++] = pes;
  if (hosts != NULL) {
    command[at++] = "--host";
    command[at++] = hosts;
  }
  for (size_t i = 0; hosts != NULL && i < FORWARDED; ++i)
    if (getenv(forwarded[i]) != NULL) {
      command[at++] = "-x";
      command[at++] = forwarded[i];
    }
  memcpy(command + at, program, count * sizeof *command);
  execvp(command[0], (char **)(uintptr_t)command);
  fprintf(stderr, "moac launch: cannot run %s: %s\n", command[0], strerror(errno));
  free(command);
  return CANNOT_RUN;
}
