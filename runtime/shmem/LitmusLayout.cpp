// LitmusLayout.cpp: expressions of litmus programs and the placement of their memory. Indices and
// loop bounds may not depend on memory, so one dry walk over each thread meets every place that a
// run can touch.
#include "runtime/shmem/LitmusRunner.h"

#include <algorithm>

namespace moac::shmem {

using namespace model;

int64_t evaluate(const ExprPtr &expr, const Variables &variables) {
  if (!expr)
    return 0;
  switch (expr->kind) {
  case ExprKind::Number:
    return expr->number;
  case ExprKind::Name: {
    auto found = variables.find(expr->name);
    return found == variables.end() ? 0 : found->second;
  }
  case ExprKind::Operator: {
    int64_t lhs = evaluate(expr->lhs, variables);
    if (!expr->rhs)
      return expr->op == ExprOp::Not ? static_cast<int64_t>(lhs == 0)
                                     : applyOperator(ExprOp::Sub, 0, lhs);
    return applyOperator(expr->op, lhs, evaluate(expr->rhs, variables));
  }
  default:
    return 0; // memory and foreign registers occur in conditions only
  }
}

Layout::Layout(const Program &program) : registers(program.threads.size()) {
  for (const InitialValue &value : program.init)
    note(value.place, {});
  for (size_t i = 0; i < program.threads.size(); ++i) {
    Variables variables = {{"me", program.threads[i].pe}, {"npes", program.pes}};
    walk(program.threads[i].body, variables, i, program.pes);
  }
  for (const Team &team : program.teams)
    for (size_t i = 2; i < team.members.size(); ++i)
      if (team.members[i] - team.members[i - 1] != team.members[1] - team.members[0])
        reason = "a team without a stride";
  for (auto &[name, array] : arrays) {
    for (size_t extent : array.extents)
      array.size *= extent;
    array.base = total;
    total += array.size;
  }
  for (auto &names : registers)
    for (auto &[name, word] : names)
      word = total++;
}

void Layout::note(const Place &place, const Variables &variables, size_t least) {
  if (place.name.empty())
    return;
  Array &array = arrays[place.name];
  bool range = place.isRange();
  size_t rank = place.indices.size() + (range ? 1 : 0);
  array.extents.resize(std::max({array.extents.size(), rank, size_t{1}}), 1);
  array.word = array.word && rank == 0 && least == 1;
  for (size_t i = 0; i < place.indices.size(); ++i)
    array.extents[i] =
        std::max(array.extents[i], static_cast<size_t>(evaluate(place.indices[i], variables)) + 1);
  if (range)
    array.extents[rank - 1] =
        std::max(array.extents[rank - 1], static_cast<size_t>(evaluate(place.hi, variables)));
  array.extents.back() = std::max(array.extents.back(), least);
}

/// Collectives touch one block per PE of an array whose name stands alone.
void Layout::noteOperation(const Statement &statement, const Variables &variables, int pes) {
  auto blocks = static_cast<size_t>(pes);
  for (size_t i = 0; i < statement.places.size(); ++i) {
    OpType type = statement.op->type;
    bool target = i == 0;
    bool many = type == OpType::Alltoall || (type == OpType::Fcollect && target) ||
                (type == OpType::ReduceScatter && !target);
    note(statement.places[i], variables, many ? blocks : 1);
    if (type == OpType::SetLock || type == OpType::TestLock || type == OpType::ClearLock)
      arrays[statement.places[i].name].lock = true;
  }
}

void Layout::walk(const std::vector<Statement> &body, Variables &variables, size_t thread,
                  int pes) {
  for (const Statement &statement : body) {
    if (!statement.reg.empty() && statement.kind != StatementKind::For)
      registers[thread][statement.reg] = 0;
    switch (statement.kind) {
    case StatementKind::Let:
      variables[statement.reg] = evaluate(statement.values.at(0), variables);
      break;
    case StatementKind::If:
      walk(statement.body, variables, thread, pes);
      walk(statement.otherwise, variables, thread, pes);
      break;
    case StatementKind::For: {
      int64_t last = evaluate(statement.values.at(1), variables);
      for (int64_t v = evaluate(statement.values.at(0), variables); v < last; ++v) {
        if (statement.values.size() > 2 && v == evaluate(statement.values[2], variables))
          continue;
        variables[statement.reg] = v;
        walk(statement.body, variables, thread, pes);
      }
      break;
    }
    case StatementKind::Operation:
      noteOperation(statement, variables, pes);
      break;
    default:
      for (const Place &place : statement.places)
        note(place, variables);
    }
  }
}

size_t Layout::wordOf(const Place &place, const Variables &variables) const {
  auto found = arrays.find(place.name);
  if (found == arrays.end())
    return npos;
  const Array &array = found->second;
  size_t word = 0;
  for (size_t i = 0; i < array.extents.size(); ++i) {
    int64_t index = i < place.indices.size() ? evaluate(place.indices[i], variables)
                    : i == place.indices.size() && place.isRange() ? evaluate(place.lo, variables)
                                                                   : 0;
    word = word * array.extents[i] + static_cast<size_t>(index);
  }
  return array.base + word;
}

size_t Layout::countOf(const Place &place, const Variables &variables) const {
  if (!place.isRange())
    return 1;
  int64_t count = evaluate(place.hi, variables) - evaluate(place.lo, variables);
  return count < 0 ? 0 : static_cast<size_t>(count);
}

size_t Layout::registerWord(size_t thread, const std::string &name) const {
  auto found = registers[thread].find(name);
  return found == registers[thread].end() ? npos : found->second;
}

std::vector<Layout::Observable> Layout::observables(const Program &program) const {
  auto number = [](size_t value) {
    auto expr = std::make_shared<Expr>();
    expr->number = static_cast<int64_t>(value);
    return expr;
  };
  std::vector<Observable> all;
  for (size_t t = 0; t < registers.size(); ++t)
    for (auto &[name, word] : registers[t]) {
      auto atom = std::make_shared<Expr>();
      atom->kind = ExprKind::ThreadRegister;
      atom->name = name;
      atom->pe = program.threads[t].pe;
      atom->thread = program.threads[t].index;
      all.push_back({atom->pe, word, atom});
    }
  for (auto &[name, array] : arrays)
    for (size_t i = 0; i < array.size && !array.lock; ++i)
      for (int pe = 0; pe < program.pes; ++pe) {
        auto atom = std::make_shared<Expr>();
        atom->kind = ExprKind::Memory;
        atom->place.name = name;
        atom->place.pe = number(static_cast<size_t>(pe));
        size_t rest = i, block = array.size;
        for (size_t extent : array.extents) {
          block /= extent;
          if (!array.word)
            atom->place.indices.push_back(number(rest / block));
          rest %= block;
        }
        all.push_back({pe, array.base + i, atom});
      }
  return all;
}

} // namespace moac::shmem
