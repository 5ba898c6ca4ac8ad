// Reads litmus files: programs, their declarations, conditions and expectations. Statements are in
// LitmusStatements.cpp, the format is described in Litmus.md.
#include "runtime/model/LitmusParser.h"

#include <algorithm>
#include <functional>

namespace moac::model {

constexpr int maxPes = 64;

bool LitmusParser::accept(std::string_view symbol) {
  if (!peek().is(symbol))
    return false;
  take();
  return true;
}

bool LitmusParser::fail(const std::string &message) { return failAt(peek().offset, message); }

bool LitmusParser::failAt(size_t offset, const std::string &message) {
  if (error)
    return false;
  std::string_view before = text.substr(0, std::min(offset, text.size()));
  int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  size_t begin = before.rfind('\n') + 1; // npos + 1 is 0
  error = SourceError{file, message, line, static_cast<int>(before.size() - begin) + 1};
  quoteLine(*error, text);
  return false;
}

bool LitmusParser::expect(std::string_view symbol) {
  if (accept(symbol))
    return true;
  std::string found = peek().kind == TokenKind::Newline ? "end of line" : std::string(peek().text);
  return fail("expected '" + std::string(symbol) + "', found '" + found + "'");
}

bool LitmusParser::atLineEnd() const {
  return peek().kind == TokenKind::Newline || peek().kind == TokenKind::End;
}

bool LitmusParser::endLine() {
  if (!atLineEnd())
    return fail("unexpected '" + std::string(peek().text) + "' at the end of a statement");
  skipNewlines();
  return true;
}

void LitmusParser::skipNewlines() {
  while (peek().kind == TokenKind::Newline)
    take();
}

std::string LitmusParser::restOfLine() {
  size_t begin = peek().offset, end = begin;
  while (!atLineEnd()) {
    end = peek().offset + peek().text.size();
    take();
  }
  return std::string(text.substr(begin, end - begin));
}

bool LitmusParser::word(std::string &out, const char *what) {
  if (peek().kind != TokenKind::Word)
    return fail(std::string("expected ") + what);
  out = std::string(take().text);
  return true;
}

bool LitmusParser::integer(int64_t &out, const char *what) {
  bool negative = accept("-");
  if (peek().kind != TokenKind::Number)
    return fail(std::string("expected ") + what);
  out = negative ? -peek().number : peek().number;
  take();
  return true;
}

std::vector<Program> LitmusParser::parseFile() {
  std::vector<Program> programs;
  skipNewlines();
  while (!error && peek().kind != TokenKind::End) {
    if (!peek().is("litmus")) {
      fail("expected 'litmus NAME' to begin a program");
      break;
    }
    Program program;
    if (parseProgram(program))
      programs.push_back(std::move(program));
  }
  return programs;
}

bool LitmusParser::parseProgram(Program &program) {
  program.line = peek().line;
  program.file = file;
  take();
  program.name = restOfLine();
  if (program.name.empty())
    return fail("a program needs a name");
  skipNewlines();
  threadBody = nullptr;
  conditionAtoms.clear();
  while (!error && peek().kind != TokenKind::End && !peek().is("litmus")) {
    bool known = false;
    if (!parseHeader(program, known) || (!known && !parseThreadLabel(program, known)))
      return false;
    if (known)
      continue;
    if (!threadBody)
      return fail("a statement before any 'PEk:' label, or an unknown declaration '" +
                  std::string(peek().text) + "'");
    if (!parseStatement(*threadBody))
      return false;
  }
  return !error && validate(program);
}

bool LitmusParser::parseHeader(Program &program, bool &known) {
  known = true;
  if (accept("pes")) {
    int64_t count = 0;
    if (!integer(count, "the number of PEs"))
      return false;
    if (count < 1 || count > maxPes)
      return fail("the number of PEs must be between 1 and 64");
    program.pes = static_cast<int>(count);
    return endLine();
  }
  if (accept("init"))
    return parseInit(program);
  if (accept("ctx"))
    return parseContext(program);
  if (accept("com"))
    return parseComIds(program);
  if (accept("alloc"))
    return parseAllocation(program);
  if (accept("team"))
    return parseTeam(program);
  if (peek().is("exists") || peek().is("forall"))
    return parseCondition(program);
  if (accept("expect"))
    return parseExpectations(program);
  known = false;
  return true;
}

bool LitmusParser::parseInit(Program &program) {
  do {
    InitialValue initial;
    if (!parsePlace(initial.place) || !expect("=") || !integer(initial.value, "an initial value"))
      return false;
    program.init.push_back(std::move(initial));
  } while (accept(","));
  return endLine();
}

bool LitmusParser::parseContext(Program &program) {
  Context context;
  if (!word(context.name, "the name of a context"))
    return false;
  while (!atLineEnd()) {
    std::string property;
    if (!word(property, "a property of the context"))
      return false;
    bool good = property == "nostore";
    if (good)
      context.nostore = true;
    else if (property == "com")
      good = expect("=") && word(context.comId, "a com id");
    else if (property == "domain")
      good = expect("=") && word(context.domain, "a domain");
    if (!good)
      return fail("a context has the properties nostore, com=ID and domain=NAME");
  }
  program.contexts.push_back(std::move(context));
  return endLine();
}

bool LitmusParser::parseComIds(Program &program) {
  do {
    ComId id;
    if (!word(id.name, "a com id"))
      return false;
    if (accept("under") && !word(id.parent, "the parent com id"))
      return false;
    program.comIds.push_back(std::move(id));
  } while (accept(","));
  return endLine();
}

bool LitmusParser::parseAllocation(Program &program) {
  std::string name, id;
  if (!word(name, "a place name") || !expect("com") || !expect("=") || !word(id, "a com id"))
    return false;
  program.allocations.emplace_back(name, id);
  return endLine();
}

bool LitmusParser::parseTeam(Program &program) {
  Team team;
  if (!word(team.name, "the name of a team") || !expect("="))
    return false;
  do {
    int64_t member = 0;
    if (!integer(member, "a PE number"))
      return false;
    if (member < 0 || member >= maxPes)
      return fail("no such PE: " + std::to_string(member));
    team.members.push_back(static_cast<int>(member));
  } while (accept(","));
  program.teams.push_back(std::move(team));
  return endLine();
}

// `PE0:`, `PE0.1:` (second thread of PE 0) and `all:` (one thread on each PE).
bool LitmusParser::parseThreadLabel(Program &program, bool &known) {
  known = false;
  std::string_view label = peek().text;
  if (peek().is("all") && peek(1).is(":")) {
    take(), take();
    program.threads.push_back({.everyPe = true});
  } else if (peek().kind == TokenKind::Word && label.starts_with("PE") && label.size() > 2 &&
             label.size() < 5 && (peek(1).is(":") || peek(1).is("."))) {
    Thread thread;
    for (char c : label.substr(2))
      thread.pe = c >= '0' && c <= '9' ? thread.pe * 10 + (c - '0') : maxPes;
    take();
    int64_t index = 0;
    if (accept(".") && !integer(index, "a thread number"))
      return false;
    thread.index = static_cast<int>(std::clamp<int64_t>(index, 0, maxPes));
    if (!expect(":"))
      return false;
    program.threads.push_back(std::move(thread));
  } else {
    return true;
  }
  known = true;
  threadBody = &program.threads.back().body;
  skipNewlines();
  return true;
}

bool LitmusParser::parseCondition(Program &program) {
  if (program.condition)
    return fail("a program has one condition");
  program.conditionKind = peek().is("exists") ? ConditionKind::Exists : ConditionKind::Forall;
  take();
  inCondition = true;
  conditionAtoms.clear();
  program.condition = parseExpr();
  inCondition = false;
  threadBody = nullptr;
  return program.condition && endLine();
}

// `expect MODEL... VERDICT, ...`: the words of the line, groups separated by commas.
bool LitmusParser::parseExpectations(Program &program) {
  int line = peek().line;
  size_t begin = peek().offset;
  std::string rest = restOfLine() + ",";
  std::vector<Model> models;
  std::string item;
  for (size_t i = 0; i < rest.size(); ++i) {
    char c = rest[i];
    if (c != ' ' && c != '\t' && c != ',' && c != '\r') {
      item += c;
      continue;
    }
    if (auto model = parseModel(item)) {
      models.push_back(*model);
    } else if (auto verdict = parseVerdict(item); verdict && !models.empty()) {
      for (const Model &model : models) {
        for (const Expectation &earlier : program.expectations)
          if (earlier.model == model &&
              (earlier.verdict == VerdictKind::MayBlock) == (*verdict == VerdictKind::MayBlock))
            return failAt(begin + i - item.size(),
                          "the program has a verdict of " + modelName(model) +
                              " already: " + std::string(verdictName(earlier.verdict)) + ", line " +
                              std::to_string(earlier.line));
        program.expectations.push_back({model, *verdict, line});
      }
      models.clear();
    } else if (!item.empty()) {
      return failAt(
          begin + i - item.size(),
          "'" + item + "' is neither a model nor a verdict after one" +
              suggestion(item, {"paper", "c11", "c11q", "comid", "race-free", "racy", "allowed",
                                "forbidden", "holds", "violated", "blocked", "may-block"}));
    }
    item.clear();
  }
  if (!models.empty() || program.expectations.empty())
    return fail("expected 'expect MODEL... VERDICT'");
  threadBody = nullptr;
  return endLine();
}

namespace {

template <typename Range, typename Name> bool declares(const Range &range, const Name &name) {
  return std::any_of(range.begin(), range.end(), [&](auto &item) { return item.name == name; });
}

// `all:` becomes one thread on each PE.
std::vector<Thread> instantiate(const std::vector<Thread> &threads, int pes) {
  std::vector<Thread> result;
  for (const Thread &thread : threads)
    for (int pe = 0; pe < (thread.everyPe ? pes : 1); ++pe)
      result.push_back({thread.everyPe ? pe : thread.pe, thread.index, false, thread.body});
  return result;
}

} // namespace

bool LitmusParser::validate(Program &program) {
  auto wrong = [&](const std::string &message) {
    error = SourceError{file, message, program.line};
    quoteLine(*error, text);
    return false;
  };
  program.threads = instantiate(program.threads, program.pes);
  if (program.threads.size() > static_cast<size_t>(maxPes))
    return wrong("more than 64 threads");
  for (size_t i = 0; i < program.threads.size(); ++i) {
    const Thread &thread = program.threads[i];
    if (thread.pe >= program.pes)
      return wrong("a thread on PE " + std::to_string(thread.pe) + ", but 'pes' is " +
                   std::to_string(program.pes));
    for (size_t j = 0; j < i; ++j)
      if (program.threads[j].pe == thread.pe && program.threads[j].index == thread.index)
        return wrong("two bodies for thread " + std::to_string(thread.index) + " of PE " +
                     std::to_string(thread.pe));
    if (!validateBody(program, thread.body))
      return false;
  }
  for (size_t i = 0; i < program.comIds.size(); ++i) {
    const std::string &parent = program.comIds[i].parent;
    auto end = program.comIds.begin() + static_cast<std::ptrdiff_t>(i);
    if (!parent.empty() && std::none_of(program.comIds.begin(), end,
                                        [&](const ComId &id) { return id.name == parent; }))
      return wrong("the parent com id '" + parent + "' must be declared before its children");
  }
  auto knownId = [&](const std::string &id) { return id.empty() || declares(program.comIds, id); };
  for (const Context &context : program.contexts)
    if (!knownId(context.comId))
      return wrong("no com id '" + context.comId + "'");
  for (auto &[place, id] : program.allocations)
    if (!knownId(id))
      return wrong("no com id '" + id + "'");
  for (const Team &team : program.teams)
    for (int member : team.members)
      if (member >= program.pes)
        return wrong("team " + team.name + ": no such PE: " + std::to_string(member));
  return validateCondition(program);
}

namespace {

bool anyStatement(const std::vector<Statement> &body,
                  const std::function<bool(const Statement &)> &holds) {
  return std::any_of(body.begin(), body.end(), [&](const Statement &s) {
    return holds(s) || anyStatement(s.body, holds) || anyStatement(s.otherwise, holds);
  });
}

} // namespace

// A condition about a register that nobody sets, or a place that nobody names, is a slip.
bool LitmusParser::validateCondition(const Program &program) {
  auto someThread = [&](const Expr &atom, const std::function<bool(const Statement &)> &holds) {
    return std::any_of(program.threads.begin(), program.threads.end(), [&](const Thread &t) {
      bool here =
          atom.kind != ExprKind::ThreadRegister || (t.pe == atom.pe && t.index == atom.thread);
      return here && anyStatement(t.body, holds);
    });
  };
  for (auto &[atom, offset] : conditionAtoms) {
    const Expr &expr = *atom;
    if (expr.kind == ExprKind::Name && expr.name == "npes")
      continue;
    if (expr.kind == ExprKind::Memory) {
      auto names = [&](const Place &place) { return place.name == expr.place.name; };
      bool initial = std::any_of(program.init.begin(), program.init.end(),
                                 [&](const InitialValue &value) { return names(value.place); });
      bool used = initial || someThread(expr, [&](const Statement &s) {
                    return std::any_of(s.places.begin(), s.places.end(), names);
                  });
      if (!used)
        return failAt(offset, "the program has no place '" + expr.place.name + "'");
    } else if (!someThread(expr, [&](const Statement &s) { return s.reg == expr.name; })) {
      std::string owner = expr.kind == ExprKind::Name ? "no thread has"
                                                      : "PE " + std::to_string(expr.pe) + "." +
                                                            std::to_string(expr.thread) + " has no";
      bool place = expr.kind == ExprKind::Name && someThread(expr, [&](const Statement &s) {
                     return std::any_of(s.places.begin(), s.places.end(),
                                        [&](const Place &p) { return p.name == expr.name; });
                   });
      return failAt(
          offset, owner + (expr.kind == ExprKind::Name ? " a" : "") + " register '" + expr.name +
                      "'" + (place ? "; a place is written with its PE: " + expr.name + "@0" : ""));
    }
  }
  return true;
}

bool LitmusParser::validateBody(const Program &program, const std::vector<Statement> &body) {
  for (const Statement &s : body) {
    std::string message;
    if (!s.context.empty() && !declares(program.contexts, s.context))
      message = "no context '" + s.context + "'";
    else if (!s.comId.empty() && !declares(program.comIds, s.comId))
      message = "no com id '" + s.comId + "'";
    else if (!s.team.empty() && !declares(program.teams, s.team))
      message = "no team '" + s.team + "'";
    if (!message.empty()) {
      error = SourceError{file, message, s.line};
      quoteLine(*error, text);
      return false;
    }
    if (!validateBody(program, s.body) || !validateBody(program, s.otherwise))
      return false;
  }
  return true;
}

std::vector<Program> parseLitmus(std::string_view text, const std::string &file,
                                 std::optional<SourceError> &error) {
  LitmusParser parser(text, file);
  std::vector<Program> programs = parser.parseFile();
  error = parser.error;
  return programs;
}

} // namespace moac::model
