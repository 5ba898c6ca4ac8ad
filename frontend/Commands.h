// The commands of `moac`, apart from how their options are spelled: moac.cpp fills one of these
// structs and calls. Each returns the process's exit code.
#ifndef MOAC_FRONTEND_COMMANDS_H
#define MOAC_FRONTEND_COMMANDS_H

#include "frontend/Check.h"
#include "ir/Machine.h"

#include <string>
#include <vector>

namespace moac {

enum ExitCode { exitOk = 0, exitUserError = 1, exitUsage = 2, exitInternal = 3 };

/// Options that say what a file means; shared by all commands.
struct SourceOptions {
  std::string file;
  std::vector<std::string> kernels;  ///< empty: all
  std::vector<std::string> bindings; ///< "D=64"
  LoadOptions load;
};

struct CompileCommand {
  SourceOptions source;
  std::string folder; ///< empty: the current one, or standard output with an explicit --emit
  std::string target = "c-openmp";
  std::string table; ///< a file that describes another language, in place of the target
  std::string emit; ///< moa, dnf, onf, c, all; empty: c
  bool standalone = false;
  bool verify = false; ///< read the C text back with clang and compare it with the analysis
  std::string depfile; ///< when not empty: where to say, for make and ninja, which files were read
};
int compile(const CompileCommand &command);

struct ExplainCommand {
  SourceOptions source;
  std::string notation = "ascii"; ///< or "moa"
  bool json = false;               ///< one array of objects, whatever the notation
};
int explain(const ExplainCommand &command);

struct RunCommand {
  SourceOptions source;
  std::string target = "c-openmp";
  std::vector<std::string> inputs;   ///< "Q=q.npy"
  std::vector<std::string> outputs;  ///< "O=o.npy"
  std::vector<std::string> settings; ///< "eps=1e-6", "N=5"
  int repeat = 0;                    ///< when positive: time this many further calls
};
int run(const RunCommand &command);

struct CostCommand {
  SourceOptions source;
  std::vector<std::string> sizes; ///< "N=2048"
  std::vector<std::string> trips; ///< "t=8": iterations of a loop that depends on data
  std::string machine;            ///< a description, by name or file; empty: this host
  bool json = false;
};
int showCost(const CostCommand &command);

struct MachineCommand {
  std::string machine; ///< empty: this host
  bool json = false;
};
int showMachine(const MachineCommand &command);

struct PlanCommand {
  SourceOptions source;
  std::vector<std::string> sizes; ///< "N=2048"
  std::vector<std::string> trips; ///< "t=8": iterations of a loop that depends on data
  std::string machine;            ///< a description, by name or file; empty: this host
  std::string output;             ///< when not empty: where to write the winner's schedule
  std::string sweep;              ///< "N=64,512,4096": plans at these sizes, and where the best changes
  unsigned tune = 0;              ///< how many of the best are compiled and timed here
  bool json = false;
};
int plan(const PlanCommand &command);

struct ScenarioCommand {
  std::string file;    ///< a description as ir/Scenario.h reads it
  std::string machine; ///< empty: this host
  bool json = false;
};
int showScenario(const ScenarioCommand &command);

struct CheckCommand {
  std::vector<std::string> files;
  SourceOptions source; ///< `file` is taken from `files`
  CheckOptions options;
  bool verbose = false;
};
int checkFiles(const CheckCommand &command);

/// Loads a file and prints its diagnostics to stderr. Null, with `code` set, when the command
/// cannot go on: a binding is malformed, the file has errors, or a kernel asked for does not exist.
std::unique_ptr<Program> loadProgram(const SourceOptions &options, int &code);
/// Signatures of the kernels that the options select; all exist.
std::vector<KernelSignature> selectedKernels(const Program &program, const SourceOptions &options);

/// A description by name or file, or this host. Nothing, after a message, when there is none.
std::optional<Machine> machineNamed(const std::string &name);

/// Reads "N=2048" of an option into `to`; false after a message.
bool readNumbers(const std::vector<std::string> &from, const char *option, std::map<std::string, int64_t> &to);
/// Splits "NAME=value"; false when there is no '=' or no name.
bool splitAssignment(const std::string &text, std::string &name, std::string &value);
/// Prints `moac: error: ...` to stderr.
void printError(const std::string &text);

} // namespace moac

#endif
