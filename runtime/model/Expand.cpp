// Walks the threads of a litmus program and records events; the operations are in
// ExpandOperations.cpp.
//
// Registers hold symbolic values, so a program is walked once per path and not once per value.
// Example: after `fetch r, x@1; if r == 1 { ... }` the walk is repeated with the requirement r == 1
// and with r != 1.
#include "runtime/model/Expander.h"

#include <algorithm>

namespace moac::model {
namespace {

constexpr int maxSteps = 20000;
constexpr int maxValueDepth = 100;
constexpr int maxEvents = 2000;
constexpr int maxPaths = 4096;

} // namespace

bool Expander::fail(int line, const std::string &message) {
  if (!error)
    error = SourceError{program.file, program.name + ": " + message, line};
  return false;
}

int Expander::makeValue(const Value &value) {
  graph.values.push_back(value);
  return static_cast<int>(graph.values.size()) - 1;
}

int Expander::constant(int64_t number) { return makeValue({.number = number}); }

int Expander::loaded(int event) { return makeValue({.kind = ValueKind::Loaded, .index = event}); }

int Expander::combine(ExprOp op, int lhs, int rhs) {
  const Value l = graph.values[lhs], r = rhs < 0 ? Value{} : graph.values[rhs];
  if (l.kind == ValueKind::Constant && r.kind == ValueKind::Constant)
    return constant(applyOperator(op, l.number, r.number));
  int depth = std::max(l.depth, r.depth) + 1;
  if (depth > maxValueDepth)
    fail(program.line, "a value depends on more than 100 nested operators");
  return makeValue({.kind = ValueKind::Operator, .op = op, .lhs = lhs, .rhs = rhs, .depth = depth});
}

int Expander::leafOfCondition(const Expr &expr) {
  if (expr.kind == ExprKind::Memory) {
    std::vector<int> places;
    if (!resolve(expr.place, places))
      return constant(0);
    return makeValue({.kind = ValueKind::Final, .index = places.front()});
  }
  int found = -1;
  for (size_t t = 0; t < program.threads.size(); ++t) {
    auto entry = graph.registers[t].find(expr.name);
    bool named = expr.kind == ExprKind::Name ||
                 (program.threads[t].pe == expr.pe && program.threads[t].index == expr.thread);
    if (entry == graph.registers[t].end() || !named)
      continue;
    if (found >= 0)
      fail(program.line,
           "several threads have a register '" + expr.name + "': write PE:" + expr.name);
    found = entry->second;
  }
  return found >= 0 ? found : constant(0);
}

int Expander::evaluate(const ExprPtr &expr, int line) {
  switch (expr->kind) {
  case ExprKind::Number:
    return constant(expr->number);
  case ExprKind::Name: {
    if (expr->name == "npes")
      return constant(program.pes);
    if (thread < 0)
      return leafOfCondition(*expr);
    if (expr->name == "me")
      return constant(pe);
    auto found = environment.find(expr->name);
    if (found != environment.end())
      return found->second;
    fail(line, "register '" + expr->name + "' has no value yet");
    return constant(0);
  }
  case ExprKind::ThreadRegister:
  case ExprKind::Memory:
    return leafOfCondition(*expr);
  case ExprKind::Operator: {
    int lhs = evaluate(expr->lhs, line);
    return combine(expr->op, lhs, expr->rhs ? evaluate(expr->rhs, line) : -1);
  }
  }
  return constant(0);
}

bool Expander::evaluateConstant(const ExprPtr &expr, int line, int64_t &out) {
  const Value value = graph.values[evaluate(expr, line)];
  if (value.kind != ValueKind::Constant)
    return fail(line, "an index, a PE number or a loop bound may not depend on memory");
  out = value.number;
  return !error;
}

int Expander::locate(const std::string &name, int pe) {
  auto [entry, isNew] = locationIndex.try_emplace({name, pe}, graph.locations.size());
  if (isNew)
    graph.locations.push_back({name, pe, 0, {}, {}});
  return entry->second;
}

// The locations a place names: one, or one per element of its range.
bool Expander::resolve(const Place &place, std::vector<int> &locations, bool localOnly,
                       bool wholeArray) {
  size_t indices = place.indices.size() + (place.isRange() || wholeArray ? 1 : 0);
  auto [known, isNew] = dimensions.try_emplace(place.name, indices);
  if (known->second != indices)
    return fail(place.line, "'" + place.name + "' has " + std::to_string(indices) +
                                (indices == 1 ? " index" : " indices") + " here and " +
                                std::to_string(known->second) + " elsewhere");
  int64_t target = pe, lo = 0, hi = 1;
  if (place.pe && !evaluateConstant(place.pe, place.line, target))
    return false;
  if (target < 0 || target >= program.pes)
    return fail(place.line, "no such PE: " + std::to_string(target));
  if (localOnly && target != pe)
    return fail(place.line, "'" + place.name + "' must be on the PE that makes the call");
  std::string name = place.name;
  for (const ExprPtr &index : place.indices) {
    int64_t value = 0;
    if (!evaluateConstant(index, place.line, value))
      return false;
    name += "[" + std::to_string(value) + "]";
  }
  if (place.isRange() &&
      (!evaluateConstant(place.lo, place.line, lo) || !evaluateConstant(place.hi, place.line, hi)))
    return false;
  if (hi < lo || hi - lo > maxEvents)
    return fail(place.line, "a range goes from low to high and has at most 2000 elements");
  for (int64_t i = lo; i < hi; ++i)
    locations.push_back(locate(place.isRange() ? name + "[" + std::to_string(i) + "]" : name,
                               static_cast<int>(target)));
  return true;
}

int Expander::addEvent(Event event) {
  int index = graph.size();
  if (event.isAccess()) {
    Location &location = graph.locations[event.location];
    (event.kind == EventKind::Load ? location.loads : location.stores).push_back(index);
  }
  if (event.thread >= 0)
    graph.threads[event.thread].push_back(index);
  graph.events.push_back(event);
  if (index >= maxEvents)
    fail(event.line, "more than 2000 events");
  return index;
}

int Expander::comIdOf(const std::string &name) const {
  for (size_t i = 0; i < program.comIds.size(); ++i)
    if (program.comIds[i].name == name)
      return static_cast<int>(i) + 1;
  return 0;
}

int Expander::normalComId(const Statement &statement, const std::string &place) const {
  if (!statement.comId.empty())
    return comIdOf(statement.comId);
  for (auto &[name, id] : program.allocations)
    if (name == place)
      return comIdOf(id);
  return 0;
}

Event Expander::normalEvent(const Statement &statement, EventKind kind, int location) {
  using enum MemoryOrder;
  MemoryOrder order = statement.order;
  Event event;
  event.kind = kind;
  event.thread = thread;
  event.home = pe;
  event.line = statement.line;
  event.atomic = order != None;
  bool both = order == AcquireRelease || order == SeqCst;
  event.acquire = kind != EventKind::Store && (order == Acquire || both);
  event.release = kind != EventKind::Load && (order == Release || both);
  if (location >= 0) {
    event.location = location;
    event.pe = graph.locations[location].pe;
    event.comId = normalComId(statement, statement.places.front().name);
  }
  return event;
}

int Expander::decide(int alternatives) {
  if (nextDecision == decisions.size())
    decisions.emplace_back(0, alternatives);
  return decisions[nextDecision++].first;
}

void Expander::require(int value, int line) { graph.requirements.push_back({value, line}); }

bool Expander::runNormal(const Statement &s) {
  if (s.kind == StatementKind::LanguageFence) {
    addEvent(normalEvent(s, EventKind::LanguageFence, -1));
    return !error;
  }
  if (s.kind == StatementKind::Let || s.kind == StatementKind::Assume) {
    int value = evaluate(s.values[0], s.line);
    if (s.kind == StatementKind::Let)
      environment[s.reg] = value;
    else
      require(value, s.line);
    return !error;
  }
  std::vector<int> places;
  if (!resolve(s.places[0], places))
    return false;
  if (places.size() != 1)
    return fail(s.line, "a normal access touches one element");
  int value = s.values.empty() ? -1 : evaluate(s.values[0], s.line);
  if (s.kind == StatementKind::Store) {
    Event store = normalEvent(s, EventKind::Store, places[0]);
    store.value = value;
    addEvent(store);
    return !error;
  }
  int load = addEvent(normalEvent(s, EventKind::Load, places[0]));
  if (s.kind == StatementKind::Spin) {
    require(combine(s.cmp, loaded(load), value), s.line);
    graph.waits.push_back({load, s.cmp, value});
    return !error;
  }
  environment[s.reg] = loaded(load);
  if (s.kind == StatementKind::Rmw) {
    Event store = normalEvent(s, EventKind::Store, places[0]);
    store.value = s.swap ? value : combine(ExprOp::Add, loaded(load), value);
    store.partner = load;
    graph.events[load].partner = addEvent(store);
  }
  return !error;
}

bool Expander::runFor(const Statement &s) {
  int64_t lo = 0, hi = 0, except = 0;
  if (!evaluateConstant(s.values[0], s.line, lo) || !evaluateConstant(s.values[1], s.line, hi) ||
      (s.values.size() > 2 && !evaluateConstant(s.values[2], s.line, except)))
    return false;
  for (int64_t i = lo; i < hi; ++i) {
    if (++steps > maxSteps)
      return fail(s.line, "the program does not end within 20000 steps");
    if (s.values.size() > 2 && i == except)
      continue;
    environment[s.reg] = constant(i);
    if (!runBody(s.body))
      return false;
  }
  return true;
}

bool Expander::runIf(const Statement &s) {
  int value = evaluate(s.values[0], s.line);
  const Value condition = graph.values[value];
  bool taken = condition.number != 0;
  if (condition.kind != ValueKind::Constant) {
    taken = decide(2) == 0;
    require(taken ? value : combine(ExprOp::Not, value, -1), s.line);
  }
  return !error && runBody(taken ? s.body : s.otherwise);
}

bool Expander::runStatement(const Statement &statement) {
  if (++steps > maxSteps)
    return fail(statement.line, "the program does not end within 20000 steps");
  if (statement.kind == StatementKind::For)
    return runFor(statement);
  if (statement.kind == StatementKind::If)
    return runIf(statement);
  if (statement.kind == StatementKind::Operation)
    return runOperation(statement) && !error;
  return runNormal(statement);
}

bool Expander::runBody(const std::vector<Statement> &body) {
  for (const Statement &statement : body)
    if (!runStatement(statement))
      return false;
  return true;
}

void Expander::declare() {
  graph.threads.resize(program.threads.size());
  graph.registers.resize(program.threads.size());
  graph.comIdNames = {"global"};
  graph.comIdParents = {-1};
  for (const ComId &id : program.comIds) {
    graph.comIdParents.push_back(comIdOf(id.parent));
    graph.comIdNames.push_back(id.name);
  }
  graph.contextDomains = {""};
  for (const Context &context : program.contexts)
    graph.contextDomains.push_back(context.domain);
  for (const InitialValue &initial : program.init)
    for (pe = 0; pe < program.pes; ++pe) {
      std::vector<int> places;
      if (!resolve(initial.place, places))
        return;
      for (int place : places)
        graph.locations[place].initial = initial.value;
    }
}

bool Expander::buildCondition() {
  thread = -1;
  pe = 0;
  if (program.condition)
    graph.condition = evaluate(program.condition, program.line);
  for (auto &[which, calls] : collectives)
    graph.stuck = graph.stuck || calls.missing != 0;
  return !error;
}

bool Expander::run() {
  declare();
  for (size_t t = 0; t < program.threads.size() && !error; ++t) {
    thread = static_cast<int>(t);
    pe = program.threads[t].pe;
    environment.clear();
    if (!runBody(program.threads[t].body))
      return false;
    graph.registers[t] = environment;
  }
  return !error && buildCondition();
}

std::optional<SourceError> forEachPath(const Program &program,
                                       const std::function<bool(Graph &&)> &visit) {
  std::vector<std::pair<int, int>> decisions;
  for (int paths = 0; paths < maxPaths; ++paths) {
    Expander expander(program, decisions);
    if (!expander.run())
      return expander.error;
    if (!visit(std::move(expander.graph)))
      return std::nullopt;
    while (!decisions.empty() && decisions.back().first + 1 == decisions.back().second)
      decisions.pop_back();
    if (decisions.empty())
      return std::nullopt;
    ++decisions.back().first;
  }
  return SourceError{program.file,
                     program.name +
                         ": more than 4096 paths, which branches, compare_swaps, wait_any "
                         "and locks multiply; use fewer",
                     program.line};
}

} // namespace moac::model
