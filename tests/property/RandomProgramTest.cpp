// Random programs: interpret(moa) = interpret(DNF) = interpret(ONF) = run(C).
//
// Programs are emitted many to a C file, since the C compiler is what takes time. Exact programs run on small integers and
// must agree bit for bit, with 1 and with 3 threads; the others within the oracle's bounds. MOAC_SEED and MOAC_PROGRAMS
// choose another sequence or more of it; a failure prints the seed and the smallest program that still fails.
#include "tests/property/RandomProgram.h"

#include "frontend/CallWrapper.h"
#include "frontend/Check.h"
#include "frontend/Compiler.h"
#include "frontend/HostCompiler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace moac;
using namespace moac::property;

namespace {
uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// The programs of one file, compiled.
struct Batch {
  std::unique_ptr<Program> program;
  std::optional<LoadedLibrary> library;
  std::string failure;
};

Batch build(const std::vector<RandomProgram> &programs) {
  Batch batch;
  auto path = std::filesystem::temp_directory_path() / fmt::format("moac-property-{}.moa", getpid());
  std::ofstream(path) << [&] {
    std::string text;
    for (const RandomProgram &program : programs)
      text += program.text() + "\n";
    return text;
  }();
  batch.program = Program::load(path.string(), {});
  std::filesystem::remove(path);
  if (batch.program->hasErrors()) {
    batch.failure = batch.program->diagnostics();
    return batch;
  }
  EmitOptions options;
  options.standalone = true;
  Answer<EmittedSource> source = batch.program->emit(options);
  Answer<HostCompiler> compiler = HostCompiler::find();
  if (!source || !compiler) {
    batch.failure = !source ? source.error : compiler.error;
    return batch;
  }
  std::string text = source->source;
  for (const KernelSignature &kernel : batch.program->kernels())
    text += callWrapper(kernel);
  Answer<LoadedLibrary> library = compiler->load(text, {"-O1"});
  if (!library)
    batch.failure = library.error;
  else
    batch.library = std::move(*library);
  return batch;
}

std::string judge(const std::string &who, const std::vector<HostArray> &got, const InterpretResult &want, bool exact) {
  for (size_t k = 0; want.status == 0 && k < got.size(); ++k) {
    int64_t place = 0;
    if (exact) {
      for (int64_t i = 0; i < got[k].size(); ++i)
        if (got[k].get(i) != want.outputs[k].values[static_cast<size_t>(i)])
          return fmt::format("{}: element {} is {}, wanted {} exactly", who, i, static_cast<double>(got[k].get(i)),
                             static_cast<double>(want.outputs[k].values[static_cast<size_t>(i)]));
      continue;
    }
    double error = worstError(got[k], want.outputs[k], place);
    if (error > 8)
      return fmt::format("{}: element {} is {} bounds off", who, place, error);
  }
  return "";
}

std::vector<HostArray> rounded(const InterpretResult &result) {
  std::vector<HostArray> arrays;
  for (const OracleArray &output : result.outputs) {
    HostArray array(output.type, output.shape);
    for (int64_t i = 0; i < array.size(); ++i)
      array.set(i, output.values[static_cast<size_t>(i)]);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

/// What is wrong with one program at a few sizes; empty when nothing is.
std::string examine(Batch &batch, const RandomProgram &program, uint64_t seed) {
  const KernelSignature *kernel = nullptr;
  for (const KernelSignature &candidate : batch.program->kernels())
    if (candidate.name == program.name)
      kernel = &candidate;
  if (!kernel)
    return "kernel lost";
  auto function = reinterpret_cast<KernelFunction>(batch.library->symbol(callWrapperName(*kernel)));
  auto setThreads = reinterpret_cast<void (*)(int)>(batch.library->symbol("omp_set_num_threads"));
  Random random(seed);
  const int64_t sizes[][2] = {{0, 3}, {1, 1}, {3, 2}, {4, 7}, {5, 0}, {2, 17}, {33, 3}};
  for (auto [m, n] : sizes) {
    CallArguments arguments;
    for (const std::string &symbol : kernel->symbols)
      arguments.symbols.push_back(symbol == "M" ? m : n);
    for (const ScalarSignature &scalar : kernel->scalars) {
      HostArray shift(scalar.type, {});
      shift.set(0, random.below(9) - 4);
      arguments.scalars.push_back(std::move(shift));
    }
    DataKind kind = program.exact ? DataKind::SmallIntegers : DataKind::Gaussian;
    for (const ArraySignature &input : kernel->inputs) {
      auto shape = shapeOf(*kernel, input, arguments.symbols);
      arguments.inputs.push_back(input.name == "p" ? randomIndices(input.type, *shape, m + (random.below(4) == 0), false, random)
                                                   : randomArray(input.type, *shape, kind, random));
    }
    Answer<InterpretResult> want = batch.program->interpret(program.name, Stage::Moa, arguments);
    std::string where = fmt::format(" at M={} N={}", m, n);
    if (!want)
      return "moa: " + want.error + where;
    uint64_t visits = 0; // of the formula as scheduled: its realisation visits no point twice
    for (auto [stage, name] : {std::pair(Stage::Dnf, "dnf"), std::pair(Stage::Scheduled, "scheduled"),
                               std::pair(Stage::Onf, "onf")}) {
      Answer<InterpretResult> got = batch.program->interpret(program.name, stage, arguments);
      if (!got)
        return std::string(name) + ": " + got.error + where;
      if (got->status != want->status && want->uncertain)
        continue;
      if (got->status != want->status)
        return fmt::format("{}: status {} instead of {}{}", name, got->status, want->status, where);
      if (std::string wrong = judge(name, rounded(*got), *want, program.exact); !wrong.empty())
        return wrong + where;
      if (stage == Stage::Onf && got->status == 0 && !want->uncertain && got->visits > visits)
        return fmt::format("onf: {} reduction points visited instead of {}{}", got->visits, visits, where);
      visits = got->visits;
    }
    for (int threads : {1, 3}) {
      if (setThreads)
        setThreads(threads);
      Answer<CallResult> got = call(function, *kernel, arguments);
      if (!got)
        return "c: " + got.error + where;
      if (got->status != want->status && want->uncertain)
        continue;
      if (got->status != want->status)
        return fmt::format("c: status {} instead of {}{}", got->status, want->status, where);
      if (std::string wrong = judge("c", got->outputs, *want, program.exact); !wrong.empty())
        return wrong + where;
    }
  }
  return "";
}

/// The smallest program found that still fails, by greedy replacement; bounded, since each step compiles.
std::string shrink(RandomProgram program, std::string failure, uint64_t seed) {
  int budget = 120;
  for (bool progress = true; progress && budget > 0;) {
    progress = false;
    for (const RandomProgram &candidate : shrunk(program)) {
      if (--budget < 0)
        break;
      Batch batch = build({candidate});
      std::string wrong = batch.failure.empty() ? examine(batch, candidate, seed) : "";
      if (wrong.empty())
        continue;
      program = candidate;
      failure = wrong;
      progress = true;
      break;
    }
  }
  return failure + "\n" + program.text();
}

TEST(RandomPrograms, EveryStageMeansTheSame) {
  const uint64_t seed = setting("MOAC_SEED", 20261130), count = setting("MOAC_PROGRAMS", 120);
  constexpr uint64_t perFile = 40;
  Random random(seed);
  for (uint64_t start = 0; start < count; start += perFile) {
    std::vector<RandomProgram> programs;
    for (uint64_t k = start; k < std::min(count, start + perFile); ++k)
      programs.push_back(randomProgram("k" + std::to_string(k), random));
    Batch batch = build(programs);
    if (!batch.failure.empty()) {
      for (const RandomProgram &program : programs)
        if (Batch alone = build({program}); !alone.failure.empty())
          FAIL() << "seed " << seed << "\n" << alone.failure << "\n" << program.text();
      FAIL() << "seed " << seed << "\n" << batch.failure;
    }
    for (const RandomProgram &program : programs)
      if (std::string wrong = examine(batch, program, seed); !wrong.empty())
        ADD_FAILURE() << "seed " << seed << ": " << shrink(program, wrong, seed);
    if (testing::Test::HasFailure())
      return;
  }
}
} // namespace
