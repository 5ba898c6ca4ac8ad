// Operators in random terms: reductions, scans, products, the rank operator, calls of kernels.
#include "tests/property/AlgebraGenerator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace moac;
using namespace moac::property;

namespace {
Extents part(const Extents &shape, size_t from, size_t to) {
  return {shape.begin() + static_cast<long>(from), shape.begin() + static_cast<long>(to)};
}
Extents joined(Extents a, const Extents &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
bool neverEmpty(const shape::Expr &extent) { return extentAt(extent, 0) >= 1; }
} // namespace

/// A function that may stand in red, scan and f.g, and how it lets values grow.
AlgebraGenerator::Fold AlgebraGenerator::fold(ElementType type, const shape::Expr &extent) {
  const double terms = extentAt(extent, 33);
  if (type == ElementType::bool_)
    return {chance(50) ? "and" : "or", [](double) { return 1.0; }, false};
  auto sum = [terms](double bound) { return bound * terms; };
  auto keep = [](double bound) { return bound; };
  auto anything = [](double) { return wild; };
  switch (random.below(isFloat(type) ? 6 : 9)) {
  case 0:
  case 1:
    return {"max", keep, isFloat(type) && !neverEmpty(extent)};
  case 2:
    return {"min", keep, isFloat(type) && !neverEmpty(extent)};
  case 3:
    if (typeClass(type) == TypeClass::Uint)
      return {"-", anything, false};
    return {"-", sum, false};
  case 6:
    return {word("*", "×"), anything, false};
  case 7:
    if (neverEmpty(extent))
      return {"mix" + suffix, anything, false};
    [[fallthrough]];
  default:
    if (typeClass(type) == TypeClass::Uint)
      return {"+", sum, false};
    return {"+", sum, false};
  }
}

/// red f, or the word for it, along an axis in the middle by omega.
TermRef AlgebraGenerator::makeReduction(const Goal &goal, const Scope &scope) {
  const shape::Expr axis = extent();
  if (goal.shape.empty() && chance(25)) { // over all axes
    TermRef all = make(goal.deeper(anyShape(3)), scope);
    if (goal.type == ElementType::bool_ || all->shape.empty())
      return nullptr;
    return build({chance(50) ? "sum (ravel " : "sum(ravel ", ")"}, {slot(all, Level::Prefix)},
                 Level::Prefix, goal, all->bound * extentAt(total(all->shape), 33));
  }
  const size_t frame =
      static_cast<size_t>(random.below(static_cast<int64_t>(goal.shape.size()) + 1));
  Extents from = joined(part(goal.shape, 0, frame),
                        joined({axis}, part(goal.shape, frame, goal.shape.size())));
  if (from.size() > 4)
    return nullptr;
  const size_t rank = from.size() - frame;
  if (!kernel.exact && isFloat(goal.type) && rank == 1 && chance(40)) {
    static const std::vector<const char *> words{"mean", "logsumexp"};
    TermRef operand =
        make(goal.deeper(joined(part(from, 0, from.size() - 1), {shape::Expr(2)})), scope);
    return inexact(build({fmt::format("({} {}<1>) ", pick(words), word("omega", "Ω")), ""},
                         {slot(operand, Level::Prefix)}, Level::Prefix, goal, operand->bound + 1));
  }
  const Fold f = fold(goal.type, axis);
  TermRef operand = make(goal.deeper(from), scope);
  std::string head;
  const std::string omega = fmt::format(" {}<{}>", word("omega", "Ω"), rank);
  static const std::map<std::string, std::string> words{
      {"+", "sum"}, {"max", "max"}, {"min", "min"}, {"*", "prod"}, {"and", "all"}, {"or", "any"}};
  const auto named = words.find(f.text);
  if (named != words.end() && chance(60))
    head = frame == 0 && chance(80) ? named->second + " "
                                    : fmt::format("({}{}) ", named->second, omega);
  else if (frame > 0 && chance(20))
    head = fmt::format("(((red {}){}) {}<{}>) ", f.text, omega, word("omega", "Ω"), from.size());
  else
    head = fmt::format("({}{}) ", chance(50) ? "red " + f.text : "(red " + f.text + ")",
                       frame == 0 && chance(80) ? "" : omega);
  if (head.starts_with("((") && head.ends_with(")) "))
    head = fmt::format("(red {}) ", f.text);
  TermRef term = build({head, ""}, {slot(operand, Level::Prefix)}, Level::Prefix, goal,
                       f.grow(operand->bound));
  return f.infinite ? clamped(term) : term;
}

TermRef AlgebraGenerator::makeScan(const Goal &goal, const Scope &scope) {
  if (goal.shape.empty())
    return nullptr;
  const size_t frame = static_cast<size_t>(random.below(static_cast<int64_t>(goal.shape.size())));
  if (!kernel.exact && isFloat(goal.type) && chance(40)) {
    TermRef operand = make(goal.deeper(), scope);
    return inexact(
        build({fmt::format("(softmax {}<{}>) ", word("omega", "Ω"), goal.shape.size() - frame), ""},
              {slot(operand, Level::Prefix)}, Level::Prefix, goal, 1));
  }
  const Fold f = fold(goal.type, goal.shape[frame]); // a scan's prefixes have an element
  TermRef operand = make(goal.deeper(), scope);
  const std::string head = frame == 0 ? fmt::format("(scan {}) ", f.text)
                                      : fmt::format("(scan {} {}<{}>) ", f.text, word("omega", "Ω"),
                                                    goal.shape.size() - frame);
  return build({head, ""}, {slot(operand, Level::Prefix)}, Level::Prefix, goal,
               f.grow(operand->bound));
}

TermRef AlgebraGenerator::makeArgument(const Goal &goal, const Scope &scope) {
  if (goal.type != ElementType::i64_ || goal.shape.size() > 3)
    return nullptr;
  const size_t frame =
      static_cast<size_t>(random.below(static_cast<int64_t>(goal.shape.size()) + 1));
  const Extents from = joined(part(goal.shape, 0, frame),
                              joined({extent()}, part(goal.shape, frame, goal.shape.size())));
  TermRef operand =
      make({kernel.exact ? mainType : ElementType::i32_, from, goal.depth - 1}, scope);
  if (!operand->exact || operand->type == ElementType::bool_)
    return nullptr;
  const char *which = chance(50) ? "argmax" : "argmin";
  const std::string head =
      frame == 0 ? fmt::format("{} ", which)
                 : fmt::format("({} {}<{}>) ", which, word("omega", "Ω"), from.size() - frame);
  return build({head, ""}, {slot(operand, Level::Prefix)}, Level::Prefix, goal, 40);
}

/// An operator between two operands whose result has the goal's type and shape.
std::optional<Section> AlgebraGenerator::section(const Goal &goal, int depth) {
  const Extents &w = goal.shape;
  Section made;
  made.left = made.right = goal.type;
  if (depth > 0 && chance(15) && !w.empty()) {
    const size_t frame = static_cast<size_t>(random.below(static_cast<int64_t>(w.size()) + 1));
    std::optional<Section> inner = section({goal.type, part(w, frame, w.size()), 0}, depth - 1);
    if (!inner)
      return std::nullopt;
    made = *inner;
    const std::string ranks = fmt::format("{}<{} {}>", word("omega", "Ω"), inner->leftCell.size(),
                                          inner->rightCell.size());
    made.text = chance(50) ? fmt::format("({} {})", inner->text, ranks)
                           : fmt::format("{} {}", inner->text, ranks);
    made.leftCell = joined(part(w, 0, frame), inner->leftCell);
    if (chance(60))
      made.rightCell = joined(part(w, 0, frame), inner->rightCell);
    return made;
  }
  const bool truth = goal.type == ElementType::bool_;
  std::string g;
  std::function<double(double, double)> grow = [](double a, double b) { return a + b; };
  const int64_t kind = random.below(5);
  if (truth && kind < 3) {
    g = std::vector<std::string>{"<", "<=", "==", "!=", ">"}[static_cast<size_t>(random.below(5))];
    made.left = made.right = kernel.exact ? mainType : ElementType::i32_;
    if (made.left == ElementType::bool_)
      made.left = made.right = ElementType::i32_;
  } else if (truth) {
    g = chance(50) ? "and" : "or";
  } else {
    g = kind == 0 ? "-" : kind == 1 ? "max" : kind == 2 ? "min" : kind == 3 ? "+" : word("*", "×");
    if (kind == 4)
      grow = [](double a, double b) { return a * b; };
    if (kind == 0 && typeClass(goal.type) == TypeClass::Uint)
      grow = [](double, double) { return wild; };
  }
  made.grow = grow;
  const size_t split = static_cast<size_t>(random.below(static_cast<int64_t>(w.size()) + 1));
  switch (random.below(3)) {
  case 0:
    made.text = g;
    made.leftCell = made.rightCell = w;
    if (chance(25))
      (chance(50) ? made.leftCell : made.rightCell).clear();
    return made;
  case 1:
    made.text = fmt::format("{} {}", word("outer", "•"), g);
    made.leftCell = part(w, 0, split);
    made.rightCell = part(w, split, w.size());
    return made;
  default:
    const shape::Expr axis = extent();
    const Fold f = fold(goal.type, axis);
    made.text = f.text + "." + g;
    made.leftCell = joined(part(w, 0, split), {axis});
    made.rightCell = joined({axis}, part(w, split, w.size()));
    made.grow = [f, grow](double a, double b) { return f.grow(grow(a, b)); };
    made.infinite = f.infinite;
    return made;
  }
}

TermRef AlgebraGenerator::applied(const Goal &goal, const Scope &scope, const Section &op,
                                  const std::string &text, Extents left, Extents right) {
  if (left.size() > 4 || right.size() > 4)
    return nullptr;
  TermRef a = make({op.left, std::move(left), goal.depth - 1}, scope),
          b = make({op.right, std::move(right), goal.depth - 1}, scope);
  if (op.left != goal.type && (!a->exact || !b->exact))
    return nullptr;
  TermRef term = build({"", fmt::format(" ({}) ", text), ""},
                       {slot(a, Level::Applied), slot(b, Level::Worded)}, Level::Applied, goal,
                       op.grow(a->bound, b->bound));
  return op.infinite ? clamped(term) : term;
}

TermRef AlgebraGenerator::makeSection(const Goal &goal, const Scope &scope) {
  const std::optional<Section> op = section(goal, 1);
  return op ? applied(goal, scope, *op, op->text, op->leftCell, op->rightCell) : nullptr;
}

/// The rank operator with frames of any two lengths: trailing axes pair, the others come first.
TermRef AlgebraGenerator::makeCells(const Goal &goal, const Scope &scope) {
  const size_t rank = goal.shape.size(),
               cell = static_cast<size_t>(random.below(static_cast<int64_t>(rank) + 1));
  const std::optional<Section> op = section({goal.type, part(goal.shape, rank - cell, rank), 0}, 1);
  if (!op)
    return nullptr;
  const size_t frame = rank - cell,
               alone = static_cast<size_t>(random.below(static_cast<int64_t>(frame) + 1));
  Extents longer = part(goal.shape, 0, frame), shorter = part(goal.shape, alone, frame);
  if (chance(50))
    std::swap(longer, shorter);
  const std::string text = fmt::format("{} {}<{} {}>", op->text, word("omega", "Ω"),
                                       op->leftCell.size(), op->rightCell.size());
  return applied(goal, scope, *op, text, joined(longer, op->leftCell),
                 joined(shorter, op->rightCell));
}

/// Words and functions on cells.
TermRef AlgebraGenerator::makeWordOmega(const Goal &goal, const Scope &scope) {
  const size_t rank = goal.shape.size(),
               cell = static_cast<size_t>(random.below(static_cast<int64_t>(rank) + 1));
  Extents frame = part(goal.shape, 0, rank - cell), inner = part(goal.shape, rank - cell, rank);
  std::string head;
  auto omega = [&](const std::string &f, size_t of) {
    return fmt::format("({} {}<{}>) ", f, word("omega", "Ω"), of);
  };
  auto cells = [&](const std::string &vector, const std::string &f, size_t of) {
    return fmt::format("<{}> ({} {}<1 {}>) ", vector, f, word("omega", "Ω"), of);
  };
  const int64_t count = random.below(3);
  Level level = Level::Prefix;
  if (inner.empty()) {
    if (goal.type == ElementType::bool_)
      return nullptr;
    head = omega("abs", 0);
  } else {
    switch (random.below(7)) {
    case 0:
      head = omega(word("reverse", "⌽"), cell);
      break;
    case 1:
      head = omega(word("transpose", "⍉"), cell);
      std::ranges::reverse(inner);
      break;
    case 2: {
      const std::optional<Extents> other = refactored(inner);
      if (cell != 1 || !other)
        return nullptr;
      inner = *other;
      head = omega("ravel", inner.size());
      break;
    }
    case 3:
      level = Level::Applied;
      head = cells(std::to_string(count - 1), "rotate", cell);
      break;
    case 4:
      level = Level::Applied;
      head = cells(inner[0].str(), word("take", "△"), cell);
      inner[0] = inner[0] + shape::Expr(count);
      break;
    case 5:
      level = Level::Applied;
      head = cells(std::to_string(count), word("drop", "▽"), cell);
      inner[0] = inner[0] + shape::Expr(count);
      break;
    default: {
      const std::optional<Extents> other = refactored(inner);
      if (!other)
        return nullptr;
      level = Level::Applied;
      head = cells(listed(inner), "reshape", other->size());
      inner = *other;
    }
    }
  }
  Extents from = joined(frame, inner);
  if (from.size() > 4)
    return nullptr;
  TermRef operand = make(goal.deeper(from), scope);
  return build({head, ""}, {slot(operand, level == Level::Prefix ? Level::Prefix : Level::Worded)},
               level, goal, operand->bound);
}
