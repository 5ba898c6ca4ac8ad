// The `moac` driver: spells the options of each command and calls it. Nothing is decided here.
//
// This is the only file that includes CLI11.
#include "frontend/Bundle.h"
#include "frontend/Commands.h"
#include "frontend/Diagnostics.h"
#include "frontend/ExplainId.h"
#include "runtime/model/Litmus.h"
#include "runtime/shmem/launch.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <exception>
#include <sstream>

using namespace moac;

namespace {

void addSourceOptions(CLI::App &app, SourceOptions &source, bool withFile = true) {
  if (withFile)
    app.add_option("FILE", source.file, "a .moa file")->required();
  app.add_option("--kernel", source.kernels, "only this kernel (may be repeated)")
      ->type_name("NAME");
  app.add_option("--bind", source.bindings,
                 "make a symbol a constant, as in D=64 (may be repeated)")
      ->type_name("SYMBOL=N");
  app.add_option("-I", source.load.importFolders, "look for imported files here too")
      ->type_name("DIR");
  app.add_flag("--unchecked", source.load.unchecked, "leave out run-time index checks");
  app.add_flag("--strict-order", source.load.strictOrder,
               "evaluate reductions in the written order");
  app.add_flag("--fast-order", source.load.fastOrder,
               "let `reduce k : atomic` add floats in any order, another in each run");
}

/// One subcommand: its options, and what runs when it is chosen.
struct Commands {
  CompileCommand compile;
  RunCommand run;
  CheckCommand check;
  ExplainCommand explain;
  CostCommand cost;
  MachineCommand machine;
  PlanCommand plan;
  ScenarioCommand scenario;
  BundleCommand bundle;
  int (*chosen)(const Commands &) = nullptr;

  void addCompile(CLI::App &app) {
    CLI::App *sub = app.add_subcommand("compile", "translate kernels to C or Fortran");
    addSourceOptions(*sub, compile.source);
    sub->add_option("-o", compile.folder, "folder to write into")->type_name("DIR");
    sub->add_option("--target", compile.target, "language of the output")
        ->check(CLI::IsMember(targetNames()));
    sub->add_option("--table", compile.table, "a file that describes another language, in place of --target")
        ->type_name("FILE");
    sub->add_option("--emit", compile.emit,
                    "print a form instead of writing files: moa, dnf, onf, c (the target's text) or all")
        ->check(CLI::IsMember({"moa", "dnf", "onf", "c", "all"}));
    sub->add_flag("--standalone", compile.standalone, "no reference to libmoac-runtime");
    sub->add_flag("--verify", compile.verify,
                  "read the C text back with clang and compare it with the analysis");
    sub->add_option("--depfile", compile.depfile,
                    "write the files that were read, for make and ninja")
        ->type_name("FILE");
    sub->callback([this] { chosen = [](const Commands &c) { return moac::compile(c.compile); }; });
  }

  void addRun(CLI::App &app) {
    CLI::App *sub = app.add_subcommand("run", "run one kernel on .npy files");
    addSourceOptions(*sub, run.source);
    std::vector<std::string> targets = targetNames();
    targets.push_back("interp");
    sub->add_option("--target", run.target, "what runs it")->check(CLI::IsMember(targets));
    sub->add_option("--in", run.inputs, "an input, as in Q=q.npy")->type_name("NAME=FILE");
    sub->add_option("--out", run.outputs, "an output to keep; without any, all are printed")
        ->type_name("NAME=FILE");
    sub->add_option("--set", run.settings, "a scalar or a symbol, as in eps=1e-6")
        ->type_name("NAME=VALUE");
    sub->add_option("--repeat", run.repeat, "also time this many further calls")
        ->check(CLI::NonNegativeNumber);
    sub->callback([this] { chosen = [](const Commands &c) { return moac::run(c.run); }; });
  }

  void addCheck(CLI::App &app) {
    CLI::App *sub =
        app.add_subcommand("check", "compare every target with the interpreter on random data");
    sub->add_option("FILE", check.files, ".moa files")->required();
    addSourceOptions(*sub, check.source, false);
    CheckOptions &options = check.options;
    sub->add_option("--target", options.targets, "languages to check")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(targetNames()));
    sub->add_flag("--agree", options.agree,
                  "all targets must give the same bits (with --cflags=-ffp-contract=off they do)");
    sub->add_flag("--full", options.full,
                  "every combination of sizes instead of a pairwise covering set");
    sub->add_flag("--stages", options.stages, "interpret the later forms too");
    sub->add_option("--seed", options.seed, "seed of the data");
    sub->add_option("--cap", options.cap, "most innermost iterations of a case");
    sub->add_option("--threads", options.threads, "thread counts that must agree")
        ->delimiter(',')
        ->type_name("N,...");
    sub->add_option("--batch", options.batch,
                    "a symbol along which each position must not see the others")
        ->type_name("SYMBOL");
    sub->add_option("--cflags", options.compilerFlags, "further flags for the compiler")
        ->delimiter(' ');
    sub->add_flag("-v,--verbose", check.verbose, "say where the worst error is");
    sub->callback([this] { chosen = [](const Commands &c) { return checkFiles(c.check); }; });
  }

  void addExplain(CLI::App &app) {
    CLI::App *sub =
        app.add_subcommand("explain", "show the derivation of kernels: shapes, laws, normal forms, schedule, loops");
    addSourceOptions(*sub, explain.source);
    sub->add_option("--notation", explain.notation, "ascii, or moa for the glyphs")
        ->check(CLI::IsMember({"ascii", "moa"}));
    sub->add_flag("--json", explain.json, "the same for programs");
    sub->callback([this] { chosen = [](const Commands &c) { return moac::explain(c.explain); }; });
  }

  /// What counts are for: sizes and a machine.
  template <class Command> static void addCountOptions(CLI::App &sub, Command &command) {
    sub.add_option("--size", command.sizes, "symbols and integer scalars, as in M=512,N=2048")
        ->delimiter(',')
        ->type_name("SYMBOL=N,...");
    sub.add_option("--trips", command.trips, "iterations of loops that depend on data, as in t=8")
        ->delimiter(',')
        ->type_name("AXIS=N,...");
    sub.add_option("--machine", command.machine, "a machine's name or file; otherwise this host")
        ->type_name("NAME");
  }

  void addCost(CLI::App &app) {
    CLI::App *sub =
        app.add_subcommand("cost", "count what kernels do: operations, accesses, bytes for each memory level");
    addSourceOptions(*sub, cost.source);
    addCountOptions(*sub, cost);
    sub->add_flag("--json", cost.json, "the same for programs");
    sub->callback([this] { chosen = [](const Commands &c) { return showCost(c.cost); }; });
  }

  void addBundle(CLI::App &app) {
    CLI::App *sub = app.add_subcommand("bundle", "pack kernels, cases and libraries for a machine with a GPU");
    sub->add_option("FILE", bundle.files, ".moa files")->required();
    addSourceOptions(*sub, bundle.source, false);
    sub->add_option("--target", bundle.target, "language of the kernels")
        ->check(CLI::IsMember({"c-openacc", "fortran-openacc"}));
    sub->add_option("-o", bundle.folder, "folder to write into")->type_name("DIR");
    sub->add_option("--time", bundle.timed, "time a kernel on these sizes instead of checking it, as in matmul:M=64,K=64,N=64")
        ->type_name("KERNEL:SYMBOL=N,...");
    sub->add_option("--cap", bundle.cap, "most innermost iterations of a case");
    sub->add_option("--seed", bundle.seed, "seed of the data");
    sub->add_option("--flag", bundle.flags, "flags of the compilers instead of those for nvptx devices")->type_name("FLAG");
    sub->callback([this] { chosen = [](const Commands &c) { return moac::bundle(c.bundle); }; });
  }

  void addMachine(CLI::App &app) {
    CLI::App *sub = app.add_subcommand("machine", "describe this host, or check a description");
    sub->add_option("NAME", machine.machine, "a machine's name or file; otherwise this host");
    sub->add_flag("--json", machine.json, "in the form that --machine reads");
    sub->callback([this] { chosen = [](const Commands &c) { return showMachine(c.machine); }; });
  }

  void addPlan(CLI::App &app) {
    CLI::App *sub = app.add_subcommand("plan", "try schedules of a kernel by their counts: winner, runner-up and reasons");
    addSourceOptions(*sub, plan.source);
    addCountOptions(*sub, plan);
    sub->add_option("--tune", plan.tune, "compile the best of them, so many, and time them here")
        ->expected(0, 1)
        ->default_str("4")
        ->check(CLI::Range(2, 16));
    sub->add_option("--sweep", plan.sweep, "plan at these sizes of one symbol, and say from which on another plan is the best")
        ->type_name("SYMBOL=N,N,...")
        ->excludes("--tune");
    sub->add_option("-o", plan.output, "write the winner's schedule here")->type_name("FILE");
    sub->add_flag("--json", plan.json, "the same for programs");
    sub->callback([this] { chosen = [](const Commands &c) { return moac::plan(c.plan); }; });
  }

  void addScenario(CLI::App &app) {
    CLI::App *sub = app.add_subcommand("scenario", "project what candidates may gain over a measured baseline, and reject by gates");
    sub->add_option("FILE", scenario.file, "a description in JSON: baseline, candidates, gates, end to end")->required();
    sub->add_option("--machine", scenario.machine, "a machine's name or file; otherwise this host")->type_name("NAME");
    sub->add_flag("--json", scenario.json, "the same for programs");
    sub->callback([this] { chosen = [](const Commands &c) { return showScenario(c.scenario); }; });
  }
};

/// Commands of the SHMEM layer; they read their own arguments. -1: none of them.
int runtimeCommand(int argc, char **argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const std::vector<std::string> rest(argv + std::min(argc, 2), argv + argc);
  if (name == "launch")
    return moac_launch_main(argc - 1, argv + 1);
  const auto tool = name == "litmus"        ? model::litmusMain
                    : name == "shmem-check" ? model::shmemCheckMain
                                            : nullptr;
  if (!tool)
    return -1;
  std::ostringstream out, err;
  const int code = tool(rest, out, err);
  fmt::print("{}", out.str());
  fmt::print(stderr, "{}", err.str());
  return code;
}

/// `moac --explain ID`, or the list of ids without one. -1: not asked for.
int explainIdCommand(int argc, char **argv) {
  if (argc < 2 || std::string_view(argv[1]) != "--explain")
    return -1;
  if (argc == 2) {
    for (const std::string &id : explainableIds())
      fmt::print("{}\n", id);
    return exitOk;
  }
  for (int i = 2; i < argc; ++i) {
    const std::optional<std::string> page = explainId(argv[i]);
    if (!page) {
      const std::string hint = didYouMean(argv[i], explainableIds());
      printError(fmt::format("nothing is known by the id '{}'{}{}", argv[i],
                             hint.empty() ? "" : "; ", hint));
      return exitUsage;
    }
    fmt::print("{}{}", i > 2 ? "\n" : "", *page);
  }
  return exitOk;
}

} // namespace

int main(int argc, char **argv) {
  if (const int code = runtimeCommand(argc, argv); code >= 0)
    return code;
  if (const int code = explainIdCommand(argc, argv); code >= 0)
    return code;
  CLI::App app("moac: compiler for Mathematics-of-Arrays kernels", "moac");
  app.footer("moac --explain ID tells what a message, constraint or law is about.\n"
             "SHMEM layer: moac launch -n P PROGRAM, moac litmus FILE|DIR, moac shmem-check TRACE");
  app.set_version_flag("--version", "moac " MOAC_VERSION);
  app.require_subcommand(1);
  Commands commands;
  commands.addCompile(app);
  commands.addRun(app);
  commands.addCheck(app);
  commands.addExplain(app);
  commands.addCost(app);
  commands.addMachine(app);
  commands.addPlan(app);
  commands.addScenario(app);
  commands.addBundle(app);
  try {
    app.parse(argc, argv);
    return commands.chosen(commands);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? exitOk : exitUsage;
  } catch (const std::exception &error) {
    printError(fmt::format("internal: {}", error.what()));
    return exitInternal;
  }
}
