// Hand-made loop trees for the emitter tests: a matrix product, a kernel with scratch memory of
// both kinds, one that fails inside its loops.
#ifndef MOAC_TESTS_EMITTREES_H
#define MOAC_TESTS_EMITTREES_H

#include "emitters/LoopTree.h"

namespace moac::tree {

inline Expr operator+(Expr a, Expr b) { return apply(Op::add_, {std::move(a), std::move(b)}); }
inline Expr operator-(Expr a, Expr b) { return apply(Op::sub_, {std::move(a), std::move(b)}); }
inline Expr operator*(Expr a, Expr b) { return apply(Op::mul_, {std::move(a), std::move(b)}); }
inline Expr less(Expr a, Expr b) {
  return apply(Op::lt_, Elem::Bool, {std::move(a), std::move(b)});
}

template <class Node> Stmt stmt(Node node) { return Stmt{std::move(node)}; }

inline Loop loop(std::string name, Expr hi, Body body, Loop::Role role = Loop::Role::Sequential) {
  Loop out;
  out.name = std::move(name);
  out.lo = integer(0);
  out.hi = std::move(hi);
  out.body = std::move(body);
  out.role = role;
  return out;
}

/// C[i, j] = sum[k](A[i, k] * B[k, j]) for elements of one type.
inline Kernel matmul(Elem type = Elem::F64) {
  const Expr M = name("M"), N = name("N"), K = name("K"), i = name("i"), j = name("j"),
             k = name("k");
  Loop inner = loop("k", K,
                    {stmt(Update{Op::add_, "s", std::nullopt,
                                 load("A", type, i * K + k) * load("B", type, k * N + j)})});
  inner.where = "matmul.moa:2";
  const Expr zero = isFloat(type) ? real(0, type) : integer(0, type);
  Loop columns = loop(
      "j", N,
      {stmt(Variable{"s", type, zero}), stmt(inner), stmt(Store{"C", i * N + j, name("s", type)})});
  Loop rows = loop("i", M, {stmt(columns)}, Loop::Role::Team);
  rows.collapse = 2;
  rows.work = M * N * K;
  Kernel kernel;
  kernel.name = "matmul";
  kernel.doc = {"C[i, j] = sum[k](A[i, k] * B[k, j])"};
  kernel.symbols = {"M", "K", "N"};
  const std::string word = elemName(type);
  kernel.inputs = {{"A", type, {M, K}, word + "[M, K]", "A_bytes"},
                   {"B", type, {K, N}, word + "[K, N]", "B_bytes"}};
  kernel.outputs = {{"C", type, {M, N}, word + "[M, N]", "C_bytes"}};
  kernel.body = {stmt(rows)};
  return kernel;
}

/// y[i] = sum[j](t[j]) + scale with t[j] = x[j]*x[j] in shared memory and a copy of it a thread; an
/// x of 13 is an index error; W is unused.
inline Kernel scratchy() {
  const Expr N = name("N"), i = name("i"), j = name("j");

  Loop fill = loop("j", N,
                   {stmt(Let{"v", load("x", Elem::F64, j)}),
                    stmt(Store{"t", j, name("v", Elem::F64) * name("v", Elem::F64)})});
  fill.role = Loop::Role::Lanes;
  Loop copy = loop("j", N, {stmt(Store{"mine", j, load("t", Elem::F64, j)})});
  Loop sum = loop("j", N, {stmt(Update{Op::add_, "s", std::nullopt, load("mine", Elem::F64, j)})});
  If bad{apply(Op::eq_, Elem::Bool, {load("x", Elem::F64, i), real(13)}),
         {stmt(Fail{Status::Index})},
         {stmt(Store{"y", i, name("s", Elem::F64) + name("scale", Elem::F64)})}};
  Loop rows =
      loop("i", N, {stmt(copy), stmt(Variable{"s", Elem::F64, real(0)}), stmt(sum), stmt(bad)},
           Loop::Role::Workshare);
  Parallel team{{{"mine", Elem::F64, N, ""}}, {stmt(rows)}, N * N, true};
  Kernel kernel;
  kernel.name = "scratchy";
  kernel.doc = {"t[j] = x[j] * x[j]", "y[i] = sum[j](t[j]) + scale"};
  kernel.symbols = {"N"};
  kernel.scalars = {{"scale", Elem::F64}, {"W", Elem::F32}};
  kernel.inputs = {{"x", Elem::F64, {N}, "f64[N]", "x_bytes"}};
  kernel.outputs = {{"y", Elem::F64, {N}, "f64[N]", "y_bytes"}};
  kernel.requirements = {{less(integer(0), name("N")), Status::Constraint, "N > 0", {}}};
  kernel.scratch = {{"t", Elem::F64, N, ""}};
  kernel.body = {stmt(Note{"squares", true}), stmt(fill), stmt(team)};
  kernel.fails = true;
  return kernel;
}

} // namespace moac::tree

#endif
