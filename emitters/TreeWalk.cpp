// Names in loop trees: who declares, reads and writes them, and giving them other ones.
#include "emitters/TreeWalk.h"

#include <algorithm>

namespace moac::tree {

std::optional<Declared> declaredBy(const Stmt &statement) {
  if (const auto *let = std::get_if<Let>(&statement.node))
    return Declared{let->name, let->value.type, nullptr};
  if (const auto *variable = std::get_if<Variable>(&statement.node))
    return Declared{variable->name, variable->type, nullptr};
  if (const auto *local = std::get_if<LocalArray>(&statement.node))
    return Declared{local->name, local->type, &local->count};
  if (const auto *loop = std::get_if<Loop>(&statement.node))
    return Declared{loop->name, Elem::Index, nullptr};
  return std::nullopt;
}

const std::string *writtenBy(const Stmt &statement) {
  if (const auto *assign = std::get_if<Assign>(&statement.node))
    return &assign->name;
  if (const auto *store = std::get_if<Store>(&statement.node))
    return &store->array;
  if (const auto *update = std::get_if<Update>(&statement.node))
    return &update->name;
  return nullptr;
}

namespace {
const std::vector<Piece> &piecesOf(const Stmt &statement) {
  static const std::vector<Piece> none;
  if (const auto *loop = std::get_if<Loop>(&statement.node))
    return loop->pieces;
  const auto *device = std::get_if<Device>(&statement.node);
  return device ? device->pieces : none;
}
} // namespace

std::set<std::string> namesIn(const Body &body) {
  std::set<std::string> names;
  forEachStatement(body, [&](const Stmt &statement) {
    forEachExpr(statement, [&](const Expr &e) { collectNames(e, names); });
    if (const auto declared = declaredBy(statement))
      names.insert(declared->name);
    if (const std::string *written = writtenBy(statement))
      names.insert(*written);
    if (const auto *prefetch = std::get_if<Prefetch>(&statement.node))
      names.insert(prefetch->array);
    if (const auto *gather = std::get_if<Gather>(&statement.node))
      names.insert(gather->array);
    if (const auto *team = std::get_if<Parallel>(&statement.node)) {
      for (const Scratch &scratch : team->scratch)
        names.insert(scratch.name);
      if (!team->scratch.empty())
        names.insert(team->slots);
    }
    for (const Piece &piece : piecesOf(statement))
      names.insert(piece.name);
  });
  return names;
}

void renameIn(Expr &e, const std::function<void(std::string &)> &rename) {
  if (e.kind == Expr::Kind::Name || e.kind == Expr::Kind::Load)
    rename(e.text);
  for (Expr &arg : e.args)
    renameIn(arg, rename);
}

void renameIn(Body &body, const std::function<void(std::string &)> &rename) {
  forEachStatement(body, [&](Stmt &statement) {
    forEachExpr(statement, [&](Expr &e) { renameIn(e, rename); });
    if (auto *let = std::get_if<Let>(&statement.node)) {
      rename(let->name);
    } else if (auto *variable = std::get_if<Variable>(&statement.node)) {
      rename(variable->name);
    } else if (auto *local = std::get_if<LocalArray>(&statement.node)) {
      rename(local->name);
    } else if (auto *assign = std::get_if<Assign>(&statement.node)) {
      rename(assign->name);
    } else if (auto *store = std::get_if<Store>(&statement.node)) {
      rename(store->array);
    } else if (auto *update = std::get_if<Update>(&statement.node)) {
      rename(update->name);
    } else if (auto *prefetch = std::get_if<Prefetch>(&statement.node)) {
      rename(prefetch->array);
    } else if (auto *gather = std::get_if<Gather>(&statement.node)) {
      rename(gather->array);
    } else if (auto *loop = std::get_if<Loop>(&statement.node)) {
      rename(loop->name);
      for (LaneReduction &reduction : loop->reductions)
        rename(reduction.name);
      for (Piece &piece : loop->pieces)
        rename(piece.name);
    } else if (auto *team = std::get_if<Parallel>(&statement.node)) {
      rename(team->slots);
      for (Scratch &scratch : team->scratch)
        rename(scratch.name);
    } else if (auto *device = std::get_if<Device>(&statement.node)) {
      for (Piece &piece : device->pieces)
        rename(piece.name);
    }
  });
}

bool sameExpr(const Expr &a, const Expr &b) {
  return a.kind == b.kind && a.type == b.type && a.op == b.op && a.text == b.text &&
         a.integer == b.integer && a.real == b.real && a.args.size() == b.args.size() &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), sameExpr);
}

} // namespace moac::tree
