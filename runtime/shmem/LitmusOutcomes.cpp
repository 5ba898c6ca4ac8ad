// LitmusOutcomes.cpp: every outcome that was seen against the model, not only the one that the
// program asks about. Each is put to the checker as a condition that names all values.
#include "runtime/model/Search.h"
#include "runtime/shmem/LitmusRunner.h"

namespace moac::shmem {

using namespace model;

namespace {

constexpr double secondsForAll = 60;

ExprPtr node(ExprOp op, ExprPtr lhs, ExprPtr rhs) {
  auto expr = std::make_shared<Expr>();
  expr->kind = ExprKind::Operator;
  expr->op = op;
  expr->lhs = std::move(lhs);
  expr->rhs = std::move(rhs);
  return expr;
}

/// A balanced tree: the checker bounds the depth of values.
ExprPtr conjunction(const std::vector<ExprPtr> &terms, size_t first, size_t last) {
  if (last - first == 1)
    return terms[first];
  size_t middle = first + (last - first) / 2;
  return node(ExprOp::LogicalAnd, conjunction(terms, first, middle),
              conjunction(terms, middle, last));
}

std::string nameOf(const Expr &atom) {
  if (atom.kind == ExprKind::ThreadRegister)
    return std::to_string(atom.pe) + (atom.thread == 0 ? "" : "." + std::to_string(atom.thread)) +
           ":" + atom.name;
  std::string name = atom.place.name;
  for (const ExprPtr &index : atom.place.indices)
    name += "[" + std::to_string(index->number) + "]";
  return name + "@" + std::to_string(atom.place.pe->number);
}

std::string describe(const std::vector<Layout::Observable> &observables,
                     const std::vector<int64_t> &outcome) {
  std::string text;
  for (size_t i = 0; i < outcome.size(); ++i)
    text += " " + nameOf(*observables[i].atom) + "=" + std::to_string(outcome[i]);
  return text;
}

} // namespace

std::string foreignOutcome(const Program &program, const Layout &layout, const Tally &tally,
                           const Model &model) {
  auto observables = layout.observables(program);
  Program asked = program;
  asked.conditionKind = ConditionKind::Exists;
  double each = secondsForAll / static_cast<double>(tally.outcomes.size() + 1);
  for (auto &[outcome, seed] : tally.outcomes) {
    std::vector<ExprPtr> terms;
    for (size_t i = 0; i < outcome.size(); ++i) {
      auto value = std::make_shared<Expr>();
      value->number = outcome[i];
      terms.push_back(node(ExprOp::Eq, observables[i].atom, value));
    }
    asked.condition = terms.empty() ? nullptr : conjunction(terms, 0, terms.size());
    Verdict answer = decide(asked, model, each);
    if (answer.error)
      return answer.error->message;
    if (answer.kind == VerdictKind::Racy)
      return "";
    if (answer.kind != VerdictKind::Allowed && !terms.empty())
      return "an outcome that the model does not admit, under seed " + std::to_string(seed) + ":" +
             describe(observables, outcome);
  }
  return "";
}

} // namespace moac::shmem
