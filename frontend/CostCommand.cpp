// `moac cost`: what kernels do, as formulas, and as numbers once every size is given.
#include "frontend/Commands.h"
#include "ir/Cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

using namespace moac;

bool moac::readNumbers(const std::vector<std::string> &from, const char *option, std::map<std::string, int64_t> &to) {
  for (const std::string &text : from) {
    std::string name, value;
    int64_t number = 0;
    const bool split = splitAssignment(text, name, value);
    auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (!split || value.empty() || problem != std::errc() || end != value.data() + value.size()) {
      printError(fmt::format("{} takes NAME=integer, not '{}'", option, text));
      return false;
    }
    to[name] = number;
  }
  return true;
}

namespace {
/// Sizes for the symbols of one kernel; empty when one is missing.
cost::Sizes sizesFor(const cost::Cost &cost, const cost::Sizes &given, std::string &missing) {
  cost::Sizes sizes;
  for (const std::string &symbol : cost.symbols)
    if (auto found = given.find(symbol); found != given.end())
      sizes.insert(*found);
    else
      missing += (missing.empty() ? "" : ", ") + symbol;
  return missing.empty() ? sizes : cost::Sizes();
}

/// Names that mean something to one of the kernels.
bool allKnown(const cost::Sizes &given, const std::vector<cost::Cost> &costs) {
  for (const auto &[name, value] : given)
    if (std::ranges::none_of(costs, [&](const cost::Cost &c) { return std::ranges::find(c.symbols, name) != c.symbols.end(); })) {
      printError(fmt::format("--size: no kernel here has a symbol '{}'", name));
      return false;
    }
  return true;
}

class Counter {
public:
  Counter(const CostCommand &command, Program &program) : command(command), program(program) {}

  int run() {
    if (!readNumbers(command.sizes, "--size", given) || !readNumbers(command.trips, "--trips", trips))
      return exitUsage;
    machine = machineNamed(command.machine);
    if (!machine)
      return exitUserError;
    for (const KernelSignature &kernel : selectedKernels(program, command.source)) {
      Answer<cost::WorkTree> tree = program.work(kernel.name, trips, machine->vector.bytes >= 64 ? 3 : machine->vector.bytes >= 32 ? 1 : 0);
      if (!tree) {
        printError(tree.error);
        return exitUserError;
      }
      costs.push_back(costOf(*tree));
      trees.push_back(std::move(*tree));
    }
    if (!allKnown(given, costs))
      return exitUserError;
    std::string out;
    for (size_t i = 0; i < costs.size(); ++i)
      out += (out.empty() ? "" : command.json ? "," : "\n") + report(i);
    fmt::print("{}{}{}", command.json ? "[" : "", out, command.json ? "]\n" : "");
    return exitOk;
  }

private:
  std::string report(size_t i) {
    std::string missing;
    cost::CostReport report{costs[i], sizesFor(costs[i], given, missing), std::nullopt, machine->name};
    if (missing.empty())
      report.traffic = trafficOf(trees[i], *machine, report.sizes);
    std::string text = command.json ? costJson(report) : costText(report);
    if (!missing.empty() && !command.json)
      text += fmt::format("for numbers, give --size {}=N\n", fmt::join(splitNames(missing), "=N,"));
    return text;
  }

  static std::vector<std::string> splitNames(const std::string &names) {
    std::vector<std::string> list;
    for (size_t at = 0; at < names.size();) {
      const size_t end = std::min(names.find(", ", at), names.size());
      list.push_back(names.substr(at, end - at));
      at = end + 2;
    }
    return list;
  }

  const CostCommand &command;
  Program &program;
  cost::Sizes given, trips;
  std::optional<Machine> machine;
  std::vector<cost::Cost> costs;
  std::vector<cost::WorkTree> trees;
};
} // namespace

int moac::showCost(const CostCommand &command) {
  int code;
  std::unique_ptr<Program> program = loadProgram(command.source, code);
  return program ? Counter(command, *program).run() : code;
}
