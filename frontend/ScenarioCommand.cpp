// `moac scenario`: what candidates may gain over a baseline, from a description and a machine.
#include "frontend/Commands.h"
#include "ir/Scenario.h"

#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

using namespace moac;

int moac::showScenario(const ScenarioCommand &command) {
  const std::optional<Machine> machine = machineNamed(command.machine);
  if (!machine)
    return exitUserError;
  auto buffer = llvm::MemoryBuffer::getFile(command.file);
  if (!buffer) {
    printError(fmt::format("cannot read '{}': {}", command.file, buffer.getError().message()));
    return exitUserError;
  }
  const llvm::StringRef text = (*buffer)->getBuffer();
  const scenario::ScenarioAnswer answer = scenario::parseScenario({text.data(), text.size()}, command.file);
  if (!answer.scenario) {
    printError(answer.error.substr(0, answer.error.find_last_not_of('\n') + 1));
    return exitUserError;
  }
  const scenario::Outcome outcome = scenario::evaluate(*answer.scenario, *machine);
  fmt::print("{}", command.json ? scenario::scenarioJson(*answer.scenario, outcome, *machine)
                                : scenario::scenarioText(*answer.scenario, outcome, *machine));
  return exitOk;
}
