// From loops of prefetches to calls. An offset a + b*i of a loop over i is the element a, and the
// next ones b elements apart; what is not of that form stays a loop, with a call in it.
#include "emitters/FortranPrefetch.h"
#include "emitters/TreeWalk.h"
#include "ir/Tuned.h"

#include <algorithm>
#include <map>

namespace moac::emit {
using namespace tree;

namespace {

bool isNumber(const Expr &e, int64_t value) {
  return e.kind == Expr::Kind::Integer && e.integer == value;
}

Expr sum(Expr a, Expr b) {
  if (isNumber(a, 0))
    return b;
  return isNumber(b, 0) ? a : apply(Op::add_, {std::move(a), std::move(b)});
}

Expr product(Expr a, Expr b) {
  if (a.kind == Expr::Kind::Integer && b.kind == Expr::Kind::Integer)
    return integer(a.integer * b.integer);
  if (isNumber(a, 0) || isNumber(b, 1))
    return a;
  return isNumber(b, 0) || isNumber(a, 1) ? b : apply(Op::mul_, {std::move(a), std::move(b)});
}

bool mentions(const Expr &e, const std::string &name) {
  std::set<std::string> names;
  collectNames(e, names);
  return names.count(name) != 0;
}

/// The factor of `name` in `e`; nothing if there is no such factor.
std::optional<Expr> factorOf(const Expr &e, const std::string &name) {
  if (!mentions(e, name))
    return integer(0);
  if (e.kind == Expr::Kind::Name)
    return integer(1);
  if (e.kind != Expr::Kind::Apply || (e.op != Op::add_ && e.op != Op::mul_))
    return std::nullopt;
  std::optional<Expr> left = factorOf(e.args[0], name), right = factorOf(e.args[1], name);
  if (!left || !right)
    return std::nullopt;
  if (e.op == Op::add_)
    return sum(std::move(*left), std::move(*right));
  if (isNumber(*right, 0))
    return product(std::move(*left), e.args[1]);
  return isNumber(*left, 0) ? std::optional(product(e.args[0], std::move(*right))) : std::nullopt;
}

/// `e`, a sum of products, with `value` for `name`.
Expr withValue(const Expr &e, const std::string &name, const Expr &value) {
  if (e.kind == Expr::Kind::Name && e.text == name)
    return value;
  if (!mentions(e, name))
    return e;
  Expr left = withValue(e.args[0], name, value), right = withValue(e.args[1], name, value);
  return e.op == Op::add_ ? sum(std::move(left), std::move(right))
                          : product(std::move(left), std::move(right));
}

/// An argument of kind i64: a number alone needs one.
Expr argument(Expr e) {
  if (e.kind == Expr::Kind::Integer)
    e.type = Elem::I64;
  return e;
}

class PrefetchCalls {
public:
  explicit PrefetchCalls(const Kernel &kernel) {
    for (const std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
      for (const Array &array : *list)
        types[array.name] = array.type;
    add(kernel.scratch);
    forEachStatement(kernel.body, [&](const Stmt &statement) {
      if (const auto *team = std::get_if<Parallel>(&statement.node))
        add(team->scratch);
      else if (const auto *local = std::get_if<LocalArray>(&statement.node))
        types[local->name] = local->type;
    });
  }

  void body(Body &statements) {
    Body out;
    for (Stmt &statement : statements) {
      if (const auto *prefetch = std::get_if<Prefetch>(&statement.node)) {
        if (!prefetch->reads)
          out.push_back({call(*prefetch, prefetch->offset, integer(1), integer(0))});
      } else if (const auto *loop = std::get_if<Loop>(&statement.node); loop && isEven(*loop)) {
        together(*loop, out);
      } else {
        forEachInnerBody(statement, [&](Body &inner) { body(inner); });
        out.push_back(std::move(statement));
      }
    }
    statements = std::move(out);
  }

private:
  void add(const std::vector<Scratch> &buffers) {
    for (const Scratch &buffer : buffers)
      types[buffer.name] = buffer.type;
  }

  static bool isEven(const Loop &loop) {
    return !loop.body.empty() && !loop.reverse &&
           (!loop.step || loop.step->kind == Expr::Kind::Integer) &&
           std::all_of(loop.body.begin(), loop.body.end(), [&](const Stmt &statement) {
             const auto *prefetch = std::get_if<Prefetch>(&statement.node);
             return prefetch && !prefetch->reads && factorOf(prefetch->offset, loop.name);
           });
  }

  Call call(const Prefetch &prefetch, Expr offset, Expr count, Expr pitch) {
    return {"moac_prefetch_write",
            {load(prefetch.array, types.at(prefetch.array), std::move(offset)),
             argument(std::move(count)), argument(std::move(pitch))}};
  }

  void together(const Loop &loop, Body &out) {
    const int64_t step = loop.step ? loop.step->integer : 1;
    Expr count = isNumber(loop.lo, 0) ? loop.hi : apply(Op::sub_, {loop.hi, loop.lo});
    if (step != 1)
      count = apply(Op::quotient_, {sum(std::move(count), integer(step - 1)), integer(step)});
    If some{apply(Op::lt_, Elem::Bool, {loop.lo, loop.hi}), {}, {}};
    const bool always = isNumber(loop.lo, 0) &&
                        (loop.hi.kind == Expr::Kind::Integer ? loop.hi.integer > 0
                                                             : findTuned(loop.hi.text).has_value());
    for (const Stmt &statement : loop.body) {
      const auto &prefetch = std::get<Prefetch>(statement.node);
      const auto bytes = static_cast<int64_t>(elemBytes(types.at(prefetch.array)));
      Expr pitch = product(integer(bytes * step), *factorOf(prefetch.offset, loop.name));
      (always ? out : some.then)
          .push_back({call(prefetch, withValue(prefetch.offset, loop.name, loop.lo), count,
                           std::move(pitch))});
    }
    if (!always)
      out.push_back({std::move(some)});
  }

  std::map<std::string, Elem> types;
};

} // namespace

void callPrefetches(Kernel &kernel) { PrefetchCalls(kernel).body(kernel.body); }

} // namespace moac::emit
