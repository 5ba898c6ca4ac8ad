// Finding the compiler, naming cache entries, running it, loading the result.
//
// OpenMP is tried first and given up when the compiler cannot link it (clang without its run time):
// the emitted pragmas are then ignored and the kernel runs on one thread, with the same result. A
// text with an error costs a second attempt; its message is the first one's.
#include "frontend/HostCompiler.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/SHA256.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

using namespace moac;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

LoadedLibrary::~LoadedLibrary() {
  if (handle)
    dlclose(handle);
}

void *LoadedLibrary::symbol(const std::string &name) const {
  return handle ? dlsym(handle, name.c_str()) : nullptr;
}

const HostLanguage &moac::hostC() {
  static const HostLanguage language = {"C",
                                        "CC",
                                        {"cc", "gcc", "clang"},
                                        {"-std=gnu11", "-O3", "-march=native", "-ffp-contract=fast"},
                                        "-fopenmp",
                                        {},
                                        ".c",
                                        false};
  return language;
}

const HostLanguage &moac::hostFortran() {
  static const HostLanguage language = {"Fortran",
                                        "FC",
                                        {"gfortran", "flang"},
                                        {"-std=f2018", "-O3", "-march=native", "-ffp-contract=fast"},
                                        "-fopenmp",
                                        {"--param", "max-inline-insns-auto=400"
#ifdef __x86_64__
                                         , "-mprefer-vector-width=512"
#endif
                                        },
                                        ".f90",
                                        true};
  return language;
}

const HostLanguage &moac::hostAccC() {
  static const HostLanguage language = {"C",      "CC", {"gcc", "cc", "clang"}, hostC().flags,
                                        "-fopenacc", {},   ".c",                   false};
  return language;
}

const HostLanguage &moac::hostAccFortran() {
  static const HostLanguage language = {"Fortran",
                                        "FC",
                                        {"gfortran", "flang"},
                                        hostFortran().flags,
                                        "-fopenacc",
                                        hostFortran().gnuFlags,
                                        ".f90",
                                        true};
  return language;
}

std::string HostCompiler::cacheFolder() {
  llvm::SmallString<128> folder;
  const char *configured = std::getenv("XDG_CACHE_HOME");
  // The base directory specification: a relative value is to be ignored.
  if (configured && path::is_absolute(configured))
    folder = configured;
  else if (path::home_directory(folder))
    path::append(folder, ".cache");
  else
    return "";
  path::append(folder, "moac");
  return std::string(folder);
}

Answer<HostCompiler> HostCompiler::find(const HostLanguage &language) {
  HostCompiler found(language);
  const char *configured = std::getenv(language.variable);
  std::vector<std::string> candidates = language.candidates;
  llvm::SmallVector<llvm::StringRef> words;
  if (configured)
    llvm::SplitString(configured, words);
  if (!words.empty()) {
    candidates = {words[0].str()};
    found.spelled = configured;
  }
  for (const std::string &name : candidates) {
    llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(name);
    if (!program)
      continue;
    found.program = {*program};
    for (size_t k = 1; k < words.size(); ++k)
      found.program.push_back(words[k].str());
    if (found.spelled.empty())
      found.spelled = name;
    return found;
  }
  if (!words.empty())
    return Answer<HostCompiler>::failure(
        fmt::format("the compiler that {} names, '{}', is not found", language.variable, candidates[0]));
  return Answer<HostCompiler>::failure(fmt::format("no {} compiler found (tried {}); set {} to one",
                                                   language.name, fmt::join(candidates, ", "),
                                                   language.variable));
}

namespace {

/// A file that is removed when its owner is done with it.
struct TemporaryFile {
  llvm::SmallString<128> name;
  explicit TemporaryFile(const std::string &folder, const char *pattern) {
    llvm::SmallString<128> model(folder);
    path::append(model, pattern);
    int descriptor;
    if (fs::createUniqueFile(model, descriptor, name))
      name.clear();
    else
      close(descriptor);
  }
  ~TemporaryFile() {
    if (!name.empty())
      fs::remove(name);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  std::string str() const { return std::string(name); }
};

std::string identity(const std::string &program) {
  fs::file_status status;
  if (fs::status(program, status))
    return program;
  return fmt::format("{} {} {}", program, status.getSize(),
                     status.getLastModificationTime().time_since_epoch().count());
}

std::string digest(std::string_view source, const std::vector<std::string> &command) {
  llvm::SHA256 hash;
  auto add = [&](llvm::StringRef part) {
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  };
  for (const std::string &part : command)
    add(part);
  add(identity(command[0]));
  add(llvm::sys::getHostCPUName());
  add(source);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string contents(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(name);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Runs a command with its output in a file of `folder`. Empty on success, else the command and
/// what it said.
std::string runCommand(const std::vector<std::string> &command, const std::string &folder) {
  TemporaryFile output(folder, "output-%%%%%%%%.txt");
  if (output.name.empty())
    return fmt::format("cannot create a file in '{}'", folder);
  std::vector<llvm::StringRef> arguments(command.begin(), command.end());
  const llvm::StringRef captured(output.name), none("");
  const std::optional<llvm::StringRef> redirects[] = {none, captured, captured};
  std::string problem;
  int code = llvm::sys::ExecuteAndWait(command[0], arguments, std::nullopt, redirects,
                                       /*SecondsToWait=*/600, 0, &problem);
  if (code == 0)
    return "";
  return fmt::format("{}\n{}{}", fmt::join(command, " "), contents(output.str()),
                     code < 0 ? problem : fmt::format("exit code {}", code));
}

/// Keeps the cache from growing without end: of more than `most` libraries the oldest half go.
void prune(const std::string &folder, size_t most) {
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; at != end && !error; at.increment(error)) {
    llvm::ErrorOr<fs::basic_file_status> status = at->status();
    if (status && path::extension(at->path()) == ".so")
      entries.emplace_back(status->getLastModificationTime(), at->path());
  }
  if (entries.size() <= most)
    return;
  std::sort(entries.begin(), entries.end());
  for (size_t k = 0; k < entries.size() / 2; ++k)
    fs::remove(entries[k].second);
}

/// Compiles `source` to `library`, going through a private name so that the library appears
/// complete or not at all.
std::string compile(std::string_view source, const HostLanguage &language,
                    std::vector<std::string> command, const std::string &folder,
                    const std::string &library) {
  const std::string model = std::string("kernel-%%%%%%%%") + language.extension;
  TemporaryFile text(folder, model.c_str()), partial(folder, "kernel-%%%%%%%%.partial");
  if (text.name.empty() || partial.name.empty())
    return fmt::format("cannot create a file in '{}'", folder);
  const std::string modules = text.str() + ".modules";
  if (language.modules && !fs::create_directory(modules))
    command.insert(command.end(), {"-J", modules});
  std::ofstream(text.str(), std::ios::binary) << source;
  command.insert(command.end(), {"-shared", "-fPIC", "-o", partial.str(), text.str(), "-lm"});
  std::string problem = runCommand(command, folder);
  if (language.modules)
    fs::remove_directories(modules);
  if (problem.empty() && fs::rename(partial.name, library))
    return fmt::format("cannot write '{}'", library);
  return problem;
}

/// Loads a library, and keeps the OpenMP run time that came with it for good: its worker threads
/// outlive any kernel.
void *open(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void *function = handle ? dlsym(handle, "omp_get_max_threads") : nullptr;
  Dl_info info;
  if (function && dladdr(function, &info) && info.dli_fname)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);
  return handle;
}

} // namespace

std::vector<std::string> HostCompiler::plainCommand(const std::vector<std::string> &extraFlags) const {
  std::vector<std::string> command = program;
  command.insert(command.end(), language->flags.begin(), language->flags.end());
  if (path::filename(program[0]).contains("gfortran"))
    command.insert(command.end(), language->gnuFlags.begin(), language->gnuFlags.end());
  command.insert(command.end(), extraFlags.begin(), extraFlags.end());
  return command;
}

Answer<CompilerReport> HostCompiler::inspect(std::string_view source) const {
  llvm::SmallString<128> temporary;
  path::system_temp_directory(true, temporary);
  const std::string folder(temporary), model = std::string("kernel-%%%%%%%%") + language->extension;
  TemporaryFile text(folder, model.c_str()), assembly(folder, "kernel-%%%%%%%%.s");
  if (text.name.empty() || assembly.name.empty())
    return Answer<CompilerReport>::failure(fmt::format("cannot create a file in '{}'", folder));
  std::ofstream(text.str(), std::ios::binary) << source;
  std::vector<std::string> command = plainCommand({language->parallel});
  command.insert(command.end(), {"-S", "-fPIC", "-fstack-usage", "-o", assembly.str(), text.str()});
  if (std::string problem = runCommand(command, folder); !problem.empty())
    return Answer<CompilerReport>::failure(problem);
  llvm::SmallString<128> usage(assembly.name);
  path::replace_extension(usage, "su");
  const CompilerReport report = readCompilerReport(contents(std::string(usage)), contents(assembly.str()));
  fs::remove(usage);
  return report;
}

Answer<LoadedLibrary> HostCompiler::load(std::string_view source,
                                         const std::vector<std::string> &extraFlags) const {
  std::string folder = cacheFolder();
  const bool cached = !folder.empty() && !fs::create_directories(folder, true, fs::owner_all);
  if (!cached) {
    llvm::SmallString<128> temporary;
    path::system_temp_directory(true, temporary);
    folder = std::string(temporary);
  }
  const std::vector<std::string> command = plainCommand(extraFlags);
  std::vector<std::string> parallel = command;
  parallel.push_back(language->parallel);

  std::string firstProblem;
  for (const std::vector<std::string> &attempt : {parallel, command}) {
    llvm::SmallString<128> library(folder);
    path::append(library,
                 digest(source, attempt) + (cached ? "" : fmt::format("-{}", getpid())) + ".so");
    void *handle = fs::exists(library) ? open(library.c_str()) : nullptr;
    if (handle)
      return LoadedLibrary(handle);
    std::string problem = compile(source, *language, attempt, folder, std::string(library));
    if (problem.empty()) {
      handle = open(library.c_str());
      problem = handle ? "" : dlerror();
      if (cached)
        prune(folder, 1000);
      else
        fs::remove(library);
    }
    if (handle)
      return LoadedLibrary(handle);
    if (firstProblem.empty())
      firstProblem = problem;
  }
  return Answer<LoadedLibrary>::failure(firstProblem);
}
