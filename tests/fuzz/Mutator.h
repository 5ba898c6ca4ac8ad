// Random changes to .moa texts, token by token, for fuzzing without libFuzzer.
#ifndef MOAC_TESTS_FUZZMUTATOR_H
#define MOAC_TESTS_FUZZMUTATOR_H

#include <random>
#include <string>
#include <vector>

namespace moac::fuzz {

/// Words, glyphs and signs of the language, from its tables.
std::vector<std::string> vocabulary();

class Mutator {
public:
  Mutator(const std::vector<std::string> &corpus, uint64_t seed);
  /// A text of the corpus with a few tokens replaced, removed, doubled or exchanged.
  std::string next();

private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); }
  std::mt19937_64 random;
  std::vector<std::vector<std::string>> texts; // as tokens, blanks before
  std::vector<std::string> pool;
};

} // namespace moac::fuzz

#endif
