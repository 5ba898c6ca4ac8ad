// Emitting programs for the tests of the second reader.
#include "tests/unit/verify/VerifyPrograms.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace moac::test {

std::vector<std::string> moaFiles(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".moa")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

EmittedProgram emitFile(const std::string &path, bool standalone) {
  EmittedProgram out;
  std::unique_ptr<Program> program = Program::load(path, {});
  if (program->hasErrors())
    return out;
  out.options.standalone = standalone;
  out.options.headerName = "kernels.h";
  Answer<EmittedSource> source = program->emit(out.options);
  if (!source)
    return out;
  out.source = *source;
  out.program = std::move(program);
  return out;
}

EmittedProgram emitText(const std::string &text) {
  const fs::path path = fs::temp_directory_path() / fmt::format("moac-verify-{}.moa", getpid());
  std::ofstream(path) << text;
  EmittedProgram out = emitFile(path.string());
  fs::remove(path);
  return out;
}

std::vector<std::string> differences(const EmittedProgram &emitted, const std::string &source) {
  return emitted.program->verify(emitted.options, {emitted.source.header, source, ".c"}, reading::readC);
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

} // namespace moac::test
