// Small changes everywhere: each token of the loops of a few emitted files is replaced by another
// one that C allows there, and the second reader must object to every one of them. MOAC_SEED
// chooses another sample.
#include "frontend/CheckCases.h"
#include "tests/unit/verify/VerifyPrograms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace moac;
using namespace moac::test;

namespace {

struct Replacement {
  const char *from, *to;
};
/// Each changes what a statement means, wherever it stands.
constexpr Replacement replacements[] = {{" + ", " - "},
                                        {" - ", " + "},
                                        {" * ", " / "},
                                        {" / ", " * "},
                                        {"+= ", "-= "},
                                        {"*", "+"},
                                        {" < ", " <= "},
                                        {" <= ", " < "},
                                        {" && ", " || "},
                                        {" = 0.0;", " = 1.0;"},
                                        {"[i", "[1 + i"},
                                        {"max_f64", "min_f64"},
                                        {"exp(", "sin("},
                                        {" = 0;", " = 1;"},
                                        {"#pragma omp", "// pragma"},
                                        {"collapse(2)", ""},
                                        {"simd", "simd simdlen(2)"},
                                        {"static", "dynamic"},
                                        {"else {", "if (1) {"},
                                        {"? ", "? 1 + "}};

struct Place {
  size_t at;
  const Replacement *replacement;
};

/// Places in loops, outside of comments.
std::vector<Place> places(const std::string &text) {
  std::vector<Place> found;
  size_t loops = text.find("\n  #pragma omp");
  loops = std::min(loops, text.find("\n  for ("));
  for (size_t at = loops; at < text.size() && text.substr(at, 2) != "\n}"; ++at) {
    if (text.compare(at, 2, "//") == 0) {
      at = text.find('\n', at) - 1;
      continue;
    }
    for (const Replacement &replacement : replacements)
      if (text.compare(at, std::string_view(replacement.from).size(), replacement.from) == 0)
        found.push_back({at, &replacement});
  }
  return found;
}

TEST(Mutation, EveryChangeIsFound) {
  const char *chosen = std::getenv("MOAC_SEED");
  const uint64_t seed = chosen ? std::strtoull(chosen, nullptr, 10) : 20261130;
  Random random(seed);
  constexpr unsigned perFile = 15;
  unsigned tried = 0;
  for (const char *name : {"attention", "matmul", "spmv", "conv2d", "softmax", "stencil"}) {
    const EmittedProgram emitted = emitFile(fmt::format("{}/{}.moa", MOAC_EXAMPLES, name));
    ASSERT_TRUE(emitted.program) << name;
    const std::string &original = emitted.source.source;
    std::vector<Place> all = places(original);
    ASSERT_GE(all.size(), 8u) << name;
    for (unsigned n = 0; n < perFile && !all.empty(); ++n) {
      const size_t pick = random.below(all.size());
      const Place place = all[pick];
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(pick));
      std::string text = original;
      text.replace(place.at, std::string_view(place.replacement->from).size(),
                   place.replacement->to);
      ++tried;
      EXPECT_NE(joined(differences(emitted, text)), "")
          << "seed " << seed << ", " << name << ": '" << place.replacement->from << "' became '"
          << place.replacement->to << "' in\n"
          << text.substr(text.rfind('\n', place.at) + 1, 120);
    }
  }
  EXPECT_GE(tried, 70u);
}

} // namespace
