// The search for usable integer data, and the making of arguments.
#include "frontend/CheckArguments.h"

#include "frontend/CallWrapper.h"

#include <algorithm>
#include <cmath>

using namespace moac;

namespace {

constexpr size_t maxSamples = 12;
constexpr size_t maxTrials = 3000;

bool isInteger(ElementType type) {
  return typeClass(type) == TypeClass::Int || typeClass(type) == TypeClass::Uint;
}

/// Small cases of different sizes: enough to tell right from wrong index bounds, cheap to
/// interpret.
std::vector<Sizes> sampleCases(Program &program, const KernelSignature &kernel,
                               const std::vector<Sizes> &cases) {
  std::vector<Sizes> samples;
  for (const Sizes &sizes : cases)
    if (std::ranges::none_of(sizes, [](int64_t n) { return n == 0; }) &&
        program.innermostIterations(kernel.name, sizes) <= 2e4)
      samples.push_back(sizes);
  // Spread over the sorted list.
  while (samples.size() > maxSamples) {
    std::vector<Sizes> half;
    for (size_t k = 0; k < samples.size(); k += 2)
      half.push_back(samples[k]);
    samples = std::move(half);
  }
  return samples;
}

} // namespace

ArgumentMaker::ArgumentMaker(Program &program, const KernelSignature &kernel,
                             const std::vector<Sizes> &cases)
    : program(program), kernel(kernel), fillings(kernel.inputs.size()) {
  std::vector<size_t> integerInputs;
  for (size_t k = 0; k < kernel.inputs.size(); ++k)
    if (isInteger(kernel.inputs[k].type))
      integerInputs.push_back(k);
  if (integerInputs.empty())
    return;
  const std::vector<Sizes> samples = sampleCases(program, kernel, cases);
  if (score(samples).successes < samples.size())
    search(integerInputs, samples);
}

std::vector<ArgumentMaker::Filling> ArgumentMaker::candidates() const {
  std::vector<Filling> all = {{}};
  for (size_t symbol = 0; symbol < kernel.symbols.size(); ++symbol)
    for (int64_t offset : {0, 1})
      for (bool sorted : {false, true})
        all.push_back({static_cast<int>(symbol), offset, sorted});
  return all;
}

ArgumentMaker::Score ArgumentMaker::score(const std::vector<Sizes> &samples) const {
  Score total;
  for (size_t k = 0; k < samples.size(); ++k) {
    Random random(k + 1);
    std::optional<CallArguments> arguments = make(samples[k], DataKind::Gaussian, random);
    if (!arguments)
      continue;
    Answer<InterpretResult> result = program.interpret(kernel.name, Stage::Moa, *arguments);
    if (!result || result->status != 0)
      continue;
    ++total.successes;
    total.operations += result->operations;
  }
  return total;
}

void ArgumentMaker::search(const std::vector<size_t> &integerInputs,
                           const std::vector<Sizes> &samples) {
  const std::vector<Filling> choices = candidates();
  std::vector<size_t> digits(integerInputs.size(), 0);
  std::vector<Filling> best = fillings;
  Score bestScore;
  for (size_t trial = 0; trial < maxTrials; ++trial) {
    for (size_t k = 0; k < digits.size(); ++k)
      fillings[integerInputs[k]] = choices[digits[k]];
    Score reached = score(samples);
    if (bestScore < reached)
      best = fillings, bestScore = reached;
    size_t k = 0;
    while (k < digits.size() && ++digits[k] == choices.size())
      digits[k++] = 0;
    if (k == digits.size())
      break;
  }
  fillings = best;
}

bool ArgumentMaker::makeScalars(CallArguments &arguments, Random &random) const {
  const int64_t largest = arguments.symbols.empty() ? 4
                                                    : *std::max_element(arguments.symbols.begin(),
                                                                        arguments.symbols.end());
  for (int attempt = 0; attempt < 200; ++attempt) {
    arguments.scalars.clear();
    for (const ScalarSignature &scalar : kernel.scalars) {
      HostArray value(scalar.type, {});
      if (isInteger(scalar.type))
        value.set(0, random.below(std::max<int64_t>(largest, 4)));
      else if (scalar.type == ElementType::bool_)
        value.set(0, random.below(2));
      else // positive and of ordinary size: scalars are mostly scales, steps and epsilons
        value.set(0, 0.25 + std::fabs(random.gaussian()));
      arguments.scalars.push_back(std::move(value));
    }
    if (kernel.scalars.empty() || program.admits(kernel.name, arguments.symbols, arguments.scalars))
      return true;
  }
  return false;
}

std::optional<CallArguments> ArgumentMaker::make(const Sizes &sizes, DataKind kind,
                                                 Random &random) const {
  CallArguments arguments;
  arguments.symbols = sizes;
  if (!makeScalars(arguments, random))
    return std::nullopt;
  for (size_t k = 0; k < kernel.inputs.size(); ++k) {
    const ArraySignature &input = kernel.inputs[k];
    std::optional<HostShape> shape = shapeOf(kernel, input, sizes);
    if (!shape || !elementCount(*shape))
      return std::nullopt;
    const Filling &filling = fillings[k];
    if (filling.symbol < 0)
      arguments.inputs.push_back(randomArray(input.type, *shape, kind, random));
    else
      arguments.inputs.push_back(randomIndices(
          input.type, *shape, sizes[static_cast<size_t>(filling.symbol)] + filling.offset,
          filling.sorted, random));
  }
  return arguments;
}

std::map<std::string, int64_t> moac::namedSizes(const KernelSignature &kernel, const CallArguments &arguments) {
  std::map<std::string, int64_t> sizes;
  for (size_t k = 0; k < kernel.symbols.size(); ++k)
    sizes[kernel.symbols[k]] = arguments.symbols[k];
  for (size_t k = 0; k < kernel.scalars.size(); ++k)
    if (kernel.scalars[k].type == ElementType::i64_)
      sizes[kernel.scalars[k].name] = static_cast<int64_t>(arguments.scalars[k].get(0));
  return sizes;
}
