// Gathering an explanation: see ExplainKernel.h. Passes say what they do in MLIR's optimisation remarks; a streamer that only
// remembers them makes the derivation out of that.
#include "frontend/ExplainKernel.h"

#include "emitters/C.h"
#include "emitters/LoopTreeBuilder.h"
#include "frontend/LoopNotation.h"
#include "ir/IndexForm.h"
#include "passes/Laws.h"
#include "passes/Passes.h"
#include "passes/ScheduleText.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace moac {
namespace {
struct Told {
  std::string name, category, kernel, text;
  Location loc;
};

struct Memory : remark::detail::MLIRRemarkStreamerBase {
  explicit Memory(std::vector<Told> &told) : told(told) {}
  void streamOptimizationRemark(const remark::detail::Remark &r) override {
    std::string text;
    for (const auto &arg : r.getArgs())
      text += arg.val;
    told.push_back({r.getRemarkName().str(), r.getCategoryName().str(), r.getFunction().str(), text, r.getLocation()});
  }
  std::vector<Told> &told;
};

/// Listens to the remarks of a context while it lives.
class Listener {
public:
  explicit Listener(MLIRContext &context) : context(context) {
    remark::RemarkCategories categories;
    categories.passed = "psi|gamma";
    listening = succeeded(remark::enableOptimizationRemarks(context, std::make_unique<Memory>(told),
                                                            std::make_unique<remark::RemarkEmittingPolicyAll>(), categories));
  }
  ~Listener() {
    if (listening)
      context.setRemarkEngine(nullptr);
  }
  std::vector<Told> told;

private:
  MLIRContext &context;
  bool listening = false;
};

std::string elementName(moa::ArrayType type) { return moa::typeName(type.getElementType()); }

void addShapes(Explanation &e, moa::KernelOp kernel) {
  auto add = [&](StringRef name, const char *role, moa::ArrayType type) {
    e.shapes.push_back({name.str(), role, type.shapeText(), elementName(type)});
  };
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
    add(kernel.argName(kernel.inputArg(i).getArgNumber()), "input", cast<moa::ArrayType>(kernel.inputArg(i).getType()));
  llvm::StringSet<> results;
  for (Attribute name : kernel.getResults())
    results.insert(cast<StringAttr>(name).getValue());
  kernel.walk<WalkOrder::PreOrder>([&](moa::GenOp gen) {
    if (!results.contains(gen.getName()))
      add(gen.getName(), "value", gen.arrayType());
  });
  for (unsigned i = 0; i < kernel.getResults().size(); ++i)
    add(cast<StringAttr>(kernel.getResults()[i]).getValue(), "result", kernel.resultType(i));
  for (auto require : kernel.entry().getOps<moa::RequireOp>())
    e.requirements.push_back({require.getStatus().str(), require.getText().str()});
}

Explanation::Place placeOf(Location loc, const ExplainSource &source) {
  auto at = loc->findInstanceOf<FileLineColLoc>();
  if (!at || at.getLine() == 0)
    return {};
  return {at.getFilename().str(), at.getLine(), at.getColumn(), source.lineText(at.getFilename(), at.getLine())};
}

/// Shapes of what has no name, in the order in which they follow from each other.
void addShapePass(Explanation &e, moa::KernelOp kernel, const ExplainSource &source) {
  kernel.walk([&](Operation *op) {
    auto type = op->getNumResults() == 1 ? dyn_cast<moa::ArrayType>(op->getResult(0).getType()) : moa::ArrayType();
    if (!type || isa<moa::GenOp, moa::VectorOp>(op))
      return;
    Explanation::ShapeStep step{op->getName().stripDialect().str(), {}, type.shapeText(), placeOf(op->getLoc(), source)};
    for (Value operand : op->getOperands())
      if (auto array = dyn_cast<moa::ArrayType>(operand.getType()))
        step.operands.push_back(array.shapeText());
    e.shapePass.push_back(std::move(step));
  });
}

void addStages(Explanation &e, moa::KernelOp kernel, bool glyphs) {
  auto notation = glyphs ? moa::Notation::Moa : moa::Notation::Index;
  for (auto gen : kernel.entry().getOps<moa::GenOp>()) {
    e.stages.push_back({gen.getName().str(), gen.arrayType().shapeText(), elementName(gen.arrayType()), moa::indexForm(gen, 4000, notation)});
    gen.getBody().walk([&](Operation *op) {
      std::string in = " in " + gen.getName().str();
      if (auto psi = dyn_cast<moa::PsiOp>(op); psi && !psi.getChecked().empty())
        e.checks.push_back(moa::indexForm(psi.getResult(), 400, notation) + in);
      else if (auto where = dyn_cast<moa::WhereOp>(op); where && where.elseValue().getDefiningOp<moa::FailOp>())
        e.checks.push_back(moa::indexForm(where.getCondition(), 400, notation) + in);
      else if (auto scalar = dyn_cast<moa::ScalarOp>(op); scalar && scalar.getChecked())
        e.checks.push_back("the divisor of " + moa::indexForm(scalar.getResult(), 400, notation) + in);
    });
  }
}

void addRemarks(Explanation &e, const std::vector<Told> &told, const ExplainSource &source) {
  for (const Told &t : told) {
    if (t.kernel != e.kernel)
      continue;
    if (const LawText *law = t.category == "psi" ? lawText(t.name) : nullptr) {
      e.laws.push_back({std::string(law->id), std::string(law->word), std::string(law->equation), placeOf(t.loc, source)});
    } else if (t.name == "gamma-inline") {
      auto [stage, verdict] = StringRef(t.text).split(": ");
      e.decisions.push_back({stage.str(), verdict.str()});
    }
  }
}
/// Of a kernel that is divided among PEs: what its parts follow; its other phase as a comment.
std::string wholeSchedule(ModuleOp module, const std::string &name) {
  auto kernelIn = [&](const std::string &symbol) { return dyn_cast_or_null<moa::KernelOp>(SymbolTable::lookupSymbolIn(module, symbol)); };
  auto how = kernelIn(name)->getAttrOfType<DictionaryAttr>("partition");
  if (!how)
    return scheduleText(kernelIn(name));
  auto word = [&](StringRef key) { return cast<StringAttr>(how.get(key)).getValue().str(); };
  std::string text = "  partition " + word("axis") + " over pe" + (word("length").empty() ? "" : " by " + word("length")) + "\n" +
                     scheduleText(kernelIn(name + ".part"));
  if (auto whole = kernelIn(name + ".whole")) {
    std::string lines = scheduleText(whole);
    for (StringRef line : llvm::split(StringRef(lines).rtrim(), '\n'))
      text += ("  # of the parts: " + line.ltrim() + "\n").str();
  }
  return text;
}
} // namespace

std::optional<Explanation> explainKernel(const ExplainSource &source, const std::string &name, bool glyphs) {
  Explanation e;
  e.kernel = name;
  auto kernelIn = [&](ModuleOp module) { return dyn_cast_or_null<moa::KernelOp>(SymbolTable::lookupSymbolIn(module, name)); };
  ModuleOp module = source.module;
  addShapes(e, kernelIn(module));
  addShapePass(e, kernelIn(module), source);

  OwningOpRef<ModuleOp> derived = module.clone();
  Listener listener(*module.getContext());
  PassManager toDnf(module.getContext()), toSchedule(module.getContext());
  addDnfPasses(toDnf, source.bindings);
  addSchedulePasses(toSchedule);
  if (failed(toDnf.run(*derived)))
    return std::nullopt;
  addStages(e, kernelIn(*derived), glyphs);
  if (failed(toSchedule.run(*derived)))
    return std::nullopt;
  e.schedule = wholeSchedule(*derived, name);
  addRemarks(e, listener.told, source);

  tree::File file = emit::buildLoopTree({source.function}, emit::cTraits());
  if (!file.kernels.empty())
    e.loops = loopNotation(file.kernels.front());
  return e;
}
} // namespace moac
