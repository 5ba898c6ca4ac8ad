// `moac machine`: this host's description, or that of a file, checked.
#include "frontend/Commands.h"

#include <fmt/format.h>

#include <filesystem>

using namespace moac;
namespace fs = std::filesystem;

std::optional<Machine> moac::machineNamed(const std::string &name) {
  if (name.empty())
    return detectHost();
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  const fs::path folder = program.parent_path().parent_path() / "share/moac/machines";
  MachineAnswer answer = loadMachine(name, {folder.string()});
  if (!answer)
    printError(answer.error.substr(0, answer.error.find_last_not_of('\n') + 1));
  return answer.machine;
}

int moac::showMachine(const MachineCommand &command) {
  const std::optional<Machine> found = machineNamed(command.machine);
  if (!found)
    return exitUserError;
  fmt::print("{}", command.json ? machineJson(*found) : machineText(*found));
  if (command.machine.empty() && !command.json)
    fmt::print("  (topology from {})\n", topologySource());
  return exitOk;
}
