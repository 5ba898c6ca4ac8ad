// What runs where: the statements of a kernel between host and device; launches are made by
// OffloadLaunch.cpp.
#include "emitters/Offload.h"
#include "emitters/OffloadLaunch.h"
#include "emitters/TreeWalk.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace moac::emit {
using namespace tree;

namespace {

bool reads(const Expr &e) {
  return e.kind == Expr::Kind::Load || std::any_of(e.args.begin(), e.args.end(), reads);
}

bool reads(const Stmt &statement) {
  bool found = false;
  forEachExpr(statement, [&](const Expr &e) { found = found || reads(e); });
  return found;
}

/// Something that threads or lanes share.
bool isShared(const Body &body) {
  bool found = false;
  forEachStatement(body, [&](const Stmt &statement) {
    const auto *loop = std::get_if<Loop>(&statement.node);
    found = found || std::holds_alternative<Parallel>(statement.node) ||
            (loop && loop->role != Loop::Role::Sequential && loop->role != Loop::Role::Unroll);
  });
  return found;
}

bool touchesArrays(const Stmt &statement) {
  const Body one = {statement};
  bool found = false;
  forEachStatement(one, [&](const Stmt &inner) {
    const auto *update = std::get_if<Update>(&inner.node);
    found = found || reads(inner) || std::holds_alternative<Store>(inner.node) ||
            (update && update->offset);
  });
  return found;
}

class Offloader {
public:
  Offloader(Kernel given, bool integerLanes)
      : launches(std::move(given)), kernel(launches.kernel), integerLanes(integerLanes) {}

  Offloaded run() {
    prepare(kernel.body);
    Body out;
    host(kernel.body, out);
    flush(out);
    Device arguments{Device::Kind::Arguments, {}, {}}, buffers{Device::Kind::Buffers, {}, {}};
    const std::set<std::string> used = namesIn(out);
    for (const Launches::Place &place : launches.places())
      if (used.count(place.name))
        (place.way == Piece::Way::Create ? buffers : arguments)
            .pieces.push_back({place.way, place.name, place.count});
    if (!buffers.pieces.empty()) {
      buffers.body = std::move(out);
      out = {{std::move(buffers)}};
    }
    arguments.body = std::move(out);
    kernel.body = {{std::move(arguments)}};
    return {std::move(kernel), std::move(problems)};
  }

private:
  // ---- lanes that a device can combine ----

  void prepare(Body &body) {
    Body out;
    for (Stmt &statement : body) {
      forEachInnerBody(statement, [&](Body &inner) { prepare(inner); });
      auto *loop = std::get_if<Loop>(&statement.node);
      Body after;
      if (loop && loop->role == Loop::Role::Lanes)
        combine(*loop, out, after);
      if (!std::holds_alternative<Prefetch>(statement.node))
        out.push_back(std::move(statement));
      for (Stmt &one : after)
        out.push_back(std::move(one));
    }
    body = std::move(out);
  }

  void combine(Loop &loop, Body &before, Body &after) {
    const std::vector<LaneReduction> reductions = loop.reductions;
    for (const LaneReduction &reduction : reductions) {
      const bool picks = reduction.op == Op::max_ || reduction.op == Op::min_;
      if (!isFloat(reduction.type) && !integerLanes) {
        loop.role = Loop::Role::Sequential;
        loop.reductions.clear();
      } else if (picks && isFloat(reduction.type)) {
        const std::string flag = launches.fresh(reduction.name + "_nan");
        before.push_back({Variable{flag, Elem::I32, isStrange(reduction, before)}});
        watch(loop.body, reduction.name, flag);
        loop.reductions.push_back({Op::max_, flag, Elem::I32});
        Expr seen = apply(Op::ne_, Elem::Bool, {name(flag, Elem::I32), integer(0, Elem::I32)});
        Expr nan = real(std::numeric_limits<double>::quiet_NaN(), reduction.type);
        after.push_back({If{std::move(seen), {{Assign{reduction.name, std::move(nan)}}}, {}}});
      }
    }
  }

  /// Whether what a reduction starts from is NaN already: it may go on from another loop, and the
  /// device's max does not keep NaN. A number that stands right before it is none.
  static Expr isStrange(const LaneReduction &reduction, const Body &before) {
    const auto *start = before.empty() ? nullptr : std::get_if<Variable>(&before.back().node);
    const Expr *value = start && start->name == reduction.name && start->value ? &*start->value : nullptr;
    while (value && value->kind == Expr::Kind::Apply && value->op == Op::neg_)
      value = &value->args[0];
    if (value && value->kind == Expr::Kind::Real && value->real == value->real)
      return integer(0, Elem::I32);
    const Expr held = name(reduction.name, reduction.type);
    return cast(Elem::I32, apply(Op::ne_, Elem::Bool, {held, held}));
  }

  /// Where `name` takes a value, notes in `flag` whether that is NaN.
  void watch(Body &body, const std::string &name, const std::string &flag) {
    Body out;
    for (Stmt &statement : body) {
      forEachInnerBody(statement, [&](Body &inner) { watch(inner, name, flag); });
      auto *update = std::get_if<Update>(&statement.node);
      if (update && update->name == name) {
        const Elem type = update->value.type;
        const std::string candidate = launches.fresh(name + "_next");
        out.push_back({Let{candidate, std::move(update->value)}});
        update->value = tree::name(candidate, type);
        Expr strange = apply(Op::ne_, Elem::Bool, {update->value, update->value});
        out.push_back({std::move(statement)});
        out.push_back({Update{Op::max_, flag, {}, cast(Elem::I32, std::move(strange))}});
      } else {
        out.push_back(std::move(statement));
      }
    }
    body = std::move(out);
  }

  // ---- host and device ----

  void host(Body &body, Body &out) {
    for (Stmt &statement : body)
      place(statement, out);
  }

  void place(Stmt &statement, Body &out) {
    if (std::holds_alternative<Note>(statement.node)) {
      notes.push_back(std::move(statement));
    } else if (auto *local = std::get_if<LocalArray>(&statement.node)) {
      if (!launches.addBuffer({local->name, local->type, local->count, local->where}))
        problems.push_back(fmt::format("kernel '{}': two buffers called '{}' of different types",
                                       kernel.name, local->name));
    } else if (!touchesArrays(statement) && !isShared({statement})) {
      flush(out);
      tell(out);
      out.push_back(std::move(statement));
    } else if (auto *team = std::get_if<Parallel>(&statement.node)) {
      launches.enter(*team);
      host(team->body, out);
      flush(out);
      launches.leave();
    } else if (auto *loop = std::get_if<Loop>(&statement.node)) {
      placeLoop(*loop, statement, out);
    } else if (auto *branch = std::get_if<If>(&statement.node)) {
      placeBranch(*branch, statement, out);
    } else {
      placeSimple(statement, out);
    }
  }

  void placeLoop(Loop &loop, Stmt &statement, Body &out) {
    const bool shared = loop.role == Loop::Role::Team || loop.role == Loop::Role::Workshare;
    if (!shared && loop.role != Loop::Role::Lanes && !isShared(loop.body)) {
      pending.push_back(std::move(statement));
      return;
    }
    flush(out);
    tell(out);
    if (reads(statement))
      problems.push_back(fmt::format(
          "kernel '{}': how often its loop over '{}' runs is data of the device", kernel.name, loop.name));
    if (shared || loop.role == Loop::Role::Lanes) {
      launches.launch(std::move(loop), out);
      return;
    }
    Body inside;
    host(loop.body, inside);
    flush(inside);
    loop.body = std::move(inside);
    out.push_back(std::move(statement));
  }

  void placeBranch(If &branch, Stmt &statement, Body &out) {
    if (!isShared(branch.then) && !isShared(branch.otherwise)) {
      pending.push_back(std::move(statement));
      return;
    }
    if (reads(branch.condition)) {
      const std::string decided = launches.fresh("decided");
      out.push_back({Variable{decided, Elem::Bool, integer(0, Elem::Bool)}});
      pending.push_back({Assign{decided, std::move(branch.condition)}});
      branch.condition = name(decided, Elem::Bool);
    }
    flush(out);
    tell(out);
    for (Body *side : {&branch.then, &branch.otherwise}) {
      Body inside;
      host(*side, inside);
      flush(inside);
      *side = std::move(inside);
    }
    out.push_back(std::move(statement));
  }

  /// A scalar is the host's; its value from an array comes from the device.
  void placeSimple(Stmt &statement, Body &out) {
    if (auto *let = std::get_if<Let>(&statement.node)) {
      out.push_back({Variable{let->name, let->value.type, std::nullopt}});
      pending.push_back({Assign{let->name, std::move(let->value)}});
    } else if (auto *variable = std::get_if<Variable>(&statement.node)) {
      out.push_back({Variable{variable->name, variable->type, std::nullopt}});
      pending.push_back({Assign{variable->name, std::move(*variable->value)}});
    } else {
      pending.push_back(std::move(statement));
    }
  }

  void tell(Body &out) {
    for (Stmt &note : notes)
      out.push_back(std::move(note));
    notes.clear();
  }

  /// Launches what has gathered.
  void flush(Body &out) {
    if (pending.empty())
      return;
    tell(out);
    out.push_back({launches.serial(std::move(pending))});
    pending.clear();
  }

  Launches launches;
  Kernel &kernel;
  bool integerLanes;
  Body notes, pending;
  std::vector<std::string> problems;
};

} // namespace

Offloaded offload(Kernel kernel, bool integerLanes) {
  return Offloader(std::move(kernel), integerLanes).run();
}

} // namespace moac::emit
