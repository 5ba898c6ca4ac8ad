// Loop trees as indented text; see LoopNotation.h.
#include "frontend/LoopNotation.h"

#include <fmt/format.h>

namespace moac {
namespace {
using namespace tree;

/// Binding strength, loosest first.
enum Precedence { Loose, Logic, Comparison, Sum, Product, Prefix, Tight };

struct Infix {
  const char *text = nullptr;
  Precedence precedence = Tight;
};

Infix infixOf(Op op) {
  switch (op) {
  case Op::add_: return {" + ", Sum};
  case Op::sub_: return {" - ", Sum};
  case Op::mul_: return {"*", Product};
  case Op::div_: return {" / ", Product};
  case Op::floordiv_:
  case Op::quotient_: return {" // ", Product};
  case Op::mod_:
  case Op::remainder_: return {" % ", Product};
  case Op::eq_: return {" == ", Comparison};
  case Op::ne_: return {" != ", Comparison};
  case Op::lt_: return {" < ", Comparison};
  case Op::le_: return {" <= ", Comparison};
  case Op::gt_: return {" > ", Comparison};
  case Op::ge_: return {" >= ", Comparison};
  case Op::and_: return {" and ", Logic};
  case Op::or_: return {" or ", Logic};
  default: return {};
  }
}

std::string text(const Expr &e, Precedence place = Loose);

std::string arguments(const Expr &e) {
  std::string out;
  for (const Expr &arg : e.args)
    out += (out.empty() ? "" : ", ") + text(arg);
  return "(" + out + ")";
}

std::pair<std::string, Precedence> written(const Expr &e) {
  switch (e.kind) {
  case Expr::Kind::Integer:
    if (e.type == Elem::Bool)
      return {e.integer ? "true" : "false", Tight};
    return {std::to_string(e.integer), e.integer < 0 ? Prefix : Tight};
  case Expr::Kind::Real:
    return {fmt::format("{}", e.real), e.real < 0 ? Prefix : Tight};
  case Expr::Kind::Name:
    return {e.text, Tight};
  case Expr::Kind::Load:
    return {e.text + "[" + text(e.args[0]) + "]", Tight};
  case Expr::Kind::Cast:
    return {elemName(e.type) + arguments(e), Tight};
  case Expr::Kind::Apply:
    break;
  }
  if (e.op == Op::select_)
    return {"where" + arguments(e), Tight};
  if (e.op == Op::neg_)
    return {"-" + text(e.args[0], Prefix), Prefix};
  if (e.op == Op::not_)
    return {"not " + text(e.args[0], Comparison), Logic};
  Infix infix = infixOf(e.op);
  if (e.op == Op::exp_down_ || e.op == Op::exp2_down_)
    return {opName(e.op == Op::exp_down_ ? Op::exp_ : Op::exp2_) + arguments(e), Tight};
  if (!infix.text)
    return {opName(e.op) + arguments(e), Tight};
  // The right operand binds tighter, so that a - (b - c) keeps its parentheses.
  auto right = static_cast<Precedence>(infix.precedence + 1);
  Precedence left = infix.precedence == Comparison ? right : infix.precedence;
  return {text(e.args[0], left) + infix.text + text(e.args[1], right), infix.precedence};
}

std::string text(const Expr &e, Precedence place) {
  auto [out, precedence] = written(e);
  return precedence < place ? "(" + out + ")" : out;
}

class Writer {
public:
  void body(const Body &statements) {
    ++depth;
    for (const Stmt &statement : statements)
      std::visit([&](const auto &node) { write(node); }, statement.node);
    --depth;
  }
  std::string out;

private:
  void line(const std::string &content) { out += std::string(2 * depth, ' ') + content + "\n"; }

  void write(const Note &n) { line("# " + n.text); }
  void write(const Let &n) { line(n.name + " = " + text(n.value)); }
  void write(const Variable &n) { line(n.name + (n.value ? " = " + text(*n.value) : fmt::format(": {}", elemName(n.type)))); }
  void write(const LocalArray &n) { line(fmt::format("{}: {}[{}]", n.name, elemName(n.type), text(n.count))); }
  void write(const Assign &n) { line(n.name + " = " + text(n.value)); }
  void write(const Store &n) { line(n.array + "[" + text(n.offset) + "] = " + text(n.value)); }
  void write(const Update &n) {
    std::string target = n.name + (n.offset ? "[" + text(*n.offset) + "]" : "");
    Infix infix = infixOf(n.op);
    if (infix.precedence == Sum || infix.precedence == Product)
      line(fmt::format("{} {}= {}{}", target, n.op == Op::mul_ ? "*" : n.op == Op::sub_ ? "-" : "+", text(n.value), n.atomic ? ", atomic" : ""));
    else
      line(fmt::format("{} = {}({}, {})", target, opName(n.op), target, text(n.value)));
  }
  void write(const Call &n) { line("call " + n.procedure); }
  void write(const Prefetch &n) { line("prefetch " + n.array + "[" + text(n.offset) + "]"); }
  void write(const Gather &n) { line(fmt::format("give {}[{}], {} elements, to all PEs", n.array, text(n.first), text(n.count))); }
  void write(const Meet &) { line("meet all PEs"); }
  void write(const Fail &n) {
    static const char *const names[numStatuses] = {"ok", "null pointer", "extent", "constraint", "index out of range",
                                                   "overflow", "aliasing", "no memory", "division by zero"};
    line(fmt::format("fail {}", names[static_cast<unsigned>(n.status)]));
  }
  void write(const If &n) {
    line("if " + text(n.condition));
    body(n.then);
    if (n.otherwise.empty())
      return;
    line("else");
    body(n.otherwise);
  }
  void write(const Loop &n) {
    const char *role = n.role == Loop::Role::Team || n.role == Loop::Role::Workshare ? "parallel "
                       : n.role == Loop::Role::Lanes                               ? "lanes "
                       : n.role == Loop::Role::Unroll                              ? "unroll "
                                                                                   : "";
    std::string lo = text(n.lo, Sum), hi = text(n.hi, Sum);
    std::string range = lo == "0" ? n.name + " < " + hi : n.name + " in " + lo + ".." + hi;
    if (n.step)
      range += " by " + text(*n.step, Sum);
    line(fmt::format("{}for {}{}{}", role, range, n.reverse ? " downwards" : "",
                     n.collapse > 1 ? fmt::format(", {} loops as one", n.collapse) : ""));
    body(n.body);
  }
  void write(const Device &n) {
    line("on the device:");
    body(n.body);
  }
  void write(const Parallel &n) {
    line("parallel");
    ++depth;
    for (const Scratch &s : n.scratch)
      line(fmt::format("{}: {}[{}]  for each thread", s.name, elemName(s.type), text(s.count)));
    --depth;
    body(n.body);
  }

  int depth = -1;
};
} // namespace

std::string loopNotation(const tree::Kernel &kernel) {
  Writer writer;
  for (const Let &extent : kernel.extents)
    writer.out += extent.name + " = " + text(extent.value) + "\n";
  for (const Scratch &s : kernel.scratch)
    writer.out += fmt::format("{}: {}[{}]  for the kernel\n", s.name, elemName(s.type), text(s.count));
  writer.body(kernel.body);
  return writer.out;
}
} // namespace moac
