// Function by function: what a C file holds against what its kernels become.
#include "emitters/Verify.h"
#include "ir/Tuned.h"
#include "emitters/CSupport.h"
#include "emitters/TreeTerms.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace moac::reading {
using namespace tree;

namespace {

/// `if (condition) { return something; }`
bool isRefusal(const Term &statement) {
  return statement.is("if") && statement.args.size() == 2 && statement.args[1].args.size() == 1 &&
         statement.args[1].args[0].is("return");
}

bool isCheck(const Term &statement, const Kernel &kernel) {
  if (isRefusal(statement) || statement.is("to void") || statement.begins("let u64 "))
    return true;
  return std::any_of(kernel.extents.begin(), kernel.extents.end(),
                     [&](const Let &extent) { return statement.is("let i64 " + extent.name); });
}

} // namespace

Parts partsOf(const ReadFunction &function, const Kernel &kernel) {
  const std::vector<Term> &all = function.block.args;
  size_t at = 0;
  const auto top =
      std::find_if(all.begin(), all.end(), [](const Term &s) { return s.is("var char* top"); });
  if (top != all.end()) // buffers are taken from here on
    at = static_cast<size_t>(top - all.begin()) + 1;
  else
    while (at < all.size() && isCheck(all[at], kernel))
      ++at;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(at);
  return {{"block", {all.begin(), middle}, function.line},
          {"block", {middle, all.end()}, function.line}};
}

namespace {

class Verifier {
public:
  Verifier(const File &file, const CReading &reading, const std::string &text)
      : file(file), reading(reading), text(text) {}

  std::vector<std::string> run() {
    for (const std::string &problem : reading.problems)
      wrong.push_back("clang: " + problem);
    if (!wrong.empty())
      return wrong;
    for (const Kernel &kernel : file.kernels)
      for (const Expected &expected : expectedFunctions(kernel))
        function(expected);
    for (const std::string &other : reading.others)
      wrong.push_back(other + " is not part of any kernel");
    support();
    statuses();
    return std::move(wrong);
  }

private:
  void function(const Expected &expected) {
    known.insert(expected.name);
    const auto found =
        std::find_if(reading.functions.begin(), reading.functions.end(),
                     [&](const ReadFunction &one) { return one.name == expected.name; });
    if (found == reading.functions.end()) {
      wrong.push_back(fmt::format("the function '{}' is missing", expected.name));
      return;
    }
    if (expected.name == expected.kernel->name + "_run")
      known.insert(expected.kernel->name + "_ws_size");
    Parts parts;
    if (expected.forwards)
      parts.work = found->block;
    else
      parts = partsOf(*found, *expected.kernel);
    report(expected.name, compare(expected.block, parts.work));
    if (!expected.forwards)
      report(expected.name, missingChecks(*expected.kernel, parts.checks));
  }

  void report(const std::string &name, const std::vector<std::string> &differences) {
    for (const std::string &difference : differences)
      wrong.push_back(fmt::format("function '{}', {}", name, difference));
  }

  /// Other functions must be support functions in the registry's own words.
  void support() {
    for (const ReadFunction &one : reading.functions) {
      if (known.count(one.name))
        continue;
      const auto entry =
          std::find_if(cSupport().begin(), cSupport().end(),
                       [&](const emit::Support &support) { return support.name == one.name; });
      if (entry == cSupport().end())
        wrong.push_back(
            fmt::format("line {}: the function '{}' belongs to no kernel", one.line, one.name));
      else if (text.find(entry->text) == std::string::npos)
        wrong.push_back(fmt::format("line {}: '{}' is not as moac defines it", one.line, one.name));
    }
  }

  static const std::vector<emit::Support> &cSupport() { return emit::cSupport(); }

  void statuses() {
    for (const auto &[name, value] : reading.enumerators) {
      Term expected;
      bool right = false;
      for (unsigned status = 0; status < numStatuses; ++status)
        right |= statusWord(static_cast<Status>(status)) == name &&
                 value == -static_cast<int64_t>(status);
      if (const std::optional<Tuned> tuned = findTuned(name))
        right = std::find(tuned->values.begin(), tuned->values.end(), value) !=
                tuned->values.end();
      if (!right)
        wrong.push_back(fmt::format("the constant '{}' must not be {}", name, value));
    }
  }

  const File &file;
  const CReading &reading;
  const std::string &text;
  std::vector<std::string> wrong;
  std::set<std::string> known;
};

} // namespace

Work workOf(const CReading &reading, const Kernel &kernel) {
  const std::string name = expectedFunctions(kernel).front().name;
  std::set<std::string> extents;
  for (const Let &extent : kernel.extents)
    extents.insert(extent.name);
  for (const ReadFunction &function : reading.functions)
    if (function.name == name)
      return workOf(partsOf(function, kernel).work, extents);
  return {};
}

std::vector<std::string> verifyC(const File &file, const CReading &reading,
                                 const std::string &text) {
  return Verifier(file, reading, text).run();
}

} // namespace moac::reading
