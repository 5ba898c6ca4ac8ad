// Expressions: spelling from the table's rows, parentheses from their precedence numbers.
#include "emitters/Printer.h"
#include "ir/Tuned.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace moac::emit {
using namespace tree;

std::string Printer::typeName(Elem type) {
  for (const auto &[elem, text] : lang.typeNames)
    if (elem == type)
      return use(text);
  return "";
}

std::string Printer::statusName(Status status) {
  for (const auto &[key, text] : lang.statuses)
    if (key == status)
      return use(text);
  return "";
}

std::string Printer::expression(const Expr &e, int binds) {
  Spelled spelled = e.kind == Expr::Kind::Cast ? spellCast(e, binds) : spell(e);
  return spelled.precedence < binds ? "(" + spelled.text + ")" : spelled.text;
}

Printer::Spelled Printer::spell(const Expr &e) {
  switch (e.kind) {
  case Expr::Kind::Integer:
    return spellInteger(e);
  case Expr::Kind::Real:
    return spellReal(e);
  case Expr::Kind::Name:
    if (findTuned(e.text))
      addWords(e.text); // the prologue defines it
    return {e.text, lang.primaryPrecedence};
  case Expr::Kind::Load:
    return {fillRow(use(lang.load), {{"array", e.text}, {"offset", expression(e.args[0])}}),
            lang.primaryPrecedence};
  case Expr::Kind::Apply:
    return spellApply(e);
  case Expr::Kind::Cast:
    return spellCast(e, 0);
  }
  return {"", lang.primaryPrecedence};
}

Printer::Spelled Printer::literal(Elem type, std::string digits, const Text &text, bool negative) {
  std::string spelled = fill(use(text), {{"v", digits}, {"type", typeName(type)}});
  return negative ? Spelled{"-" + spelled, lang.negativePrecedence}
                  : Spelled{spelled, lang.primaryPrecedence};
}

Printer::Spelled Printer::spellInteger(const Expr &e) {
  if (e.type == Elem::Bool)
    return {use(e.integer ? lang.literalTrue : lang.literalFalse), lang.primaryPrecedence};
  const LiteralRow *row = findLiteral(lang, e.type);
  if (!row) {
    problem(fmt::format("no literals of type {}", elemName(e.type)));
    return {"", lang.primaryPrecedence};
  }
  if (isUnsigned(e.type)) {
    const uint64_t bits = static_cast<uint64_t>(e.integer);
    const uint64_t value = e.type == Elem::U64 ? bits : bits & 0xffffffffu;
    return literal(e.type, std::to_string(value), value >> 31 ? row->large : row->small, false);
  }
  const bool lowest = e.type == Elem::I32 ? e.integer == std::numeric_limits<int32_t>::min()
                                          : e.integer == std::numeric_limits<int64_t>::min();
  if (lowest)
    return {use(row->lowest), lang.primaryPrecedence};
  const int64_t magnitude = e.integer < 0 ? -e.integer : e.integer;
  return literal(e.type, std::to_string(magnitude), magnitude >> 31 ? row->large : row->small,
                 e.integer < 0);
}

std::string realDigits(double value, Elem type) {
  value = std::fabs(value);
  std::string digits =
      type == Elem::F32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (digits.find_first_of(".en") == std::string::npos)
    digits += ".0";
  return digits;
}

Printer::Spelled Printer::spellReal(const Expr &e) {
  const LiteralRow *row = findLiteral(lang, e.type);
  if (!row) {
    problem(fmt::format("no literals of type {}", elemName(e.type)));
    return {"", lang.primaryPrecedence};
  }
  const double value = e.type == Elem::F32 ? static_cast<float>(e.real) : e.real;
  if (std::isnan(value))
    return literal(e.type, "", row->nan, false);
  if (std::isinf(value))
    return literal(e.type, "", row->infinity, value < 0);
  return literal(e.type, realDigits(value, e.type), row->small, std::signbit(value));
}

Printer::Spelled Printer::spellApply(const Expr &e) {
  const OpRow *row = findOp(lang, e.op, e.args.back().type);
  if (!row || !row->text.supported()) {
    problem(row ? row->text.reason()
                : fmt::format("no {} on {}", opName(e.op), elemName(e.args.back().type)));
    return {"", lang.primaryPrecedence};
  }
  static constexpr std::string_view holeNames[] = {"0", "1", "2"};
  std::vector<Fill> values;
  for (size_t i = 0; i < e.args.size() && i < 3; ++i) {
    const Expr &arg = e.args[i];
    const bool bare = i == 0 && row->chain && arg.kind == Expr::Kind::Apply &&
                      findOp(lang, arg.op, arg.args.back().type) == row;
    values.emplace_back(holeNames[i], expression(arg, bare ? 0 : row->binds[i]));
  }
  return {fillRow(use(row->text), values), row->precedence};
}

Printer::Spelled Printer::spellCast(const Expr &e, int binds) {
  const Elem from = e.args[0].type;
  const CastRow *row = findCast(lang, from, e.type);
  if (!row || !row->text.supported()) {
    problem(row ? row->text.reason()
                : fmt::format("no conversion of {} to {}", elemName(from), elemName(e.type)));
    return {"", lang.primaryPrecedence};
  }
  if (row->text.pattern() == "{0}") // the types are one in this language
    return {expression(e.args[0], binds), lang.primaryPrecedence};
  return {fillRow(use(row->text),
                  {{"0", expression(e.args[0], row->binds)}, {"type", typeName(e.type)}}),
          row->precedence};
}

} // namespace moac::emit
