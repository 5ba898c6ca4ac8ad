// Calls of helper kernels in random terms, by name and under the rank operator.
#include "tests/property/AlgebraGenerator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace moac;
using namespace moac::property;

TermRef AlgebraGenerator::makeCall(const Goal &goal, const Scope &scope) {
  if (helpers.empty() || goal.shape.empty())
    return nullptr;
  const Kernel &callee = pick(helpers);
  const Statement &answer = callee.statements.back();
  if (answer.type != goal.type)
    return nullptr;
  std::map<std::string, shape::Expr> bound{{"P", goal.shape.back()}, {"Q", extent()}};
  for (const Parameter &parameter : callee.parameters)
    for (const shape::Expr &axis : parameter.shape)
      if (axis.substitute(bound).constant().value_or(0) < 0)
        return nullptr;
  auto argument = [&](const Parameter &parameter, const Extents &frame) {
    Extents shape = frame;
    for (const shape::Expr &axis : parameter.shape)
      shape.push_back(axis.substitute(bound));
    // The callee's bounds were computed for small data.
    TermRef term = make({parameter.type, shape, goal.depth - 1}, scope);
    if (term->bound > 4 || term->weak)
      term = this->parameter({parameter.type, shape, 0});
    if (isFloat(term->type) ||
        isInteger(term->type)) // an array of a storage type is not yet of that in which it computes
      term = build({std::string(spelling(term->type)) + "(", ")"}, {{term, Level::Or}}, Level::Atom,
                   {term->type, shape, 0}, term->bound);
    return term;
  };
  const Extents frame(goal.shape.begin(), goal.shape.end() - 1);
  const std::vector<std::string> free = callee.unbound();
  if (frame.empty()) {
    std::vector<std::string> pieces{callee.name + "("};
    for (const std::string &symbol : free)
      pieces[0] += bound.at(symbol).str() + ", ";
    std::vector<Slot> slots;
    for (const Parameter &parameter : callee.parameters) {
      slots.push_back({argument(parameter, {}), Level::Or});
      pieces.push_back(", ");
    }
    pieces.back() = ")";
    return build(pieces, slots, Level::Atom, goal, answer.value->bound);
  }
  const size_t count = callee.parameters.size();
  if (!free.empty() || count > 2)
    return nullptr;
  std::vector<size_t> ranks;
  for (const Parameter &parameter : callee.parameters)
    ranks.push_back(parameter.shape.size());
  const std::string section =
      fmt::format("({} {}<{}>) ", callee.name, word("omega", "Ω"), fmt::join(ranks, " "));
  if (count == 1)
    return build({section, ""}, {slot(argument(callee.parameters[0], frame), Level::Prefix)},
                 Level::Prefix, goal, answer.value->bound);
  const bool shared = chance(50);
  return build({"", " " + section, ""},
               {slot(argument(callee.parameters[0], frame), Level::Applied),
                slot(argument(callee.parameters[1], shared ? Extents{} : frame), Level::Worded)},
               Level::Applied, goal, answer.value->bound);
}
