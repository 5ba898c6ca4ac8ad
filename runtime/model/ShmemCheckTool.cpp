// `moac-shmem-check`: the command `moac shmem-check` as a program of its own.
#include "runtime/model/Litmus.h"

#include <cstdio>
#include <sstream>

int main(int argc, char **argv) {
  std::ostringstream out, err;
  int code = moac::model::shmemCheckMain({argv + 1, argv + argc}, out, err);
  std::fputs(out.str().c_str(), stdout);
  std::fputs(err.str().c_str(), stderr);
  return code;
}
