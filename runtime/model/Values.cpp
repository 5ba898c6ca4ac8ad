// Evaluation follows reads-from edges backwards. A value that meets itself on the way comes out of
// thin air, and the candidate is dropped.
#include "runtime/model/Values.h"

namespace moac::model {

constexpr int maxDepth = 10000; // the expander keeps real programs far below

Evaluated Evaluator::written(int location, int store, int depth) {
  if (store == readsNothingYet)
    return {};
  if (store == readsInitial)
    return {Evaluated::Known, graph.location(location).initial};
  return value(graph.event(store).value, depth + 1);
}

Evaluated Evaluator::value(int index, int depth) {
  if (memo[index].state == Memo::Done)
    return memo[index].result;
  if (memo[index].state == Memo::Open || depth > maxDepth)
    return {Evaluated::Cyclic};
  memo[index].state = Memo::Open;
  Evaluated result = compute(graph.values[index], depth);
  memo[index] = {Memo::Done, result};
  return result;
}

Evaluated Evaluator::compute(const Value &v, int depth) {
  switch (v.kind) {
  case ValueKind::Constant:
    return {Evaluated::Known, v.number};
  case ValueKind::Loaded:
    return written(graph.event(v.index).location, rf[v.index], depth);
  case ValueKind::Final:
    return finals ? written(v.index, (*finals)[v.index], depth) : Evaluated{};
  case ValueKind::Operator:
    break;
  }
  Evaluated lhs = value(v.lhs, depth + 1);
  Evaluated rhs = v.rhs < 0 ? Evaluated{Evaluated::Known} : value(v.rhs, depth + 1);
  if (lhs.state == Evaluated::Cyclic || rhs.state == Evaluated::Cyclic)
    return {Evaluated::Cyclic};
  if (v.op == ExprOp::LogicalAnd && (lhs.isFalse() || rhs.isFalse()))
    return {Evaluated::Known, 0};
  if (v.op == ExprOp::LogicalOr && (lhs.isTrue() || rhs.isTrue()))
    return {Evaluated::Known, 1};
  if (lhs.state == Evaluated::Unknown || rhs.state == Evaluated::Unknown)
    return {};
  return {Evaluated::Known, applyOperator(v.op, lhs.number, rhs.number)};
}

Evaluated Evaluator::ofEvent(int event) {
  const Event &e = graph.event(event);
  return e.kind == EventKind::Load ? written(e.location, rf[event], 0) : value(e.value);
}

bool Evaluator::contradicts() {
  for (const Requirement &requirement : graph.requirements)
    if (value(requirement.value).isFalse())
      return true;
  return false;
}

bool Evaluator::satisfies() {
  for (const Requirement &requirement : graph.requirements)
    if (!value(requirement.value).isTrue())
      return false;
  return true;
}

} // namespace moac::model
