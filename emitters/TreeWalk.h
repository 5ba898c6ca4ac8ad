// Visiting what stands in loop trees: for passes that change a tree, and questions about one.
//
// A statement has expressions of its own and bodies of statements; these two functions say which,
// so that a pass over trees lists only the nodes that it treats in a special way. Both take
// constant and changeable trees.
#ifndef MOAC_EMITTERS_TREEWALK_H
#define MOAC_EMITTERS_TREEWALK_H

#include "emitters/LoopTree.h"

#include <functional>

namespace moac::tree {

/// Calls `visit` with the expressions that stand in `statement` itself, outer ones only.
template <class Statement, class Visit> void forEachExpr(Statement &statement, Visit visit) {
  const auto maybe = [&](auto &optional) {
    if (optional)
      visit(*optional);
  };
  if (auto *let = std::get_if<Let>(&statement.node)) {
    visit(let->value);
  } else if (auto *variable = std::get_if<Variable>(&statement.node)) {
    maybe(variable->value);
  } else if (auto *local = std::get_if<LocalArray>(&statement.node)) {
    visit(local->count);
  } else if (auto *assign = std::get_if<Assign>(&statement.node)) {
    visit(assign->value);
  } else if (auto *store = std::get_if<Store>(&statement.node)) {
    visit(store->offset);
    visit(store->value);
  } else if (auto *update = std::get_if<Update>(&statement.node)) {
    maybe(update->offset);
    visit(update->value);
  } else if (auto *prefetch = std::get_if<Prefetch>(&statement.node)) {
    visit(prefetch->offset);
  } else if (auto *gather = std::get_if<Gather>(&statement.node)) {
    visit(gather->first);
    visit(gather->count);
  } else if (auto *branch = std::get_if<If>(&statement.node)) {
    visit(branch->condition);
  } else if (auto *call = std::get_if<Call>(&statement.node)) {
    for (auto &argument : call->arguments)
      visit(argument);
  } else if (auto *loop = std::get_if<Loop>(&statement.node)) {
    visit(loop->lo);
    visit(loop->hi);
    maybe(loop->step);
    maybe(loop->work);
    maybe(loop->gangs);
    for (auto &piece : loop->pieces)
      visit(piece.count);
  } else if (auto *team = std::get_if<Parallel>(&statement.node)) {
    visit(team->work);
    for (auto &scratch : team->scratch)
      visit(scratch.count);
  } else if (auto *device = std::get_if<Device>(&statement.node)) {
    for (auto &piece : device->pieces)
      visit(piece.count);
  }
}

/// Calls `visit` with the bodies of `statement`.
template <class Statement, class Visit> void forEachInnerBody(Statement &statement, Visit visit) {
  if (auto *branch = std::get_if<If>(&statement.node)) {
    visit(branch->then);
    visit(branch->otherwise);
  } else if (auto *loop = std::get_if<Loop>(&statement.node)) {
    visit(loop->body);
  } else if (auto *team = std::get_if<Parallel>(&statement.node)) {
    visit(team->body);
  } else if (auto *device = std::get_if<Device>(&statement.node)) {
    visit(device->body);
  }
}

/// Calls `visit` with every statement of `body`, each before those inside it.
template <class Statements, class Visit> void forEachStatement(Statements &body, Visit visit) {
  for (auto &statement : body) {
    visit(statement);
    forEachInnerBody(statement, [&](auto &inner) { forEachStatement(inner, visit); });
  }
}

/// Something that a statement declares: a scalar (`count` null) or an array.
struct Declared {
  const std::string &name;
  Elem type;
  const Expr *count;
};
/// What `statement` itself declares, apart from the scratch arrays of a team.
std::optional<Declared> declaredBy(const Stmt &statement);
/// The variable or array that `statement` itself writes to; null when it writes nothing.
const std::string *writtenBy(const Stmt &statement);
/// Every name that stands in `body`: read, written, declared or combined over lanes.
std::set<std::string> namesIn(const Body &body);
/// Puts another name in the place of each that is in the map, wherever it stands.
void renameIn(Body &body, const std::function<void(std::string &)> &rename);
void renameIn(Expr &e, const std::function<void(std::string &)> &rename);
/// Equal node by node.
bool sameExpr(const Expr &a, const Expr &b);

} // namespace moac::tree

#endif
