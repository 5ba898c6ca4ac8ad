// Names of loops and refusals; see UserSchedule.h.
#include "passes/UserSchedule.h"
#include "passes/Slice.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

UserSchedule::UserSchedule(KernelOp kernel) : kernel(kernel) {
  Schedule schedule(kernel);
  unsigned number = 0;
  for (DirectiveAttr directive : schedule.all()) {
    if (!directive.getStage().getValue().empty())
      continue;
    UserDirective user;
    user.number = number++;
    if (directive.getVerb().getValue() == "partition")
      continue; // followed before there are loops (Partition.h)
    user.verb = directive.getVerb().getValue();
    user.mode = directive.getMode().getValue();
    for (Attribute name : directive.getAxes())
      user.names.push_back(cast<StringAttr>(name).getValue());
    directives.push_back(std::move(user));
  }
}

bool UserSchedule::forbidsGroups() const {
  return llvm::any_of(directives, [](const UserDirective &directive) { return !directive.leavesLoops(); }) &&
         llvm::none_of(directives, [](const UserDirective &directive) { return directive.is("online"); });
}

LogicalResult UserSchedule::refuse(const UserDirective &directive, unsigned name, StringRef kind,
                                   const Twine &reason, const Twine &help) const {
  std::string because = reason.str(), remedy = help.str();
  StringRef subject = directive.names[name];
  InFlightDiagnostic report = kernel.emitError();
  report << directive.verb << " " << subject << ": " << because << " [" << kind << "]";
  if (!remedy.empty())
    report.attachNote() << "help: " << remedy;
  auto &metadata = report.getUnderlyingDiagnostic()->getMetadata();
  StringRef of = kernel.getSymName().split('.').first; // a partitioned kernel, of which this is a phase
  for (StringRef text : {kind, of, subject, StringRef(because), StringRef(remedy)})
    metadata.push_back(DiagnosticArgument(text));
  metadata.push_back(DiagnosticArgument(directive.number));
  metadata.push_back(DiagnosticArgument(name));
  report.report(); // while the texts live
  return failure();
}

std::optional<Refusal> moac::refusalIn(mlir::Diagnostic &diagnostic) {
  auto &metadata = diagnostic.getMetadata();
  constexpr size_t parts = 7;
  if (metadata.size() != parts)
    return std::nullopt;
  Refusal refusal;
  refusal.kind = metadata[0].getAsString().str();
  refusal.kernel = metadata[1].getAsString().str();
  refusal.subject = metadata[2].getAsString().str();
  refusal.reason = metadata[3].getAsString().str();
  refusal.help = metadata[4].getAsString().str();
  refusal.directive = static_cast<unsigned>(metadata[5].getAsUnsigned());
  refusal.name = static_cast<unsigned>(metadata[6].getAsUnsigned());
  return refusal;
}

// ---- names of loops ---------------------------------------------------------------------------

namespace {
/// Axes that are one and the same for a user.
class Classes {
public:
  explicit Classes(StageGraph &graph) : graph(graph) {
    for (auto &stage : graph.stages)
      for (BlockArgument axis : indicesOf(*stage))
        members[of[axis] = members.size()] = {axis};
    for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it)
      for (BlockArgument axis : (*it)->gen.entry().getArguments())
        follow(**it, axis);
  }

  void write() {
    for (auto &stage : graph.stages) {
      write(*stage, stage->gen);
      stage->gen.getBody().walk([&](RedOp red) { write(*stage, red); });
    }
  }

private:
  /// An axis that is read at one index alone, everywhere, is that index.
  void follow(Stage &stage, BlockArgument axis) {
    shape::Expr extent = stage.gen.arrayType().extents()[axis.getArgNumber()];
    std::set<size_t> readers;
    for (StageRead &read : stage.readers) {
      auto index = dyn_cast<BlockArgument>(read.psi.getSubscripts()[axis.getArgNumber()]);
      if (!index || !isIndex(index) || !coversAxis(index, extent))
        return;
      readers.insert(of[index]);
    }
    std::vector<size_t> joined(readers.begin(), readers.end());
    joined.push_back(of[axis]);
    for (size_t a = 0; a < joined.size(); ++a)
      for (size_t b = a + 1; b < joined.size(); ++b)
        if (clash(joined[a], joined[b]))
          return;
    for (size_t k = 1; k < joined.size(); ++k)
      merge(joined[0], joined[k]);
  }

  bool coversAxis(BlockArgument index, const shape::Expr &extent) {
    auto red = dyn_cast<RedOp>(binderOf(index));
    return (!red || graph.exprs.toExpr(red.lower(index.getArgNumber())) == shape::Expr(0)) &&
           extentOf(index, graph.exprs) == extent;
  }

  /// One stage would have two loops of one name, one inside the other.
  bool clash(size_t a, size_t b) {
    for (BlockArgument x : members[a])
      for (BlockArgument y : members[b]) {
        Operation *p = binderOf(x), *q = binderOf(y);
        if (p->isAncestor(q) || q->isAncestor(p))
          return true;
      }
    return false;
  }

  void merge(size_t into, size_t from) {
    if (into == from)
      return;
    for (BlockArgument axis : members[from])
      of[axis] = into;
    llvm::append_range(members[into], members[from]);
    members.erase(from);
  }

  bool isOutput(BlockArgument axis) {
    auto gen = dyn_cast<GenOp>(binderOf(axis));
    return gen && graph.of(gen.getResult())->isResult;
  }

  /// Outputs have an axis of this name; whether this class holds one of them.
  std::optional<bool> holdsOutput(StringRef word, size_t which) {
    std::optional<bool> found;
    for (auto &[id, axes] : members)
      for (BlockArgument axis : axes)
        if (isOutput(axis) && indexName(axis) == word)
          found = found.value_or(false) || id == which;
    return found;
  }

  void write(Stage &stage, Operation *binder) {
    Builder b(binder->getContext());
    SmallVector<Attribute> names;
    Region &region = isa<GenOp>(binder) ? cast<GenOp>(binder).getBody()
                                        : *cast<RedOp>(binder).term().getParent();
    for (BlockArgument axis : region.getArguments()) {
      std::vector<std::string> words, others;
      for (BlockArgument same : members[of[axis]]) {
        std::string word = indexName(same).str();
        if (llvm::is_contained(words, word) || llvm::is_contained(others, word) ||
            !holdsOutput(word, of[axis]).value_or(true))
          continue;
        (isOutput(same) ? words : others).push_back(word);
      }
      words.insert(words.end(), others.begin(), others.end());
      words.push_back(stage.name() + "." + indexName(axis).str());
      names.push_back(b.getStringAttr(llvm::join(words, ",")));
    }
    binder->setAttr("loops", b.getArrayAttr(names));
  }

  StageGraph &graph;
  llvm::DenseMap<Value, size_t> of;
  std::map<size_t, std::vector<BlockArgument>> members;
};
} // namespace

void moac::nameLoops(StageGraph &graph) { Classes(graph).write(); }

SmallVector<StringRef> moac::loopNames(BlockArgument axis) {
  SmallVector<StringRef> names;
  if (auto written = binderOf(axis)->getAttrOfType<ArrayAttr>("loops"))
    cast<StringAttr>(written[axis.getArgNumber()]).getValue().split(names, ',');
  else
    names.push_back(indexName(axis));
  return names;
}

bool moac::isCalled(const StageLoop &loop, Stage &stage, StringRef name) {
  if (!loop.lifted())
    return llvm::is_contained(loopNames(loop.axis), name);
  return name == loop.digit.name || name == stage.name() + "." + loop.digit.name;
}

SmallVector<StageLoop> moac::allLoops(Stage &stage, const LiftedAxes &lifted) {
  SmallVector<StageLoop> loops;
  for (BlockArgument axis : indicesOf(stage))
    for (Digit &digit : lifted.of(axis))
      loops.push_back({axis, std::move(digit)});
  LiftedAxes::mark(loops);
  return loops;
}
