// The steps of legalisation that concern whole kernels: names, arrays, teams of threads.
#include "emitters/FortranLegalise.h"
#include "emitters/FortranLazy.h"
#include "emitters/FortranPrefetch.h"
#include "emitters/FortranSubscripts.h"
#include "emitters/TreeWalk.h"
#include "ir/Tuned.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace moac::emit {
using namespace tree;

namespace {

using Rename = std::function<void(std::string &)>;

void renameKernel(Kernel &kernel, const Rename &rename) {
  for (std::string &symbol : kernel.symbols)
    rename(symbol);
  for (Scalar &scalar : kernel.scalars)
    rename(scalar.name);
  for (std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
    for (Array &array : *list) {
      rename(array.name);
      rename(array.bytes);
      for (Expr &extent : array.extents)
        renameIn(extent, rename);
    }
  for (Let &extent : kernel.extents) {
    rename(extent.name);
    renameIn(extent.value, rename);
  }
  for (Requirement &requirement : kernel.requirements)
    renameIn(requirement.condition, rename);
  for (Scratch &scratch : kernel.scratch) {
    rename(scratch.name);
    renameIn(scratch.count, rename);
  }
  renameIn(kernel.body, rename);
}

class Legaliser {
public:
  Legaliser(Kernel given, const FortranInterface &names, Names &module, bool standalone)
      : kernel(std::move(given)), names(names), module(module), standalone(standalone),
        fresh([this](const std::string &word) { return freshName(word); }) {}

  FortranKernel run() {
    nameProcedures();
    avoidModuleNames();
    if (!standalone)
      callPrefetches(kernel);
    cleanUp(kernel.body);
    separateDivisions(kernel.body, fresh);
    if (names.resident.empty())
      limitLanes(kernel.body);
    separateChoices(kernel.body, fresh);
    for (Requirement &requirement : kernel.requirements)
      separateChoices(requirement.condition, fresh, requirement.before);
    giveKindsToSizes();
    collectScalars();
    separateArrays(kernel.body);
    FortranKernel out{names, {}, {}, {}, {}, {}};
    outline(kernel.body, out);
    std::vector<Scratch> own;
    for (const Pool &pool : out.pools)
      own.push_back(
          {pool.name, pool.scratch.type, apply(Op::mul_, {name("team"), name(pool.pitch)}),
           pool.scratch.where});
    pools = &out.pools;
    out.loops = procedure(loopsName, kernel.body, own);
    out.loops.fails = kernel.fails;
    out.loops.body = kernel.body;
    placePointers(out);
    out.kernel = std::move(kernel);
    return out;
  }

private:
  std::string key(const std::string &name) const { return nameKey(module.ruleSet(), name); }

  std::string freshName(const std::string &word) {
    std::string name = word;
    for (int number = 1; used.count(key(name)) || module.has(name); ++number)
      name = fmt::format("{}_{}", word, number);
    used.insert(key(name));
    return name;
  }

  /// The names of the procedures that will stand beside the kernel's interface.
  void nameProcedures() {
    loopsName = module.pick(kernel.name + "_loops");
    forEachStatement(kernel.body, [&](const Stmt &statement) {
      if (std::holds_alternative<Parallel>(statement.node))
        teamNames.push_back(module.pick(kernel.name + "_team"));
    });
  }

  void giveKindsToSizes() {
    const auto giveKinds = [&](Expr &e) {
      Body none; // sizes have no choices that could fail
      separateChoices(e, fresh, none);
    };
    for (Let &extent : kernel.extents)
      giveKinds(extent.value);
    for (Scratch &scratch : kernel.scratch)
      giveKinds(scratch.count);
    for (std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
      for (Array &array : *list)
        for (Expr &extent : array.extents)
          giveKinds(extent);
  }

  void placePointers(FortranKernel &out) {
    const auto place = [&](const std::string &array) {
      out.places[array] = freshName(array + "_at");
    };
    for (const std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
      for (const Array &array : *list)
        place(array.name);
    for (const Scratch &scratch : kernel.scratch)
      place(scratch.name);
    for (const Pool &pool : out.pools)
      place(pool.name);
  }

  /// Remembers every name of the kernel and changes those that would hide a procedure.
  void avoidModuleNames() {
    std::map<std::string, std::string> changed;
    renameKernel(kernel, [&](std::string &name) { used.insert(key(name)); });
    renameKernel(kernel, [&](std::string &name) {
      if (!module.has(name) || findTuned(name))
        return;
      const auto [found, added] = changed.emplace(name, "");
      if (added)
        found->second = freshName(name);
      name = found->second;
    });
  }

  /// Drops the prefetches that are left, and lanes where sums wrap.
  void cleanUp(Body &body) {
    std::erase_if(body, [](const Stmt &statement) {
      return std::holds_alternative<Prefetch>(statement.node);
    });
    for (Stmt &statement : body)
      forEachInnerBody(statement, [&](Body &inner) { cleanUp(inner); });
    std::erase_if(body, [](const Stmt &statement) {
      const auto *loop = std::get_if<Loop>(&statement.node);
      return loop && loop->body.empty();
    });
    for (Stmt &statement : body) {
      auto *loop = std::get_if<Loop>(&statement.node);
      const bool wraps =
          loop && std::any_of(loop->reductions.begin(), loop->reductions.end(),
                              [](const LaneReduction &r) {
                                return !isFloat(r.type) && (r.op == Op::add_ || r.op == Op::mul_);
                              });
      if (wraps) {
        loop->role = Loop::Role::Sequential;
        loop->reductions.clear();
      }
    }
  }

  /// Says of lanes along a whole extent that they end: an array does not tell gfortran how long it
  /// may be, and a counter that might overflow is not put in the place of another.
  void limitLanes(Body &body) {
    for (Stmt &statement : body) {
      auto *loop = std::get_if<Loop>(&statement.node);
      const bool whole = loop && loop->role == Loop::Role::Lanes &&
                         loop->hi.kind == Expr::Kind::Name &&
                         std::count(kernel.symbols.begin(), kernel.symbols.end(), loop->hi.text) != 0;
      if (whole)
        loop->hi = apply(Op::min_, {loop->hi, name("MOAC_LONGEST")});
      forEachInnerBody(statement, [&](Body &inner) { limitLanes(inner); });
    }
  }

  void collectScalars() {
    forEachStatement(kernel.body, [&](const Stmt &statement) {
      const auto declared = declaredBy(statement);
      if (declared && !declared->count)
        scalars.emplace(declared->name, declared->type);
    });
    for (const auto &[name, type] : scalars)
      scalarKeys.insert(key(name));
  }

  /// One declaration serves a procedure: an array whose name means something else gets another.
  void separateArrays(Body &body) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (const auto *local = std::get_if<LocalArray>(&body[i].node)) {
        const auto same = arrays.find(key(local->name));
        const bool clashes = same != arrays.end() && (same->second.type != local->type ||
                                                      !sameExpr(same->second.count, local->count));
        if (clashes || scalarKeys.count(key(local->name)))
          renameFrom(body, i, local->name, freshName(local->name));
        const auto &now = std::get<LocalArray>(body[i].node);
        arrays.emplace(key(now.name), now);
      }
      forEachInnerBody(body[i], [&](Body &inner) { separateArrays(inner); });
    }
  }

  static void renameFrom(Body &body, size_t from, const std::string old, const std::string &name) {
    Body rest(std::make_move_iterator(body.begin() + static_cast<std::ptrdiff_t>(from)),
              std::make_move_iterator(body.end()));
    renameIn(rest, [&](std::string &word) { word = word == old ? name : word; });
    std::move(rest.begin(), rest.end(), body.begin() + static_cast<std::ptrdiff_t>(from));
  }

  /// Puts the work of every Parallel into a procedure of its own.
  void outline(Body &body, FortranKernel &out) {
    for (Stmt &statement : body) {
      auto *parallel = std::get_if<Parallel>(&statement.node);
      if (!parallel) {
        forEachInnerBody(statement, [&](Body &inner) { outline(inner, out); });
        continue;
      }
      FortranProcedure team =
          procedure(teamNames[out.teams.size()], parallel->body, parallel->scratch);
      team.fails = parallel->fails;
      team.body = std::move(parallel->body);
      Call call{team.name, {}};
      for (const Dummy &dummy : team.dummies)
        call.arguments.push_back(argument(dummy, parallel->scratch, out.pools));
      for (Scratch &scratch : parallel->scratch)
        scratch.where.clear(); // the declaration stands elsewhere
      if (team.fails)
        call.arguments.push_back(name("status", Elem::I32));
      parallel->body = {{std::move(call)}};
      out.teams.push_back(std::move(team));
    }
  }

  /// What stands for a dummy in the call of a team; an array of each thread is a slice of a pool.
  Expr argument(const Dummy &dummy, const std::vector<Scratch> &own, std::vector<Pool> &pools) {
    for (const Scratch &scratch : own)
      if (scratch.name == dummy.name) {
        pools.push_back(
            {freshName(scratch.name + "_all"), freshName(scratch.name + "_pitch"), scratch});
        return load(pools.back().name, dummy.type,
                    apply(Op::mul_, {name("slot"), name(pools.back().pitch)}));
      }
    return name(dummy.name, dummy.type);
  }

  /// A procedure for `body`, with a dummy for everything that the body does not declare.
  FortranProcedure procedure(const std::string &title, const Body &body,
                             const std::vector<Scratch> &own) {
    FortranProcedure out;
    out.name = title;
    std::set<std::string> free = namesIn(body), written;
    forEachStatement(body, [&](const Stmt &statement) {
      if (const std::string *target = writtenBy(statement))
        written.insert(*target);
    });
    forEachStatement(body, [&](const Stmt &statement) {
      if (const auto declared = declaredBy(statement))
        free.erase(declared->name);
    });
    const std::vector<Dummy> arrays = arrayDummies(free, own, written);
    for (const Dummy &array : arrays)
      collectNames(array.count, free);
    addScalars(free, written, out.dummies);
    out.dummies.insert(out.dummies.end(), arrays.begin(), arrays.end());
    return out;
  }

  std::vector<Dummy> arrayDummies(const std::set<std::string> &free,
                                  const std::vector<Scratch> &own,
                                  const std::set<std::string> &written) {
    std::vector<Dummy> out;
    const auto add = [&](const std::string &name, Elem type, Expr count, bool changed) {
      if (free.count(name))
        out.push_back(
            {name, type, changed ? Dummy::Kind::Changed : Dummy::Kind::Input, std::move(count)});
    };
    for (const std::vector<Array> *list : {&kernel.inputs, &kernel.outputs})
      for (const Array &array : *list) {
        Expr count = integer(1);
        for (size_t i = 0; i < array.extents.size(); ++i)
          count = i ? apply(Op::mul_, {count, array.extents[i]}) : array.extents[0];
        add(array.name, array.type, std::move(count), list == &kernel.outputs);
      }
    for (const Scratch &scratch : kernel.scratch)
      add(scratch.name, scratch.type, scratch.count, true);
    for (const Scratch &scratch : own)
      add(scratch.name, scratch.type, scratch.count, true);
    return out;
  }

  void addScalars(const std::set<std::string> &free, const std::set<std::string> &written,
                  std::vector<Dummy> &out) {
    const auto add = [&](const std::string &name, Elem type) {
      if (free.count(name))
        out.push_back(
            {name, type, written.count(name) ? Dummy::Kind::Reference : Dummy::Kind::Value, {}});
    };
    for (const std::string &symbol : kernel.symbols)
      add(symbol, Elem::Index);
    for (const Scalar &scalar : kernel.scalars)
      add(scalar.name, scalar.type);
    for (const Let &extent : kernel.extents)
      add(extent.name, Elem::Index);
    if (pools) {
      add("team", Elem::Index);
      for (const Pool &pool : *pools)
        add(pool.pitch, Elem::Index);
    }
    for (const auto &[name, type] : scalars)
      add(name, type);
  }

  Kernel kernel;
  const FortranInterface &names;
  Names &module;
  const bool standalone;
  FreshName fresh;
  std::set<std::string> used;          // keys of names
  std::map<std::string, Elem> scalars; // variables of the body
  std::set<std::string> scalarKeys;
  std::map<std::string, LocalArray> arrays; // by key
  std::string loopsName;
  std::vector<std::string> teamNames;
  const std::vector<Pool> *pools = nullptr; // set when the procedure that holds them is made
};

} // namespace

FortranKernel legaliseForFortran(Kernel kernel, const FortranInterface &names, Names &module,
                                 bool standalone) {
  return Legaliser(std::move(kernel), names, module, standalone).run();
}

} // namespace moac::emit
