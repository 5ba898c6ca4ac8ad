// Legality of directives on finished loops, from the tree alone.
#include "emitters/LoopShape.h"
#include "emitters/TreeWalk.h"
#include "ir/Tuned.h"

#include <algorithm>

namespace moac::tree {
namespace {

template <class Visit> void forEachBody(const Stmt &statement, Visit visit) {
  if (const auto *branch = std::get_if<If>(&statement.node)) {
    visit(branch->then);
    visit(branch->otherwise);
  } else if (const auto *loop = std::get_if<Loop>(&statement.node)) {
    visit(loop->body);
  } else if (const auto *team = std::get_if<Parallel>(&statement.node)) {
    visit(team->body);
  }
}

/// Names that a statement itself mentions, bodies left out.
void mentionedBy(const Stmt &statement, std::set<std::string> &names) {
  const auto each = [&](const Expr &e) { collectNames(e, names); };
  if (const auto *let = std::get_if<Let>(&statement.node)) {
    each(let->value);
  } else if (const auto *variable = std::get_if<Variable>(&statement.node)) {
    if (variable->value)
      each(*variable->value);
  } else if (const auto *assign = std::get_if<Assign>(&statement.node)) {
    each(assign->value);
  } else if (const auto *store = std::get_if<Store>(&statement.node)) {
    each(store->offset);
    each(store->value);
  } else if (const auto *prefetch = std::get_if<Prefetch>(&statement.node)) {
    each(prefetch->offset);
  } else if (const auto *gather = std::get_if<Gather>(&statement.node)) {
    each(gather->first);
    each(gather->count);
  } else if (const auto *update = std::get_if<Update>(&statement.node)) {
    each(update->value);
    if (update->offset)
      each(*update->offset);
  } else if (const auto *branch = std::get_if<If>(&statement.node)) {
    each(branch->condition);
  } else if (const auto *loop = std::get_if<Loop>(&statement.node)) {
    each(loop->lo);
    each(loop->hi);
    if (loop->step)
      each(*loop->step);
    if (loop->work)
      each(*loop->work);
  } else if (const auto *team = std::get_if<Parallel>(&statement.node)) {
    each(team->work);
    for (const Scratch &scratch : team->scratch)
      each(scratch.count);
  }
}

void mentionedIn(const Body &body, std::set<std::string> &names) {
  for (const Stmt &statement : body) {
    mentionedBy(statement, names);
    forEachBody(statement, [&](const Body &inner) { mentionedIn(inner, names); });
  }
}

bool mentionsAny(const Expr &e, const std::set<std::string> &names) {
  std::set<std::string> mentioned;
  collectNames(e, mentioned);
  return std::any_of(mentioned.begin(), mentioned.end(),
                     [&](const std::string &name) { return names.count(name) != 0; });
}

/// What the body of a lane loop does to things outside of it.
struct LaneCheck {
  std::set<std::string> own; // the lane and what is declared inside: different in each lane
  std::vector<LaneReduction> reductions;
  bool legal = true;

  void body(const Body &statements) {
    for (const Stmt &statement : statements) {
      visit(statement);
      forEachBody(statement, [&](const Body &inner) { body(inner); });
    }
  }

  void visit(const Stmt &statement) {
    if (const auto *let = std::get_if<Let>(&statement.node)) {
      own.insert(let->name);
    } else if (const auto *variable = std::get_if<Variable>(&statement.node)) {
      own.insert(variable->name);
    } else if (const auto *array = std::get_if<LocalArray>(&statement.node)) {
      own.insert(array->name);
    } else if (const auto *loop = std::get_if<Loop>(&statement.node)) {
      own.insert(loop->name);
    } else if (const auto *assign = std::get_if<Assign>(&statement.node)) {
      legal &= own.count(assign->name) != 0;
    } else if (const auto *store = std::get_if<Store>(&statement.node)) {
      legal &= own.count(store->array) != 0 || mentionsAny(store->offset, own);
    } else if (const auto *update = std::get_if<Update>(&statement.node)) {
      visitUpdate(*update);
    } else if (std::holds_alternative<Fail>(statement.node)) {
      legal = false;
    }
  }

  void visitUpdate(const Update &update) {
    if (own.count(update.name) || (update.offset && mentionsAny(*update.offset, own)))
      return;
    const Elem type = update.value.type;
    const bool sums = update.op == Op::add_ || update.op == Op::mul_;
    const bool picks = (update.op == Op::max_ || update.op == Op::min_) && isFloat(type);
    legal &= !update.offset && ((sums && (isFloat(type) || isUnsigned(type))) || picks);
    for (const LaneReduction &seen : reductions)
      if (seen.name == update.name) {
        legal &= seen.op == update.op;
        return;
      }
    reductions.push_back({update.op, update.name, type});
  }
};

bool hasLanes(const Body &body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt &statement) {
    const auto *loop = std::get_if<Loop>(&statement.node);
    bool found = loop && loop->role == Loop::Role::Lanes;
    forEachBody(statement, [&](const Body &inner) { found = found || hasLanes(inner); });
    return found;
  });
}

void dropLanes(Body &body) {
  forEachStatement(body, [](Stmt &statement) {
    auto *loop = std::get_if<Loop>(&statement.node);
    if (!loop || loop->role != Loop::Role::Lanes)
      return;
    loop->role = Loop::Role::Sequential;
    loop->reductions.clear();
  });
}

void finishLanes(Loop &loop, bool outerLanes) {
  if (!outerLanes && hasLanes(loop.body)) {
    loop.role = Loop::Role::Sequential;
    return;
  }
  LaneCheck check;
  check.own.insert(loop.name);
  check.body(loop.body);
  std::set<std::string> read;
  mentionedIn(loop.body, read);
  for (const LaneReduction &reduction : check.reductions)
    check.legal &= !read.count(reduction.name);
  if (!check.legal) {
    loop.role = Loop::Role::Sequential;
    return;
  }
  loop.reductions = check.reductions;
  dropLanes(loop.body);
}

void finishCollapse(Loop &loop) {
  std::set<std::string> outer = {loop.name};
  const Loop *level = &loop;
  int64_t depth = 1;
  for (; depth < loop.collapse && level->body.size() == 1; ++depth) {
    const auto *inner = std::get_if<Loop>(&level->body[0].node);
    if (!inner || inner->role != Loop::Role::Sequential || mentionsAny(inner->lo, outer) ||
        mentionsAny(inner->hi, outer))
      break;
    outer.insert(inner->name);
    level = inner;
  }
  loop.collapse = depth;
}

void finishUnroll(Loop &loop) {
  constexpr int64_t most = 16;
  if (loop.factor > 0)
    return; // the schedule says it
  const bool constant = loop.lo.kind == Expr::Kind::Integer && loop.hi.kind == Expr::Kind::Integer;
  const bool tuned = loop.hi.kind == Expr::Kind::Name && findTuned(loop.hi.text);
  const int64_t trips = constant ? loop.hi.integer - loop.lo.integer : tuned ? most : 4;
  loop.factor = std::clamp<int64_t>(trips, 1, most);
}

void dropUnused(Body &body);

bool onlyNotes(const Body &body) {
  return std::all_of(body.begin(), body.end(), [](const Stmt &statement) {
    return std::holds_alternative<Note>(statement.node);
  });
}

/// An if or a loop that does nothing.
bool isIdle(const Stmt &statement) {
  const auto *branch = std::get_if<If>(&statement.node);
  const auto *loop = std::get_if<Loop>(&statement.node);
  return (branch && onlyNotes(branch->then) && onlyNotes(branch->otherwise)) ||
         (loop && onlyNotes(loop->body));
}

/// Declares another variable of that name, in the rest of its block.
bool declares(const Stmt &statement, const std::string &name) {
  const auto *let = std::get_if<Let>(&statement.node);
  const auto *variable = std::get_if<Variable>(&statement.node);
  return (let && let->name == name) || (variable && variable->name == name);
}

/// Removes the assignments to a variable that is never read, and what only they needed: in the statements from `first` on
/// that its declaration reaches.
void removeAssignments(Body &body, const std::string &name, size_t first = 0) {
  for (size_t i = first; i < body.size() && !declares(body[i], name);) {
    Stmt &statement = body[i];
    const auto *assign = std::get_if<Assign>(&statement.node);
    const auto *update = std::get_if<Update>(&statement.node);
    bool removed = (assign && assign->name == name) || (update && update->name == name && !update->offset);
    if (!removed) {
      forEachInnerBody(statement, [&](Body &inner) { removeAssignments(inner, name); });
      removed = isIdle(statement);
    }
    if (removed)
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  dropUnused(body);
}

/// Drops Lets and Variables that no later statement of the body reads.
void dropUnused(Body &body) {
  std::set<std::string> used;
  for (size_t i = body.size(); i-- > 0;) {
    const auto *let = std::get_if<Let>(&body[i].node);
    const auto *variable = std::get_if<Variable>(&body[i].node);
    const bool dropsLet = let && !used.count(let->name);
    if (dropsLet || (variable && !used.count(variable->name))) {
      const std::string name = dropsLet ? let->name : variable->name;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
      if (!dropsLet) // what its values needed may be unused now
        return removeAssignments(body, name, i);
      continue;
    }
    mentionedBy(body[i], used);
    forEachBody(body[i], [&](const Body &inner) { mentionedIn(inner, used); });
  }
}

} // namespace

bool containsFail(const Body &body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt &statement) {
    bool found = std::holds_alternative<Fail>(statement.node);
    forEachBody(statement, [&](const Body &inner) { found = found || containsFail(inner); });
    return found;
  });
}

static bool sharesWork(const Body &body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt &statement) {
    const auto *loop = std::get_if<Loop>(&statement.node);
    bool found = loop && loop->role == Loop::Role::Workshare;
    forEachBody(statement, [&](const Body &inner) { found = found || sharesWork(inner); });
    return found;
  });
}

void appendTeam(Parallel team, Body &body) {
  const auto hoists = [](const Stmt &statement) {
    return std::holds_alternative<Note>(statement.node);
  };
  const bool single = team.scratch.empty() && !team.body.empty() &&
                      std::holds_alternative<Loop>(team.body.back().node) &&
                      std::all_of(team.body.begin(), team.body.end() - 1, hoists);
  if (!single || (std::get<Loop>(team.body.back().node).role != Loop::Role::Workshare &&
                  sharesWork(team.body))) {
    body.push_back({std::move(team)});
    return;
  }
  Loop &loop = std::get<Loop>(team.body.back().node);
  if (loop.role == Loop::Role::Workshare) {
    loop.role = Loop::Role::Team;
    loop.work = team.work;
  }
  for (Stmt &statement : team.body)
    body.push_back(std::move(statement));
}

void finishLoops(Body &body, bool outerLanes) {
  for (Stmt &statement : body) {
    if (auto *loop = std::get_if<Loop>(&statement.node)) {
      finishLoops(loop->body, outerLanes);
      loop->fails = containsFail(loop->body);
      if (loop->role == Loop::Role::Lanes)
        finishLanes(*loop, outerLanes);
      else if (loop->role == Loop::Role::Unroll)
        finishUnroll(*loop);
      else if (loop->role != Loop::Role::Sequential)
        finishCollapse(*loop);
    } else if (auto *branch = std::get_if<If>(&statement.node)) {
      finishLoops(branch->then, outerLanes);
      finishLoops(branch->otherwise, outerLanes);
    } else if (auto *team = std::get_if<Parallel>(&statement.node)) {
      finishLoops(team->body, outerLanes);
      team->fails = containsFail(team->body);
    }
  }
  dropUnused(body);
}

} // namespace moac::tree
