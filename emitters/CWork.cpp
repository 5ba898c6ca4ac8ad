// The work of a C function, from its terms.
#include "emitters/Work.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace moac::reading {
namespace {

/// How often a variable is assigned in a statement, at any depth.
unsigned assignmentsTo(const std::string &name, const Term &term) {
  unsigned count = term.is("=") && term.args[0].is(name);
  for (const Term &part : term.args)
    count += assignmentsTo(name, part);
  return count;
}

class CWork {
public:
  explicit CWork(const std::set<std::string> &extents) : extents(extents) {}

  void block(const Term &block, size_t leftOut = 0) {
    for (size_t i = 0; i + leftOut < block.args.size(); ++i) {
      statement(block.args[i]);
      if (const auto declared = known.find(lastWord(block.args[i].head));
          declared != known.end() && block.args[i].begins("var ") && block.args[i].args.empty())
        for (size_t later = i + 1; later < block.args.size(); ++later)
          declared->second.assignments += assignmentsTo(declared->first, block.args[later]);
    }
  }

  Work work;

private:
  struct Register {
    unsigned level;
    bool isBool;
    unsigned number; // a name may be used again in another block
    unsigned assignments = 0;
  };

  static std::string lastWord(const std::string &head) { return head.substr(head.rfind(' ') + 1); }

  Work::Value registerValue(const std::string &name, const Register &facts) {
    return work.leaf(fmt::format("register {} {}", name, facts.number), false, facts.level);
  }

  void statement(const Term &s) {
    if (isLoop(s))
      return loop(s);
    if (isRegion(s))
      return block(s.args[1]);
    if (s.is("if"))
      return branch(s);
    if (s.is("="))
      return assign(s);
    if (s.is("atomic"))
      return assign(s.args[0]);
    if (s.begins("let "))
      values[lastWord(s.head)] = value(s.args[0]);
    else if (s.begins("array "))
      arrays[lastWord(s.head)] = fmt::format("local {}", ++locals);
    else if (s.begins("var "))
      variable(s);
  }

  void variable(const Term &s) {
    const std::string name = lastWord(s.head);
    if (!s.args.empty() && s.args[0].is("call moac_take")) {
      const bool shared = s.args[0].args[0].args[0].is("top");
      arrays[name] = shared ? fmt::format("shared {}", ++sharedBuffers)
                            : fmt::format("thread {}", ++threadBuffers);
      return;
    }
    if (s.head.find("* ") != s.head.npos) // a piece of memory
      return;
    const Register facts{work.current(), s.begins("var bool "), ++registers};
    known[name] = facts;
    const Work::Value target = registerValue(name, facts);
    if (!s.args.empty())
      work.set(target, value(s.args[0]));
    values[name] = target;
  }

  void assign(const Term &s) {
    const Term &target = s.args[0];
    if (target.is("status"))
      return work.fail();
    const Work::Value written = value(s.args[1]);
    if (!target.begins("[] "))
      return work.set(value(target), written);
    work.store(arrayName(target), !arrays.count(target.head.substr(3)), value(target.args[0]),
               written);
  }

  /// The variable that both sides of an `if` end by setting, and nothing else sets.
  std::string chosen(const Term &s) {
    if (s.args.size() != 3 || s.args[1].args.empty() || s.args[2].args.empty())
      return "";
    const Term &yes = s.args[1].args.back(), &no = s.args[2].args.back();
    if (!yes.is("=") || !no.is("=") || !yes.args[0].args.empty() || !same(yes.args[0], no.args[0]))
      return "";
    const std::string &name = yes.args[0].head;
    return known.count(name) && known[name].assignments == 2 ? name : "";
  }

  void branch(const Term &s) {
    const Work::Value condition = value(s.args[0]);
    const std::string name = chosen(s);
    if (name.empty()) {
      work.enterIf(condition);
      for (size_t side = 1; side < s.args.size(); ++side)
        block(s.args[side]);
      return work.leave();
    }
    std::vector<Work::Value> sides;
    work.enterIf(condition);
    for (size_t side : {1, 2}) {
      block(s.args[side], 1);
      sides.push_back(value(s.args[side].args.back().args[1]));
    }
    work.leave();
    values[name] = work.choose(known[name].isBool, condition, sides[0], sides[1]);
  }

  void loop(const Term &s) {
    const bool down = s.head.size() > 5 && s.head.compare(s.head.size() - 5, 5, " down") == 0;
    const Term &first = s.args[1];
    const Work::Value lo = value(down ? s.args[2] : first);
    const Work::Value hi = value(!down ? s.args[2] : first.is("sub i64") ? first.args[0] : first);
    std::string directive = s.args[0].args.empty() ? "" : s.args[0].args[0].head;
    directive = directive == "for" ? "parallel" : directive.substr(0, directive.find(' '));
    const std::string name = s.head.substr(4, s.head.rfind(' ') - 4);
    const unsigned level = work.enter(name, directive, down, lo, hi);
    values[name] = work.leaf("variable", false, level);
    block(s.args[3]);
    work.leave();
  }

  std::string arrayName(const Term &access) {
    const std::string name = access.head.substr(3);
    const auto found = arrays.find(name);
    return found == arrays.end() ? name : found->second;
  }

  Work::Value value(const Term &term) {
    if (term.args.empty()) {
      if (const auto found = values.find(term.head); found != values.end())
        return found->second;
      return extents.count(term.head) ? work.size() : work.leaf(term.head, true, 0);
    }
    std::vector<Work::Value> parts;
    for (const Term &part : term.args)
      parts.push_back(value(part));
    return work.apply(term.begins("[] ") ? "[] " + arrayName(term) : term.head, std::move(parts));
  }

  const std::set<std::string> &extents;
  std::map<std::string, Work::Value> values;
  std::map<std::string, std::string> arrays;
  std::map<std::string, Register> known;
  unsigned locals = 0, sharedBuffers = 0, threadBuffers = 0, registers = 0;
};

} // namespace

Work workOf(const Term &block, const std::set<std::string> &extents) {
  CWork reader(extents);
  reader.block(block);
  return std::move(reader.work);
}

} // namespace moac::reading
