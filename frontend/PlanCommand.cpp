// `moac plan`: schedules of one kernel tried by their counts.
#include "frontend/Commands.h"
#include "frontend/Planner.h"

#include <fmt/format.h>

#include <fstream>

using namespace moac;

static int sweep(const PlanCommand &command, const PlanRequest &request) {
  std::optional<PlanSweep> sweep = parseSweep(command.sweep);
  if (!sweep || !command.output.empty()) {
    printError(sweep ? "--sweep has several schedules; -o takes one" : fmt::format("--sweep takes NAME=N,N,.. with ascending sizes, not '{}'", command.sweep));
    return exitUsage;
  }
  if (std::string problem = runSweep(request, *sweep); !problem.empty()) {
    printError(problem);
    return exitUserError;
  }
  fmt::print("{}", command.json ? sweepJson(*sweep) : sweepText(*sweep));
  return exitOk;
}

int moac::plan(const PlanCommand &command) {
  int code;
  std::unique_ptr<Program> program = loadProgram(command.source, code);
  if (!program)
    return code;
  const std::vector<KernelSignature> kernels = selectedKernels(*program, command.source);
  if (kernels.size() != 1) {
    printError(fmt::format("'{}' has {} kernels; choose one with --kernel", command.source.file, kernels.size()));
    return exitUsage;
  }
  PlanRequest request{command.source.file, kernels[0].name, command.source.load, {}, {}, {}};
  if (!readNumbers(command.sizes, "--size", request.sizes) || !readNumbers(command.trips, "--trips", request.trips) ||
      !readNumbers(command.source.bindings, "--bind", request.load.bindings))
    return exitUsage;
  request.sizes.insert(request.load.bindings.begin(), request.load.bindings.end());
  const std::optional<Machine> machine = machineNamed(command.machine);
  if (!machine)
    return exitUserError;
  request.machine = *machine;
  if (!command.sweep.empty())
    return sweep(command, request);
  Answer<Plan> plan = planKernel(request);
  if (!plan) {
    printError(plan.error);
    return exitUserError;
  }
  if (std::string problem = command.tune > 0 ? tunePlan(request, command.tune, *plan) : ""; !problem.empty()) {
    printError(problem);
    return exitUserError;
  }
  fmt::print("{}", command.json ? planJson(*plan) : planText(*plan));
  if (command.output.empty())
    return exitOk;
  std::ofstream file(command.output);
  file << plan->schedule;
  if (!file.flush()) {
    printError(fmt::format("cannot write '{}'", command.output));
    return exitUserError;
  }
  return exitOk;
}
