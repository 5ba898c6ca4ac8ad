// Contexts, and the extents that indices get from their subscripts; see Ranges.h.
#include "frontend/Ranges.h"

#include "ir/KernelFacts.h"

namespace moac::sema {

using shape::Expr;

IndexInfo &Ranges::newIndex(const ast::Name &name, mlir::Value arg) {
  IndexInfo &index = indices.emplace_back();
  index.name = name;
  index.arg = arg;
  index.algebraName = exprs.claim(name.text, arg);
  index.guardDepth = guardDepth();
  return index;
}

void Ranges::enterIndex(IndexInfo &index) {
  current = std::make_shared<Context>(Context{current, &index, {}, true, guardDepth(), nullptr});
}

void Ranges::enterGuard(mlir::Value condition, bool holds) {
  current = std::make_shared<Context>(
      Context{current, nullptr, condition, holds, guardDepth() + 1, nullptr});
}

void Ranges::leave() { current = current->outer; }

void Ranges::addRead(mlir::Operation *op, std::vector<Axis> axes, ArrayOrigin origin) {
  auto array = llvm::cast<moa::ArrayType>(op->getOperand(0).getType());
  std::vector<Expr> extents = array.extents();
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    if (IndexInfo *index = axes[axis].direct)
      index->uses.push_back(
          {extents[axis], array, axis, axes[axis].range, origin, guardDepth() > index->guardDepth});
  reads.push_back({op, current, std::move(axes), std::move(origin)});
}

void Ranges::addDivision(moa::ScalarOp op, SourceRange divisor) {
  divisions.push_back({op, current, divisor});
}

void Ranges::addNonEmpty(const Expr &extent, std::vector<Expr> others, SourceRange range,
                         std::string function) {
  nonEmpty.push_back({extent, std::move(others), current, range, std::move(function)});
}

void Ranges::forget() {
  reads.clear();
  divisions.clear();
  nonEmpty.clear();
  conditions.clear();
}

void Ranges::addCondition(mlir::Value condition, SourceRange range, std::string text,
                          std::string callee) {
  conditions.push_back({condition, current, range, std::move(text), std::move(callee)});
}

void Ranges::assumeEntry(mlir::Value condition) {
  moa::assume(entry, condition, true, exprs);
  constrained = true;
}

const shape::Facts &Ranges::factsAt(const Context *context) {
  if (!context)
    return entry;
  if (!context->facts) {
    auto facts = std::make_shared<shape::Facts>(factsAt(context->outer.get()));
    if (context->guard)
      moa::assume(*facts, context->guard, context->holds, exprs);
    else if (context->index && context->index->hi)
      facts->range(context->index->algebraName, *context->index->lo, *context->index->hi);
    context->facts = std::move(facts);
  }
  return *context->facts;
}

void Ranges::noteOrigin(DiagnosticBuilder &report, const ArrayOrigin &origin, moa::ArrayType type) {
  if (origin.declared.valid())
    report.note(origin.declared, "'" + origin.name + "' has shape " + shapeText(type.extents()));
}

/// Whether all positions give the index one extent; reports the first that does not.
bool Ranges::agree(const std::vector<const IndexInfo::Use *> &uses, const IndexInfo &index) {
  const IndexInfo::Use &first = *uses.front();
  for (const IndexInfo::Use *use : uses) {
    if (use->extent == first.extent || entry.proveEqual(use->extent, first.extent))
      continue;
    bool constant = first.extent.constant() && use->extent.constant();
    auto report = emit.diags.report(diag::extentsDisagree, use->range, index.name.text, use->axis,
                                    use->origin.text(), shapeText(use->array.extents()), first.axis,
                                    first.origin.text(), shapeText(first.array.extents()),
                                    constant ? "differ" : "may differ");
    report.note(first.range, "extent " + first.extent.str() + " comes from here");
    noteOrigin(report, first.origin, first.array);
    if (!(use->origin.declared == first.origin.declared))
      noteOrigin(report, use->origin, use->array);
    report.help(constant ? "give the index its extent where it is bound"
                         : "if they are equal, say so: `where " + first.extent.str() +
                               " == " + use->extent.str() + "`");
    return false;
  }
  return true;
}

bool Ranges::resolve(IndexInfo &index, std::string_view howToGive) {
  if (index.hi)
    return true;
  index.lo = Expr(0);
  std::vector<const IndexInfo::Use *> outside, inside;
  for (const IndexInfo::Use &use : index.uses)
    (use.guarded ? inside : outside).push_back(&use);
  const auto &deciding = outside.empty() ? inside : outside;
  if (deciding.empty() && index.tainted)
    return false;
  if (deciding.empty()) {
    emit.diags.report(diag::noExtent, index.name.range, index.name.text)
        .help(std::string(howToGive));
    return false;
  }
  if (!agree(deciding, index))
    return false;
  index.hi = deciding.front()->extent;
  return true;
}

} // namespace moac::sema
