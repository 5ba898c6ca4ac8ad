// `moac check`: the report of check() for every kernel of every file, one line a kernel.
#include "frontend/Commands.h"

#include <fmt/format.h>

using namespace moac;

int moac::checkFiles(const CheckCommand &command) {
  bool passed = true;
  for (const std::string &file : command.files) {
    SourceOptions source = command.source;
    source.file = file;
    int code;
    std::unique_ptr<Program> program = loadProgram(source, code);
    if (!program && code == exitUsage)
      return code;
    passed &= bool(program);
    if (!program)
      continue;
    for (const KernelSignature &kernel : selectedKernels(*program, source)) {
      const CheckReport report = check(*program, kernel, command.options);
      passed &= report.passed;
      fmt::print("{} {}: {} cases", report.passed ? "ok  " : "FAIL", kernel.name, report.cases);
      if (report.refused)
        fmt::print(", {} of them refused alike", report.refused);
      if (report.tooLong)
        fmt::print(", {} of them too long for the interpreter", report.tooLong);
      fmt::print(", worst error {:.2g} of 8 bounds", report.worst);
      if (command.verbose && !report.worstPlace.empty())
        fmt::print(" (at {})", report.worstPlace);
      fmt::print("\n");
      if (!report.passed)
        fmt::print("     {}\n", report.failure);
    }
  }
  return passed ? exitOk : exitUserError;
}
