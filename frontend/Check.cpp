// The check loop: cases, oracle, targets, comparison.
#include "frontend/Check.h"

#include "frontend/CheckArguments.h"
#include "frontend/GuardedCall.h"
#include "frontend/HostTarget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace moac;

namespace {

constexpr double allowedBounds = 8;

/// One target, compiled and loaded.
struct Target {
  std::string name;
  LoadedLibrary library;
  KernelFunction function = nullptr;
  KernelFunction nested = nullptr;   ///< two calls from inside a parallel region
  void (*setThreads)(int) = nullptr; ///< of the OpenMP that the kernel uses; null without one
};

/// Positions of `array` with `position` on `axis`, as an array whose extent there is 1.
HostArray slice(const HostArray &array, size_t axis, int64_t position) {
  HostShape shape = array.shape();
  size_t inner = array.elementBytes(), outer = 1;
  for (size_t k = 0; k < shape.size(); ++k)
    (k < axis ? outer : inner) *= k == axis ? 1 : static_cast<size_t>(shape[k]);
  const auto extent = static_cast<size_t>(shape[axis]);
  shape[axis] = 1;
  HostArray part(array.type(), shape);
  for (size_t k = 0; k < outer; ++k)
    std::copy_n(array.bytes().begin() +
                    static_cast<ptrdiff_t>((k * extent + static_cast<size_t>(position)) * inner),
                inner, part.bytes().begin() + static_cast<ptrdiff_t>(k * inner));
  return part;
}

HostArray sliceAlong(const HostArray &array, const ArraySignature &signature,
                     const std::string &symbol, int64_t position) {
  HostArray part = array;
  for (size_t axis = 0; axis < signature.extents.size(); ++axis)
    if (signature.extents[axis].asName() == symbol)
      part = slice(part, axis, position);
  return part;
}

class Checker {
public:
  Checker(Program &program, const KernelSignature &kernel, const CheckOptions &options)
      : program(program), kernel(kernel), options(options) {}

  CheckReport run() {
    // More threads than cores must not spin against each other. OpenMP reads this when it is
    // loaded.
    setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
    for (const std::string &name : options.targets)
      if (!prepare(name))
        return report;
    const std::vector<Sizes> cases = makeCases();
    if (cases.empty()) {
      report.failure = "no sizes satisfy the constraints and the work limit";
      return report;
    }
    const ArgumentMaker maker(program, kernel, cases);
    for (size_t k = 0; k < cases.size() && report.failure.empty(); ++k) {
      const DataKind kind = allDataKinds[k % std::size(allDataKinds)];
      Random random(options.seed * 1000003 + k);
      std::optional<CallArguments> arguments = maker.make(cases[k], kind, random);
      if (!arguments)
        continue;
      situation = describe(cases[k], kind);
      ++report.cases;
      runCase(*arguments, k % 2 == 1);
    }
    if (report.cases == 0 && report.failure.empty())
      report.failure = "no arguments satisfy the constraints";
    if (report.cases == report.tooLong && report.failure.empty())
      report.failure = std::string("interpreter: ") + outOfPatience + " at all sizes";
    report.passed = report.failure.empty();
    return report;
  }

private:
  /// Sizes of all symbols from those of the free ones.
  Sizes withBound(const Sizes &free) const {
    Sizes all;
    size_t next = 0;
    for (const std::string &symbol : kernel.symbols) {
      auto bound = kernel.bound.find(symbol);
      all.push_back(bound == kernel.bound.end() ? free[next++] : bound->second);
    }
    return all;
  }

  std::vector<Sizes> makeCases() {
    SizeRules rules;
    rules.symbols = static_cast<unsigned>(kernel.symbols.size() - kernel.bound.size());
    rules.admits = [&](const Sizes &free) { return program.admits(kernel.name, withBound(free), {}); };
    rules.work = [&](const Sizes &free) {
      const Sizes sizes = withBound(free);
      // Arrays may be large where the loops are empty; an element costs about as much.
      return std::max(program.innermostIterations(kernel.name, sizes),
                      std::max(0.0, totalElements(sizes) - 1e5));
    };
    rules.cap = options.cap;
    rules.full = options.full;
    std::vector<Sizes> cases;
    for (const Sizes &free : sizeCases(rules))
      cases.push_back(withBound(free));
    return cases;
  }

  double totalElements(const Sizes &sizes) const {
    double total = 0;
    for (const auto *arrays : {&kernel.inputs, &kernel.outputs})
      for (const ArraySignature &array : *arrays) {
        const std::optional<HostShape> shape = shapeOf(kernel, array, sizes);
        const std::optional<int64_t> count = shape ? elementCount(*shape) : std::nullopt;
        total += count ? static_cast<double>(*count) : std::numeric_limits<double>::infinity();
      }
    return total;
  }

  bool prepare(const std::string &name) {
    EmitOptions emit;
    emit.target = name;
    emit.kernels = {kernel.name};
    emit.standalone = options.standalone;
    Answer<EmittedSource> text = program.emit(emit);
    const HostTarget &host = hostTarget(name);
    Answer<HostCompiler> compiler = HostCompiler::find(host.language);
    if (!text || !compiler) {
      report.failure = !text ? text.error : compiler.error;
      return false;
    }
    Answer<LoadedLibrary> library = compiler->load(
        text->source + host.wrapper(kernel) + host.nested(kernel), options.compilerFlags);
    if (!library) {
      report.failure =
          fmt::format("{}: the {} compiler refused the emitted text:\n{}", name, host.language.name,
                      library.error);
      return false;
    }
    Target target{name, std::move(*library)};
    target.function =
        reinterpret_cast<KernelFunction>(target.library.symbol(callWrapperName(kernel)));
    target.nested =
        reinterpret_cast<KernelFunction>(target.library.symbol(nestedWrapperName(kernel)));
    target.setThreads =
        reinterpret_cast<void (*)(int)>(target.library.symbol("omp_set_num_threads"));
    targets.push_back(std::move(target));
    return true;
  }

  std::string describe(const Sizes &sizes, DataKind kind) const {
    std::string text;
    for (size_t k = 0; k < sizes.size(); ++k)
      text += fmt::format("{}={} ", kernel.symbols[k], sizes[k]);
    return fmt::format("at {}with {} data, seed {}", text, toString(kind), options.seed);
  }

  void fail(const std::string &who, const std::string &what) {
    if (report.failure.empty())
      report.failure = fmt::format("{}: {} {}", who, what, situation);
  }

  void runCase(const CallArguments &arguments, bool offBoundary) {
    Answer<InterpretResult> oracle = program.interpret(kernel.name, Stage::Moa, arguments);
    if (!oracle && oracle.error == outOfPatience) {
      ++report.tooLong;
      return;
    }
    if (!oracle)
      return fail("interpreter", oracle.error);
    report.refused += oracle->status != 0;
    if (options.stages)
      checkStages(arguments, *oracle);
    std::optional<CallResult> agreed;
    for (Target &target : targets)
      checkTarget(target, arguments, *oracle, offBoundary, agreed);
  }

  /// The interpreter agrees with itself on the later forms.
  void checkStages(const CallArguments &arguments, const InterpretResult &oracle) {
    for (auto [stage, name] : {std::pair(Stage::Dnf, "dnf"), std::pair(Stage::Onf, "onf")}) {
      Answer<InterpretResult> result = program.interpret(kernel.name, stage, arguments);
      if (!result)
        return fail(name, result.error);
      if (oracle.uncertain && result->status != oracle.status)
        continue;
      if (result->status != oracle.status)
        return fail(name, fmt::format("returned {} where the formula gives {}", result->status,
                                      oracle.status));
      for (size_t k = 0; k < result->outputs.size(); ++k) {
        const OracleArray &output = result->outputs[k];
        HostArray rounded(output.type, output.shape);
        for (int64_t p = 0; p < rounded.size(); ++p)
          rounded.set(p, output.values[static_cast<size_t>(p)]);
        compare(name, kernel.outputs[k].name, rounded, oracle.outputs[k]);
      }
    }
  }

  /// `agreed` is the result of the first target, for those after it.
  void checkTarget(Target &target, const CallArguments &arguments, const InterpretResult &oracle,
                   bool offBoundary, std::optional<CallResult> &agreed) {
    std::optional<CallResult> first;
    for (int threads : target.setThreads ? options.threads : std::vector<int>{1}) {
      if (target.setThreads)
        target.setThreads(threads);
      Answer<CallResult> result = guardedCall(target.function, kernel, arguments, {offBoundary, 1});
      if (!result)
        return fail(target.name, result.error);
      if (oracle.uncertain && result->status != oracle.status)
        continue;
      if (result->status != oracle.status)
        return fail(target.name,
                    fmt::format("returned status {} where the interpreter gives {} ({} threads)",
                                result->status, oracle.status, threads));
      if (oracle.status != 0)
        continue;
      if (first && !sameBits(*first, *result))
        return fail(target.name, fmt::format("{} threads and {} give different bits",
                                             options.threads[0], threads));
      if (!first)
        first = std::move(*result);
    }
    if (!first)
      return;
    if (options.agree && agreed && !sameValues(*agreed, *first))
      return fail(target.name, "other bits than " + targets[0].name);
    if (!agreed)
      agreed = *first;
    for (size_t k = 0; k < first->outputs.size(); ++k)
      compare(target.name, kernel.outputs[k].name, first->outputs[k], oracle.outputs[k]);
    if (target.setThreads)
      checkNested(target, arguments, *first);
    for (const std::string &symbol : options.batch)
      checkAlone(target, arguments, *first, symbol);
  }

  static bool sameBits(const CallResult &a, const CallResult &b) {
    for (size_t k = 0; k < a.outputs.size(); ++k)
      if (!std::ranges::equal(a.outputs[k].bytes(), b.outputs[k].bytes()))
        return false;
    return true;
  }

  /// The same bits, but for the sign of zeros and what kind of NaN there is.
  static bool sameValues(const CallResult &a, const CallResult &b) {
    for (size_t k = 0; k < a.outputs.size(); ++k)
      for (int64_t p = 0; p < a.outputs[k].size(); ++p) {
        const auto x = a.outputs[k].get(p), y = b.outputs[k].get(p);
        if (x != y && !(std::isnan(x) && std::isnan(y)))
          return false;
      }
    return true;
  }

  /// Two threads of a caller's parallel region call at the same time; both get the same bits.
  void checkNested(Target &target, const CallArguments &arguments, const CallResult &alone) {
    target.setThreads(2);
    Answer<CallResult> both = guardedCall(target.nested, kernel, arguments, {false, 2});
    if (!both)
      return fail(target.name, both.error + " (inside a parallel region)");
    CallResult twice = alone;
    twice.outputs.insert(twice.outputs.end(), alone.outputs.begin(), alone.outputs.end());
    if (both->status != 0 || !sameBits(*both, twice))
      fail(target.name, fmt::format("inside a parallel region: status {} and other bits than "
                                    "outside",
                                    both->status));
  }

  /// Each position of a batch symbol, run by itself, gives the values that it has in the whole.
  void checkAlone(Target &target, const CallArguments &arguments, const CallResult &whole,
                  const std::string &symbol) {
    const auto found = std::ranges::find(kernel.symbols, symbol);
    if (found == kernel.symbols.end())
      return;
    const size_t index = static_cast<size_t>(found - kernel.symbols.begin());
    const int64_t positions = arguments.symbols[index];
    for (int64_t p = 0; p < positions; p += std::max<int64_t>(1, positions / 4)) {
      CallArguments alone = arguments;
      alone.symbols[index] = 1;
      for (size_t k = 0; k < alone.inputs.size(); ++k)
        alone.inputs[k] = sliceAlong(arguments.inputs[k], kernel.inputs[k], symbol, p);
      CallResult part;
      for (size_t k = 0; k < whole.outputs.size(); ++k)
        part.outputs.push_back(sliceAlong(whole.outputs[k], kernel.outputs[k], symbol, p));
      Answer<CallResult> result = guardedCall(target.function, kernel, alone, {});
      if (!result)
        return fail(target.name, result.error);
      if (result->status != 0 || !sameValues(*result, part)) // blocks of rows differ in the kind of a NaN
        return fail(target.name,
                    fmt::format("position {} of {} alone differs from the batch", p, symbol));
    }
  }

  void compare(const std::string &who, const std::string &output, const HostArray &got,
               const OracleArray &want) {
    if (got.shape() != want.shape)
      return fail(who, fmt::format("'{}' has shape {}, the interpreter gives {}", output,
                                   toString(got.shape()), toString(want.shape)));
    int64_t place = 0;
    const double error = worstError(got, want, place);
    const std::string where = fmt::format("{}{}", output, indexText(got.shape(), place));
    if (error > report.worst) {
      report.worst = error;
      report.worstPlace = fmt::format("{} {}", where, situation);
    }
    if (error > allowedBounds)
      fail(who,
           fmt::format("{} is {}, the interpreter gives {} with bound {:.3g} ({:.3g} bounds off)",
                       where, static_cast<double>(got.get(place)),
                       static_cast<double>(want.values[static_cast<size_t>(place)]),
                       want.bounds[static_cast<size_t>(place)], error));
  }

  Program &program;
  const KernelSignature &kernel;
  const CheckOptions &options;
  std::vector<Target> targets;
  std::string situation;
  CheckReport report;
};

} // namespace

CheckReport moac::check(Program &program, const KernelSignature &kernel,
                        const CheckOptions &options) {
  return Checker(program, kernel, options).run();
}

/// Distance of neighbouring numbers around zero, where relative bounds vanish.
static double leastStep(ElementType type) {
  switch (type) {
  case ElementType::f16_:
    return 0x1p-24;
  case ElementType::bf16_:
    return 0x1p-133;
  case ElementType::f32_:
    return 0x1p-149;
  case ElementType::f64_:
    return 0x1p-1074;
  default:
    return 0;
  }
}

double moac::worstError(const HostArray &got, const OracleArray &want, int64_t &place) {
  double worst = 0;
  place = 0;
  HostArray rounded(got.type(), {}); // a wide value may be an infinity of the element type
  for (int64_t k = 0; k < got.size(); ++k) {
    const long double g = got.get(k), w = want.values[static_cast<size_t>(k)];
    const double bound = std::max(want.bounds[static_cast<size_t>(k)], leastStep(got.type()));
    rounded.set(0, w);
    if (g == w || g == rounded.get(0) || (std::isnan(g) && std::isnan(w)) || !std::isfinite(bound))
      continue;
    const long double difference = std::fabs(g - w);
    double error = static_cast<double>(difference / bound);
    if (std::isnan(error) || bound == 0)
      error = std::numeric_limits<double>::infinity();
    if (error > worst)
      worst = error, place = k;
  }
  return worst;
}

std::string moac::indexText(const HostShape &shape, int64_t position) {
  HostShape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = shape[axis] ? position % shape[axis] : 0;
    position = shape[axis] ? position / shape[axis] : 0;
  }
  return toString(index);
}
