// Candidates, their counts, and the choice; see Planner.h.
#include "frontend/Planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

using namespace moac;

bool PlanCandidate::rejected() const {
  return std::ranges::any_of(limits, [](const cost::Limit &limit) { return !limit.passed(); });
}

namespace {
/// What stands between the braces.
std::string body(const std::string &schedule) {
  const size_t open = schedule.find("{\n");
  return open == schedule.npos ? "" : schedule.substr(open + 2, schedule.rfind('}') - open - 2);
}

class Planner {
public:
  explicit Planner(const PlanRequest &request) : request(request) { plan.kernel = request.kernel, plan.sizes = request.sizes, plan.machine = cost::assumeMissing(request.machine); }

  Answer<Plan> run() {
    if (request.machine.kind != "cpu")
      return Answer<Plan>::failure(fmt::format("'{}' is a {}: schedules are for CPUs", request.machine.name, request.machine.kind));
    for (const auto &[name, value] : request.sizes)
      if (value < 0)
        return Answer<Plan>::failure(fmt::format("--size: '{}' cannot be {}: an extent is not negative", name, value));
    PlanChoice standard{"", "default", {}, {}};
    if (std::string problem = consider(standard, ""); !problem.empty())
      return Answer<Plan>::failure(problem);
    std::unique_ptr<Program> program = load("");
    std::unique_ptr<Program> written = Program::load(request.file, request.load);
    if (Answer<std::string> own = written->schedule(request.kernel), before = program->schedule(request.kernel); own && before && *own != *before)
      consider({"", "as the file says", {}, {}}, body(*own));
    for (const PlanChoice &choice : program->choices(request.kernel, request.machine))
      consider(choice, lines(choice.directives) + lines(choice.others));
    combine();
    rank();
    if (plan.ranking.empty())
      return Answer<Plan>::failure("every candidate exceeds a limit of the machine");
    plan.schedule = scheduleOf(request, plan.candidates[plan.ranking[0]]);
    return plan;
  }

private:
  static std::string lines(const std::vector<std::string> &directives) {
    std::string text;
    for (const std::string &line : directives)
      text += "  " + line + "\n";
    return text;
  }

  std::unique_ptr<Program> load(const std::string &directives) const { return loadWith(request, directives); }

  /// Compiles and counts. What is wrong with the kernel itself, or with the sizes, is returned.
  std::string consider(const PlanChoice &choice, const std::string &directives) {
    PlanCandidate c{choice, directives, "", {}, {}, ""};
    std::unique_ptr<Program> program = load(directives);
    const bool first = plan.candidates.empty();
    if (program->hasErrors()) {
      if (first)
        return program->diagnostics();
      c.refused = firstMessage(program->diagnostics());
      plan.candidates.push_back(std::move(c));
      return "";
    }
    const int64_t bytes = request.machine.vector.bytes;
    Answer<cost::WorkTree> tree = program->work(request.kernel, request.trips, bytes >= 64 ? 3 : bytes >= 32 ? 1 : 0);
    Answer<std::string> loops = program->print(Stage::Onf, request.kernel);
    if (!tree || !loops) {
      c.refused = firstMessage(tree ? loops.error : tree.error);
      if (first)
        return c.refused;
      plan.candidates.push_back(std::move(c));
      return "";
    }
    std::string missing;
    for (const std::string &symbol : tree->symbols)
      if (!request.sizes.contains(symbol))
        missing += (missing.empty() ? "" : ",") + symbol + "=N";
    if (!missing.empty())
      return "a plan is for sizes; give --size " + missing;
    if (first)
      for (const auto &[name, value] : request.sizes)
        if (std::ranges::find(tree->symbols, name) == tree->symbols.end())
          return fmt::format("--size: kernel '{}' has no symbol '{}'", request.kernel, name);
    if (std::ranges::any_of(plan.candidates, [&](const PlanCandidate &other) { return other.loops == *loops; }))
      return ""; // another candidate has these loops
    const cost::WorkTree now = cost::atSizes(*tree, request.sizes);
    c.loops = *loops;
    if (c.refused = tooLarge(now); !c.refused.empty()) {
      plan.candidates.push_back(std::move(c));
      return first ? plan.candidates[0].refused : "";
    }
    c.estimates = cost::estimates(now, plan.machine);
    c.limits = cost::limitsOf(now, request.machine);
    if (c.estimates.empty())
      c.refused = "its loops depend on data; give --trips";
    plan.candidates.push_back(std::move(c));
    return "";
  }

  /// Why nobody could run it: such sizes are a slip, and counts of them take long.
  std::string tooLarge(const cost::WorkTree &tree) const {
    const MachineMemory &memory = request.machine.memories.back();
    double bytes = 0;
    for (const cost::WorkArray &array : tree.arrays) {
      const std::optional<int64_t> elements = array.size.evaluate({});
      bytes += elements ? static_cast<double>(*elements) * static_cast<double>(array.bytesEach) : std::numeric_limits<double>::infinity();
    }
    return bytes <= static_cast<double>(memory.bytes) ? "" : fmt::format("its arrays take {:.3g} B, {} has {}", bytes, memory.name, bytesText(memory.bytes));
  }

  static std::string firstMessage(const std::string &diagnostics) {
    const size_t at = diagnostics.find("error: ");
    const std::string rest = at == diagnostics.npos ? diagnostics : diagnostics.substr(at + 7);
    return rest.substr(0, rest.find('\n'));
  }

  static bool faster(const PlanCandidate &a, const PlanCandidate &b) {
    const cost::Estimate &x = a.best(), &y = b.best();
    return x.seconds < y.seconds * 0.99 || (x.seconds <= y.seconds * 1.01 && x.sum < y.sum * 0.99);
  }

  /// The best choice of each nest, together, where several nests have one that is faster than the default.
  void combine() {
    std::map<std::string, size_t> bests;
    for (size_t i = 1; i < plan.candidates.size(); ++i) {
      const PlanCandidate &c = plan.candidates[i];
      if (!c.refused.empty() || c.rejected() || c.choice.directives.empty() || !faster(c, plan.candidates[0]))
        continue;
      auto [at, fresh] = bests.emplace(c.choice.nest, i);
      if (!fresh && faster(c, plan.candidates[at->second]))
        at->second = i;
    }
    std::vector<size_t> order;
    for (const auto &[nest, i] : bests)
      order.push_back(i);
    std::ranges::sort(order, {}, [&](size_t i) { return plan.candidates[i].best().seconds; });
    PlanChoice together = order.empty() ? PlanChoice() : plan.candidates[order[0]].choice;
    for (size_t i = 1; i < order.size(); ++i)
      if (PlanChoice both = with(together, plan.candidates[order[i]].choice); isPossible(both))
        together = std::move(both);
  }

  static PlanChoice with(PlanChoice a, const PlanChoice &b) {
    a.what += "; " + b.what;
    a.directives.insert(a.directives.end(), b.directives.begin(), b.directives.end());
    std::erase_if(a.others, [&](const std::string &line) { return std::ranges::find(b.others, line) == b.others.end(); });
    return a;
  }

  /// What contradicts itself is no candidate: nobody asked for it.
  bool isPossible(const PlanChoice &choice) {
    const size_t before = plan.candidates.size();
    consider(choice, lines(choice.directives) + lines(choice.others));
    if (plan.candidates.size() > before && !plan.candidates.back().refused.empty())
      plan.candidates.pop_back();
    return plan.candidates.size() > before;
  }

  void rank() {
    for (size_t i = 0; i < plan.candidates.size(); ++i)
      if (plan.candidates[i].refused.empty() && !plan.candidates[i].rejected())
        plan.ranking.push_back(i);
    // By insertion: "faster" within a margin is no order that a sort could use.
    for (size_t i = 1; i < plan.ranking.size(); ++i)
      for (size_t k = i; k > 0 && faster(plan.candidates[plan.ranking[k]], plan.candidates[plan.ranking[k - 1]]); --k)
        std::swap(plan.ranking[k], plan.ranking[k - 1]);
  }

  const PlanRequest &request;
  Plan plan;
};
} // namespace

Answer<Plan> moac::planKernel(const PlanRequest &request) { return Planner(request).run(); }

std::unique_ptr<Program> moac::loadWith(const PlanRequest &request, const std::string &directives) {
  LoadOptions options = request.load;
  options.schedules[request.kernel] = directives;
  return Program::load(request.file, options);
}

std::string moac::scheduleOf(const PlanRequest &request, const PlanCandidate &candidate) {
  Answer<std::string> printed = loadWith(request, candidate.directives)->schedule(request.kernel);
  if (printed) {
    std::unique_ptr<Program> again = loadWith(request, body(*printed));
    Answer<std::string> loops = again->hasErrors() ? Answer<std::string>::failure("") : again->print(Stage::Onf, request.kernel);
    if (loops && *loops == candidate.loops)
      return *printed;
  }
  return "schedule " + request.kernel + " for cpu {\n" + candidate.directives + "}\n";
}
