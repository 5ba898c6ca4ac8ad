// Terms as text, what a level does, and the comparison of two programs.
#include "emitters/Term.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace moac::reading {

namespace {

void append(const Term &term, size_t most, std::string &out) {
  if (out.size() > most)
    return;
  out += term.head;
  for (size_t i = 0; i < term.args.size(); ++i) {
    out += i == 0 ? "(" : ", ";
    append(term.args[i], most, out);
  }
  if (!term.args.empty())
    out += ')';
}

} // namespace

std::string text(const Term &term, size_t most) {
  std::string out;
  append(term, most, out);
  if (out.size() > most)
    out = out.substr(0, most) + "...";
  return out;
}

bool same(const Term &a, const Term &b) {
  return a.head == b.head && a.args.size() == b.args.size() &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), same);
}

Term lanesTerm(const Term &count) {
  std::string words = "simdlen " + count.head.substr(0, count.head.find(' '));
  for (const Term &part : count.args)
    words += " " + lanesTerm(part).head.substr(words.find(' ') + 1);
  return {words, {}, 0};
}

bool isLoop(const Term &term) { return term.begins("for ") && term.args.size() == 4; }
bool isRegion(const Term &term) { return term.is("region") && term.args.size() == 2; }

namespace {

/// Words that are no work: names, literals, and what only holds other terms.
bool isSilent(const Term &term) {
  if (term.args.empty())
    return true;
  for (std::string_view word : {"block", "atomic", "let ", "var ", "array ", "if", "return"})
    if (term.begins(word))
      return true;
  return false;
}

void count(const Term &term, std::string_view where, Counts &counts) {
  if (isLoop(term) || isRegion(term))
    return;
  if (term.is("=")) {
    const Term &target = term.args[0];
    if (target.begins("[] ")) {
      ++counts["store " + target.head.substr(3)];
      count(target.args[0], "address ", counts);
    }
    return count(term.args[1], where, counts);
  }
  if (term.begins("[] ")) {
    ++counts["load " + term.head.substr(3)];
    return count(term.args[0], "address ", counts);
  }
  if (!isSilent(term))
    ++counts[std::string(where) + term.head];
  for (const Term &part : term.args)
    count(part, where, counts);
}

/// A value in [1, 2) for a name, always the same.
double valueOfName(std::string_view name) {
  uint64_t hash = 1469598103934665603u;
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return 1.0 + static_cast<double>(hash % 1000003) / 1000003.0;
}

double evaluate(const Term &term) {
  std::vector<double> parts;
  for (const Term &part : term.args)
    parts.push_back(evaluate(part));
  if (parts.size() == 2) {
    if (term.begins("add"))
      return parts[0] + parts[1];
    if (term.begins("sub"))
      return parts[0] - parts[1];
    if (term.begins("mul"))
      return parts[0] * parts[1];
    if (term.begins("max"))
      return std::max(parts[0], parts[1]);
  }
  if (parts.size() == 1)
    return term.begins("neg") ? -parts[0] : parts[0];
  char *end = nullptr;
  const double number = std::strtod(term.head.c_str(), &end);
  return end == term.head.c_str() ? valueOfName(text(term)) : number;
}

} // namespace

Counts countsOf(const Term &block) {
  Counts counts;
  for (const Term &statement : block.args)
    count(statement, "", counts);
  return counts;
}

Term estimate(const Term &value) { return {fmt::format("about {:.9g}", evaluate(value)), {}, 0}; }

namespace {

/// Walks two programs side by side and writes down where they part.
class Comparison {
public:
  std::vector<std::string> take() { return std::move(found); }

  void blocks(const Term &analysed, const Term &printed, const std::string &path) {
    const size_t before = found.size();
    counts(analysed, printed, path);
    const size_t common = std::min(analysed.args.size(), printed.args.size());
    size_t at = 0;
    for (; at < common && found.size() == before; ++at)
      statement(analysed.args[at], printed.args[at], path);
    if (found.size() != before || analysed.args.size() == printed.args.size())
      return;
    const bool more = printed.args.size() > common;
    const Term &odd = more ? printed.args[common] : analysed.args[common];
    say(path, odd,
        more ? "printed but not analysed: " + text(odd) : "analysed but not printed: " + text(odd));
  }

private:
  void say(const std::string &path, const Term &printed, const std::string &what) {
    const std::string line = printed.line ? fmt::format("line {}, ", printed.line) : "";
    found.push_back(
        fmt::format("{}{}: {}", line, path.empty() ? "outside of loops" : "in " + path, what));
  }

  void counts(const Term &analysed, const Term &printed, const std::string &path) {
    Counts left = countsOf(analysed);
    const Counts right = countsOf(printed);
    for (const auto &[what, number] : right)
      left.emplace(what, 0);
    for (const auto &[what, number] : left) {
      const auto other = right.find(what);
      const int64_t seen = other == right.end() ? 0 : other->second;
      if (seen != number)
        say(path, printed, fmt::format("{} of '{}' printed, {} analysed", seen, what, number));
    }
  }

  void statement(const Term &analysed, const Term &printed, const std::string &path) {
    if (isLoop(analysed) && isLoop(printed))
      return loop(analysed, printed, path);
    if (isLoop(analysed) != isLoop(printed)) {
      return say(
          path, printed,
          fmt::format("'{}' is printed where '{}' was analysed", printed.head, analysed.head));
    }
    if (isRegion(analysed) && isRegion(printed)) {
      directives(analysed, printed, path + (path.empty() ? "team" : "/team"));
      return blocks(analysed.args[1], printed.args[1], path + (path.empty() ? "team" : "/team"));
    }
    if (analysed.is("if") && printed.is("if") && analysed.args.size() == printed.args.size()) {
      differ(analysed.args[0], printed.args[0], printed, path);
      for (size_t side = 1; side < analysed.args.size(); ++side)
        blocks(analysed.args[side], printed.args[side], path);
      return;
    }
    differ(analysed, printed, printed, path);
  }

  void loop(const Term &analysed, const Term &printed, const std::string &outer) {
    const std::string name = analysed.head.substr(4, analysed.head.rfind(' ') - 4);
    const std::string path = outer.empty() ? name : outer + "/" + name;
    if (analysed.head != printed.head)
      say(path, printed,
          fmt::format("the loop is '{}', analysed was '{}'", printed.head, analysed.head));
    directives(analysed, printed, path);
    for (size_t bound : {1, 2})
      differ(analysed.args[bound], printed.args[bound], printed, path);
    blocks(analysed.args[3], printed.args[3], path);
  }

  void directives(const Term &analysed, const Term &printed, const std::string &path) {
    if (!same(analysed.args[0], printed.args[0]))
      say(path, printed,
          fmt::format("directive '{}' printed, '{}' analysed", text(printed.args[0]),
                      text(analysed.args[0])));
  }

  void differ(const Term &analysed, const Term &printed, const Term &place,
              const std::string &path) {
    if (same(analysed, printed))
      return;
    const Term *left = &analysed, *right = &printed; // down to the part that differs
    while (left->head == right->head && left->args.size() == right->args.size()) {
      size_t part = 0;
      while (same(left->args[part], right->args[part]))
        ++part;
      left = &left->args[part];
      right = &right->args[part];
    }
    say(path, place,
        fmt::format("'{}' printed, '{}' analysed, in {}", text(*right), text(*left),
                    text(printed)));
  }

  std::vector<std::string> found;
};

} // namespace

std::vector<std::string> compare(const Term &analysed, const Term &printed) {
  Comparison comparison;
  comparison.blocks(analysed, printed, "");
  return comparison.take();
}

} // namespace moac::reading
