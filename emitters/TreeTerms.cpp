// Expressions and statements of the loop tree as terms.
#include "emitters/TreeTerms.h"
#include "emitters/CWords.h"

#include <fmt/format.h>

namespace moac::reading {
using namespace tree;

namespace {

Term leaf(std::string word) { return {std::move(word), {}, 0}; }
Term node(std::string word, std::vector<Term> parts) {
  return {std::move(word), std::move(parts), 0};
}
Term call(const std::string &function, std::vector<Term> parts) {
  return node("call " + function, std::move(parts));
}

/// Types by what C makes of them: half types are patterns of 16 bits.
std::string typeWord(Elem type) {
  if (type == Elem::F16 || type == Elem::BF16)
    return "u16";
  return type == Elem::Index ? "i64" : elemName(type);
}

Term realLiteral(double value, Elem type) {
  if (type == Elem::F32)
    value = static_cast<float>(value);
  return leaf(realWord(value, type == Elem::F32));
}

Term integerLiteral(int64_t value, Elem type) {
  if (type == Elem::U64)
    return leaf(fmt::format("{}", static_cast<uint64_t>(value)));
  if (type == Elem::U32)
    return leaf(fmt::format("{}", static_cast<uint32_t>(value)));
  return leaf(fmt::format("{}", value));
}

bool isHalf(Elem type) { return type == Elem::F16 || type == Elem::BF16; }
bool isNarrow(Elem type) {
  return type == Elem::I8 || type == Elem::I16 || type == Elem::U8 || type == Elem::U16;
}
bool isWord(Elem type) { return type == Elem::Index || type == Elem::I64; }

Term zeroOf(Elem type) { return isFloat(type) ? realLiteral(0, type) : integerLiteral(0, type); }

Term fromFloat(Elem from, Elem to, Term value) {
  switch (to) {
  case Elem::Index:
  case Elem::I64:
    return call("moac_f64_to_i64", {std::move(value)});
  case Elem::U64:
    return call("moac_f64_to_u64", {std::move(value)});
  case Elem::F16:
  case Elem::BF16:
    return call(fmt::format("moac_{}_to_{}", elemName(from), elemName(to)), {std::move(value)});
  case Elem::F32:
  case Elem::F64:
    return node("to " + typeWord(to), {std::move(value)});
  default:
    break;
  }
  const bool signedType = isSigned(to);
  const int64_t bits = 8 * elemBytes(to) - (signedType ? 1 : 0);
  const int64_t most = (int64_t{1} << bits) - 1;
  return node("to " + typeWord(to),
              {call("moac_f64_to_int",
                    {std::move(value), integerLiteral(signedType ? -most - 1 : 0, Elem::I64),
                     integerLiteral(most, Elem::I64)})});
}

/// A conversion in the steps that C needs for it.
Term conversion(Elem from, Elem to, Term value) {
  if (from == to || (isWord(from) && isWord(to)) || (isNarrow(from) && to == Elem::I32))
    return value;
  if (isHalf(from))
    return conversion(Elem::F32, to,
                      call(fmt::format("moac_{}_to_f32", elemName(from)), {std::move(value)}));
  if (to == Elem::Bool)
    return node("ne", {std::move(value), zeroOf(from)});
  if (isFloat(from))
    return fromFloat(from, to, std::move(value));
  if (isHalf(to))
    return fromFloat(Elem::F64, to, node("to f64", {std::move(value)}));
  return node("to " + typeWord(to), {std::move(value)});
}

bool isZeroOrPositive(const Term &literal) {
  return !literal.begins("-") && (isNumber(literal) || literal.is("inf"));
}

/// Order of truth values, which C has no operator for that all compilers like.
Term truthOrder(Op op, Term a, Term b) {
  const bool first = op == Op::lt_ || op == Op::le_;
  Term &inverted = first ? a : b;
  inverted = node("not", {std::move(inverted)});
  return node(op == Op::lt_ || op == Op::gt_ ? "and" : "or", {std::move(a), std::move(b)});
}

} // namespace

std::string opWord(Op op, Elem operand) {
  if ((op >= Op::eq_ && op <= Op::not_) || op == Op::select_)
    return opName(op);
  if (op == Op::quotient_ || op == Op::remainder_)
    return opName(op);
  std::string word = opName(op);
  if (op == Op::floordiv_ && (operand == Elem::U32 || operand == Elem::U64))
    word = "div"; // rounding down and cutting off are one
  word += " " + typeWord(operand);
  const bool wraps = op == Op::add_ || op == Op::sub_ || op == Op::mul_ || op == Op::neg_;
  return wraps && (operand == Elem::I32 || operand == Elem::I64) ? word + " wrapping" : word;
}

Term termOf(const Expr &e) {
  std::vector<Term> parts;
  for (const Expr &arg : e.args)
    parts.push_back(termOf(arg));
  switch (e.kind) {
  case Expr::Kind::Integer:
    return e.type == Elem::Bool ? leaf(e.integer ? "1" : "0") : integerLiteral(e.integer, e.type);
  case Expr::Kind::Real:
    return realLiteral(e.real, e.type);
  case Expr::Kind::Name:
    return leaf(e.text);
  case Expr::Kind::Load:
    return node("[] " + e.text, std::move(parts));
  case Expr::Kind::Cast:
    return conversion(e.args[0].type, e.type, std::move(parts[0]));
  case Expr::Kind::Apply:
    break;
  }
  const Elem operand = e.args.back().type;
  if (operand == Elem::Bool && e.op >= Op::lt_ && e.op <= Op::ge_)
    return truthOrder(e.op, std::move(parts[0]), std::move(parts[1]));
  if (e.op == Op::abs_ && isUnsigned(operand))
    return std::move(parts[0]);
  if (e.op == Op::neg_ && isZeroOrPositive(parts[0]) &&
      (isFloat(operand) || operand == Elem::Index))
    return leaf("-" + parts[0].head);
  if (e.op == Op::floordiv_ && isFloat(operand))
    return node(opWord(Op::floor_, operand), {node(opWord(Op::div_, operand), std::move(parts))});
  return node(opWord(e.op, operand), std::move(parts));
}

Term bytesTerm(Elem type, const std::vector<Expr> &extents) {
  Term product = leaf("sizeof " + typeWord(type));
  const auto times = [&](const auto &self, const Expr &e) -> void {
    if (e.kind == Expr::Kind::Apply && e.op == Op::mul_) {
      self(self, e.args[0]);
      return self(self, e.args[1]);
    }
    product = node("mul u64", {std::move(product), termOf(e)});
  };
  for (const Expr &extent : extents)
    times(times, extent);
  return product;
}

std::string statusWord(Status status) {
  static constexpr const char *words[numStatuses] = {
      "MOAC_OK",       "MOAC_NULL_POINTER", "MOAC_EXTENT",    "MOAC_CONSTRAINT",      "MOAC_INDEX",
      "MOAC_OVERFLOW", "MOAC_ALIASING",     "MOAC_NO_MEMORY", "MOAC_DIVISION_BY_ZERO"};
  return words[static_cast<unsigned>(status)];
}

namespace {

Term declare(const char *how, const std::string &type, const std::string &name, Term value) {
  return node(fmt::format("{} {} {}", how, type, name), {std::move(value)});
}

/// Statements; every node of the tree but notes is one.
class Statements {
public:
  Term block(const Body &body) {
    Term out = leaf("block");
    for (const Stmt &statement : body)
      std::visit([&](const auto &node) { add(node, out); }, statement.node);
    return out;
  }

  static Term take(const Scratch &scratch, const char *from) {
    return declare("var", typeWord(scratch.type) + "*", scratch.name,
                   call("moac_take", {node("address of", {leaf(from)}),
                                      bytesTerm(scratch.type, {scratch.count})}));
  }

private:
  void add(const Note &, Term &) {}
  void add(const Let &let, Term &out) {
    out.args.push_back(declare("let", typeWord(let.value.type), let.name, termOf(let.value)));
  }
  void add(const Variable &variable, Term &out) {
    const std::string head = fmt::format("var {} {}", typeWord(variable.type), variable.name);
    out.args.push_back(variable.value ? node(head, {termOf(*variable.value)}) : leaf(head));
  }
  void add(const LocalArray &array, Term &out) {
    out.args.push_back(node(fmt::format("array {} {}", typeWord(array.type), array.name),
                            {termOf(array.count)}));
  }
  void add(const Assign &assign, Term &out) {
    out.args.push_back(node("=", {leaf(assign.name), termOf(assign.value)}));
  }
  void add(const Store &store, Term &out) {
    out.args.push_back(
        node("=", {node("[] " + store.array, {termOf(store.offset)}), termOf(store.value)}));
  }
  void add(const Update &update, Term &out) {
    Term target =
        update.offset ? node("[] " + update.name, {termOf(*update.offset)}) : leaf(update.name);
    const Elem type = update.value.type;
    const Expr old = tree::name("", type);
    Term value = termOf(apply(update.op, type, {old, update.value}));
    fillIn(value, target);
    Term done = node("=", {std::move(target), std::move(value)});
    out.args.push_back(update.atomic ? node("atomic", {std::move(done)}) : std::move(done));
  }
  /// Puts the updated element where its placeholder stands.
  static void fillIn(Term &term, const Term &target) {
    if (term.head.empty()) {
      term = target;
      return;
    }
    for (Term &part : term.args)
      fillIn(part, target);
  }
  void add(const Prefetch &prefetch, Term &out) {
    std::vector<Term> arguments = {node("address of", {node("[] " + prefetch.array, {termOf(prefetch.offset)})})};
    arguments.push_back(leaf(prefetch.reads ? "0" : "1"));
    if (prefetch.reads)
      arguments.push_back(leaf("2"));
    out.args.push_back(call("__builtin_prefetch", std::move(arguments)));
  }
  void add(const Gather &, Term &out) { out.args.push_back(leaf("gather")); } // not read back
  void add(const Meet &, Term &out) { out.args.push_back(leaf("meet")); }
  void add(const Call &procedure, Term &out) {
    std::vector<Term> arguments;
    for (const Expr &argument : procedure.arguments)
      arguments.push_back(termOf(argument));
    out.args.push_back(call(procedure.procedure, std::move(arguments)));
  }
  void add(const Fail &fail, Term &out) {
    const Term status = leaf("status"), code = leaf(statusWord(fail.status));
    out.args.push_back(
        node("=", {status, node("select", {node("lt", {status, code}), status, code})}));
  }
  void add(const If &branch, Term &out) {
    Term made = node("if", {termOf(branch.condition), block(branch.then)});
    if (!branch.otherwise.empty())
      made.args.push_back(block(branch.otherwise));
    out.args.push_back(std::move(made));
  }

  static Term threads(const Expr &work) { return node("num_threads", {estimate(termOf(work))}); }

  static std::string reductionWord(const LaneReduction &reduction) {
    if (reduction.op == Op::add_ || reduction.op == Op::mul_)
      return reduction.op == Op::add_ ? "+" : "*";
    return fmt::format("moac_{}_{}", reduction.op == Op::max_ ? "largest" : "least",
                       elemName(reduction.type));
  }

  Term directives(const Loop &loop) {
    Term out = leaf("directives");
    const bool team = loop.role == Loop::Role::Team;
    if (team || loop.role == Loop::Role::Workshare)
      out.args.push_back(leaf(team ? "parallel for" : "for"));
    else if (loop.role == Loop::Role::Lanes)
      out.args.push_back(leaf("simd"));
    else if (loop.role == Loop::Role::Unroll)
      out.args.push_back(leaf(fmt::format("unroll {}", loop.factor)));
    else
      return out;
    if (loop.collapse > 1)
      out.args.push_back(leaf(fmt::format("collapse {}", loop.collapse)));
    if (loop.work)
      out.args.push_back(threads(*loop.work));
    if (loop.fails && team)
      out.args.push_back(leaf("reduction min status"));
    if (loop.block)
      out.args.push_back(lanesTerm(termOf(loop.hi)));
    for (const LaneReduction &reduction : loop.reductions)
      out.args.push_back(leaf(fmt::format("reduction {} {}", reductionWord(reduction), reduction.name)));
    if (team || loop.role == Loop::Role::Workshare)
      out.args.push_back(leaf(loop.uneven ? "schedule dynamic" : "schedule static"));
    return out;
  }

  void add(const Loop &loop, Term &out) {
    Term lo = termOf(loop.lo), hi = termOf(loop.hi), inside = block(loop.body);
    Term first = loop.reverse ? node("sub i64", {std::move(hi), leaf("1")}) : std::move(lo);
    Term last = loop.reverse ? std::move(lo) : std::move(hi);
    if (loop.step)
      last = node("by", {std::move(last), termOf(*loop.step)});
    out.args.push_back(
        node(fmt::format("for {} {}", loop.name, loop.reverse ? "down" : "up"),
             {directives(loop), std::move(first), std::move(last), std::move(inside)}));
  }

  void add(const Parallel &team, Term &out) {
    Term directives = node("directives", {leaf("parallel")});
    Term inside = leaf("block");
    if (team.scratch.empty()) {
      directives.args.push_back(threads(team.work));
    } else {
      directives.args.push_back(node("num_threads", {leaf("team")}));
      out.args.push_back(declare("var", "i64", team.slots, leaf("0")));
      slice(team.slots, inside);
    }
    if (team.fails)
      directives.args.push_back(leaf("reduction min status"));
    for (const Scratch &scratch : team.scratch)
      inside.args.push_back(take(scratch, "slice"));
    for (Term &statement : block(team.body).args)
      inside.args.push_back(std::move(statement));
    out.args.push_back(node("region", {std::move(directives), std::move(inside)}));
  }

  void add(const Device &, Term &out) { out.args.push_back(leaf("device")); } // not in OpenMP

  /// What gives each thread of a team memory of its own.
  static void slice(const std::string &slots, Term &inside) {
    inside.args.push_back(leaf("var i64 slot"));
    inside.args.push_back(
        node("atomic capture", {node("=", {leaf("slot"), node("post ++", {leaf(slots)})})}));
    inside.args.push_back(
        declare("var", "char*", "slice",
                node("add ptr", {leaf("threads"), node("mul u64", {node("to u64", {leaf("slot")}),
                                                                   leaf("thread_bytes")})})));
  }
};

bool hasThreadScratch(const Body &body) {
  for (const Stmt &statement : body) {
    const auto *team = std::get_if<Parallel>(&statement.node);
    const auto *loop = std::get_if<Loop>(&statement.node);
    const auto *branch = std::get_if<If>(&statement.node);
    if ((team && !team->scratch.empty()) || (loop && hasThreadScratch(loop->body)) ||
        (branch && (hasThreadScratch(branch->then) || hasThreadScratch(branch->otherwise))))
      return true;
  }
  return false;
}

Expected forwarder(const Kernel &kernel, const std::string &suffix, std::vector<Term> workspace) {
  Term passed = leaf("call " + kernel.name + "_run");
  for (const std::string &symbol : kernel.symbols)
    passed.args.push_back(leaf(symbol));
  for (const Scalar &scalar : kernel.scalars)
    passed.args.push_back(leaf(scalar.name));
  for (const std::vector<Array> *arrays : {&kernel.inputs, &kernel.outputs})
    for (const Array &array : *arrays)
      passed.args.push_back(leaf(array.name));
  for (Term &extra : workspace)
    passed.args.push_back(std::move(extra));
  return {kernel.name + suffix, node("block", {node("return", {std::move(passed)})}), &kernel,
          true};
}

} // namespace

std::vector<Expected> expectedFunctions(const Kernel &kernel) {
  Term block = leaf("block");
  const bool threadScratch = hasThreadScratch(kernel.body);
  const bool scratch = threadScratch || !kernel.scratch.empty();
  for (const Scratch &buffer : kernel.scratch)
    block.args.push_back(Statements::take(buffer, "top"));
  if (threadScratch)
    block.args.push_back(declare("let", "char*", "threads", leaf("top")));
  if (kernel.fails)
    block.args.push_back(declare("var", "i32", "status", leaf("MOAC_OK")));
  for (Term &statement : Statements().block(kernel.body).args)
    block.args.push_back(std::move(statement));
  if (scratch)
    block.args.push_back(
        node("if", {leaf("own"), node("block", {call("moac_scratch_release", {leaf("ws")})})}));
  block.args.push_back(node("return", {leaf(kernel.fails ? "status" : "MOAC_OK")}));
  if (!scratch)
    return {{kernel.name, std::move(block), &kernel, false}};
  return {{kernel.name + "_run", std::move(block), &kernel, false},
          forwarder(kernel, "", {leaf("NULL"), leaf("0"), leaf("1")}),
          forwarder(kernel, "_ws", {leaf("ws"), leaf("ws_bytes"), leaf("0")})};
}

} // namespace moac::reading
