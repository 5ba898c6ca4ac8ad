// The search for such divisions. The same division has the same name everywhere; each statement
// that needs one has it computed before. Divisors are numbers, so that this may be done outside of
// any choice.
#include "emitters/FortranSubscripts.h"
#include "emitters/TreeWalk.h"
#include "ir/Tuned.h"

#include <algorithm>

namespace moac::emit {
using namespace tree;

namespace {

bool isConstant(const Expr &e) {
  return e.kind == Expr::Kind::Integer || (e.kind == Expr::Kind::Name && findTuned(e.text));
}

class Divisions {
public:
  explicit Divisions(const FreshName &fresh) : fresh(fresh) {}

  void body(Body &statements) {
    Body out;
    for (Stmt &statement : statements) {
      if (auto *loop = std::get_if<Loop>(&statement.node)) {
        inside(*loop);
      } else {
        std::set<std::string> computed;
        forEachExpr(statement, [&](Expr &e) { values(e, computed, out); });
        if (auto *store = std::get_if<Store>(&statement.node))
          subscript(store->offset, computed, out);
        else if (auto *update = std::get_if<Update>(&statement.node); update && update->offset)
          subscript(*update->offset, computed, out);
        forEachInnerBody(statement, [&](Body &inner) { body(inner); });
      }
      out.push_back(std::move(statement));
    }
    statements = std::move(out);
  }

private:
  void inside(Loop &loop) {
    const bool tried = isConstant(loop.lo) || isConstant(loop.hi);
    const bool added = tried && variables.insert(loop.name).second;
    body(loop.body);
    if (added)
      variables.erase(loop.name);
  }

  void values(Expr &e, std::set<std::string> &computed, Body &before) {
    for (Expr &arg : e.args)
      if (e.kind == Expr::Kind::Load)
        subscript(arg, computed, before);
      else
        values(arg, computed, before);
  }

  void subscript(Expr &e, std::set<std::string> &computed, Body &before) {
    if (!isTried(e)) {
      for (Expr &arg : e.args)
        subscript(arg, computed, before);
      return;
    }
    const std::string &known = nameOf(e);
    const Elem type = e.type;
    if (computed.insert(known).second)
      before.push_back({Let{known, std::move(e)}});
    e = name(known, type);
  }

  bool isTried(const Expr &e) const {
    if (e.kind != Expr::Kind::Apply || e.op != Op::quotient_ || !isConstant(e.args[1]))
      return false;
    std::set<std::string> names;
    collectNames(e.args[0], names);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string &name) { return variables.count(name) != 0; });
  }

  const std::string &nameOf(const Expr &e) {
    for (const auto &[division, known] : names)
      if (sameExpr(division, e))
        return known;
    names.emplace_back(e, fresh("quotient"));
    return names.back().second;
  }

  const FreshName &fresh;
  std::set<std::string> variables; // of the loops around
  std::vector<std::pair<Expr, std::string>> names;
};

} // namespace

void separateDivisions(Body &body, const FreshName &fresh) { Divisions(fresh).body(body); }

} // namespace moac::emit
