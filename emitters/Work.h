// How much a kernel does at each loop level, counted so that spelling does not matter.
//
// ONF and the C printed from it differ in what is named and what is inlined, so occurrences in the
// text cannot be compared. Values can: each distinct value is one number, however often it is
// spelled, and belongs to the innermost loop whose variable it depends on. Loads and arithmetic are
// distinct values that a store, a condition or a loop bound needs; stores are counted where they
// stand. Arithmetic on extents alone is left out: the C side names extents and may order their
// terms differently. So is what nobody needs: a store counts when its array is an argument or is
// read by something that counts; conditions and loops count when something inside does.
//
// Both sides fill a Work through the same calls; CWork.cpp reads terms of C, OnfWork.cpp the ops.
#ifndef MOAC_EMITTERS_WORK_H
#define MOAC_EMITTERS_WORK_H

#include "emitters/Term.h"

#include <optional>
#include <set>
#include <utility>

namespace moac::reading {

/// A loop; level 0 is what stands outside of loops.
struct Level {
  std::string path; ///< `b/i/k` with the side's own names
  unsigned depth = 0;
  std::string directive; ///< first word: parallel, simd, unroll; empty: none
  bool down = false;
  Counts counts; ///< `load A`, `mul f64`, `address add i64`, `store C`
};

class Work {
public:
  using Value = unsigned;

  Work() { places.push_back({{"", 0, "", false, {}}, 0, 0, {}}); }

  /// Enters a loop; its bounds matter if something inside does. Returns the level, for its
  /// variable.
  unsigned enter(const std::string &name, std::string directive, bool down, Value lo, Value hi);
  /// Enters statements under a condition.
  void enterIf(Value condition);
  void leave() { at = places[at].parent; }
  /// The innermost loop.
  unsigned current() const { return places[at].level; }

  /// Something that is its own value: a symbol, a literal (`fixed`), a loop variable or register of
  /// a level.
  Value leaf(const std::string &word, bool fixed, unsigned level);
  /// An extent that the kernel's checks have named.
  Value size() { return leaf("size", true, 0); }
  /// `word` as in terms: `mul f64`, `[] A`. Bool choices between constants become and, or.
  Value apply(const std::string &word, std::vector<Value> parts);
  Value choose(bool isBool, Value condition, Value yes, Value no);

  /// An element of an array is written. `argument`: the caller sees it.
  void store(const std::string &array, bool argument, Value offset, Value value);
  /// A register is written.
  void set(Value target, Value value);
  void fail();

  /// Loops in which something that matters happens, in order; the first is level 0.
  std::vector<Level> levels() const;

private:
  struct Node {
    std::string word;
    std::vector<Value> parts;
    bool fixed;
    unsigned level;
  };
  /// A loop or condition around effects.
  struct Place {
    Level loop;
    unsigned parent, level; // places
    std::vector<Value> guards;
    bool guardsAreAddresses = false;
  };
  struct Effect {
    unsigned place;
    std::string array; // or a register:
    std::optional<Value> target;
    bool always;
    std::vector<Value> offsets, values;
  };
  class Reached;
  Value intern(Node node);

  std::vector<Node> nodes;
  std::map<std::pair<std::string, std::vector<Value>>, Value> numbers;
  std::vector<Place> places;
  std::vector<Effect> effects;
  unsigned at = 0;
};

/// The work of a C function's statements; `extents` are names that its checks define.
Work workOf(const Term &block, const std::set<std::string> &extents);

/// Differences, as in compare(). Directives of `printed` may be fewer lanes than analysed.
std::vector<std::string> compareWork(const Work &analysed, const Work &printed);

} // namespace moac::reading

#endif
