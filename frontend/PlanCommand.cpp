// `moac plan`: schedules of one kernel tried by their counts.
#include "frontend/Commands.h"
#include "frontend/Planner.h"

#include <fmt/format.h>

#include <fstream>

using namespace moac;

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
  const std::optional<Machine> machine = machineNamed(command.machine);
  if (!machine)
    return exitUserError;
  request.machine = *machine;
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
