// Statements of ONF as statements of the loop tree; scalar values are in ScalarTree.h.
#include "emitters/LoopTreeBuilder.h"
#include "emitters/LoopShape.h"
#include "emitters/ScalarTree.h"
#include "emitters/ShapeTree.h"
#include "emitters/TreeWalk.h"
#include "ir/Tuned.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <fmt/format.h>

using namespace mlir;

namespace moac::emit {
using namespace tree;

namespace {

Status statusOf(StringRef word) {
  return llvm::StringSwitch<Status>(word)
      .Case("extent", Status::Extent)
      .Case("index", Status::Index)
      .Case("overflow", Status::Overflow)
      .Case("division", Status::DivisionByZero)
      .Default(Status::Constraint);
}

std::vector<std::string> linesOf(StringRef text) {
  std::vector<std::string> lines;
  for (StringRef line : llvm::split(text, '\n'))
    if (!line.trim().empty())
      lines.push_back(line.rtrim().str());
  return lines;
}

bool hasOffset(Operation *user) {
  return llvm::TypeSwitch<Operation *, bool>(user)
      .Case<onf::LoadOp, onf::StoreOp, onf::UpdateOp>(
          [](auto op) { return op.getOffset() != nullptr; })
      .Default(false);
}

/// A product of numbers and tuned constants.
bool isConstant(const Expr &e) {
  return e.kind == Expr::Kind::Integer ||
         (e.kind == Expr::Kind::Name && findTuned(e.text)) ||
         (e.kind == Expr::Kind::Apply && e.op == Op::mul_ && isConstant(e.args[0]) &&
          isConstant(e.args[1]));
}

/// True if the first thing done to a register is a store in its own block, which can declare it.
bool firstUseStores(onf::AllocOp op) {
  Operation *first = nullptr;
  for (Operation *user : op.getBuffer().getUsers()) {
    Operation *place = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || place->isBeforeInBlock(first))
      first = place;
  }
  return isa_and_nonnull<onf::StoreOp>(first);
}

class KernelBuilder {
public:
  KernelBuilder(onf::FuncOp function, const LangTraits &lang, std::vector<std::string> &problems)
      : function(function), lang(lang), problems(problems), names(lang.names),
        scalars(function, names), outerLanes(lang.outerLanes) {}

  Kernel build() {
    kernel.name = function.getSymName().str();
    if (auto origin = function.getOrigin())
      kernel.doc = linesOf(*origin);
    scalars.findLive();
    arguments();
    entry();
    finishLoops(kernel.body, outerLanes);
    kernel.fails = containsFail(kernel.body);
    forEachStatement(kernel.body, [&](const Stmt &statement) {
      kernel.fails |= std::holds_alternative<Gather>(statement.node) ||
                      std::holds_alternative<Meet>(statement.node);
    });
    if (auto ownership = function->getAttrOfType<ArrayAttr>("ownership"))
      for (Attribute line : ownership)
        kernel.doc.push_back(cast<StringAttr>(line).getValue().str());
    if (!kernel.pe.empty() && !lang.gather.supported())
      problems.push_back(fmt::format("kernel '{}' is divided among PEs: {}", kernel.name,
                                     lang.gather.reason()));
    return std::move(kernel);
  }

private:
  void arguments();
  Array array(const std::string &name, Attribute type);
  Expr extent(const shape::Expr &e, const std::string &word);
  llvm::DenseSet<Value> requiredArguments();
  void entry();
  void block(Block &block, Body &body);
  void statement(Operation &op, Body &body);
  void alloc(onf::AllocOp op, Body &body);
  void world(onf::WorldOp op);
  void scratch(onf::AllocOp op, std::vector<Scratch> &list);
  void parallel(onf::ParallelOp op, Body &body);
  void loop(onf::ForOp op, Body &body);
  void branch(onf::IfOp op, Body &body);
  void store(onf::StoreOp op, Body &body);
  void update(onf::UpdateOp op, Body &body);
  bool onlyArguments(const Expr &e);

  onf::FuncOp function;
  const LangTraits &lang;
  std::vector<std::string> &problems;
  Names names;
  ScalarTree scalars;
  Kernel kernel;
  std::map<std::string, std::string> spelled; // symbols, by the user's word
  std::map<shape::Expr, std::string> named;   // long extents
  std::set<std::string> argumentNames;        // of symbols, scalars and long extents, spelled
  llvm::DenseMap<Value, std::pair<std::string, Elem>>
      undeclared; // registers until their first store
  std::vector<Scratch> *teamScratch = nullptr;
  bool outerLanes;
};

/// Scalars that a requirement bounds.
llvm::DenseSet<Value> KernelBuilder::requiredArguments() {
  llvm::DenseSet<Value> found;
  SmallVector<Value> pending;
  for (auto require : function.entry().getOps<onf::RequireOp>())
    pending.push_back(require.getCondition());
  while (!pending.empty()) {
    const Value value = pending.pop_back_val();
    if (!found.insert(value).second || !value.getDefiningOp())
      continue;
    llvm::append_range(pending, value.getDefiningOp()->getOperands());
  }
  return found;
}

void KernelBuilder::arguments() {
  std::vector<std::string> words;
  for (unsigned i = 0; i < function.entry().getNumArguments(); ++i)
    words.push_back(function.argName(i).str());
  const std::vector<std::string> spellings = names.pickAll(words);
  const llvm::DenseSet<Value> required = requiredArguments();
  const unsigned symbols = function.getSymbols().size();
  for (unsigned i = 0; i < function.firstInput(); ++i) {
    const Value argument = function.entry().getArgument(i);
    const Elem type = elemOf(argument.getType());
    IndexFacts facts;
    facts.bounded = i < symbols || required.contains(argument);
    facts.nonNegative = i < symbols;
    scalars.bind(argument, tree::name(spellings[i], type), facts);
    argumentNames.insert(spellings[i]);
    if (i < symbols) {
      kernel.symbols.push_back(spellings[i]);
      spelled[words[i]] = spellings[i];
    } else {
      kernel.scalars.push_back({spellings[i], type});
    }
  }
  for (unsigned i = function.firstInput(); i < words.size(); ++i) {
    const bool input = i < function.firstOutput();
    const unsigned at = i - (input ? function.firstInput() : function.firstOutput());
    Array made =
        array(spellings[i], input ? function.getInputTypes()[at] : function.getResultTypes()[at]);
    made.bytes = names.pick(spellings[i] + "_bytes");
    scalars.declare(function.entry().getArgument(i), {made.name, made.type, input, false});
    (input ? kernel.inputs : kernel.outputs).push_back(std::move(made));
  }
}

Array KernelBuilder::array(const std::string &name, Attribute attribute) {
  auto type = cast<moa::ArrayType>(cast<TypeAttr>(attribute).getValue());
  Array out;
  out.name = name;
  out.type = elemOf(type.getElementType());
  std::string shape;
  for (const auto &[axis, extent] : llvm::enumerate(type.extents())) {
    shape += (shape.empty() ? "" : ", ") + extent.str();
    out.extents.push_back(this->extent(extent, fmt::format("{}_{}", name, axis)));
  }
  out.shape = moa::typeName(type.getElementType());
  if (type.rank() > 0)
    out.shape += "[" + shape + "]";
  out.columnMajor = type.getColumnMajor();
  if (out.columnMajor)
    out.shape += " layout col";
  return out;
}

/// An extent; a long one gets the name `word`, so that it is computed and checked once.
Expr KernelBuilder::extent(const shape::Expr &e, const std::string &word) {
  constexpr size_t shortExtent = 3;
  const auto known = named.find(e);
  if (known != named.end())
    return tree::name(known->second);
  Expr value = fromShape(e, [&](const std::string &symbol) {
    const auto found = spelled.find(symbol);
    return found == spelled.end() ? symbol : found->second;
  });
  if (weight(value) <= shortExtent)
    return value;
  const std::string spelling = names.pick(word);
  kernel.extents.push_back({spelling, std::move(value)});
  scalars.nameExtent(e, spelling);
  named[e] = spelling;
  argumentNames.insert(spelling);
  return tree::name(spelling);
}

/// Everything up to the last requirement is inlined, because checks come before any statement.
void KernelBuilder::entry() {
  Block &block = function.entry();
  Operation *last = nullptr;
  for (auto require : block.getOps<onf::RequireOp>())
    last = require;
  Block::iterator at = block.begin();
  scalars.inlineEverything(true);
  for (; last && at != std::next(Block::iterator(last)); ++at) {
    if (auto require = dyn_cast<onf::RequireOp>(*at)) {
      const StringRef text = require.getText();
      kernel.requirements.push_back({scalars.expr(require.getCondition()),
                                     statusOf(require.getStatus()),
                                     text == require.getStatus() ? "" : text.str(), {}});
    } else {
      statement(*at, kernel.body);
    }
  }
  scalars.inlineEverything(false);
  for (; at != block.end(); ++at)
    statement(*at, kernel.body);
}

void KernelBuilder::block(Block &block, Body &body) {
  const size_t mark = names.mark();
  for (Operation &op : block)
    statement(op, body);
  names.release(mark);
}

void KernelBuilder::statement(Operation &op, Body &body) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](onf::NoteOp note) {
        const bool phase = isa<onf::FuncOp>(note->getParentOp());
        for (const std::string &line : linesOf(note.getText()))
          body.push_back({Note{line, phase && line == linesOf(note.getText()).front()}});
      })
      .Case([&](onf::AllocOp alloc) { this->alloc(alloc, body); })
      .Case([&](onf::ParallelOp team) { parallel(team, body); })
      .Case([&](onf::ForOp loop) { this->loop(loop, body); })
      .Case([&](onf::IfOp branch) { this->branch(branch, body); })
      .Case([&](onf::StoreOp store) { this->store(store, body); })
      .Case([&](onf::UpdateOp update) { this->update(update, body); })
      .Case([&](onf::PrefetchOp prefetch) {
        body.push_back({Prefetch{scalars.buffer(prefetch.getBuffer()).name,
                                 scalars.offset(prefetch.getOffset()), prefetch.getReads()}});
      })
      .Case([&](onf::WorldOp world) { this->world(world); })
      .Case([&](onf::GatherOp gather) {
        const ScalarTree::Buffer &buffer = scalars.buffer(gather.getBuffer());
        body.push_back({Gather{buffer.name, buffer.storage, scalars.expr(gather.getFirst()),
                               scalars.expr(gather.getCount())}});
      })
      .Case([&](onf::MeetOp) { body.push_back({Meet{}}); })
      .Case([&](onf::FailOp fail) { body.push_back({Fail{statusOf(fail.getStatus())}}); })
      .Default([&](Operation *other) {
        if (ScalarTree::isPure(other))
          scalars.define(other, body);
        else
          problems.push_back(fmt::format("'{}' has no form in a loop tree",
                                         other->getName().getStringRef().str()));
      });
}

bool KernelBuilder::onlyArguments(const Expr &e) {
  std::set<std::string> mentioned;
  collectNames(e, mentioned);
  std::erase_if(mentioned, findTuned);
  return std::includes(argumentNames.begin(), argumentNames.end(), mentioned.begin(),
                       mentioned.end());
}

void KernelBuilder::alloc(onf::AllocOp op, Body &body) {
  if (llvm::none_of(op.getBuffer().getUsers(),
                    [&](Operation *user) {
                      return isa<onf::GatherOp>(user) ||
                             (isa<onf::LoadOp>(user) && scalars.isLive(user));
                    }))
    return; // never read: its stores are left out too
  auto type = cast<onf::BufferType>(op.getBuffer().getType());
  if (type.getSpace() == "symmetric")
    return scratch(op, kernel.symmetric);
  if (type.getSpace() == "shared" || (type.getSpace() == "thread" && !teamScratch))
    return scratch(op, kernel.scratch);
  if (type.getSpace() == "thread")
    return scratch(op, *teamScratch);
  const Expr size = scalars.expr(op.getSize());
  const Elem element = elemOf(type.getElementType());
  const std::string name = names.pick(op.getName().str(), element);

  if (!isConstant(size))
    problems.push_back(
        fmt::format("register buffer '{}' has no constant size", op.getName().str()));
  const bool scalar = size.kind == Expr::Kind::Integer && size.integer == 1 &&
                      llvm::none_of(op.getBuffer().getUsers(), hasOffset);
  scalars.declare(op.getBuffer(), {name, element, false, scalar});
  if (!scalar)
    body.push_back({LocalArray{name, element, size, sourcePlace(op.getLoc())}});
  else if (firstUseStores(op))
    undeclared[op.getBuffer()] = {name, element};
  else
    body.push_back({Variable{name, element, std::nullopt}});
}

/// The C file declares the names before anything uses them.
void KernelBuilder::world(onf::WorldOp op) {
  std::string &name = op.getWhat() == "pe" ? kernel.pe : kernel.pes;
  name = names.pick(op.getWhat().str());
  argumentNames.insert(name);
  IndexFacts facts;
  facts.bounded = facts.nonNegative = true;
  scalars.bind(op.getResult(), tree::name(name), facts);
}

void KernelBuilder::scratch(onf::AllocOp op, std::vector<Scratch> &list) {
  const Elem element = elemOf(cast<onf::BufferType>(op.getBuffer().getType()).getElementType());
  const std::string name = names.pick(op.getName().str(), element);
  Expr count = scalars.spelledOut(op.getSize());
  if (count.kind != Expr::Kind::Integer && !scalars.isNonNegative(op.getSize()))
    count = apply(Op::max_, {integer(0), std::move(count)});
  if (!onlyArguments(count))
    problems.push_back(fmt::format("the size of '{}' is not known when the kernel is entered",
                                   op.getName().str()));
  scalars.declare(op.getBuffer(), {name, element, false, false});
  list.push_back({name, element, count, sourcePlace(op.getLoc())});
}

void KernelBuilder::parallel(onf::ParallelOp op, Body &body) {
  Parallel team;
  team.work = scalars.spelledOut(op.getWork());
  if (!onlyArguments(team.work))
    team.work = real(1e12); // unknown: use all threads
  teamScratch = &team.scratch;
  block(op.getBody().front(), team.body);
  teamScratch = nullptr;
  if (!team.scratch.empty())
    team.slots = names.pick("slots");
  appendTeam(std::move(team), body);
}

void KernelBuilder::loop(onf::ForOp op, Body &body) {
  const size_t mark = names.mark();
  Loop loop;
  loop.lo = scalars.expr(op.getLo());
  loop.hi = scalars.expr(op.getHi());
  if (op.getStep())
    loop.step = scalars.expr(op.getStep());
  loop.name = names.pick(op.getName().str());
  loop.reverse = op.getReverse();
  loop.where = sourcePlace(op.getLoc());
  scalars.bindLoop(op, loop.name);
  const StringRef role = op.getRole();
  if (role == "parallel" && op.getCollapse() > 0) {
    loop.role = teamScratch ? Loop::Role::Workshare : Loop::Role::Team;
    loop.collapse = op.getCollapse();
    loop.uneven = op->hasAttr("uneven");
  } else if (role == "lanes") {
    loop.role = Loop::Role::Lanes;
    loop.block = loop.lo.kind == Expr::Kind::Integer && loop.lo.integer == 0 &&
                 loop.hi.kind != Expr::Kind::Integer && isConstant(loop.hi);
  } else if (role == "unroll") {
    loop.role = Loop::Role::Unroll;
    if (auto copies = op->getAttrOfType<IntegerAttr>("copies"))
      loop.factor = copies.getInt();
  }
  block(op.entry(), loop.body);
  names.release(mark);
  if (!loop.body.empty())
    body.push_back({std::move(loop)});
}

void KernelBuilder::branch(onf::IfOp op, Body &body) {
  If branch{scalars.expr(op.getCondition()), {}, {}};
  block(op.getThenRegion().front(), branch.then);
  if (!op.getElseRegion().empty())
    block(op.getElseRegion().front(), branch.otherwise);
  if (branch.then.empty()) {
    if (branch.otherwise.empty())
      return;
    branch.condition = apply(Op::not_, {std::move(branch.condition)});
    branch.then.swap(branch.otherwise);
  }
  body.push_back({std::move(branch)});
}

void KernelBuilder::store(onf::StoreOp op, Body &body) {
  if (!scalars.isLive(op))
    return;
  const ScalarTree::Buffer &buffer = scalars.buffer(op.getBuffer());
  Expr value = cast(buffer.storage, scalars.expr(op.getValue()));
  if (!buffer.scalar) {
    body.push_back({Store{buffer.name, scalars.offset(op.getOffset()), std::move(value)}});
    return;
  }
  if (undeclared.erase(op.getBuffer()))
    body.push_back({Variable{buffer.name, buffer.storage, std::move(value)}});
  else if (value.kind != Expr::Kind::Name || value.text != buffer.name) // a fold may keep what it has
    body.push_back({Assign{buffer.name, std::move(value)}});
}

void KernelBuilder::update(onf::UpdateOp op, Body &body) {
  if (!scalars.isLive(op))
    return;
  const ScalarTree::Buffer &buffer = scalars.buffer(op.getBuffer());
  const Op fn = updateOp(op.getKind());
  Expr value = scalars.expr(op.getValue());
  std::optional<Expr> offset;
  if (!buffer.scalar)
    offset = scalars.offset(op.getOffset());
  if (value.type == Elem::Index && (fn == Op::add_ || fn == Op::mul_)) // sums wrap
    value = cast(Elem::I64, std::move(value));
  else if (value.type != buffer.storage) { // through the value type and back
    value = cast(buffer.storage, apply(fn, {scalars.read(op.getBuffer(), op.getOffset()), value}));
    if (offset)
      body.push_back({Store{buffer.name, *offset, std::move(value)}});
    else
      body.push_back({Assign{buffer.name, std::move(value)}});
    return;
  }
  body.push_back({Update{fn, buffer.name, std::move(offset), std::move(value), op.getAtomic()}});
}

} // namespace

File buildLoopTree(const std::vector<onf::FuncOp> &functions, const LangTraits &lang) {
  File file;
  for (onf::FuncOp function : functions) {
    std::vector<std::string> problems;
    file.kernels.push_back(KernelBuilder(function, lang, problems).build());
    for (const std::string &problem : problems)
      file.problems.push_back(fmt::format("kernel '{}': {}", function.getSymName().str(), problem));
    if (file.source.empty())
      file.source = llvm::StringRef(sourcePlace(function.getLoc())).rsplit(':').first.str();
  }
  return file;
}

} // namespace moac::emit
