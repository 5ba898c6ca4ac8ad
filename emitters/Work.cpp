// Value numbers, and the comparison of two works.
#include "emitters/Work.h"

#include <algorithm>
#include <fmt/format.h>

namespace moac::reading {

namespace {

/// Words by what they compute: plain and wrapping sums are one, C's division of numbers known to be
/// non-negative is the floored one.
std::string meaning(std::string word) {
  if (word == "quotient")
    return "floordiv i64";
  if (word == "remainder")
    return "mod i64";
  if (const size_t at = word.find(" wrapping"); at != word.npos)
    word.resize(at);
  return word;
}

/// Words that can make an extent of extents.
bool staysSize(const std::string &word) {
  for (const char *known : {"and", "or", "not", "select", "lt", "le", "gt", "ge", "eq", "ne"})
    if (word == known)
      return true;
  return word.size() > 4 && word.compare(word.size() - 4, 4, " i64") == 0 && word[0] != '[';
}

} // namespace

unsigned Work::enter(const std::string &name, std::string directive, bool down, Value lo,
                     Value hi) {
  const Level &outer = places[current()].loop;
  const unsigned number = static_cast<unsigned>(places.size());
  places.push_back({{outer.path.empty() ? name : outer.path + "/" + name,
                     outer.depth + 1,
                     std::move(directive),
                     down,
                     {}},
                    at,
                    number,
                    {lo, hi},
                    true});
  return at = number;
}

void Work::enterIf(Value condition) {
  places.push_back({{}, at, current(), {condition}});
  at = static_cast<unsigned>(places.size()) - 1;
}

Work::Value Work::intern(Node node) {
  const auto [at, isNew] =
      numbers.try_emplace({node.word, node.parts}, static_cast<Value>(nodes.size()));
  if (isNew)
    nodes.push_back(std::move(node));
  return at->second;
}

Work::Value Work::leaf(const std::string &word, bool fixed, unsigned level) {
  return intern({fixed ? word : fmt::format("{} of level {}", word, level), {}, fixed, level});
}

Work::Value Work::apply(const std::string &spelled, std::vector<Value> parts) {
  Node node{meaning(spelled), std::move(parts), false, 0};
  bool fixed = staysSize(node.word);
  for (Value part : node.parts) {
    fixed = fixed && nodes[part].fixed;
    node.level = std::max(node.level, nodes[part].level);
  }
  if (fixed)
    return size();
  return intern(std::move(node));
}

Work::Value Work::choose(bool isBool, Value condition, Value yes, Value no) {
  if (isBool && nodes[no].word == "0")
    return apply("and", {condition, yes});
  if (isBool && nodes[yes].word == "1")
    return apply("or", {condition, no});
  return apply("select", {condition, yes, no});
}

void Work::store(const std::string &array, bool argument, Value offset, Value value) {
  effects.push_back({at, array, std::nullopt, argument, {offset}, {value}});
}
void Work::set(Value target, Value value) {
  effects.push_back({at, "", target, false, {}, {value}});
}
void Work::fail() { effects.push_back({at, "", std::nullopt, true, {}, {}}); }

/// The values that something needs, from the effects that the caller can see backwards.
class Work::Reached {
public:
  explicit Reached(const Work &work) : work(work), live(work.effects.size()) {
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < live.size(); ++i)
        if (!live[i] && matters(work.effects[i])) {
          live[i] = more = true;
          add(work.effects[i]);
        }
    }
  }

  const Work &work;
  std::vector<bool> live;
  std::set<Value> values, addresses;
  std::set<unsigned> around; // places with a live effect inside

private:
  bool matters(const Effect &effect) const {
    return effect.always ||
           (effect.target ? values.count(*effect.target) || addresses.count(*effect.target)
                          : loaded.count(effect.array) != 0);
  }

  void add(const Effect &effect) {
    for (Value value : effect.values)
      mark(value, values);
    for (Value offset : effect.offsets)
      mark(offset, addresses);
    for (unsigned place = effect.place; around.insert(place).second;
         place = work.places[place].parent)
      for (Value guard : work.places[place].guards)
        mark(guard, work.places[place].guardsAreAddresses ? addresses : values);
  }

  void mark(Value value, std::set<Value> &reached) {
    if (!reached.insert(value).second)
      return;
    const Node &node = work.nodes[value];
    const bool isLoad = node.word.compare(0, 3, "[] ") == 0;
    if (isLoad)
      loaded.insert(node.word.substr(3));
    for (Value part : node.parts)
      mark(part, isLoad ? addresses : reached);
  }

  std::set<std::string> loaded;
};

std::vector<Level> Work::levels() const {
  const Reached reached(*this);
  std::vector<Level> out;
  std::map<unsigned, size_t> numbers; // of levels that matter
  for (unsigned place = 0; place < places.size(); ++place)
    if (place == 0 || (places[place].level == place && reached.around.count(place))) {
      numbers[place] = out.size();
      out.push_back(places[place].loop);
    }
  for (size_t i = 0; i < effects.size(); ++i) {
    const Effect &effect = effects[i];
    if (!reached.live[i] || effect.target)
      continue;
    Counts &counts = out[numbers[places[effect.place].level]].counts;
    ++counts[effect.array.empty() ? "status set" : "store " + effect.array];
  }
  const auto count = [&](Value value, const char *where) {
    const Node &node = nodes[value];
    if (node.parts.empty() || node.word == "not")
      return;
    const bool isLoad = node.word.compare(0, 3, "[] ") == 0;
    ++out[numbers[node.level]].counts[isLoad ? "load " + node.word.substr(3) : where + node.word];
  };
  for (Value value : reached.values)
    count(value, "");
  for (Value value : reached.addresses)
    if (!reached.values.count(value))
      count(value, "address ");
  return out;
}

std::vector<std::string> compareWork(const Work &analysed, const Work &printed) {
  std::vector<std::string> found;
  const std::vector<Level> wanted = analysed.levels(), seen = printed.levels();
  if (wanted.size() != seen.size())
    return {fmt::format("{} loops printed, ONF has {}", seen.size() - 1, wanted.size() - 1)};
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string place = seen[i].path.empty() ? "outside of loops" : "in " + seen[i].path;
    if (wanted[i].depth != seen[i].depth || wanted[i].down != seen[i].down)
      found.push_back(fmt::format("{}: the loop stands or runs otherwise than {} of the ONF", place,
                                  wanted[i].path));
    if (wanted[i].directive != seen[i].directive &&
        !(wanted[i].directive == "simd" && seen[i].directive.empty()))
      found.push_back(fmt::format("{}: directive '{}' printed, ONF has '{}'", place,
                                  seen[i].directive, wanted[i].directive));
    const Counts &left = wanted[i].counts, &right = seen[i].counts;
    Counts all = left;
    all.insert(right.begin(), right.end());
    for (const auto &[what, number] : all) {
      const auto one = left.find(what), other = right.find(what);
      const int64_t before = one == left.end() ? 0 : one->second;
      const int64_t after = other == right.end() ? 0 : other->second;
      if (before != after)
        found.push_back(
            fmt::format("{}: {} of '{}' printed, ONF has {}", place, after, what, before));
    }
  }
  return found;
}

} // namespace moac::reading
