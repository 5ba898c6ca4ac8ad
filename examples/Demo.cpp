// `./build.sh demo`: three kernels from text to numbers. Each is compiled to C, built with the
// system's compiler, run on random data, compared with the interpreter at the same sizes and timed;
// one line of a table each.
//
// GF/s counts the scalar operations of the formula, as the interpreter meets them: recomputation
// that a schedule chooses does not count as work done.
#include "frontend/CallWrapper.h"
#include "frontend/Check.h"
#include "frontend/Compiler.h"
#include "frontend/HostCompiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace moac;

namespace {

struct Row {
  const char *file, *kernel;
  std::map<std::string, int64_t> sizes;
};

const Row rows[] = {
    {"attention.moa", "attention", {{"B", 2}, {"N", 256}, {"D", 64}, {"M", 256}, {"E", 64}}},
    {"matmul.moa", "matmul", {{"M", 256}, {"K", 256}, {"N", 256}}},
    {"heat.moa", "heat", {{"N", 1024}, {"M", 1024}}},
};

struct Measurement {
  double error = 0;   ///< largest |got - want| over the largest |want|
  double bounds = 0;  ///< largest error in error bounds; 8 are allowed
  double seconds = 0; ///< median of a call
  double operations = 0;
};

/// The caller's view of a call: a function and arrays that are allocated once.
Answer<Measurement> measure(Program &program, const KernelSignature &kernel,
                            KernelFunction function, const CallArguments &arguments) {
  Answer<CallResult> got = call(function, kernel, arguments);
  Answer<InterpretResult> want = program.interpret(kernel.name, Stage::Moa, arguments);
  if (!got || !want)
    return Answer<Measurement>::failure(!got ? got.error : want.error);
  if (got->status != 0 || want->status != 0)
    return Answer<Measurement>::failure(fmt::format("status {} and {}", got->status, want->status));
  Measurement result;
  result.operations = want->operations;
  for (size_t k = 0; k < got->outputs.size(); ++k) {
    int64_t place = 0;
    result.bounds = std::max(result.bounds, worstError(got->outputs[k], want->outputs[k], place));
    long double difference = 0, largest = 0;
    for (int64_t p = 0; p < got->outputs[k].size(); ++p) {
      const long double value = want->outputs[k].values[static_cast<size_t>(p)];
      difference = std::max(difference, std::fabs(got->outputs[k].get(p) - value));
      largest = std::max(largest, std::fabs(value));
    }
    result.error =
        std::max(result.error, static_cast<double>(difference / std::max(largest, 1e-300L)));
  }
  std::vector<const void *> scalars, inputs;
  std::vector<void *> outputs;
  for (const HostArray &scalar : arguments.scalars)
    scalars.push_back(scalar.bytes().data());
  for (const HostArray &input : arguments.inputs)
    inputs.push_back(input.bytes().data());
  for (HostArray &output : got->outputs)
    outputs.push_back(output.bytes().data());
  std::vector<double> seconds;
  const auto begin = std::chrono::steady_clock::now();
  while (seconds.size() < 5 ||
         (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500))) {
    const auto start = std::chrono::steady_clock::now();
    function(arguments.symbols.data(), scalars.data(), inputs.data(), outputs.data());
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<ptrdiff_t>(seconds.size() / 2));
  result.seconds = seconds[seconds.size() / 2];
  return result;
}

Answer<Measurement> runRow(const Row &row, const std::string &folder) {
  std::unique_ptr<Program> program = Program::load(folder + "/" + row.file, {});
  if (program->hasErrors())
    return Answer<Measurement>::failure(program->diagnostics());
  const auto kernel = std::ranges::find(program->kernels(), row.kernel, &KernelSignature::name);
  if (kernel == program->kernels().end())
    return Answer<Measurement>::failure("no such kernel");
  EmitOptions emit;
  emit.kernels = {row.kernel};
  emit.standalone = true;
  Answer<EmittedSource> text = program->emit(emit);
  Answer<HostCompiler> compiler = HostCompiler::find();
  if (!text || !compiler)
    return Answer<Measurement>::failure(!text ? text.error : compiler.error);
  Answer<LoadedLibrary> library = compiler->load(text->source + callWrapper(*kernel));
  if (!library)
    return Answer<Measurement>::failure(library.error);

  CallArguments arguments;
  Random random(1);
  for (const std::string &symbol : kernel->symbols)
    arguments.symbols.push_back(row.sizes.at(symbol));
  for (const ScalarSignature &scalar : kernel->scalars) {
    arguments.scalars.emplace_back(scalar.type, HostShape{});
    arguments.scalars.back().set(0, 0.125);
  }
  for (const ArraySignature &input : kernel->inputs)
    arguments.inputs.push_back(randomArray(input.type, *shapeOf(*kernel, input, arguments.symbols),
                                           DataKind::Gaussian, random));
  auto function = reinterpret_cast<KernelFunction>(library->symbol(callWrapperName(*kernel)));
  return measure(*program, *kernel, function, arguments);
}

std::string sizesText(const Row &row) {
  std::string text;
  for (auto &[symbol, size] : row.sizes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", symbol, size);
  return text;
}

} // namespace

int main(int argc, char **argv) {
  const std::string folder = argc > 1 ? argv[1] : "examples";
  bool passed = true;
  fmt::print("{:<10} {:<32} {:>12} {:>8} {:>10} {:>8}\n", "kernel", "shape", "error", "bounds",
             "time", "GF/s");
  for (const Row &row : rows) {
    Answer<Measurement> result = runRow(row, folder);
    fmt::print("{:<10} {:<32} ", row.kernel, sizesText(row));
    if (!result) {
      fmt::print("failed: {}\n", result.error);
      passed = false;
      continue;
    }
    passed &= result->bounds <= 8;
    fmt::print("{:>12.2e} {:>8.2g} {:>7.3f} ms {:>8.2f}\n", result->error, result->bounds,
               1e3 * result->seconds, result->operations / result->seconds / 1e9);
    std::fflush(stdout);
  }
  fmt::print("\nerror: largest difference from the interpreter over the largest value; bounds: the "
             "same in error bounds, 8 "
             "are allowed.\ntime: median of a call with all threads.\n");
  return passed ? 0 : 1;
}
