// Random programs whose schedules divide an axis among processing elements: every axis that the compiler accepts.
//
// As PE 0 of 1, with parts of 1 to 4 indices, the loops mean what the formula means, and the formulas of `moac cost` count them
// (Differential.h). As C, on 3 PEs, they compute what the undivided kernel computes: all of it where the axis is reduced, the own
// block and nothing else where it is an axis of the result.
//
// MOAC_SEED and MOAC_DIVIDED choose another sequence or more of it; a failure prints the seed and the program.
#include "tests/property/Differential.h"
#include "tests/property/RandomProgram.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace moac;
using namespace moac::property;

namespace {
struct Divided {
  RandomProgram program;
  std::string directive;
  std::string text() const { return program.text() + "\nschedule " + program.name + " for cpu { " + directive + " }\n"; }
};

std::string messagesOf(const std::string &text) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("moac-divided-{}.moa", getpid());
  std::ofstream(path) << text;
  const std::unique_ptr<Program> program = Program::load(path.string(), {});
  std::filesystem::remove(path);
  if (program->hasErrors())
    return program->diagnostics();
  const Answer<cost::WorkTree> work = program->work(program->kernels().front().name, {}, 0); // runs the passes
  return work ? "" : work.error;
}

/// The loops that a program may have: axes i and j, reductions k0, k1, ...
std::vector<Divided> divisions(const RandomProgram &program, Random &random, std::string &strange) {
  std::vector<Divided> accepted;
  for (const char *loop : {"i", "j", "k0", "k1", "k2", "k3"}) {
    Divided divided{program, fmt::format("partition {} over pe by {}", loop, 1 + random.below(4))};
    const std::string messages = messagesOf(divided.text());
    if (messages.empty())
      accepted.push_back(divided);
    else if (messages.find("[cannot-partition]") == std::string::npos && strange.empty())
      strange = messages + "\n" + divided.text();
  }
  return accepted;
}

Subject subjectOf(const Divided &divided) {
  Subject subject{.kernel = divided.program.name, .text = divided.text(), .exact = divided.program.exact};
  subject.recomputes = subject.divided = true;
  subject.indexArrays.emplace("p", shape::Expr::name("M"));
  for (auto [m, n] : {std::pair(0, 3), {1, 1}, {3, 2}, {4, 7}, {5, 0}, {2, 17}, {13, 12}})
    subject.sizes.push_back({{"M", m}, {"N", n}});
  return subject;
}

/// The extents of "O: f64[M, N]", the first and the second, 1 where there is none.
std::pair<std::string, std::string> extents(const std::string &result) {
  const size_t open = result.find('['), close = result.find(']'), comma = result.find(',');
  if (open == std::string::npos)
    return {"1", "1"};
  const std::string first = result.substr(open + 1, std::min(comma, close) - open - 1);
  return {first, comma == std::string::npos ? "1" : result.substr(comma + 2, close - comma - 2)};
}

std::string cType(const std::string &type) {
  static const std::map<std::string, std::string> words = {{"f64", "double"}, {"f32", "float"}, {"i64", "int64_t"}, {"i32", "int32_t"}};
  auto word = words.find(type);
  return word == words.end() ? "" : word->second;
}

const char *const prologue = R"(#include "moac_shmem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"
static int me, pes, wrong;
static const int64_t sizes[][2] = {{0, 3}, {1, 1}, {4, 7}, {5, 0}, {2, 17}, {13, 12}};
static int64_t share(int64_t n, int pe) { return n * pe / pes; }
#define SAME(a, b, exact) ((a) == (b) || (isnan((double)(a)) && isnan((double)(b))) || \
  (!(exact) && fabs((double)(a) - (double)(b)) <= 1e-3 * (1 + fabs((double)(b)))))
)";

/// Calls the divided kernel and the other, and compares what this PE has of the result.
std::string comparison(const Divided &divided, bool whole) {
  const std::string type = cType(divided.program.type), name = divided.program.name;
  const auto [rows, columns] = extents(divided.program.result);
  const bool second = divided.directive.find("partition j ") == 0;
  std::string of = divided.program.result.substr(divided.program.result.find(": ") + 2);
  const std::string result = cType(of.substr(0, of.find('[')));
  return fmt::format(R"(static void test_{0}(int64_t M, int64_t N) {{
  {1} *A = calloc((size_t)(M * N) + 1, sizeof *A), *v = calloc((size_t)N + 1, sizeof *v), *w = calloc((size_t)M + 1, sizeof *w);
  int64_t *p = calloc((size_t)M + (size_t)N + 1, sizeof *p);
  for (int64_t x = 0; x < M * N; ++x) A[x] = ({1})((x * 7 + 3) % 9 - 4);
  for (int64_t x = 0; x < N; ++x) v[x] = ({1})((x * 5 + 1) % 7 - 3);
  for (int64_t x = 0; x < M; ++x) w[x] = ({1})((x * 3 + 2) % 5 - 2), p[x] = (x * 3 + 1) % M;
  const int64_t rows = {3}, columns = {4}, from = {5} ? 0 : share({6}, me), to = {5} ? {6} : share({6}, me + 1);
  {2} *O = calloc((size_t)(rows * columns) + 1, sizeof *O), *want = calloc((size_t)(rows * columns) + 1, sizeof *want);
  for (int64_t x = 0; x <= rows * columns; ++x) O[x] = 77;
  const int status = {0}(M, N, 2, A, v, w, p, O), one = {0}_one(M, N, 2, A, v, w, p, want);
  int bad = status != one || O[rows * columns] != 77;
  for (int64_t x = 0; one == 0 && x < rows * columns; ++x) {{
    const int64_t at = {7} ? x % columns : x / columns;
    bad |= at < from || at >= to ? O[x] != 77 : !SAME(O[x], want[x], {8});
  }}
  if (bad) wrong = 1, printf("{0}: PE %d of %d, M=%ld N=%ld: status %d, %d\n", me, pes, (long)M, (long)N, status, one);
  free(A), free(v), free(w), free(p), free(O), free(want);
}}
)", name, type, result, rows, columns, whole ? 1 : 0, second ? columns : rows, second ? 1 : 0, divided.program.exact ? 1 : 0);
}

/// Builds the programs and runs them on three PEs; what was printed.
std::string onThree(const std::vector<Divided> &programs) {
  std::string text;
  for (const Divided &divided : programs) {
    RandomProgram one = divided.program;
    one.name += "_one";
    text += divided.text() + "\n" + one.text() + "\n";
  }
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / fmt::format("moac-divided-{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "kernels.moa") << text;
  EmitOptions options;
  options.standalone = options.linked = true;
  options.headerName = "kernels.h";
  const std::unique_ptr<Program> program = Program::load((folder / "kernels.moa").string(), {});
  Answer<EmittedSource> source = program->emit(options);
  if (!source)
    return source.error;
  std::ofstream(folder / "kernels.h") << source->header;
  std::ofstream(folder / "kernels.c") << source->source;
  std::string driver = prologue, calls;
  for (const Divided &divided : programs) {
    const size_t at = source->header.find("int " + divided.program.name + "(");
    const bool whole = source->header.rfind("The results are whole", at) != std::string::npos &&
                       source->header.rfind("The results are whole", at) > source->header.rfind("The results have", at) + 1;
    driver += comparison(divided, whole);
    calls += "    test_" + divided.program.name + "(sizes[k][0], sizes[k][1]);\n";
  }
  std::ofstream(folder / "main.c") << driver << "int main(void) {\n  if (moac_shmem_init() != MOAC_SHMEM_OK)\n    return 2;\n"
                                   << "  me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();\n  for (int k = 0; k < 6; ++k) {\n" << calls
                                   << "  }\n  moac_shmem_finalize();\n  return wrong;\n}\n";
  const std::string command = fmt::format("cd {} && cc -std=gnu11 -O1 -w -I{} kernels.c main.c {} -pthread -ldl -lm -o program > out.txt 2>&1 && "
                                          "{} -n 3 ./program >> out.txt 2>&1", folder.string(), MOAC_SHMEM_INCLUDE, MOAC_SHMEM_LIBRARY, MOAC_LAUNCH);
  const int code = std::system(command.c_str());
  std::ifstream out(folder / "out.txt");
  std::string printed((std::istreambuf_iterator<char>(out)), std::istreambuf_iterator<char>());
  if (code == 0)
    std::filesystem::remove_all(folder);
  return code == 0 ? "" : fmt::format("code {} in {}\n{}", code, folder.string(), printed);
}

TEST(RandomPartitions, DividedKernelsMeanTheSame) {
  const uint64_t seed = setting("MOAC_SEED", 20261201), count = setting("MOAC_DIVIDED", 15);
  Random random(seed);
  std::vector<Divided> all;
  for (uint64_t k = 0; k < count; ++k) {
    std::string strange;
    RandomProgram program = randomProgram("k" + std::to_string(k), random);
    std::vector<Divided> accepted = divisions(program, random, strange);
    EXPECT_EQ(strange, "") << "seed " << seed;
    for (size_t n = 0; n < accepted.size(); ++n) {
      accepted[n].program.name += "_" + std::to_string(n);
      const std::string wrong = judge(subjectOf(accepted[n]), seed);
      if (!wrong.empty())
        ADD_FAILURE() << "seed " << seed << ": " << wrong << "\n" << accepted[n].text();
      else if (!cType(accepted[n].program.type).empty())
        all.push_back(accepted[n]);
    }
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(all.size(), count / 4) << "few axes are accepted";
  EXPECT_EQ(onThree(all), "") << "seed " << seed;
}
} // namespace
