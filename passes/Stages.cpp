// The stage graph; see Stages.h.
#include "passes/Stages.h"
#include "ir/Gamma.h"
#include "passes/Schedule.h"
#include "passes/Slice.h"

#include <cmath>

using namespace mlir;
using namespace moac;
using namespace moac::moa;

double moac::operationCost(Operation *op) {
  if (isa<PsiOp>(op))
    return 1;
  auto scalar = dyn_cast<ScalarOp>(op);
  if (!scalar || scalar.getResult().getType().isIndex())
    return 0; // subscript arithmetic is strength-reduced
  switch (scalar.kind()) {
  case ScalarFn::div_:
  case ScalarFn::sqrt_:
  case ScalarFn::rsqrt_:
  case ScalarFn::floordiv_:
  case ScalarFn::mod_:
    return 4;
  case ScalarFn::exp_:
  case ScalarFn::exp2_:
  case ScalarFn::log_:
  case ScalarFn::log2_:
  case ScalarFn::tanh_:
  case ScalarFn::sigmoid_:
  case ScalarFn::erf_:
  case ScalarFn::sin_:
  case ScalarFn::cos_:
  case ScalarFn::pow_:
    return 20;
  default:
    return 1;
  }
}

bool Stage::hasReduction() {
  return gen.getBody().walk([](RedOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool Stage::readChecked() {
  return llvm::any_of(readers, [](StageRead &read) { return !read.psi.getChecked().empty(); });
}

StageGraph::StageGraph(KernelOp kernel) : exprs(kernel) {
  for (auto gen : kernel.entry().getOps<GenOp>()) {
    auto stage = std::make_unique<Stage>();
    stage->gen = gen;
    stage->root = gen.yielded().getDefiningOp<RedOp>();
    for (const shape::Expr &extent : gen.arrayType().extents())
      stage->elements *= std::max(1.0, sample(extent));
    byGen[gen] = stage.get();
    stages.push_back(std::move(stage));
  }
  for (Value value : cast<ReturnOp>(kernel.entry().back()).getValues())
    if (Stage *stage = of(value))
      stage->isResult = true;
  for (auto &stage : stages)
    visit(*stage, stage->gen.entry(), 1);
  for (auto &stage : stages)
    for (StageRead &read : stage->reads)
      of(read.psi.getArray())->readers.push_back(read);
  readCoalesced(kernel);
}

void StageGraph::readCoalesced(KernelOp kernel) {
  llvm::StringMap<Stage *> byName;
  for (auto &stage : stages)
    byName[stage->gen.getName()] = stage.get();
  Schedule schedule(kernel);
  for (DirectiveAttr directive : schedule.all()) {
    Stage *stage = byName.lookup(directive.getStage().getValue());
    if (!stage || directive.getVerb().getValue() != "coalesce")
      continue;
    SmallVector<BlockArgument> axes(stage->gen.entry().getArguments());
    if (stage->root)
      llvm::append_range(axes, stage->root.term().getArguments());
    for (Attribute name : directive.getAxes())
      if (const auto *axis = llvm::find_if(axes, [&](BlockArgument axis) { return indexName(axis) == cast<StringAttr>(name).getValue(); });
          axis != axes.end())
        stage->coalesced.push_back(*axis);
    stage->across = directive.getMode().getValue() == "across" && !stage->coalesced.empty();
  }
}

Stage *StageGraph::of(Value array) const {
  auto it = byGen.find(array.getDefiningOp());
  return it == byGen.end() ? nullptr : it->second;
}

double StageGraph::sample(const shape::Expr &e) const {
  std::map<std::string, int64_t> values;
  for (const std::string &name : e.names())
    values[name] = sampleSize;
  return static_cast<double>(e.evaluate(values).value_or(sampleSize));
}

double StageGraph::domainSize(RedOp red) {
  double size = 1;
  for (unsigned i = 0; i < red.rank(); ++i)
    size *= std::max(1.0, sample(exprs.toExpr(red.upper(i))) - sample(exprs.toExpr(red.lower(i))));
  return size;
}

void StageGraph::visit(Stage &stage, Block &block, double times) {
  for (Operation &op : block) {
    stage.cost += times * operationCost(&op);
    ++stage.size;
    if (auto psi = dyn_cast<PsiOp>(op); psi && of(psi.getArray()))
      stage.reads.push_back({&stage, psi, times});
    auto red = dyn_cast<RedOp>(op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(stage, inner, red && region.getRegionNumber() >= red.rank() ? times * domainSize(red) : times);
    if (red)
      stage.cost += times * domainSize(red);
  }
}

bool StageGraph::dependsOn(Stage *later, Stage *earlier) const {
  std::vector<Stage *> work = {later};
  std::set<Stage *> seen;
  while (!work.empty()) {
    Stage *stage = work.back();
    work.pop_back();
    for (StageRead &read : stage->reads) {
      Stage *source = of(read.psi.getArray());
      if (source == earlier)
        return true;
      if (seen.insert(source).second)
        work.push_back(source);
    }
  }
  return false;
}

static std::vector<shape::Expr> stridesOf(ArrayType type) {
  return type.getColumnMajor() ? shape::colStrides(type.extents()) : shape::rowStrides(type.extents());
}

shape::Expr StageGraph::strideOf(PsiOp psi, BlockArgument index) {
  std::vector<shape::Expr> strides = stridesOf(cast<ArrayType>(psi.getArray().getType()));
  std::string name = exprs.nameOf(index);
  shape::Expr step;
  for (auto [subscript, stride] : llvm::zip(psi.getSubscripts(), strides)) {
    shape::Expr at = exprs.toExpr(subscript);
    step = step + (at.substitute({{name, shape::Expr::name(name) + shape::Expr(1)}}) - at) * stride;
  }
  // A subscript that reads the index through memory or a division has a step that still mentions it: not a stride.
  return step;
}

shape::Expr StageGraph::writeStride(Stage &stage, unsigned axis) { return stridesOf(stage.gen.arrayType())[axis]; }
