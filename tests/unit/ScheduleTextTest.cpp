// The schedule that `moac explain` prints, given back as the kernel's own: the same text again, and
// the same loops.
#include "frontend/Compiler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace moac;

namespace {
std::string textOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::unique_ptr<Program> load(const std::string &text) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("moac-schedule-text-" + std::to_string(getpid()) + ".moa");
  std::ofstream(path) << text;
  std::unique_ptr<Program> program = Program::load(path.string(), {});
  std::filesystem::remove(path);
  return program;
}

/// From "schedule" to the end: the schedule and the loops.
std::string scheduled(Program &program, const std::string &kernel) {
  Answer<std::string> told = program.explain(kernel, "ascii");
  return told ? told->substr(told->find("\nschedule ") + 1) : "error: " + told.error;
}

std::string withoutSchedules(std::string text) {
  for (size_t at; (at = text.find("\nschedule ")) != text.npos;)
    text.erase(at, text.find('}', at) + 1 - at);
  return text;
}

void roundTrip(const std::filesystem::path &path) {
  const std::string text = textOf(path), bare = withoutSchedules(text);
  std::unique_ptr<Program> program = load(text);
  ASSERT_FALSE(program->hasErrors()) << path << program->diagnostics();
  for (const KernelSignature &kernel : program->kernels()) {
    const std::string first = scheduled(*program, kernel.name);
    const std::string schedule = first.substr(0, first.find("}\n") + 2);
    std::unique_ptr<Program> again = load(bare + "\n" + schedule);
    ASSERT_FALSE(again->hasErrors()) << path << "\n" << schedule << again->diagnostics();
    EXPECT_EQ(scheduled(*again, kernel.name), first) << path << "\n" << schedule;
  }
}

TEST(ScheduleText, PrintedSchedulesOfTheExamplesMakeTheSameLoops) {
  size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(MOAC_EXAMPLES))
    if (entry.path().extension() == ".moa")
      roundTrip(entry.path()), ++files;
  EXPECT_GE(files, 10u);
}
} // namespace
