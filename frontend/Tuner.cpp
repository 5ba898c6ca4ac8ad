// Measuring candidates of a plan; see Planner.h.
#include "frontend/CheckArguments.h"
#include "frontend/HostTarget.h"
#include "frontend/Planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

using namespace moac;

double TunedCandidate::quantile(double q) const {
  std::vector<double> sorted = samples;
  std::ranges::sort(sorted);
  return sorted.empty() ? 0 : sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
}

namespace {
constexpr unsigned mostRounds = 15, leastRounds = 7;
constexpr double shortestSample = 2e-3; ///< seconds: shorter calls are repeated
constexpr double patience = 20;         ///< seconds for all rounds beyond the least number

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// A call with everything in place, to be made many times.
class PreparedCall {
public:
  /// False when an output has no shape.
  bool prepare(const KernelSignature &kernel, const CallArguments &arguments) {
    symbols = arguments.symbols;
    moved = inMemoryOrder(kernel, arguments.inputs), values = arguments.scalars;
    for (const ArraySignature &output : kernel.outputs) {
      std::optional<HostShape> shape = shapeOf(kernel, output, symbols);
      if (!shape || std::ranges::any_of(*shape, [](int64_t n) { return n < 0; }))
        return false;
      outputs.emplace_back(output.type, *shape);
    }
    for (const HostArray &scalar : values)
      scalarPointers.push_back(scalar.bytes().data());
    for (const HostArray &input : moved)
      inputPointers.push_back(input.bytes().data());
    for (HostArray &output : outputs)
      outputPointers.push_back(output.bytes().data());
    return true;
  }
  int operator()(KernelFunction function) { return function(symbols.data(), scalarPointers.data(), inputPointers.data(), outputPointers.data()); }

  std::vector<HostArray> outputs;

private:
  std::vector<int64_t> symbols;
  std::vector<HostArray> moved, values;
  std::vector<const void *> scalarPointers, inputPointers;
  std::vector<void *> outputPointers;
};

/// The largest difference relative to the largest value.
double difference(const std::vector<HostArray> &a, const std::vector<HostArray> &b) {
  double worst = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    double largest = 0, apart = 0;
    for (int64_t i = 0; i < a[k].size(); ++i) {
      const auto x = static_cast<double>(a[k].get(i)), y = static_cast<double>(b[k].get(i));
      if (std::isfinite(x) && std::isfinite(y))
        largest = std::max(largest, std::fabs(x)), apart = std::max(apart, std::fabs(x - y));
      else if (!(x == y) && !(std::isnan(x) && std::isnan(y)))
        return std::numeric_limits<double>::infinity();
    }
    worst = std::max(worst, largest > 0 ? apart / largest : apart);
  }
  return worst;
}

class Tuner {
public:
  Tuner(const PlanRequest &request, Plan &plan) : request(request), plan(plan) {}

  std::string run(unsigned most) {
    Answer<HostCompiler> found = HostCompiler::find(hostTarget("c-openmp").language);
    if (!found)
      return found.error;
    std::vector<size_t> chosen(plan.ranking.begin(), plan.ranking.begin() + static_cast<long>(std::min<size_t>(most, plan.ranking.size())));
    if (std::ranges::find(chosen, size_t(0)) == chosen.end() && std::ranges::find(plan.ranking, size_t(0)) != plan.ranking.end())
      chosen.back() = 0; // the default always
    if (std::string problem = makeArguments(); !problem.empty())
      return problem;
    for (size_t candidate : chosen)
      build(*found, candidate);
    if (std::ranges::none_of(tuning.tried, isTimed))
      return "no candidate could be timed: " + tuning.tried.front().problem;
    reject();
    measure();
    decide();
    plan.tuning = std::move(tuning);
    return "";
  }

private:
  static bool isTimed(const TunedCandidate &c) { return c.problem.empty(); }

  std::string makeArguments() {
    program = loadWith(request, "");
    kernel = *std::ranges::find(program->kernels(), request.kernel, &KernelSignature::name);
    std::vector<int64_t> sizes;
    for (const std::string &symbol : kernel.symbols) {
      auto given = request.sizes.find(symbol);
      auto bound = kernel.bound.find(symbol);
      if (given == request.sizes.end() && bound == kernel.bound.end())
        return fmt::format("a call needs every symbol; give --size {}=N", symbol);
      sizes.push_back(given != request.sizes.end() ? given->second : bound->second);
    }
    SizeRules rules;
    rules.symbols = static_cast<unsigned>(kernel.symbols.size());
    rules.cap = 1e4;
    rules.admits = [&](const std::vector<int64_t> &at) { return program->admits(kernel.name, at, {}); };
    rules.work = [&](const std::vector<int64_t> &at) { return program->innermostIterations(kernel.name, at); };
    Random random(1);
    std::optional<CallArguments> made = ArgumentMaker(*program, kernel, sizeCases(rules)).make(sizes, DataKind::Gaussian, random);
    if (!made)
      return "these sizes do not satisfy the kernel's conditions";
    for (size_t k = 0; k < kernel.scalars.size(); ++k)
      if (auto given = request.sizes.find(kernel.scalars[k].name); given != request.sizes.end())
        made->scalars[k].set(0, static_cast<long double>(given->second));
    return prepared.prepare(kernel, *made) ? "" : "these sizes do not satisfy the kernel's conditions";
  }

  void build(const HostCompiler &compiler, size_t candidate) {
    TunedCandidate &c = tuning.tried.emplace_back();
    c.candidate = candidate;
    functions.push_back(nullptr);
    EmitOptions emit;
    emit.kernels = {kernel.name};
    emit.standalone = true;
    Answer<EmittedSource> text = loadWith(request, plan.candidates[candidate].directives)->emit(emit);
    if (!text)
      return void(c.problem = text.error);
    const std::string source = text->source + hostTarget("c-openmp").wrapper(kernel);
    Answer<LoadedLibrary> library = compiler.load(source);
    Answer<CompilerReport> report = compiler.inspect(source);
    if (!library || !report)
      return void(c.problem = !library ? library.error : report.error);
    c.report = *report;
    functions.back() = reinterpret_cast<KernelFunction>(library->symbol(callWrapperName(kernel)));
    libraries.push_back(std::move(*library));
    if (const int status = prepared(functions.back()); status != 0)
      return void(c.problem = fmt::format("returned status {}", status));
    if (expected.empty())
      expected = prepared.outputs;
    const double apart = difference(expected, prepared.outputs);
    if (!(apart <= 1e-2)) // another order of sums may differ in the last bits, half precision in more
      c.problem = fmt::format("gives other values: {:.3g} apart", apart);
  }

  static double spillShare(const CompilerReport &report) {
    return report.spills ? static_cast<double>(*report.spills) / static_cast<double>(std::max<int64_t>(1, report.vectorOperations)) : 0;
  }

  /// By the compiler's report: stack beyond what the first cache could hold twice, clearly more spills than another needs.
  void reject() {
    double least = std::numeric_limits<double>::infinity();
    for (const TunedCandidate &c : tuning.tried)
      if (isTimed(c))
        least = std::min(least, spillShare(c.report));
    const int64_t limit = 2 * request.machine.memories.front().bytes;
    for (TunedCandidate &c : tuning.tried)
      if (!isTimed(c))
        continue;
      else if (c.report.stackBytes > limit)
        c.rejected = fmt::format("{} takes {} of stack, limit {}", c.report.function, bytesText(c.report.stackBytes), bytesText(limit));
      else if (spillShare(c.report) > least + 0.25)
        c.rejected = fmt::format("{} moves of vectors to and from the stack beside {} products, {:.2f} each, limit {:.2f}", *c.report.spills,
                                 c.report.vectorOperations, spillShare(c.report), least + 0.25);
  }

  double sample(KernelFunction function, unsigned times) {
    const double start = now();
    for (unsigned k = 0; k < times; ++k)
      (void)prepared(function);
    return (now() - start) / times;
  }

  void measure() {
    std::vector<unsigned> times(tuning.tried.size(), 1);
    for (size_t i = 0; i < times.size(); ++i)
      if (isTimed(tuning.tried[i]))
        times[i] = static_cast<unsigned>(std::clamp(shortestSample / std::max(1e-9, sample(functions[i], 1)), 1.0, 1e5));
    const double start = now();
    for (; tuning.rounds < mostRounds && (tuning.rounds < leastRounds || now() - start < patience); ++tuning.rounds)
      for (size_t k = 0; k < times.size(); ++k) {
        const size_t i = tuning.rounds % 2 == 0 ? k : times.size() - 1 - k;
        if (isTimed(tuning.tried[i]))
          tuning.tried[i].samples.push_back(sample(functions[i], times[i]));
      }
  }

  /// Rounds in which a is faster than b.
  static unsigned wins(const TunedCandidate &a, const TunedCandidate &b) {
    unsigned count = 0;
    for (size_t r = 0; r < a.samples.size(); ++r)
      count += a.samples[r] < b.samples[r];
    return count;
  }

  void decide() {
    const bool anyAccepted = std::ranges::any_of(tuning.tried, [](const TunedCandidate &c) { return isTimed(c) && c.rejected.empty(); });
    auto stands = [&](const TunedCandidate &c) { return isTimed(c) && (c.rejected.empty() || !anyAccepted); };
    const TunedCandidate *winner = nullptr;
    for (const TunedCandidate &c : tuning.tried)
      if (stands(c) && (!winner || (c.quantile(0.5) < winner->quantile(0.5) * 0.98 && wins(c, *winner) * 4 >= tuning.rounds * 3)))
        winner = &c;
    tuning.reason = winner == &tuning.tried.front() ? "no other is faster by 2 % in the median and in three rounds of four"
                                                    : "faster by more than 2 % in the median and in three rounds of four";
    if (!anyAccepted)
      tuning.reason += "; the compiler's report would reject all";
    const size_t first = winner->candidate;
    plan.ranking.erase(std::ranges::find(plan.ranking, first));
    plan.ranking.insert(plan.ranking.begin(), first);
    plan.schedule = scheduleOf(request, plan.candidates[first]);
  }

  const PlanRequest &request;
  Plan &plan;
  Tuning tuning;
  std::unique_ptr<Program> program;
  KernelSignature kernel;
  PreparedCall prepared;
  std::vector<HostArray> expected;
  std::vector<KernelFunction> functions; ///< as tuning.tried
  std::vector<LoadedLibrary> libraries;
};
} // namespace

std::string moac::tunePlan(const PlanRequest &request, unsigned most, Plan &plan) { return Tuner(request, plan).run(most); }
