// The phases connected: text to moa, to DNF, to ONF, to C; each stage made once, when first asked
// for.
#include "frontend/Compiler.h"

#include "emitters/C.h"
#include "emitters/Languages.h"
#include "emitters/LoopTreeBuilder.h"
#include "emitters/OnfWork.h"
#include "emitters/TableFile.h"
#include "emitters/Verify.h"
#include "frontend/AstToMoa.h"
#include "frontend/CompilerData.h"
#include "frontend/Diagnostics.h"
#include "frontend/EmbeddedTexts.h"
#include "frontend/ExplainKernel.h"
#include "frontend/Imports.h"
#include "frontend/Parser.h"
#include "frontend/Schedules.h"
#include "frontend/SecondReader.h"
#include "ir/OnfWorkTree.h"
#include "passes/Passes.h"
#include "passes/Schedule.h"
#include "passes/PlanChoices.h"
#include "passes/Refusal.h"
#include "passes/ScheduleText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace moac;

namespace {
/// Messages of passes as text, with the place in the source that an operation came from.
class PassMessages {
public:
  /// What users' schedules are refused for goes to `refused`.
  PassMessages(MLIRContext &context, std::function<void(const Refusal &)> refused)
      : handler(&context, [this, refused](mlir::Diagnostic &message) {
          if (std::optional<Refusal> refusal = refusalIn(message)) {
            refused(*refusal);
            return success();
          }
          llvm::raw_string_ostream out(text);
          if (auto place = message.getLocation()->findInstanceOf<FileLineColLoc>())
            out << place.getFilename().getValue() << ":" << place.getLine() << ":"
                << place.getColumn() << ": ";
          out << (message.getSeverity() == DiagnosticSeverity::Error ? "error: " : "note: ")
              << message.str() << "\n";
          return success();
        }) {}

  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

class CompiledProgram : public Program {
public:
  CompiledProgram(const std::string &path, const LoadOptions &options)
      : options(options), messages(sources), context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<moa::MoaDialect, onf::OnfDialect>();
    files = loadFiles(path, options.importFolders, sources, messages);
    for (const auto &[kernel, directives] : options.schedules)
      replaceSchedule(kernel, directives);
    module = buildModule(files, messages, context);
    if (!module)
      return;
    for (auto kernel : module->getOps<moa::KernelOp>())
      if (!kernel->hasAttr("imported"))
        signatures.push_back(signatureOf(kernel));
    if (options.strictOrder)
      problems += "error: not yet: --strict-order\n";
    for (const auto &[name, value] : options.bindings)
      checkBinding(name, value);
    for (KernelSignature &signature : signatures)
      for (const auto &[name, value] : options.bindings)
        if (llvm::is_contained(signature.symbols, name))
          signature.bound[name] = value;
    for (auto kernel : module->getOps<moa::KernelOp>())
      if (options.fastOrder)
        kernel->setAttr("fast_order", UnitAttr::get(&context));
    for (auto kernel : module->getOps<moa::KernelOp>())
      if (kernel.getScheduleAttr() && !hasErrors())
        at(Stage::Scheduled); // so that what is wrong with a schedule is told with the rest
  }

  bool hasErrors() const override { return !module || messages.hasErrors() || !problems.empty(); }
  std::string diagnostics() const override { return messages.render() + problems; }
  const std::vector<KernelSignature> &kernels() const override { return signatures; }
  std::vector<std::string> imports() const override {
    std::vector<std::string> paths;
    for (unsigned file = 1; file < sources.size(); ++file)
      paths.emplace_back(sources.path(file));
    return paths;
  }

  Answer<std::string> print(Stage stage, const std::string &kernel) override {
    ModuleOp source = at(stage);
    if (!source)
      return Answer<std::string>::failure(problems);
    std::string text;
    llvm::raw_string_ostream out(text);
    if (kernel.empty())
      source.print(out);
    else if (Operation *op = SymbolTable::lookupSymbolIn(source, kernel))
      op->print(out);
    else
      return Answer<std::string>::failure("no kernel '" + kernel + "'");
    return text + (text.empty() || text.back() != '\n' ? "\n" : "");
  }

  Answer<std::string> explain(const std::string &kernel, const std::string &notation) override;

  Answer<std::string> schedule(const std::string &kernel) override {
    ModuleOp stages = at(Stage::Scheduled);
    auto op = stages ? lookup<moa::KernelOp>(stages, kernel) : moa::KernelOp();
    if (!op)
      return Answer<std::string>::failure(stages ? "no kernel '" + kernel + "'" : problems);
    return "schedule " + kernel + " for cpu {\n" + scheduleText(op) + "}\n";
  }

  std::vector<PlanChoice> choices(const std::string &kernel, const Machine &machine) override {
    ModuleOp stages = at(Stage::Scheduled);
    auto op = stages ? lookup<moa::KernelOp>(stages, kernel) : moa::KernelOp();
    return op ? planChoices(op, machine) : std::vector<PlanChoice>();
  }

  Answer<cost::WorkTree> work(const std::string &kernel, const cost::Sizes &trips, unsigned tuned) override {
    ModuleOp loops = at(Stage::Onf);
    auto function = loops ? lookup<onf::FuncOp>(loops, kernel) : onf::FuncOp();
    if (!function)
      return Answer<cost::WorkTree>::failure(loops ? "no kernel '" + kernel + "'" : problems);
    return cost::workTreeOf(function, trips, tuned);
  }

  Answer<EmittedSource> emit(const EmitOptions &emitOptions) override {
    if (std::string problem = dividedProblem(emitOptions); !problem.empty())
      return Answer<EmittedSource>::failure(problem);
    if (!emitOptions.table.empty())
      return emitByTable(emitOptions);
    const emit::Language *language = emit::findLanguage(emitOptions.target);
    if (!language)
      return Answer<EmittedSource>::failure("no target '" + emitOptions.target + "'");
    if (!loops(language->device))
      return Answer<EmittedSource>::failure(problems);
    const std::vector<onf::FuncOp> functions = functionsFor(emitOptions, language->device);
    const tree::File tree = emit::buildLoopTree(functions, language->traits());
    emit::COptions style;
    style.standalone = emitOptions.standalone;
    style.headerName = emitOptions.headerName;
    const emit::Emitted source = language->source(tree, style, language->traits());
    if (!source.problems.empty())
      return refused(source.problems);
    const emit::LangTraits &headerTraits = language->headerTraits();
    const emit::Emitted header =
        language->header(emit::buildLoopTree(functions, headerTraits), style, headerTraits);
    return EmittedSource{header.text, source.text, std::string(language->extension)};
  }

  std::vector<std::string> verify(const EmitOptions &emitOptions, const EmittedSource &source,
                                  reading::CReader reader) override {
    if (!at(Stage::Onf))
      return {problems};
    if (emit::findLanguage(emitOptions.target)->traits != emit::cTraits)
      return {"there is no second reader for " + emitOptions.target};
    const std::vector<onf::FuncOp> functions = functionsFor(emitOptions);
    const tree::File tree = emit::buildLoopTree(functions, emit::cTraits());
    for (const tree::Kernel &kernel : tree.kernels)
      if (!kernel.pe.empty())
        return {"kernel '" + kernel.name + "' is divided among PEs, and calls of the SHMEM layer are not read back"};
    const reading::CReading read =
        reader({"kernels.c", source.source},
               {{emitOptions.headerName, source.header}, {"moac.h", std::string(runtimeHeader())}});
    std::vector<std::string> wrong = reading::verifyC(tree, read, source.source);
    for (size_t i = 0; wrong.empty() && i < functions.size(); ++i)
      for (const std::string &difference : reading::compareWork(
               emit::workOf(functions[i], tree.kernels[i]), reading::workOf(read, tree.kernels[i])))
        wrong.push_back("kernel '" + tree.kernels[i].name + "', " + difference);
    return wrong;
  }

  bool admits(const std::string &kernel, const std::vector<int64_t> &symbols,
              const std::vector<HostArray> &scalars) override {
    auto op = lookup<moa::KernelOp>(*module, kernel);
    if (!op)
      return false;
    for (unsigned i = 0; i < op.numSymbols() && i < symbols.size(); ++i)
      if (auto bound = options.bindings.find(op.argName(i).str());
          bound != options.bindings.end() && bound->second != symbols[i])
        return false;
    return admitsSizes(op, symbols, scalars);
  }

  double innermostIterations(const std::string &kernel,
                             const std::vector<int64_t> &symbols) override {
    ModuleOp dnf = at(Stage::Dnf);
    auto op = dnf ? lookup<moa::KernelOp>(dnf, kernel) : moa::KernelOp();
    return op ? countIterations(op, symbols) : 0;
  }

  Answer<InterpretResult> interpret(const std::string &kernel, Stage stage,
                                    const CallArguments &arguments) override {
    ModuleOp source = at(stage);
    Operation *op = source ? SymbolTable::lookupSymbolIn(source, kernel) : nullptr;
    if (!op)
      return Answer<InterpretResult>::failure(source ? "no kernel '" + kernel + "'" : problems);
    Limits limits;
    limits.unread = stage == Stage::Scheduled;
    if (stage == Stage::Moa && options.patience > 0)
      limits.steps = options.patience;
    Outcome outcome = isa<moa::KernelOp>(op)
                          ? moac::interpret(cast<moa::KernelOp>(op), toArguments(arguments), limits)
                          : moac::interpret(cast<onf::FuncOp>(op), toArguments(arguments));
    if (outcome.ending != Ending::Returned)
      return Answer<InterpretResult>::failure(
          stage == Stage::Moa && outcome.ending == Ending::StepLimit ? outOfPatience
                                                                     : outcome.message);
    InterpretResult result;
    result.status = static_cast<int>(outcome.status);
    result.message = outcome.message;
    for (Status status : outcome.failures)
      result.failures.insert(static_cast<int>(status));
    auto formula = lookup<moa::KernelOp>(*module, kernel);
    result.uncertain =
        outcome.uncertain ||
        (formula && outcome.ok() && (mayFailUnneeded(formula) || mayFailAhead(formula)));
    for (const Tensor &tensor : outcome.results)
      result.outputs.push_back(toOracle(tensor));
    result.visits = outcome.counts.visits;
    result.counts = flatCounts(outcome.counts);
    for (const auto &[name, count] : outcome.counts.operations)
      if (llvm::StringRef(name).ends_with(".f64") || llvm::StringRef(name).ends_with(".f32"))
        result.operations += static_cast<double>(count);
    return result;
  }

private:
  static Answer<EmittedSource> refused(const std::vector<std::string> &problems) {
    std::string text;
    for (const std::string &problem : problems)
      text += (text.empty() ? "" : "\n") + problem;
    return Answer<EmittedSource>::failure(text);
  }

  /// Why a kernel that is divided among PEs cannot be emitted so; empty when it can.
  std::string dividedProblem(const EmitOptions &emitOptions) {
    const bool hosts = emitOptions.table.empty() && emitOptions.target == "c-openmp";
    for (auto kernel : module->getOps<moa::KernelOp>()) {
      if (!wanted(kernel.getSymName(), emitOptions) || !Schedule(kernel).hasAny("partition") || (hosts && emitOptions.linked))
        continue;
      return "kernel '" + kernel.getSymName().str() + "' is divided among PEs (`partition` in its schedule): " +
             (hosts ? "it is called by every PE of a program under `moac launch`; `moac compile` gives its C"
                    : "only the target c-openmp calls the SHMEM layer");
    }
    return "";
  }

  /// In a language that a file describes; the loops are those for devices, which are plain.
  Answer<EmittedSource> emitByTable(const EmitOptions &emitOptions) {
    if (!loops(true))
      return Answer<EmittedSource>::failure(problems);
    const emit::TableFile table = emit::readTable(emitOptions.table, emitOptions.target);
    if (!table.problems.empty())
      return refused(table.problems);
    const emit::Emitted source = emit::printTableFile(
        emit::buildLoopTree(functionsFor(emitOptions, true), table.traits), table);
    if (!source.problems.empty())
      return refused(source.problems);
    return EmittedSource{"", source.text, table.extension};
  }

  void replaceSchedule(const std::string &kernel, const std::string &directives) {
    for (ast::File &file : files)
      std::erase_if(file.schedules, [&](const ast::Schedule &s) { return s.kernel.text == kernel; });
    if (!directives.empty() && !files.empty())
      files.push_back(parse(sources, sources.add("schedule", "schedule " + kernel + " for cpu {\n" + directives + "}\n"), messages));
  }

  template <class Op> static Op lookup(ModuleOp source, const std::string &name) {
    return dyn_cast_or_null<Op>(SymbolTable::lookupSymbolIn(source, name));
  }

  bool wanted(llvm::StringRef name, const EmitOptions &emitOptions) const {
    if (!emitOptions.kernels.empty())
      return llvm::is_contained(emitOptions.kernels, name);
    return llvm::any_of(signatures,
                        [&](const KernelSignature &signature) { return signature.name == name; });
  }

  /// The functions to emit, whose loops have been made.
  std::vector<onf::FuncOp> functionsFor(const EmitOptions &emitOptions, bool device = false) {
    std::vector<onf::FuncOp> functions;
    for (auto function : loops(device).getOps<onf::FuncOp>())
      if (wanted(function.getSymName(), emitOptions))
        functions.push_back(function);
    return functions;
  }

  void checkBinding(const std::string &name, int64_t value) {
    bool known = llvm::any_of(
        signatures, [&](const KernelSignature &s) { return llvm::is_contained(s.symbols, name); });
    if (!known)
      problems += "error: no kernel has a symbol '" + name + "' to bind\n";
    if (value < 0)
      problems += "error: '" + name + "' cannot be bound to " + std::to_string(value) +
                  ": an extent is not negative\n";
  }

  ModuleOp at(Stage stage) {
    if (hasErrors())
      return {};
    if (stage == Stage::Moa)
      return *module;
    if (!dnf)
      dnf = run(*module, [&](PassManager &manager) { addDnfPasses(manager, options.bindings); });
    if (stage == Stage::Dnf || !dnf)
      return dnf ? *dnf : ModuleOp();
    if (!scheduled) {
      OwningOpRef<ModuleOp> source = dnf->clone();
      if (options.unchecked)
        dropIndexChecks(*source);
      scheduled = run(*source, [](PassManager &manager) { addSchedulePasses(manager); });
    }
    if (stage == Stage::Scheduled || !scheduled)
      return scheduled ? *scheduled : ModuleOp();
    if (!onf)
      onf = run(*scheduled, [](PassManager &manager) { manager.addPass(createGammaConstruct()); });
    return onf ? *onf : ModuleOp();
  }

  /// The kernels as loops for the host or for a device. Users' schedules are for hosts.
  ModuleOp loops(bool device) {
    if (!device)
      return at(Stage::Onf);
    if (deviceLoops || !at(Stage::Dnf))
      return deviceLoops ? *deviceLoops : ModuleOp();
    OwningOpRef<ModuleOp> source = dnf->clone();
    if (options.unchecked)
      dropIndexChecks(*source);
    for (auto kernel : source->getOps<moa::KernelOp>()) {
      kernel.removeScheduleAttr();
      kernel->setAttr("device", UnitAttr::get(&context));
    }
    deviceLoops = run(*source, [](PassManager &manager) { addGammaPasses(manager); });
    return deviceLoops ? *deviceLoops : ModuleOp();
  }

  OwningOpRef<ModuleOp> run(ModuleOp from, llvm::function_ref<void(PassManager &)> fill) {
    OwningOpRef<ModuleOp> result = from.clone();
    PassManager manager(&context);
    fill(manager);
    PassMessages collected(context, [&](const Refusal &refusal) { sema::reportRefusal(refusal, files, messages); });
    if (succeeded(manager.run(*result)))
      return result;
    if (messages.hasErrors())
      return {};
    problems +=
        collected.text.empty() ? "error: a pass failed without a message\n" : collected.text;
    return {};
  }

  LoadOptions options;
  SourceManager sources;
  Diagnostics messages;
  MLIRContext context;
  std::vector<ast::File> files;
  OwningOpRef<ModuleOp> module, dnf, scheduled, onf, deviceLoops;
  std::vector<KernelSignature> signatures;
  std::string problems; ///< of options and passes
};

Answer<std::string> CompiledProgram::explain(const std::string &name, const std::string &notation) {
  ModuleOp loops = at(Stage::Onf);
  auto function = loops ? lookup<onf::FuncOp>(loops, name) : onf::FuncOp();
  if (!function)
    return Answer<std::string>::failure(loops ? "no kernel '" + name + "'" : problems);
  auto lineText = [&](llvm::StringRef path, unsigned line) -> std::string {
    for (FileId file = 0; file < sources.size(); ++file)
      if (sources.path(file) == std::string_view(path)) {
        llvm::StringRef rest = sources.text(file);
        for (; line > 1; --line)
          rest = rest.split('\n').second;
        return rest.split('\n').first.rtrim('\r').str();
      }
    return "";
  };
  std::optional<Explanation> told =
      explainKernel({*module, function, options.bindings, lineText}, name, notation == "moa");
  if (!told)
    return Answer<std::string>::failure("a pass failed that had succeeded before");
  return notation == "json" ? explanationJson(*told) : explanationText(*told, notation == "moa");
}
} // namespace

std::unique_ptr<Program> Program::load(const std::string &path, const LoadOptions &options) {
  return std::make_unique<CompiledProgram>(path, options);
}

const std::vector<std::string> &moac::targetNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const emit::Language &language : emit::languages())
      all.emplace_back(language.target);
    return all;
  }();
  return names;
}
