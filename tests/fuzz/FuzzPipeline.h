// What the fuzzers run: a text through the whole compiler, or to DNF.
//
// Any text must end in a program or in messages. A program that analysis accepted must be valid IR
// and must be translated to the end; what is not so is reported as a fault, and the caller stops.
#ifndef MOAC_TESTS_FUZZPIPELINE_H
#define MOAC_TESTS_FUZZPIPELINE_H

#include "emitters/CReading.h"

#include <string>
#include <string_view>

namespace moac::fuzz {

enum class Goal { Dnf, C };

struct Outcome {
  bool accepted = false; ///< by analysis
  std::string fault;     ///< what went wrong that must not; empty: nothing
  std::string source;    ///< the emitted C, for Goal::C
};
/// With a reader, the C is also read back and must be what was analysed.
Outcome translate(std::string_view text, Goal goal, reading::CReader reader = nullptr);

/// The body of a libFuzzer target: aborts on a fault, so that the input is kept.
int run(const unsigned char *data, unsigned long size, Goal goal);

} // namespace moac::fuzz

#endif
