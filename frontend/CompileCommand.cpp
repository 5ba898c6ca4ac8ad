// `moac compile` and `moac explain`, and what every command does first: load the file and say what
// is wrong with it.
#include "frontend/Commands.h"

#include "emitters/Languages.h"
#include "frontend/Diagnostics.h"
#include "frontend/SecondReader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace moac;
namespace fs = std::filesystem;

void moac::printError(const std::string &text) { fmt::print(stderr, "moac: error: {}\n", text); }

bool moac::splitAssignment(const std::string &text, std::string &name, std::string &value) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    return false;
  name = text.substr(0, equals);
  value = text.substr(equals + 1);
  return true;
}

namespace {

bool readBindings(const SourceOptions &options, LoadOptions &load) {
  for (const std::string &binding : options.bindings) {
    std::string name, value;
    int64_t number = 0;
    const bool split = splitAssignment(binding, name, value);
    auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (!split || value.empty() || problem != std::errc() || end != value.data() + value.size()) {
      printError(fmt::format("--bind takes SYMBOL=integer, not '{}'", binding));
      return false;
    }
    load.bindings[name] = number;
  }
  return true;
}

bool kernelsExist(const Program &program, const SourceOptions &options) {
  std::vector<std::string> names;
  for (const KernelSignature &kernel : program.kernels())
    names.push_back(kernel.name);
  for (const std::string &wanted : options.kernels)
    if (std::ranges::find(names, wanted) == names.end()) {
      const std::string hint = didYouMean(wanted, names);
      printError(fmt::format("'{}' has no kernel '{}'{}{}", options.file, wanted,
                             hint.empty() ? "" : "; ", hint));
      return false;
    }
  return true;
}

} // namespace

std::unique_ptr<Program> moac::loadProgram(const SourceOptions &options, int &code) {
  LoadOptions load = options.load;
  code = exitUsage;
  if (!readBindings(options, load))
    return nullptr;
  std::unique_ptr<Program> program = Program::load(options.file, load);
  fmt::print(stderr, "{}", program->diagnostics());
  code = exitUserError;
  if (program->hasErrors() || !kernelsExist(*program, options))
    return nullptr;
  if (program->kernels().empty())
    fmt::print(stderr, "{}: warning: no kernels here\n", options.file);
  code = exitOk;
  return program;
}

std::vector<KernelSignature> moac::selectedKernels(const Program &program,
                                                   const SourceOptions &options) {
  std::vector<KernelSignature> selected;
  for (const KernelSignature &kernel : program.kernels())
    if (options.kernels.empty() ||
        std::ranges::find(options.kernels, kernel.name) != options.kernels.end())
      selected.push_back(kernel);
  return selected;
}

namespace {

/// Where a command's texts go: files of a folder, or standard output one after the other.
class Output {
public:
  Output(bool toFiles, fs::path folder) : toFiles(toFiles), folder(std::move(folder)) {}

  bool write(const std::string &name, const std::string &text) {
    if (!toFiles) {
      fmt::print("{}", text);
      return true;
    }
    std::error_code problem; // reported by the write that fails
    if (!folder.empty())
      fs::create_directories(folder, problem);
    const fs::path path = folder / name;
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
      printError(fmt::format("cannot write '{}'", path.string()));
    return bool(file);
  }

private:
  bool toFiles;
  fs::path folder;
};

bool writeStages(Program &program, const CompileCommand &command, const std::string &stem,
                 Output &output) {
  for (auto [name, stage] :
       {std::pair("moa", Stage::Moa), std::pair("dnf", Stage::Dnf), std::pair("onf", Stage::Onf)}) {
    if (command.emit != name && command.emit != "all")
      continue;
    std::string text;
    for (const KernelSignature &kernel : selectedKernels(program, command.source)) {
      Answer<std::string> printed = program.print(stage, kernel.name);
      if (!printed) {
        printError(printed.error);
        return false;
      }
      text += *printed;
    }
    if (!output.write(fmt::format("{}.{}.mlir", stem, name), text))
      return false;
  }
  return true;
}

/// Says what the second reader finds; true when that is nothing.
bool verifySource(Program &program, const EmitOptions &options, const EmittedSource &source) {
  Answer<reading::CReader> reader = loadCReader();
  if (!reader) {
    printError(reader.error);
    return false;
  }
  const std::vector<std::string> differences = program.verify(options, source, *reader);
  for (const std::string &difference : differences)
    printError(fmt::format("not what was analysed: {}", difference));
  return differences.empty();
}

bool writeSource(Program &program, const CompileCommand &command, const std::string &stem,
                 Output &output) {
  EmitOptions options;
  options.target = command.target;
  if (!command.table.empty()) {
    std::ifstream file(command.table, std::ios::binary);
    options.table.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    options.target = command.table;
    if (!file || options.table.empty()) {
      printError(fmt::format("cannot read the table '{}'", command.table));
      return false;
    }
  }
  options.kernels = command.source.kernels;
  options.headerName = stem + ".h";
  options.standalone = command.standalone;
  options.linked = true;
  Answer<EmittedSource> emitted = program.emit(options);
  if (!emitted) {
    printError(emitted.error);
    return false;
  }
  if (command.verify && !verifySource(program, options, *emitted))
    return false;
  return (emitted->header.empty() || output.write(stem + ".h", emitted->header)) &&
         output.write(stem + emitted->extension, emitted->source);
}

/// `output: file file ...` with blanks escaped, as make reads it.
bool writeDepfile(const Program &program, const CompileCommand &command, const std::string &stem) {
  auto escaped = [](const std::string &path) {
    std::string text;
    for (char c : path)
      text += c == ' ' ? "\\ " : c == '#' ? "\\#" : c == '$' ? "$$" : std::string(1, c);
    return text;
  };
  const std::string output = stem + std::string(emit::findLanguage(command.target)->extension);
  std::string text = escaped((fs::path(command.folder) / output).string()) + ": " +
                     escaped(command.source.file);
  for (const std::string &file : program.imports())
    text += " " + escaped(file);
  const fs::path path = command.depfile;
  return Output(true, path.parent_path()).write(path.filename().string(), text + "\n");
}

} // namespace

int moac::compile(const CompileCommand &command) {
  int code;
  std::unique_ptr<Program> program = loadProgram(command.source, code);
  if (!program)
    return code;
  const std::string stem = fs::path(command.source.file).stem().string();
  const bool toFiles = !command.folder.empty() || command.emit.empty();
  Output output(toFiles, command.folder.empty() ? "." : command.folder);
  const bool source = command.emit.empty() || command.emit == "c" || command.emit == "all";
  if (!writeStages(*program, command, stem, output) ||
      (source && !writeSource(*program, command, stem, output)))
    return exitUserError;
  if (!command.depfile.empty() && !writeDepfile(*program, command, stem))
    return exitUserError;
  return exitOk;
}

int moac::explain(const ExplainCommand &command) {
  int code;
  std::unique_ptr<Program> program = loadProgram(command.source, code);
  if (!program)
    return code;
  std::string all;
  for (const KernelSignature &kernel : selectedKernels(*program, command.source)) {
    Answer<std::string> text =
        program->explain(kernel.name, command.json ? "json" : command.notation);
    if (!text) {
      printError(text.error);
      return exitUserError;
    }
    all += (all.empty() ? "" : command.json ? ",\n" : "\n") + *text;
  }
  fmt::print(fmt::runtime(command.json ? "[{}]\n" : "{}"), all);
  return exitOk;
}
