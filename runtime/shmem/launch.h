/* launch.h: the launcher behind `moac launch` and the moac-launch executable. */
#ifndef MOAC_SHMEM_LAUNCH_H
#define MOAC_SHMEM_LAUNCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* argv[0] is the name to show in messages. Runs `-n P [--heap BYTES] [--chaos SEED] [--trace
 * FOLDER] PROGRAM ARGS...` as P processes and waits for them. Returns the exit code: of the first
 * PE that failed (128 + signal when it was killed), of global_exit, 2 for a wrong command line, 0
 * when all succeeded. With `--engine NAME` the engine's launcher takes over this process. */
int moac_launch_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
