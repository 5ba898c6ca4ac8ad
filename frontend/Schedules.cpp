// Schedules of the source as attributes of kernels; see Schedules.h.
#include "frontend/Schedules.h"

#include "ir/Moa.h"
#include "passes/Refusal.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace moac::sema {
namespace {
using Kind = ast::Directive::Kind;

constexpr const char *words[] = {"lift",  "order", "online", "parallel", "lanes",
                                 "place", "pack",  "unroll", "reduce",   "tile",
                                 "partition"};

class ScheduleReader {
public:
  ScheduleReader(const KernelInfo &kernel, MLIRContext *context, Diagnostics &diags)
      : kernel(kernel), b(context), diags(diags) {}

  std::vector<Attribute> read(const ast::Schedule &schedule) {
    for (const ast::Directive &directive : schedule.directives)
      read(directive);
    return std::move(list);
  }

private:
  void read(const ast::Directive &directive) {
    std::vector<std::string> names;
    for (const ast::Name &name : directive.names)
      names.push_back(name.text);
    std::string mode;
    switch (directive.kind) {
    case Kind::Lift:
      names.push_back(directive.outer.text);
      names.push_back(directive.inner.text);
      if (directive.outer.text == directive.inner.text)
        diags.report(diag::cannotLift, directive.inner.range, directive.names[0].text,
                     "both loops would have one name");
      mode = amount(*directive.amount) + (directive.cyclic ? " cyclic" : "");
      break;
    case Kind::Place:
      mode = directive.placement == ast::Directive::Placement::Inline  ? "inline"
             : directive.placement == ast::Directive::Placement::Store ? "store"
                                                                       : "at";
      if (directive.at)
        names.push_back(directive.at->text);
      break;
    case Kind::Unroll:
    case Kind::Partition:
      if (directive.amount)
        mode = amount(*directive.amount);
      break;
    case Kind::Tile:
      mode = tileLength(*directive.amount);
      break;
    case Kind::Reduce:
      mode = directive.strategy.text;
      strategy(directive.strategy);
      break;
    case Kind::Pack:
      mode = directive.at ? "at" : "store";
      if (directive.at)
        names.push_back(directive.at->text);
      for (const ast::Name &axis : directive.axes)
        names.push_back(axis.text);
      break;
    default:
      break;
    }
    SmallVector<Attribute> axes;
    for (const std::string &name : names)
      axes.push_back(b.getStringAttr(name));
    list.push_back(
        moa::DirectiveAttr::get(b.getContext(), b.getStringAttr(words[int(directive.kind)]),
                                b.getStringAttr(""), b.getArrayAttr(axes), b.getStringAttr(mode)));
  }

  /// A positive number of iterations, over the kernel's symbols.
  std::string amount(const ast::Expr &expr) {
    auto lookup = [&](const ast::NameUse &use) -> std::optional<shape::Expr> {
      if (kernel.symbol(use.name))
        return shape::Expr::name(use.name);
      diags.report(diag::unknownName, use.range, use.name)
          .help("a length is made of numbers and symbols of the kernel");
      return std::nullopt;
    };
    ExtentReader reader(lookup, diags);
    std::optional<shape::Expr> value = reader.read(expr);
    if (!value)
      return "1";
    if (std::optional<int64_t> number = value->constant(); !number || *number < 1) {
      diags.report(diag::lengthOfLoop, expr.range, value->str());
      return "1";
    }
    return value->str();
  }

  /// Of a tile: small enough that sizes of buffers for tiles are no trouble.
  std::string tileLength(const ast::Expr &expr) {
    constexpr size_t mostDigits = 6;
    const std::string text = amount(expr);
    if (text.size() <= mostDigits)
      return text;
    diags.report(diag::lengthOfLoop, expr.range, text).help("a tile has at most 999999 indices");
    return "1";
  }

  void strategy(const ast::Name &name) {
    static const std::vector<std::string> all = {"owner", "private", "atomic", "recompute"};
    if (!llvm::is_contained(all, name.text))
      diags.report(diag::unknownStrategy, name.range, name.text).help(didYouMean(name.text, all));
  }

  const KernelInfo &kernel;
  Builder b;
  Diagnostics &diags;
  std::vector<Attribute> list;
};
} // namespace

/// The names of a directive in the order in which its attribute has them.
static std::vector<const ast::Name *> namesOf(const ast::Directive &directive) {
  std::vector<const ast::Name *> names;
  for (const ast::Name &name : directive.names)
    names.push_back(&name);
  if (directive.kind == Kind::Lift)
    names.insert(names.end(), {&directive.outer, &directive.inner});
  if (directive.at)
    names.push_back(&*directive.at);
  for (const ast::Name &axis : directive.axes)
    names.push_back(&axis);
  return names;
}

void reportRefusal(const Refusal &refusal, const std::vector<ast::File> &files,
                   Diagnostics &diags) {
  static constexpr DiagKind<2> kinds[] = {
      diag::unknownLoop, diag::unknownValue, diag::cannotLift,   diag::cannotOrder,
      diag::cannotPlace,    diag::cannotPack, diag::cannotLanes,  diag::cannotUnroll, diag::cannotParallel, diag::cannotOnline, diag::cannotTile,
      diag::cannotReduce,
      diag::cannotPartition};
  const auto *kind = llvm::find_if(
      kinds, [&](DiagKind<2> k) { return StringRef(diagName(k.id)) == refusal.kind; });
  SourceRange range;
  for (const ast::File &file : files)
    for (const ast::Schedule &schedule : file.schedules)
      if (schedule.kernel.text == refusal.kernel && refusal.directive < schedule.directives.size())
        if (auto names = namesOf(schedule.directives[refusal.directive]);
            refusal.name < names.size())
          range = names[refusal.name]->range;
  if (kind != std::end(kinds))
    diags.report(*kind, range, refusal.subject, refusal.reason).help(refusal.help);
}

void attachSchedules(const std::vector<ast::File> &files, const Items &items, ModuleOp module,
                     Diagnostics &diags) {
  SymbolTable table(module);
  std::map<std::string, SourceRange> seen;
  for (const ast::File &file : files)
    for (const ast::Schedule &schedule : file.schedules) {
      auto kernel = items.kernels.find(schedule.kernel.text);
      if (kernel == items.kernels.end()) {
        if (!items.broken.count(schedule.kernel.text))
          diags.report(diag::scheduleOfNothing, schedule.kernel.range, schedule.kernel.text)
              .help(didYouMean(schedule.kernel.text, items.names()));
        continue;
      }
      if (schedule.machine.text != "cpu") {
        diags.report(diag::notYet, schedule.machine.range,
                     "schedules for " + schedule.machine.text);
        continue;
      }
      if (auto [at, fresh] = seen.emplace(schedule.kernel.text, schedule.kernel.range); !fresh) {
        diags.report(diag::scheduleTwice, schedule.kernel.range, schedule.kernel.text)
            .note(at->second, "the first is here");
        continue;
      }
      std::vector<Attribute> list =
          ScheduleReader(kernel->second, module.getContext(), diags).read(schedule);
      if (auto op = table.lookup<moa::KernelOp>(schedule.kernel.text))
        op.setScheduleAttr(ArrayAttr::get(module.getContext(), list));
    }
}

} // namespace moac::sema
