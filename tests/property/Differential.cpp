// One program at a few sizes through every stage; see Differential.h.
#include "tests/property/Differential.h"

#include "frontend/Check.h"
#include "frontend/CheckArguments.h"
#include "frontend/GuardedCall.h"
#include "frontend/HostTarget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace moac;
using namespace moac::property;

namespace {
constexpr int64_t drawn[] = {0, 1, 2, 3, 5, 7, 17, 33};
constexpr double mostIterations = 20000, mostElements = 20000;
constexpr uint64_t mostSteps = 100'000'000; ///< of the oracle: about a second
constexpr size_t admittedCases = 5, refusedCases = 1;

std::string difference(const std::string &who, const std::vector<HostArray> &got,
                       const InterpretResult &want, bool exact) {
  for (size_t k = 0; want.status == 0 && k < got.size(); ++k) {
    int64_t place = 0;
    if (!exact) {
      double error = worstError(got[k], want.outputs[k], place);
      if (error > 8)
        return fmt::format("{}: element {} of result {} is {} bounds off", who, place, k, error);
      continue;
    }
    for (int64_t i = 0; i < got[k].size(); ++i) {
      const long double have = got[k].get(i), wish = want.outputs[k].values[static_cast<size_t>(i)];
      if (have != wish && !(std::isnan(have) && std::isnan(wish)))
        return fmt::format("{}: element {} of result {} is {}, wanted {} exactly", who, i, k,
                           static_cast<double>(have), static_cast<double>(wish));
    }
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

/// One call through every stage.
class Comparison {
public:
  Comparison(Batch &batch, const KernelSignature &kernel, const CallArguments &arguments,
             bool exact, bool recomputes)
      : batch(batch), kernel(kernel), arguments(arguments), exact(exact), recomputes(recomputes) {}

  std::string run(int threads, InterpretResult *oracle);

private:
  std::string stages(const InterpretResult &want);
  std::string counts(const InterpretResult &run);
  std::string compiled(const InterpretResult &want, int threads);
  /// Several failures that results need: which one a target reports depends on the order of its
  /// loops (passes/ADR-001), but the formula or a normal form of it has it too, or the ONF meets both.
  bool mayReport(int status, const InterpretResult &want) const {
    return status == want.status || (want.status != 0 && possible.contains(status)) ||
           (failures.contains(status) && failures.contains(want.status));
  }

  Batch &batch;
  const KernelSignature &kernel;
  const CallArguments &arguments;
  bool exact, recomputes;
  std::vector<HostArray> first; ///< what one thread computes
  std::set<int> possible; ///< statuses of the formula and its normal forms
  std::set<int> failures; ///< statuses that the ONF met
};

std::string Comparison::stages(const InterpretResult &want) {
  possible = want.failures;
  uint64_t visits = 0; // of the formula as scheduled: its realisation visits no point twice
  for (auto [stage, name] : {std::pair(Stage::Dnf, "dnf"), std::pair(Stage::Scheduled, "scheduled"),
                             std::pair(Stage::Onf, "onf")}) {
    Answer<InterpretResult> got = batch.program->interpret(kernel.name, stage, arguments);
    if (!got)
      return std::string(name) + ": " + got.error;
    failures = got->failures;
    if (stage != Stage::Onf)
      possible.insert(failures.begin(), failures.end());
    if (got->status != want.status && want.uncertain)
      continue;
    bool failedFirst = stage != Stage::Onf && got->status != 0 && want.status != 0; // it ends at the first failure it meets
    if (!failedFirst && !mayReport(got->status, want))
      return fmt::format("{}: status {} instead of {}", name, got->status, want.status);
    if (std::string wrong = difference(name, rounded(*got), want, exact); !wrong.empty())
      return wrong;
    if (stage == Stage::Onf && got->status == 0 && !want.uncertain && !recomputes && got->visits > visits)
      return fmt::format("onf: {} reduction points visited instead of {}", got->visits, visits);
    visits = got->visits;
    if (stage == Stage::Onf && got->status == 0)
      if (std::string wrong = counts(*got); !wrong.empty())
        return "counts: " + wrong;
  }
  return "";
}

/// What formulas say of the loops against what the run counted.
std::string Comparison::counts(const InterpretResult &run) {
  auto known = batch.costs.find(kernel.name);
  if (known == batch.costs.end()) {
    Answer<cost::WorkTree> work = batch.program->work(kernel.name, {}, 0);
    known = batch.costs
                .emplace(kernel.name, work ? Answer<cost::Cost>(costOf(*work))
                                           : Answer<cost::Cost>::failure(work.error))
                .first;
  }
  const Answer<cost::Cost> &cost = known->second;
  auto sizes = namedSizes(kernel, arguments);
  sizes.insert({{"pe", 0}, {"pes", 1}});
  return cost ? cost::difference(*cost, sizes, run.counts) : cost.error;
}

std::string Comparison::compiled(const InterpretResult &want, int threads) {
  auto function = reinterpret_cast<KernelFunction>(batch.library->symbol(callWrapperName(kernel)));
  auto setThreads = reinterpret_cast<void (*)(int)>(batch.library->symbol("omp_set_num_threads"));
  if (setThreads)
    setThreads(threads);
  Answer<CallResult> got =
      guardedCall(function, kernel, arguments, {.offBoundary = threads > 1, .copies = 1});
  if (!got)
    return "c: " + got.error;
  if (!mayReport(got->status, want))
    return want.uncertain ? ""
                          : fmt::format("c: status {} instead of {}", got->status, want.status);
  const std::string wrong = difference("c", got->outputs, want, exact);
  if (wrong.empty() && got->status == 0) {
    for (size_t k = 0; k < first.size(); ++k)
      if (!std::ranges::equal(first[k].bytes(), got->outputs[k].bytes()))
        return fmt::format("threads: result {} has other bits with {} threads", k, threads);
    if (first.empty())
      first = std::move(got->outputs);
  }
  return wrong.empty() ? "" : fmt::format("{} with {} threads", wrong, threads);
}

std::string Comparison::run(int threads, InterpretResult *oracle) {
  Answer<InterpretResult> want = batch.program->interpret(kernel.name, Stage::Moa, arguments);
  if (!want) // at these sizes the formula, taken by the letter, is too much work
    return want.error == outOfPatience ? "" : "moa: " + want.error;
  if (oracle)
    *oracle = *want;
  std::string wrong = stages(*want);
  // There is nothing to call with when a result has no valid shape.
  const bool callable = std::ranges::all_of(kernel.outputs, [&](const ArraySignature &output) {
    const std::optional<HostShape> shape = shapeOf(kernel, output, arguments.symbols);
    return shape && elementCount(*shape);
  });
  if (wrong.empty() && !callable && want->status == 0)
    wrong = "moa: status 0 for a result without a shape";
  for (int count : {1, threads})
    if (wrong.empty() && callable && batch.library)
      wrong = compiled(*want, count);
  return wrong;
}

/// Sizes and data for one program.
class Examination {
public:
  Examination(Batch &batch, const KernelSignature &kernel, const Subject &subject, uint64_t seed)
      : batch(batch), kernel(kernel), subject(subject), random(seed) {}

  std::vector<SymbolSizes> sizes();
  std::string at(const SymbolSizes &sizes);
  unsigned ran = 0;

private:
  std::optional<CallArguments> arguments(const SymbolSizes &sizes);
  std::vector<int64_t> ordered(const SymbolSizes &sizes) const {
    std::vector<int64_t> values;
    for (const std::string &symbol : kernel.symbols)
      values.push_back(sizes.at(symbol));
    return values;
  }

  Batch &batch;
  const KernelSignature &kernel;
  const Subject &subject;
  Random random;
};

/// Some sizes that the kernel admits, and one that it is to refuse.
std::vector<SymbolSizes> Examination::sizes() {
  if (!subject.sizes.empty())
    return subject.sizes;
  std::vector<SymbolSizes> chosen;
  size_t admitted = 0, refused = 0;
  for (int attempt = 0; attempt < 80 && admitted < admittedCases; ++attempt) {
    SymbolSizes candidate;
    for (const std::string &symbol : kernel.symbols)
      candidate[symbol] = drawn[random.below(attempt < 40 ? std::size(drawn) : 6)];
    if (subject.elements(candidate) > mostElements)
      continue;
    const std::vector<int64_t> values = ordered(candidate);
    if (!batch.program->admits(kernel.name, values, {})) {
      if (++refused <= refusedCases)
        chosen.push_back(candidate);
      continue;
    }
    if (batch.program->innermostIterations(kernel.name, values) > mostIterations)
      continue;
    if (std::ranges::find(chosen, candidate) == chosen.end()) {
      chosen.push_back(candidate);
      ++admitted;
    }
  }
  return chosen;
}

std::optional<CallArguments> Examination::arguments(const SymbolSizes &sizes) {
  CallArguments made;
  made.symbols = ordered(sizes);
  for (const ScalarSignature &scalar : kernel.scalars)
    made.scalars.push_back(randomArray(scalar.type, {}, DataKind::SmallIntegers, random));
  const DataKind kind = subject.exact ? DataKind::SmallIntegers : DataKind::Gaussian;
  for (const ArraySignature &input : kernel.inputs) {
    std::optional<HostShape> shape = shapeOf(kernel, input, made.symbols);
    if (!shape || !elementCount(*shape))
      return std::nullopt;
    const auto below = subject.indexArrays.find(input.name);
    if (below == subject.indexArrays.end()) {
      made.inputs.push_back(randomArray(input.type, *shape, kind, random));
      continue;
    }
    const int64_t bound = below->second.evaluate(sizes).value_or(0) +
                          (random.below(6) == 0); // now and then one too far
    made.inputs.push_back(randomIndices(input.type, *shape, bound, false, random));
  }
  return made;
}

std::string Examination::at(const SymbolSizes &sizes) {
  std::string place = " at";
  for (const auto &[symbol, size] : sizes)
    place += fmt::format(" {}={}", symbol, size);
  const std::optional<CallArguments> given = arguments(sizes);
  if (!given)
    return ""; // no such arrays
  InterpretResult want;
  const std::string wrong = examineCall(batch, kernel, *given, subject.exact,
                                        2 + static_cast<int>(random.below(3)), &want, subject.recomputes);
  ran += wrong.empty() && want.status == 0 && !want.outputs.empty();
  return wrong.empty() ? "" : wrong + place;
}
} // namespace

std::string moac::property::examineCall(Batch &batch, const KernelSignature &kernel,
                                        const CallArguments &arguments, bool exact, int threads,
                                        InterpretResult *want, bool recomputes) {
  return Comparison(batch, kernel, arguments, exact, recomputes).run(threads, want);
}

uint64_t moac::property::setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

Batch moac::property::build(const std::vector<Subject> &subjects, const std::string &optimisation) {
  Batch batch;
  auto path =
      std::filesystem::temp_directory_path() / fmt::format("moac-property-{}.moa", getpid());
  {
    std::ofstream file(path);
    for (const Subject &subject : subjects)
      file << subject.text << "\n";
  }
  LoadOptions load;
  load.patience = mostSteps;
  load.fastOrder = true; // schedules that use it are drawn for programs whose sums are exact in any order
  batch.program = Program::load(path.string(), load);
  std::filesystem::remove(path);
  if (batch.program->hasErrors()) {
    batch.failure = batch.program->diagnostics();
    return batch;
  }
  if (std::ranges::all_of(subjects, &Subject::divided))
    return batch;
  EmitOptions options;
  options.standalone = true;
  if (const char *target = std::getenv("MOAC_TARGET"))
    options.target = target;
  const HostTarget &host = hostTarget(options.target);
  Answer<EmittedSource> source = batch.program->emit(options);
  Answer<HostCompiler> compiler = HostCompiler::find(host.language);
  if (!source || !compiler) {
    batch.failure = "emit: " + (!source ? source.error : compiler.error);
    return batch;
  }
  std::string text = source->source;
  for (const KernelSignature &kernel : batch.program->kernels())
    text += host.wrapper(kernel);
  Answer<LoadedLibrary> library = compiler->load(text, {optimisation});
  if (!library)
    batch.failure = "compiler: " + library.error;
  else
    batch.library = std::move(*library);
  return batch;
}

std::string moac::property::examine(Batch &batch, const Subject &subject, uint64_t seed,
                                    unsigned *ran) {
  for (const KernelSignature &kernel : batch.program->kernels()) {
    if (kernel.name != subject.kernel)
      continue;
    Examination examination(batch, kernel, subject, seed);
    for (const SymbolSizes &sizes : examination.sizes())
      if (std::string wrong = examination.at(sizes); !wrong.empty())
        return wrong;
    if (ran)
      *ran += examination.ran;
    return "";
  }
  return "kernel lost";
}

std::string moac::property::judge(const Subject &subject, uint64_t seed, unsigned *ran,
                                  const std::string &optimisation) {
  Batch batch = build({subject}, optimisation);
  return batch.failure.empty() ? examine(batch, subject, seed, ran) : batch.failure;
}

bool moac::property::isUnforeseen(const std::string &failure) {
  static const std::string mark = ": error: ",
                           kinds[] = {"[division-by-zero]", "[count-too-large]", "[out-of-range]"};
  size_t errors = 0;
  for (size_t at = failure.find(mark); at != std::string::npos; at = failure.find(mark, at + 1)) {
    ++errors;
    const std::string line = failure.substr(at, failure.find('\n', at) - at);
    if (std::ranges::none_of(kinds, [&](const std::string &kind) { return line.ends_with(kind); }))
      return false;
  }
  return errors > 0;
}

std::string moac::property::failureKind(const std::string &failure) {
  // file:line:col: error: text [kind]
  if (const size_t error = failure.find(": error: "); error != std::string::npos) {
    const size_t end = failure.find('\n', error), open = failure.rfind('[', end);
    return failure.substr(open == std::string::npos ? error : open,
                          end == std::string::npos ? end : end - open);
  }
  return failure.substr(0, failure.find(':'));
}
