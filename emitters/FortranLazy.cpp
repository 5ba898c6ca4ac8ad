// Choices as statements. Expressions have no side effects, so what stands before a statement may be
// computed in any order; names of choices are used again by the next statement, but not inside the
// one that they belong to.
#include "emitters/FortranLazy.h"
#include "emitters/TreeWalk.h"

#include <algorithm>
#include <map>

namespace moac::emit {
using namespace tree;

namespace {

/// True if evaluating `e` in vain could fail: it reads memory, or divides by what may be 0.
bool mustNotRun(const Expr &e) {
  const bool divides = e.kind == Expr::Kind::Apply &&
                       (e.op == Op::quotient_ || e.op == Op::remainder_) &&
                       e.args[1].kind != Expr::Kind::Integer;
  return divides || e.kind == Expr::Kind::Load ||
         std::any_of(e.args.begin(), e.args.end(), mustNotRun);
}

/// Operations whose operands may be literals of any kind.
bool mixesKinds(Op op) {
  return op == Op::add_ || op == Op::sub_ || op == Op::mul_ || op == Op::neg_ ||
         op == Op::quotient_ || (op >= Op::eq_ && op <= Op::ge_);
}

bool isLiteral(const Expr &e, Elem type) { return e.kind == Expr::Kind::Integer && e.type == type; }

/// An unsigned literal as the signed one of the same bits.
Expr signedPattern(const Expr &e) {
  const bool narrow = e.type == Elem::U32;
  const int64_t value = narrow ? static_cast<int32_t>(static_cast<uint32_t>(e.integer)) : e.integer;
  return cast(e.type, integer(value, narrow ? Elem::I32 : Elem::I64));
}

void giveKinds(Expr &e) {
  for (Expr &arg : e.args)
    giveKinds(arg);
  if (isLiteral(e, Elem::U32) || isLiteral(e, Elem::U64))
    e = signedPattern(e);
  else if (e.kind == Expr::Kind::Cast && (e.type == Elem::I64 || e.type == Elem::U64) &&
           isLiteral(e.args[0], Elem::Index))
    e.args[0].type = Elem::I64; // the conversion is not seen
  else if (e.kind == Expr::Kind::Apply && !mixesKinds(e.op))
    for (Expr &arg : e.args)
      if (isLiteral(arg, Elem::Index))
        arg.type = Elem::I64;
}

class Separator {
public:
  explicit Separator(const FreshName &fresh) : fresh(fresh) {}

  void body(Body &statements) {
    const std::map<Elem, size_t> outside = taken; // a loop's bounds may be asked for while it runs
    Body out;
    for (Stmt &statement : statements) {
      taken = outside;
      forEachExpr(statement, [&](Expr &e) { expression(e, out); });
      collapsedBounds(statement, out);
      forEachInnerBody(statement, [&](Body &inner) { body(inner); });
      out.push_back(std::move(statement));
    }
    taken = outside;
    statements = std::move(out);
  }

  void expression(Expr &e, Body &before) {
    giveKinds(e);
    separate(e, before);
  }

private:
  /// Bounds of the loops that a directive joins stand before all of them.
  void collapsedBounds(Stmt &statement, Body &before) {
    Stmt *at = &statement;
    const auto *outermost = std::get_if<Loop>(&statement.node);
    for (int64_t depth = outermost ? outermost->collapse : 0; depth > 1; --depth) {
      Body &inside = std::get<Loop>(at->node).body;
      if (inside.empty() || !std::holds_alternative<Loop>(inside[0].node))
        return;
      at = &inside[0];
      forEachExpr(*at, [&](Expr &e) { expression(e, before); });
    }
  }

  void separate(Expr &e, Body &before) {
    const bool chooses = e.kind == Expr::Kind::Apply && e.op == Op::select_;
    const bool joins = e.kind == Expr::Kind::Apply && (e.op == Op::and_ || e.op == Op::or_);
    if (chooses && (mustNotRun(e.args[1]) || mustNotRun(e.args[2])))
      return choose(e, before);
    if (joins && mustNotRun(e.args[1]))
      return join(e, before);
    for (Expr &arg : e.args)
      separate(arg, before);
  }

  void choose(Expr &e, Body &before) {
    separate(e.args[0], before);
    const std::string variable = declare(e.type, before);
    If branch{std::move(e.args[0]), {}, {}};
    side(std::move(e.args[1]), variable, branch.then);
    side(std::move(e.args[2]), variable, branch.otherwise);
    before.push_back({std::move(branch)});
    e = name(variable, e.type);
  }

  void join(Expr &e, Body &before) {
    separate(e.args[0], before);
    const std::string variable = declare(Elem::Bool, before);
    const bool needed = e.op == Op::and_;
    before.push_back({Assign{variable, std::move(e.args[0])}});
    const Expr known = name(variable, Elem::Bool);
    If branch{needed ? known : apply(Op::not_, Elem::Bool, {known}), {}, {}};
    side(std::move(e.args[1]), variable, branch.then);
    before.push_back({std::move(branch)});
    e = known;
  }

  void side(Expr value, const std::string &variable, Body &out) {
    separate(value, out);
    out.push_back({Assign{variable, std::move(value)}});
  }

  std::string declare(Elem type, Body &before) {
    std::vector<std::string> &known = names[type];
    const size_t next = taken[type]++;
    if (next == known.size())
      known.push_back(fresh("chosen"));
    before.push_back({Variable{known[next], type, std::nullopt}});
    return known[next];
  }

  const FreshName &fresh;
  std::map<Elem, std::vector<std::string>> names; // of choices so far
  std::map<Elem, size_t> taken;                   // by the statement at hand
};

} // namespace

void separateChoices(Body &body, const FreshName &fresh) { Separator(fresh).body(body); }

void separateChoices(Expr &e, const FreshName &fresh, Body &before) {
  Separator(fresh).expression(e, before);
}

} // namespace moac::emit
