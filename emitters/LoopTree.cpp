// Constructors and small questions of the loop tree.
#include "emitters/LoopTree.h"

#include <array>
#include <string_view>

namespace moac::tree {
namespace {

struct ElemFacts {
  const char *name;
  int64_t bytes;
};
constexpr std::array<ElemFacts, numElems> elems = {{{"index", 8},
                                                    {"bool", 1},
                                                    {"i8", 1},
                                                    {"i16", 2},
                                                    {"i32", 4},
                                                    {"i64", 8},
                                                    {"u8", 1},
                                                    {"u16", 2},
                                                    {"u32", 4},
                                                    {"u64", 8},
                                                    {"f16", 2},
                                                    {"bf16", 2},
                                                    {"f32", 4},
                                                    {"f64", 8}}};

struct OpFacts {
  const char *name;
  unsigned arity;
};
constexpr std::array<OpFacts, numOps> ops = {{
#define SCALAR_FN(kind, arity, klass) {#kind, arity},
#include "ir/ScalarFunctions.def"
    {"select", 3},
    {"quotient", 2},
    {"remainder", 2},
    {"exp_down", 1},
    {"exp2_down", 1},
}};

} // namespace

const char *elemName(Elem type) { return elems[static_cast<unsigned>(type)].name; }
int64_t elemBytes(Elem type) { return elems[static_cast<unsigned>(type)].bytes; }
bool isFloat(Elem type) { return type >= Elem::F16; }
bool isSigned(Elem type) { return type == Elem::Index || (type >= Elem::I8 && type <= Elem::I64); }
bool isUnsigned(Elem type) { return type >= Elem::U8 && type <= Elem::U64; }

const char *opName(Op op) { return ops[static_cast<unsigned>(op)].name; }
unsigned opArity(Op op) { return ops[static_cast<unsigned>(op)].arity; }

std::optional<Op> opFromName(std::string_view name) {
  for (unsigned i = 0; i < static_cast<unsigned>(Op::select_); ++i)
    if (name == ops[i].name)
      return static_cast<Op>(i);
  return std::nullopt;
}

Expr integer(int64_t value, Elem type) {
  Expr e;
  e.kind = Expr::Kind::Integer;
  e.type = type;
  e.integer = value;
  return e;
}

Expr real(double value, Elem type) {
  Expr e;
  e.kind = Expr::Kind::Real;
  e.type = type;
  e.real = value;
  return e;
}

Expr name(std::string text, Elem type) {
  Expr e;
  e.kind = Expr::Kind::Name;
  e.type = type;
  e.text = std::move(text);
  return e;
}

Expr load(std::string array, Elem type, Expr offset) {
  Expr e;
  e.kind = Expr::Kind::Load;
  e.type = type;
  e.text = std::move(array);
  e.args.push_back(std::move(offset));
  return e;
}

Expr apply(Op op, Elem result, std::vector<Expr> args) {
  Expr e;
  e.kind = Expr::Kind::Apply;
  e.type = result;
  e.op = op;
  e.args = std::move(args);
  return e;
}

Expr apply(Op op, std::vector<Expr> args) {
  const Elem type = args.front().type;
  return apply(op, type, std::move(args));
}

Expr cast(Elem type, Expr value) {
  if (value.type == type)
    return value;
  Expr e;
  e.kind = Expr::Kind::Cast;
  e.type = type;
  e.args.push_back(std::move(value));
  return e;
}

void collectNames(const Expr &e, std::set<std::string> &names) {
  if (e.kind == Expr::Kind::Name || e.kind == Expr::Kind::Load)
    names.insert(e.text);
  for (const Expr &arg : e.args)
    collectNames(arg, names);
}

size_t weight(const Expr &e) {
  size_t sum = 1;
  for (const Expr &arg : e.args)
    sum += weight(arg);
  return sum;
}

} // namespace moac::tree
