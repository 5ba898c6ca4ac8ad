// The libFuzzer target from text to DNF.
#include "tests/fuzz/FuzzPipeline.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) {
  return moac::fuzz::run(data, size, moac::fuzz::Goal::Dnf);
}
