// Looking things up in a language table, and finding what a table forgot.
#include "emitters/LangTraits.h"

#include <algorithm>
#include <fmt/format.h>

namespace moac::emit {

Text unsupported(std::string reason) {
  Text text(std::move(reason));
  text.has = false;
  return text;
}

const OpRow *findOp(const LangTraits &lang, Op op, Elem operand) {
  for (const OpRow &row : lang.ops)
    if (row.op == op && (row.operands & only(operand)))
      return &row;
  return nullptr;
}

const CastRow *findCast(const LangTraits &lang, Elem from, Elem to) {
  for (const CastRow &row : lang.casts)
    if ((row.from & only(from)) && (row.to & only(to)))
      return &row;
  return nullptr;
}

const UpdateRow *findUpdate(const std::vector<UpdateRow> &rows, Op op, Elem operand) {
  for (const UpdateRow &row : rows)
    if (row.op == op && (row.operands & only(operand)))
      return &row;
  return nullptr;
}

const LiteralRow *findLiteral(const LangTraits &lang, Elem type) {
  for (const LiteralRow &row : lang.literals)
    if (row.types & only(type))
      return &row;
  return nullptr;
}

namespace {

/// Operand types that an operation can meet: the classes of ir/ScalarFunctions.def.
TypeSet operandTypes(Op op) {
  constexpr TypeSet Arith = types::index | types::integers | types::floats;
  constexpr TypeSet Compare = Arith | types::boolean;
  constexpr TypeSet Logic = types::boolean;
  constexpr TypeSet Float = types::floats;
  switch (op) {
#define SCALAR_FN(kind, arity, klass)                                                              \
  case Op::kind##_:                                                                                \
    return klass;
#include "ir/ScalarFunctions.def"
  case Op::select_:
    return types::values;
  case Op::quotient_:
  case Op::remainder_:
    return types::index;
  case Op::exp_down_:
  case Op::exp2_down_:
    return types::floats;
  }
  return 0;
}

template <class Visit> void forEachType(TypeSet set, Visit visit) {
  for (unsigned i = 0; i < tree::numElems; ++i)
    if (set & only(static_cast<Elem>(i)))
      visit(static_cast<Elem>(i));
}

void holesInOps(const LangTraits &lang, std::vector<std::string> &found) {
  for (unsigned i = 0; i < tree::numOps; ++i) {
    const Op op = static_cast<Op>(i);
    forEachType(operandTypes(op), [&](Elem type) {
      const OpRow *row = findOp(lang, op, type);
      if (!row)
        found.push_back(fmt::format("{} on {}", tree::opName(op), tree::elemName(type)));
      else if (row->text.supported() && row->binds.size() != tree::opArity(op))
        found.push_back(fmt::format("binding of the operands of {}", tree::opName(op)));
    });
  }
}

template <class Key, class Describe>
void holesInList(const std::vector<std::pair<Key, Text>> &list, unsigned count, Describe describe,
                 std::vector<std::string> &found) {
  for (unsigned i = 0; i < count; ++i) {
    const Key key = static_cast<Key>(i);
    if (std::none_of(list.begin(), list.end(), [&](auto &row) { return row.first == key; }))
      found.push_back(describe(key));
  }
}

} // namespace

std::vector<std::string> holes(const LangTraits &lang) {
  std::vector<std::string> found;
  holesInOps(lang, found);
  forEachType(types::all, [&](Elem from) {
    forEachType(types::all & ~only(from), [&](Elem to) {
      if (!findCast(lang, from, to))
        found.push_back(fmt::format("cast {} to {}", tree::elemName(from), tree::elemName(to)));
    });
  });
  forEachType(types::values & ~types::boolean, [&](Elem type) {
    if (!findLiteral(lang, type))
      found.push_back(fmt::format("literal of {}", tree::elemName(type)));
  });
  holesInList(
      lang.typeNames, tree::numElems,
      [](Elem type) { return fmt::format("name of {}", tree::elemName(type)); }, found);
  holesInList(
      lang.statuses, tree::numStatuses,
      [](tree::Status status) { return fmt::format("status {}", static_cast<int>(status)); },
      found);
  for (Op op : {Op::add_, Op::mul_, Op::max_, Op::min_})
    if (std::none_of(lang.laneReductions.begin(), lang.laneReductions.end(),
                     [&](auto &row) { return row.first == op; }))
      found.push_back(fmt::format("lane reduction {}", tree::opName(op)));
  return found;
}

} // namespace moac::emit
