// Numbers here are of one class of devices and change no result: how many gangs keep such a device
// busy, and how many workers a gang has. A vector is always of 32 lanes (the tables say so), because
// combining longer ones is slow; many workers make up for it.
#include "emitters/OffloadLaunch.h"
#include "emitters/TreeWalk.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <functional>

namespace moac::emit {
using namespace tree;

namespace {

constexpr int64_t manyGangs = 1056; // eight for each processor of the device
constexpr int64_t workersForGangs = 4, workersForRows = 8, workersForSums = 16;
constexpr int64_t gangsForSums = 132; // one for each processor: combining costs a lock for each

/// The lane loops of a body; none stands in another.
std::vector<Loop *> laneLoops(Body &body) {
  std::vector<Loop *> out;
  forEachStatement(body, [&](Stmt &statement) {
    auto *loop = std::get_if<Loop>(&statement.node);
    if (loop && loop->role == Loop::Role::Lanes)
      out.push_back(loop);
  });
  return out;
}

Expr count(const Array &array) {
  Expr product = integer(1);
  for (size_t i = 0; i < array.extents.size(); ++i)
    product = i ? apply(Op::mul_, {product, array.extents[i]}) : array.extents[0];
  return product;
}

bool isZero(const Expr &e) { return e.kind == Expr::Kind::Integer && e.integer == 0; }

/// The loops that a directive joins, outermost first.
std::vector<Loop *> joined(Loop &loop) {
  std::vector<Loop *> out = {&loop};
  while (static_cast<int64_t>(out.size()) < loop.collapse)
    out.push_back(&std::get<Loop>(out.back()->body[0].node));
  return out;
}

bool isApart(const Expr &e, const std::set<std::string> &from) {
  std::set<std::string> names;
  collectNames(e, names);
  return std::none_of(names.begin(), names.end(),
                      [&](const std::string &name) { return from.count(name) != 0; });
}

/// Joins the loop with its only lane loop, if nothing but loops with bounds of their own stands
/// between them: every point is as good as another. Comments move out.
void joinLanes(Loop &loop, const Loop &lanes, Body &out) {
  std::set<std::string> outside;
  for (const Loop *one : joined(loop))
    outside.insert(one->name);
  Loop *at = joined(loop).back();
  int64_t depth = loop.collapse;
  std::vector<Body *> bodies;
  while (at != &lanes) {
    bodies.push_back(&at->body);
    auto *next = std::get_if<Loop>(&at->body.back().node);
    const bool only = next && std::all_of(at->body.begin(), at->body.end() - 1, [](const Stmt &s) {
                        return std::holds_alternative<Note>(s.node);
                      });
    if (!only || next->reverse || !next->reductions.empty() || !isApart(next->lo, outside) ||
        !isApart(next->hi, outside) || (next->step && !isApart(*next->step, outside)))
      return;
    outside.insert(next->name);
    at = next;
    ++depth;
  }
  at->role = Loop::Role::Sequential;
  loop.collapse = depth;
  for (Body *body : bodies)
    while (body->size() > 1) {
      out.push_back(std::move(body->front()));
      body->erase(body->begin());
    }
}

void addToOffsets(Body &body, const std::string &array, const Expr &start) {
  const std::function<void(Expr &)> inside = [&](Expr &e) {
    for (Expr &arg : e.args)
      inside(arg);
    if (e.kind == Expr::Kind::Load && e.text == array)
      e.args[0] = apply(Op::add_, {start, std::move(e.args[0])});
  };
  forEachStatement(body, [&](Stmt &statement) {
    forEachExpr(statement, inside);
    if (auto *store = std::get_if<Store>(&statement.node); store && store->array == array)
      store->offset = apply(Op::add_, {start, std::move(store->offset)});
    if (auto *update = std::get_if<Update>(&statement.node); update && update->name == array)
      update->offset = apply(Op::add_, {start, std::move(*update->offset)});
  });
}

} // namespace

Launches::Launches(Kernel given) : kernel(std::move(given)) {
  used = namesIn(kernel.body);
  arguments.insert(kernel.symbols.begin(), kernel.symbols.end());
  for (const Scalar &scalar : kernel.scalars)
    arguments.insert(scalar.name);
  for (const Let &extent : kernel.extents)
    arguments.insert(extent.name);
  for (const Array &array : kernel.inputs)
    known.push_back({array.name, count(array), Piece::Way::In});
  for (const Array &array : kernel.outputs)
    known.push_back({array.name, count(array), Piece::Way::Out});
  for (const Scratch &scratch : kernel.scratch)
    known.push_back({scratch.name, scratch.count, Piece::Way::Create});
  used.insert(arguments.begin(), arguments.end());
  for (const Place &place : known)
    used.insert(place.name);
  for (const std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
    for (const Array &array : *list)
      used.insert(array.bytes);
}

std::string Launches::fresh(const std::string &word) {
  const auto key = [](std::string name) {
    for (char &c : name)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  };
  if (keys.empty())
    for (const std::string &name : used)
      keys.insert(key(name));
  std::string name = word;
  for (int number = 1; keys.count(key(name)); ++number)
    name = fmt::format("{}_{}", word, number);
  keys.insert(key(name));
  return name;
}

bool Launches::addBuffer(Scratch buffer) {
  for (Scratch &scratch : kernel.scratch) {
    if (scratch.name != buffer.name)
      continue;
    if (!sameExpr(scratch.count, buffer.count))
      scratch.count = apply(Op::max_, {scratch.count, buffer.count});
    for (Place &place : known)
      place.count = place.name == buffer.name ? scratch.count : place.count;
    return scratch.type == buffer.type;
  }
  known.push_back({buffer.name, buffer.count, Piece::Way::Create});
  kernel.scratch.push_back(std::move(buffer));
  return true;
}

std::vector<Piece> Launches::present(const std::set<std::string> &names) const {
  std::vector<Piece> out;
  for (const Place &place : known)
    if (names.count(place.name))
      out.push_back({Piece::Way::Present, place.name, place.count});
  return out;
}

void Launches::launch(Loop loop, Body &out) {
  const bool lanes = loop.role == Loop::Role::Lanes;
  loop.role = Loop::Role::Team;
  loop.work = std::nullopt;
  std::vector<Loop *> inside = laneLoops(loop.body);
  const std::set<std::string> names = namesIn(loop.body);
  const bool slices = own && std::any_of(own->begin(), own->end(), [&](const Scratch &scratch) {
                        return names.count(scratch.name) != 0;
                      });
  if (inside.size() == 1 && !slices) {
    joinLanes(loop, *inside[0], out);
    inside = laneLoops(loop.body);
  }
  const bool rows = inside.size() == 1 && !slices;
  loop.levels = rows ? Gang | Worker : inside.empty() && !slices ? Gang | Worker | Vector : Gang;
  loop.workers = loop.levels == Gang ? workersForGangs : workersForRows;
  for (Loop *one : inside)
    one->levels = rows ? Vector : Worker | Vector;
  if (lanes && !loop.reductions.empty()) {
    loop.gangs = integer(gangsForSums);
    loop.workers = workersForSums;
  } else if (loop.levels == Gang) {
    loop.gangs = integer(manyGangs);
  }
  if (slices)
    takeTurns(loop, out);
  loop.pieces = present(namesIn(loop.body));
  out.push_back({std::move(loop)});
}

/// Iterations of one loop.
Expr Launches::trips(const Loop &loop) const {
  Expr length = isZero(loop.lo) ? loop.hi : apply(Op::sub_, {loop.hi, loop.lo});
  const bool positive = (length.kind == Expr::Kind::Name && arguments.count(length.text)) ||
                        (length.kind == Expr::Kind::Integer && length.integer >= 0);
  if (!positive)
    length = apply(Op::max_, {length, integer(0)});
  if (!loop.step)
    return length;
  const Expr last = loop.step->kind == Expr::Kind::Integer
                        ? integer(loop.step->integer - 1)
                        : apply(Op::sub_, {*loop.step, integer(1)});
  return apply(Op::quotient_, {apply(Op::add_, {length, last}), *loop.step});
}

/// As many as have work, if that is known when the kernel is entered.
Expr Launches::gangsFor(Loop &loop) const {
  Expr total = integer(1);
  const std::vector<Loop *> all = joined(loop);
  for (size_t k = 0; k < all.size(); ++k)
    total = k ? apply(Op::mul_, {total, trips(*all[k])}) : trips(*all[k]);
  std::set<std::string> names;
  collectNames(total, names);
  const bool atEntry = std::includes(arguments.begin(), arguments.end(), names.begin(), names.end());
  return atEntry ? apply(Op::min_, {total, integer(manyGangs)}) : integer(manyGangs);
}

/// for gang < gangs: for item from gang by gangs: indices of the item; body
void Launches::takeTurns(Loop &loop, Body &out) {
  const std::string gang = fresh("gang"), gangs = fresh("gangs"), item = fresh("item");
  const Expr most = gangsFor(loop);
  Loop turns;
  turns.name = item;
  turns.lo = name(gang);
  turns.step = name(gangs);
  Body body = std::move(joined(loop).back()->body);
  turns.body = indices(loop, item, out);
  Expr all = name(std::get<Let>(out.back().node).name);
  out.push_back({Let{gangs, most}});
  loop.body = slices(body, gang, most);
  for (Stmt &statement : body)
    turns.body.push_back(std::move(statement));
  turns.hi = std::move(all);
  loop.body.push_back({std::move(turns)});
  loop.name = gang;
  loop.lo = integer(0);
  loop.hi = name(gangs);
  loop.step = std::nullopt;
  loop.collapse = 1;
}

/// The indices of the joined loops, from the number of an item; how many items there are is the last
/// thing that `out` gets.
Body Launches::indices(Loop &loop, const std::string &item, Body &out) {
  std::vector<Loop *> all = joined(loop);
  std::vector<std::string> counts;
  Expr total = integer(1);
  for (size_t k = 0; k < all.size(); ++k) {
    counts.push_back(fresh(all[k]->name + "_count"));
    out.push_back({Let{counts[k], trips(*all[k])}});
    total = k ? apply(Op::mul_, {total, name(counts[k])}) : name(counts[k]);
  }
  if (all.size() > 1)
    out.push_back({Let{fresh("items"), total}});
  Body found;
  Expr rest = name(item);
  for (size_t k = all.size(); k-- > 0;) {
    Expr digit = k ? apply(Op::remainder_, {rest, name(counts[k])}) : rest;
    if (all[k]->step)
      digit = apply(Op::mul_, {digit, *all[k]->step});
    if (!isZero(all[k]->lo))
      digit = apply(Op::add_, {all[k]->lo, digit});
    found.insert(found.begin(), {Let{all[k]->name, std::move(digit)}});
    rest = k ? apply(Op::quotient_, {rest, name(counts[k])}) : rest;
  }
  return found;
}

/// Gives each gang its part of what were buffers of a thread; where those begin.
Body Launches::slices(Body &body, const std::string &gang, const Expr &gangs) {
  Body starts;
  const std::set<std::string> names = namesIn(body);
  for (const Scratch &scratch : *own) {
    if (!names.count(scratch.name))
      continue;
    std::string array = scratch.name;
    const auto same = [&](const Place &place) { return place.name == array; };
    if (std::any_of(known.begin(), known.end(), same)) {
      array = fresh(scratch.name);
      renameIn(body, [&](std::string &word) { word = word == scratch.name ? array : word; });
    }
    const std::string start = fresh(array + "_at");
    starts.push_back({Let{start, apply(Op::mul_, {name(gang), scratch.count})}});
    addToOffsets(body, array, name(start));
    addBuffer({array, scratch.type, apply(Op::mul_, {gangs, scratch.count}), scratch.where});
  }
  return starts;
}

Device Launches::serial(Body body) {
  Device device{Device::Kind::Serial, {}, {}};
  std::set<std::string> declared, written;
  forEachStatement(body, [&](const Stmt &statement) {
    if (const auto declaration = declaredBy(statement))
      declared.insert(declaration->name);
    if (const std::string *target = writtenBy(statement))
      written.insert(*target);
    if (std::holds_alternative<Fail>(statement.node))
      written.insert("status");
  });
  device.pieces = present(namesIn(body));
  for (const std::string &name : written)
    if (!declared.count(name) &&
        std::none_of(known.begin(), known.end(), [&](const Place &p) { return p.name == name; }))
      device.pieces.push_back({Piece::Way::Scalar, name, {}});
  device.body = std::move(body);
  return device;
}

} // namespace moac::emit
