/* launch_main.c: moac-launch, the launcher as a program of its own, for tests and for sites without
 * the compiler. */
#include "runtime/shmem/launch.h"

int main(int argc, char **argv) { return moac_launch_main(argc, argv); }
