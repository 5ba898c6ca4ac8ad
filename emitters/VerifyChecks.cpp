// Whether a function checks its arguments as its kernel asks: extents, conditions, pointers,
// overlap.
//
// The checks of sizes against overflow are written in more than one way for the same bound, so only
// what they protect is compared: the byte count of each array.
#include "emitters/TreeTerms.h"
#include "emitters/Verify.h"

#include <algorithm>
#include <fmt/format.h>

namespace moac::reading {
using namespace tree;

namespace {

Term leaf(std::string word) { return {std::move(word), {}, 0}; }

/// The alternatives of a condition: a || b || c.
void alternatives(const Term &condition, std::vector<const Term *> &out) {
  if (!condition.is("or")) {
    out.push_back(&condition);
    return;
  }
  for (const Term &part : condition.args)
    alternatives(part, out);
}

class Checks {
public:
  explicit Checks(const Term &checks) : checks(checks) {}

  /// A refusal with this status whenever the condition holds.
  bool refuses(const Term &condition, std::string_view status) const {
    return anyRefusal(status, [&](const Term &one) { return same(one, condition); });
  }
  /// A refusal under a condition that begins with this comparison, `A == NULL && ...`.
  bool refusesNull(const std::string &array) const {
    const Term null{"eq", {leaf(array), leaf("NULL")}, 0};
    return anyRefusal("MOAC_NULL_POINTER", [&](const Term &one) {
      return same(one, null) || (one.is("and") && same(one.args[0], null));
    });
  }
  const Term *definition(const std::string &head) const {
    for (const Term &statement : checks.args)
      if (statement.is(head) && statement.args.size() == 1)
        return &statement.args[0];
    return nullptr;
  }

private:
  template <class Holds> bool anyRefusal(std::string_view status, Holds holds) const {
    for (const Term &statement : checks.args) {
      if (!statement.is("if") || statement.args.size() != 2 || statement.args[1].args.size() != 1)
        continue;
      const Term &then = statement.args[1].args[0];
      if (!then.is("return") || then.args.size() != 1 || !then.args[0].is(status))
        continue;
      std::vector<const Term *> all = {&statement.args[0]};
      alternatives(statement.args[0], all);
      if (std::any_of(all.begin(), all.end(), [&](const Term *one) { return holds(*one); }))
        return true;
    }
    return false;
  }

  const Term &checks;
};

void checkExtents(const Kernel &kernel, const Checks &checks, std::vector<std::string> &missing) {
  for (const std::string &symbol : kernel.symbols)
    if (!checks.refuses({"lt", {leaf(symbol), leaf("0")}, 0}, "MOAC_EXTENT"))
      missing.push_back(fmt::format("a negative '{}' is not refused", symbol));
  for (const Let &extent : kernel.extents) {
    const Term *value = checks.definition("let i64 " + extent.name);
    if (!value || !same(*value, termOf(extent.value)))
      missing.push_back(
          fmt::format("the extent '{}' is not {}", extent.name, text(termOf(extent.value))));
    if (!checks.refuses({"lt", {leaf(extent.name), leaf("0")}, 0}, "MOAC_EXTENT"))
      missing.push_back(fmt::format("a negative '{}' is not refused", extent.name));
  }
  for (const Requirement &requirement : kernel.requirements) {
    const Term condition = termOf(apply(Op::not_, {requirement.condition}));
    if (!checks.refuses(condition, statusWord(requirement.status)))
      missing.push_back(fmt::format("the condition {} is not checked",
                                    requirement.text.empty() ? text(termOf(requirement.condition))
                                                             : requirement.text));
  }
}

} // namespace

std::vector<std::string> missingChecks(const Kernel &kernel, const Term &printed) {
  std::vector<std::string> missing;
  const Checks checks(printed);
  checkExtents(kernel, checks, missing);
  std::vector<const Array *> before;
  for (const std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
    for (const Array &array : *list) {
      if (!checks.refusesNull(array.name))
        missing.push_back(fmt::format("a null '{}' is not refused", array.name));
      const Term *bytes = checks.definition("let u64 " + array.bytes);
      if (bytes && !same(*bytes, bytesTerm(array.type, array.extents)))
        missing.push_back(fmt::format("'{}' is {}, not {}", array.bytes, text(*bytes),
                                      text(bytesTerm(array.type, array.extents))));
      for (const Array *other : before)
        if (list == &kernel.outputs && !checks.refuses({"call moac_overlap",
                                                        {leaf(array.name), leaf(array.bytes),
                                                         leaf(other->name), leaf(other->bytes)},
                                                        0},
                                                       "MOAC_ALIASING"))
          missing.push_back(
              fmt::format("overlap of '{}' and '{}' is not refused", array.name, other->name));
      before.push_back(&array);
    }
  return missing;
}

} // namespace moac::reading
