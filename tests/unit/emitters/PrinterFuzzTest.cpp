// Random expression trees of depth 5, printed as C, compiled in one batch and compared with their
// evaluation here. A lost or wrong parenthesis, a wrapping operation that does not wrap, a cast
// that does not saturate shows as a difference. The seed is printed; MOAC_SEED repeats a run.
#include "emitters/C.h"
#include "emitters/CSupport.h"
#include "emitters/Printer.h"
#include "tests/unit/emitters/CompileC.h"
#include "tests/unit/emitters/EmitTrees.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace moac;
using namespace moac::emit;
using namespace moac::tree;

namespace {

/// Integers and bool in `i` (U64 as its bits), floats in `d`.
struct Value {
  int64_t i = 0;
  double d = 0;
};

int64_t wrapped(Elem type, __int128 value) {
  const uint64_t bits = static_cast<uint64_t>(value);
  switch (type) {
  case Elem::I32:
    return static_cast<int32_t>(bits);
  case Elem::U32:
    return static_cast<uint32_t>(bits);
  default:
    return static_cast<int64_t>(bits);
  }
}

__int128 number(Elem type, const Value &v) {
  return type == Elem::U64 ? static_cast<__int128>(static_cast<uint64_t>(v.i)) : v.i;
}

__int128 floorDivide(__int128 a, __int128 b) {
  return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}

template <class T> T floatOp(Op op, T a, T b, T c) {
  switch (op) {
  case Op::add_:
    return a + b;
  case Op::sub_:
    return a - b;
  case Op::mul_:
    return a * b;
  case Op::div_:
    return a / b;
  case Op::min_:
    return std::isnan(a) || std::isnan(b) ? static_cast<T>(NAN) : std::min(a, b);
  case Op::max_:
    return std::isnan(a) || std::isnan(b) ? static_cast<T>(NAN) : std::max(a, b);
  case Op::neg_:
    return -a;
  case Op::abs_:
    return std::fabs(a);
  case Op::fma_:
    return std::fma(a, b, c);
  case Op::floordiv_:
    return std::floor(a / b);
  case Op::sqrt_:
    return std::sqrt(a);
  case Op::floor_:
    return std::floor(a);
  case Op::ceil_:
    return std::ceil(a);
  case Op::round_:
    return std::rint(a);
  default:
    return std::exp(a);
  }
}

int64_t integerOp(Op op, Elem type, __int128 a, __int128 b) {
  switch (op) {
  case Op::add_:
    return wrapped(type, a + b);
  case Op::sub_:
    return wrapped(type, a - b);
  case Op::mul_:
    return wrapped(type,
                   static_cast<__int128>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)));
  case Op::neg_:
    return wrapped(type, -a);
  case Op::abs_:
    return wrapped(type, a < 0 ? -a : a);
  case Op::min_:
    return wrapped(type, std::min(a, b));
  case Op::max_:
    return wrapped(type, std::max(a, b));
  case Op::floordiv_:
  case Op::quotient_:
    return wrapped(type, floorDivide(a, b));
  default:
    return wrapped(type, b == 0 ? 0 : a - b * floorDivide(a, b));
  }
}

template <class T> bool compareOp(Op op, T a, T b) {
  switch (op) {
  case Op::eq_:
    return a == b;
  case Op::ne_:
    return a != b;
  case Op::lt_:
    return a < b;
  case Op::le_:
    return a <= b;
  case Op::gt_:
    return a > b;
  default:
    return a >= b;
  }
}

int64_t saturated(Elem type, double x) {
  const bool isSigned = type == Elem::I32 || type == Elem::I64;
  const int bits = type == Elem::I32 || type == Elem::U32 ? 32 : 64;
  const long double hi = std::ldexp(1.0L, isSigned ? bits - 1 : bits) - 1;
  const long double lo = isSigned ? -hi - 1 : 0;
  if (std::isnan(x))
    return 0;
  const long double t = std::clamp(std::trunc(static_cast<long double>(x)), lo, hi);
  return t < 0 ? static_cast<int64_t>(t) : static_cast<int64_t>(static_cast<uint64_t>(t));
}

class Evaluator {
public:
  std::map<std::string, Value> variables;

  Value operator()(const Expr &e) const {
    switch (e.kind) {
    case Expr::Kind::Integer:
      return {e.integer, 0};
    case Expr::Kind::Real:
      return {0, e.real};
    case Expr::Kind::Name:
      return variables.at(e.text);
    case Expr::Kind::Cast:
      return convert(e.args[0].type, e.type, (*this)(e.args[0]));
    default:
      return applied(e);
    }
  }

private:
  Value applied(const Expr &e) const {
    if (e.op == Op::select_)
      return (*this)(e.args[(*this)(e.args[0]).i ? 1 : 2]);
    Value v[3];
    for (size_t k = 0; k < e.args.size(); ++k)
      v[k] = (*this)(e.args[k]);
    const Elem type = e.args[0].type;
    if (type == Elem::Bool && e.op >= Op::and_ && e.op <= Op::not_)
      return {e.op == Op::and_ ? v[0].i & v[1].i : e.op == Op::or_ ? v[0].i | v[1].i : !v[0].i, 0};
    if (e.type == Elem::Bool)
      return {isFloat(type) ? compareOp(e.op, v[0].d, v[1].d)
                            : compareOp(e.op, number(type, v[0]), number(type, v[1])),
              0};
    if (type == Elem::F64)
      return {0, floatOp(e.op, v[0].d, v[1].d, v[2].d)};
    if (type == Elem::F32)
      return {0, floatOp(e.op, static_cast<float>(v[0].d), static_cast<float>(v[1].d),
                         static_cast<float>(v[2].d))};
    return {integerOp(e.op, type, number(type, v[0]), number(type, v[1])), 0};
  }

  static Value convert(Elem from, Elem to, const Value &v) {
    if (to == Elem::Bool)
      return {isFloat(from) ? v.d != 0 : v.i != 0, 0};
    if (isFloat(from))
      return isFloat(to) ? Value{0, to == Elem::F32 ? static_cast<float>(v.d) : v.d}
                         : Value{saturated(to, v.d), 0};
    if (!isFloat(to))
      return {wrapped(to, v.i), 0};
    if (from == Elem::U64)
      return {0, to == Elem::F32 ? static_cast<float>(static_cast<uint64_t>(v.i))
                                 : static_cast<double>(static_cast<uint64_t>(v.i))};
    return {0, to == Elem::F32 ? static_cast<float>(v.i) : static_cast<double>(v.i)};
  }
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  Evaluator evaluator;

  void makeVariables() {
    for (Elem type : valueTypes)
      for (int k = 0; k < 3; ++k)
        evaluator.variables[variable(type, k)] = extreme(type);
  }
  static std::string variable(Elem type, int k) { return fmt::format("{}{}", elemName(type), k); }

  Expr expression(Elem type, int depth) {
    if (depth == 0 || pick(8) == 0)
      return leaf(type);
    if (pick(6) == 0)
      return apply(Op::select_, type,
                   {expression(Elem::Bool, depth - 1), expression(type, depth - 1),
                    expression(type, depth - 1)});
    if (type == Elem::Bool)
      return condition(depth - 1);
    if (type != Elem::Index && pick(5) == 0) {
      const Elem from = valueTypes[pick(valueTypes.size())];
      return cast(type, expression(from, depth - 1));
    }
    if (isFloat(type)) {
      static constexpr Op ops[] = {Op::add_, Op::sub_,   Op::mul_,      Op::div_,  Op::neg_,
                                   Op::min_, Op::max_,   Op::abs_,      Op::fma_,  Op::floor_,
                                   Op::add_, Op::round_, Op::floordiv_, Op::sqrt_, Op::sub_,
                                   Op::mul_, Op::ceil_};
      return operation(ops[pick(std::size(ops))], type, depth);
    }
    static constexpr Op ops[] = {Op::add_, Op::sub_, Op::mul_, Op::neg_, Op::abs_, Op::floordiv_,
                                 Op::min_, Op::max_, Op::mod_, Op::add_, Op::sub_, Op::quotient_};
    const Op op = ops[pick(std::size(ops))];
    if (op != Op::quotient_)
      return operation(op, type, depth);
    if (type != Elem::Index)
      return leaf(type);
    const Expr divisor = integer(1 + static_cast<int64_t>(pick(4)));
    return apply(pick(2) ? Op::quotient_ : Op::remainder_,
                 {apply(Op::abs_, {expression(type, depth - 1)}), divisor});
  }

  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }
  static constexpr std::array<Elem, 8> valueTypes = {Elem::Index, Elem::Bool, Elem::I32, Elem::I64,
                                                     Elem::U32,   Elem::U64,  Elem::F32, Elem::F64};

private:
  Expr operation(Op op, Elem type, int depth) {
    std::vector<Expr> args;
    for (unsigned k = 0; k < opArity(op); ++k)
      args.push_back(expression(type, depth - 1));
    return apply(op, std::move(args));
  }

  Expr condition(int depth) {
    if (pick(2)) {
      const Op op = static_cast<Op>(static_cast<size_t>(Op::and_) + pick(3));
      return operation(op, Elem::Bool, depth + 1);
    }
    const Op op = static_cast<Op>(static_cast<size_t>(Op::eq_) + pick(6));
    const Elem type = valueTypes[pick(valueTypes.size())];
    return apply(op, Elem::Bool, {expression(type, depth), expression(type, depth)});
  }

  Expr leaf(Elem type) {
    if (pick(2))
      return name(variable(type, static_cast<int>(pick(3))), type);
    const Value v = extreme(type);
    return isFloat(type) ? real(v.d, type) : integer(v.i, type);
  }

  /// Small numbers mostly, else the ends of the type. Index values stay small: their arithmetic is
  /// plain.
  Value extreme(Elem type) {
    if (type == Elem::Index || (type != Elem::Bool && pick(2)))
      return isFloat(type)      ? Value{0, (static_cast<double>(pick(13)) - 6) / 4}
             : isUnsigned(type) ? Value{static_cast<int64_t>(pick(4)), 0}
                                : Value{static_cast<int64_t>(pick(7)) - 3, 0};
    switch (type) {
    case Elem::Bool:
      return {static_cast<int64_t>(pick(2)), 0};
    case Elem::F32:
    case Elem::F64: {
      const double large = type == Elem::F32 ? 3e38 : 1e308,
                   tiny = type == Elem::F32 ? 1e-45 : 5e-324;
      const double values[] = {large, -large, tiny,    INFINITY, -INFINITY,
                               NAN,   0x1p31, -0x1p63, 0x1p64};
      const double value = values[pick(std::size(values))];
      return {0, type == Elem::F32 ? static_cast<float>(value) : value};
    }
    default: {
      const uint64_t bits[] = {0x7fffffff,  0x80000000,        0xffffffff,
                               UINT64_MAX,  uint64_t{1} << 63, (uint64_t{1} << 63) - 1,
                               0x100000001, random()};
      return {wrapped(type, static_cast<__int128>(bits[pick(std::size(bits))])), 0};
    }
    }
  }

  std::mt19937_64 random;
};

std::string literalOf(Printer &printer, Elem type, const Value &v) {
  return withoutMarks(printer.expression(isFloat(type) ? real(v.d, type) : integer(v.i, type)));
}

/// A program that prints the bits of every expression, one a line.
std::string program(const std::vector<Expr> &expressions, const Evaluator &evaluator) {
  Printer printer(cTraits());
  std::string variables, functions, calls;
  for (Elem type : Generator::valueTypes)
    for (int k = 0; k < 3; ++k) {
      const std::string word = Generator::variable(type, k);
      variables += fmt::format("{} {} = {};\n", printer.typeName(type), word,
                               literalOf(printer, type, evaluator.variables.at(word)));
    }
  for (size_t k = 0; k < expressions.size(); ++k) {
    printer.lines(
        fmt::format("static {} value_{}(void) {{", printer.typeName(expressions[k].type), k));
    printer.line("  return " + printer.expression(expressions[k]) + ";");
    printer.line("}");
    const char *show = isFloat(expressions[k].type) ? "show_real" : "show_integer";
    calls += fmt::format("  {}(value_{}());\n", show, k);
  }
  functions = printer.take();
  std::set<std::string> words = printer.words();
  for (const char *word : {"int64_t", "uint64_t", "memcpy"})
    words.insert(word);
  const Prologue prologue = cPrologue(words, true);
  std::string text = "#include <inttypes.h>\n#include <stdio.h>\n";
  for (const std::string &header : prologue.headers)
    text += "#include " + header + "\n";
  for (std::string_view definition : prologue.definitions)
    text += definition;
  return text + variables + functions +
         "static void show_integer(int64_t x) { printf(\"%\" PRIx64 \"\\n\", (uint64_t)x); }\n"
         "static void show_real(double x) {\n  uint64_t bits;\n  memcpy(&bits, &x, sizeof x);\n"
         "  printf(\"%\" PRIx64 \"\\n\", bits);\n}\n"
         "int main(void) {\n" +
         calls + "  return 0;\n}\n";
}

TEST(PrinterFuzz, PrintedExpressionsMeanTheSame) {
  const char *given = std::getenv("MOAC_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  SCOPED_TRACE(fmt::format("MOAC_SEED={}", seed));
  Generator generator(seed);
  generator.makeVariables();
  std::vector<Expr> expressions;
  for (int k = 0; k < 400; ++k)
    expressions.push_back(generator.expression(
        Generator::valueTypes[generator.pick(Generator::valueTypes.size())], 5));
  test::Scratchpad pad;
  pad.write("t.c", program(expressions, generator.evaluator));
  ASSERT_EQ(pad.run("gcc -std=c11 -O0 -ffp-contract=off -Wall -Wextra -Wpedantic -Werror "
                    "-Wno-type-limits -Wno-tautological-compare -Wno-overflow -Wno-bool-compare "
                    "-fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all "
                    "t.c -lm -o t && ./t > out"),
            0)
      << pad.output;
  std::ifstream out(pad.path("out"));
  Printer printer(cTraits());
  for (const Expr &e : expressions) {
    uint64_t bits = 0;
    ASSERT_TRUE(out >> std::hex >> bits);
    const Value want = generator.evaluator(e);
    const double got = std::bit_cast<double>(bits);
    const bool same = isFloat(e.type) ? got == want.d || (std::isnan(got) && std::isnan(want.d))
                                      : bits == static_cast<uint64_t>(want.i);
    EXPECT_TRUE(same) << withoutMarks(printer.expression(e)) << "\ngot " << got << " or "
                      << static_cast<int64_t>(bits) << ", want " << want.d << " or " << want.i;
  }
}

} // namespace
