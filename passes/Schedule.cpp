// Reading, writing and printing schedules; see Schedule.h.
#include "passes/Schedule.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Schedule::Schedule(KernelOp kernel) : context(kernel->getContext()) {
  if (kernel.getScheduleAttr())
    for (Attribute attr : kernel.getScheduleAttr())
      if (auto directive = dyn_cast<DirectiveAttr>(attr))
        directives.push_back(directive);
}

void Schedule::add(StringRef verb, StringRef stage, ArrayRef<std::string> axes, StringRef mode) {
  Builder b(context);
  SmallVector<Attribute> names;
  for (const std::string &axis : axes)
    names.push_back(b.getStringAttr(axis));
  directives.push_back(DirectiveAttr::get(context, b.getStringAttr(verb), b.getStringAttr(stage), b.getArrayAttr(names),
                                          b.getStringAttr(mode)));
}

static const DirectiveAttr *find(ArrayRef<DirectiveAttr> directives, StringRef verb, StringRef stage) {
  const auto *it = llvm::find_if(directives, [&](DirectiveAttr d) {
    return d.getVerb().getValue() == verb && d.getStage().getValue() == stage;
  });
  return it == directives.end() ? nullptr : it;
}

std::vector<std::string> Schedule::axes(StringRef verb, StringRef stage) const {
  std::vector<std::string> result;
  if (const DirectiveAttr *directive = find(directives, verb, stage))
    for (Attribute axis : directive->getAxes())
      result.push_back(cast<StringAttr>(axis).getValue().str());
  return result;
}

StringRef Schedule::mode(StringRef verb, StringRef stage) const {
  const DirectiveAttr *directive = find(directives, verb, stage);
  return directive ? directive->getMode().getValue() : StringRef();
}

bool Schedule::hasAny(StringRef verb) const {
  return llvm::any_of(directives, [&](DirectiveAttr d) { return d.getVerb().getValue() == verb; });
}

bool Schedule::has(StringRef verb, StringRef stage) const { return find(directives, verb, stage) != nullptr; }

StringRef Schedule::placement(StringRef stage) const {
  const DirectiveAttr *directive = find(directives, "place", stage);
  return directive ? directive->getMode().getValue() : StringRef();
}

std::vector<shape::Expr> Schedule::expressions(StringRef verb, StringRef stage, StringRef axis) const {
  std::vector<shape::Expr> result;
  for (DirectiveAttr directive : directives) {
    if (directive.getVerb().getValue() != verb || directive.getStage().getValue() != stage ||
        directive.getAxes().size() != 1 || cast<StringAttr>(directive.getAxes()[0]).getValue() != axis)
      continue;
    for (StringRef text : llvm::split(directive.getMode().getValue(), ';'))
      if (auto at = shape::Expr::parse(std::string_view(text.data(), text.size())))
        result.push_back(*at);
  }
  return result;
}

std::vector<std::string> Schedule::sizes(StringRef verb, StringRef stage) const {
  std::vector<std::string> result;
  if (const DirectiveAttr *directive = find(directives, verb, stage))
    for (StringRef word : llvm::split(directive->getMode().getValue(), ','))
      if (!word.trim().empty())
        result.push_back(word.trim().str());
  return result;
}

void Schedule::remove(StringRef verb) {
  llvm::erase_if(directives, [&](DirectiveAttr d) { return d.getVerb().getValue() == verb && !d.getStage().getValue().empty(); });
}

void Schedule::setSize(StringRef verb, StringRef stage, unsigned index, StringRef size) {
  std::vector<std::string> all = sizes(verb, stage);
  for (DirectiveAttr &directive : directives)
    if (directive.getVerb().getValue() == verb && directive.getStage().getValue() == stage && index < all.size()) {
      all[index] = size.str();
      directive = DirectiveAttr::get(context, directive.getVerb(), directive.getStage(), directive.getAxes(), StringAttr::get(context, llvm::join(all, ", ")));
      return;
    }
}

void Schedule::store(KernelOp kernel) const {
  SmallVector<Attribute> list(directives.begin(), directives.end());
  kernel.setScheduleAttr(ArrayAttr::get(context, list));
}
