// One launch on a device: who shares its loops, which arrays it uses, where its buffers lie.
#ifndef MOAC_EMITTERS_OFFLOADLAUNCH_H
#define MOAC_EMITTERS_OFFLOADLAUNCH_H

#include "emitters/LoopTree.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace moac::emit {

class Launches {
public:
  explicit Launches(tree::Kernel given);

  /// An array of the kernel and how it comes to the device.
  struct Place {
    std::string name;
    tree::Expr count;
    tree::Piece::Way way;
  };
  const std::vector<Place> &places() const { return known; }

  std::string fresh(const std::string &word);
  /// False if there is one of that name for elements of another type.
  bool addBuffer(tree::Scratch buffer);
  /// Launches until leave() may use the team's buffers.
  void enter(tree::Parallel &team) { own = &team.scratch; }
  void leave() { own = nullptr; }
  /// A loop that threads or lanes share.
  void launch(tree::Loop loop, tree::Body &out);
  /// Statements that run once.
  tree::Device serial(tree::Body body);

  tree::Kernel kernel; // buffers are added to it

private:
  std::vector<tree::Piece> present(const std::set<std::string> &used) const;
  tree::Expr trips(const tree::Loop &loop) const;
  tree::Expr gangsFor(tree::Loop &loop) const;
  void takeTurns(tree::Loop &loop, tree::Body &out);
  tree::Body indices(tree::Loop &loop, const std::string &item, tree::Body &out);
  tree::Body slices(tree::Body &body, const std::string &gang, const tree::Expr &gangs);

  std::vector<Place> known;
  std::set<std::string> used, arguments;
  std::set<std::string> keys; // of names in use, in lower case: languages may not see more
  const std::vector<tree::Scratch> *own = nullptr;
};

} // namespace moac::emit

#endif
