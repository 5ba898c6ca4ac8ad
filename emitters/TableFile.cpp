// Reading table files, and the text around loops that they describe.
#include "emitters/TableFile.h"
#include "emitters/Checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace moac::emit {
using namespace tree;

namespace {

std::string_view takeWord(std::string_view &rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(word.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return word;
}

std::optional<TypeSet> typeSet(std::string_view words) {
  static const std::map<std::string_view, TypeSet> groups = {{"floats", types::floats},
                                                             {"integers", types::integers},
                                                             {"halves", types::halves},
                                                             {"narrow", types::narrow},
                                                             {"values", types::values},
                                                             {"all", types::all}};
  TypeSet set = 0;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    TypeSet one = groups.count(word) ? groups.at(word) : 0;
    for (unsigned i = 0; i < numElems; ++i)
      if (word == elemName(static_cast<Elem>(i)))
        one = only(static_cast<Elem>(i));
    if (one == 0)
      return std::nullopt;
    set |= one;
  }
  return set;
}

std::optional<Op> operation(std::string_view word) {
  for (unsigned i = 0; i < numOps; ++i)
    if (word == opName(static_cast<Op>(i)))
      return static_cast<Op>(i);
  return std::nullopt;
}

std::optional<int> integerOf(std::string_view word) {
  int value = 0;
  for (char c : word) {
    if (c < '0' || c > '9' || value > 99999)
      return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return word.empty() ? std::nullopt : std::optional(value);
}

/// Patterns that are one text of LangTraits each.
const std::map<std::string_view, Text LangTraits::*> &textKeys() {
  static const std::map<std::string_view, Text LangTraits::*> keys = {
      {"true", &LangTraits::literalTrue},
      {"false", &LangTraits::literalFalse},
      {"load", &LangTraits::load},
      {"note", &LangTraits::note},
      {"let", &LangTraits::let},
      {"variable", &LangTraits::variable},
      {"declare", &LangTraits::declaration},
      {"array", &LangTraits::arrayDeclaration},
      {"assign", &LangTraits::assign},
      {"fail", &LangTraits::fail},
      {"if", &LangTraits::ifOpen},
      {"else", &LangTraits::ifElse},
      {"end-if", &LangTraits::ifClose},
      {"loop", &LangTraits::loopOpen},
      {"loop-down", &LangTraits::loopOpenReverse},
      {"loop-step", &LangTraits::loopOpenStep},
      {"end-loop", &LangTraits::loopClose},
      {"empty", &LangTraits::emptyBlock},
      {"region", &LangTraits::region},
      {"end-region", &LangTraits::regionClose},
      {"scratch", &LangTraits::scratch},
      {"continued", &LangTraits::continuation},
  };
  return keys;
}

const std::map<std::string_view, int LangTraits::*> &numberKeys() {
  static const std::map<std::string_view, int LangTraits::*> keys = {
      {"indent", &LangTraits::indent},
      {"primary", &LangTraits::primaryPrecedence},
      {"negative", &LangTraits::negativePrecedence},
      {"bound", &LangTraits::loopBoundBinds},
      {"bound-down", &LangTraits::loopBoundReverseBinds}};
  return keys;
}

/// What stands in a table before its file is read: no statement has a form, no directive any text.
LangTraits blankTable(const std::string &name) {
  const Text none("");
  const auto missing = [&](std::string_view key) {
    return unsupported(fmt::format("the table '{}' has no '{}'", name, key));
  };
  LangTraits lang{.name = "table", .typeNames = {}, .literals = {}, .literalTrue = none, .literalFalse = none, .negativePrecedence = 0,
                  .ops = {}, .casts = {}, .updates = {}, .atomics = {}, .load = none, .primaryPrecedence = 100, .note = none, .let = none, .variable = none,
                  .declaration = none, .arrayDeclaration = none, .assign = none, .prefetch = none, .prefetchRead = none,
                  .gather = unsupported("only the C target calls the SHMEM layer"), .meet = unsupported("only the C target calls the SHMEM layer"),
                  .fail = none, .call = none, .ifOpen = none, .ifElse = none, .ifClose = none,
                  .loopOpen = none, .loopOpenReverse = none, .loopOpenStep = none, .loopClose = none,
                  .emptyBlock = none, .loopBoundBinds = 0, .loopBoundReverseBinds = 0,
                  .loopWhere = none, .teamLoop = none, .teamLoopClose = none, .teamOpen = none,
                  .region = none, .regionClose = none, .workshareLoop = none,
                  .workshareLoopClose = none, .clauseEven = none, .clauseUneven = none, .laneLoop = none, .unrollLoop = none, .blockLoop = none,
                  .clauseCollapse = none, .clauseThreads = none, .clauseTeam = none,
                  .clauseStatus = none, .clausePrivate = none, .laneReductions = {}, .threadSlot = none, .scratch = none,
                  .scratchBytes = "1{factors}", .scratchFactor = " * {factor}",
                  .scratchFactorBinds = 100, .statuses = {},
                  .checks = {none, none, none, none, none, none, none, none, none, none, none},
                  .residentForms = {}, .memoryForms = {}, .deviceArguments = none, .deviceBuffers = none, .deviceDataClose = none,
                  .deviceSerial = none, .deviceSerialClose = none, .clausePieces = {},
                  .clauseLevels = {}, .clauseGangs = none,
                  .clauseWorkers = none, .outerLanes = false, .declarationsFirst = false,
                  .explicitPrivate = false, .indent = 2, .lineLimit = 100, .continuation = none,
                  .directivePrefix = unsupported("no directives"), .directiveContinuation = none,
                  .directiveResume = none, .names = {nullptr, nullptr, {}, "v_", false, 200, false}};
  for (const auto &[key, field] : textKeys())
    if (!key.starts_with("end-") && key != "region" && key != "empty" && key != "continued" &&
        key != "declare")
      lang.*field = missing(key);
  for (unsigned i = 0; i < numElems; ++i)
    lang.typeNames.push_back({static_cast<Elem>(i), elemName(static_cast<Elem>(i))});
  for (unsigned i = 0; i < numStatuses; ++i)
    lang.statuses.push_back({static_cast<Status>(i), std::to_string(-static_cast<int>(i))});
  return lang;
}

class Reader {
public:
  Reader(std::string_view text, const std::string &name) : text(text), table(blankTable(name)) {
    table.reserved = std::make_shared<std::vector<std::string_view>>();
    table.internal = std::make_shared<std::vector<std::string_view>>();
  }

  TableFile read() {
    for (int number = 1; !text.empty(); ++number) {
      const size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      line.remove_suffix(line.size() - std::min(line.find_last_not_of(" \t\r") + 1, line.size()));
      if (line.empty() || line[0] == '#')
        continue;
      std::string_view rest = line;
      const std::string_view key = takeWord(rest);
      if (!answer(key, rest))
        table.problems.push_back(fmt::format("line {}: cannot read '{}'", number, line));
    }
    for (auto *list : {table.reserved.get(), table.internal.get()})
      std::sort(list->begin(), list->end());
    table.traits.names.reserved = table.reserved.get();
    table.traits.names.internal = table.internal.get();
    return std::move(table);
  }

private:
  bool answer(std::string_view key, std::string_view value) {
    LangTraits &lang = table.traits;
    if (const auto found = textKeys().find(key); found != textKeys().end()) {
      lang.*found->second = std::string(value);
      return true;
    }
    if (const auto found = numberKeys().find(key); found != numberKeys().end()) {
      const auto number = integerOf(value);
      lang.*found->second = number.value_or(0);
      return number.has_value();
    }
    if (key == "op" || key == "cast" || key == "update" || key == "literal")
      return row(key, value);
    return around(key, value);
  }

  bool row(std::string_view key, std::string_view rest) {
    LangTraits &lang = table.traits;
    const std::string_view first = takeWord(rest);
    if (key == "literal") { // TYPES DIGITS [LOWEST|- INFINITY NAN]
      const std::string digits(takeWord(rest)), infinity(takeWord(rest));
      const auto set = typeSet(first);
      if (set)
        lang.literals.push_back({*set, digits, digits, digits, infinity, std::string(rest)});
      return set.has_value();
    }
    const auto types = typeSet(takeWord(rest));
    if (!types)
      return false;
    if (key == "update") { // OP TYPES TEXT
      const auto op = operation(first);
      if (op)
        lang.updates.push_back({*op, *types, std::string(rest)});
      return op.has_value();
    }
    std::vector<int> numbers; // precedence, then what operands bind by
    const auto op = operation(first);
    const size_t wanted = key == "cast" ? 2 : op ? 1 + opArity(*op) : 0;
    for (size_t i = 0; i < wanted; ++i)
      numbers.push_back(integerOf(takeWord(rest)).value_or(-1));
    if (wanted == 0 || std::any_of(numbers.begin(), numbers.end(), [](int n) { return n < 0; }))
      return false;
    if (key == "op") {
      lang.ops.push_back({*op, *types, std::string(rest), numbers[0],
                          std::vector<int>(numbers.begin() + 1, numbers.end()), false});
      for (auto [general, special] : {std::pair(Op::exp_, Op::exp_down_), {Op::exp2_, Op::exp2_down_}})
        if (*op == general) { // an exponential of what is not positive is one all the same
          lang.ops.push_back(lang.ops.back());
          lang.ops.back().op = special;
        }
      return true;
    }
    const auto from = typeSet(first);
    if (from)
      lang.casts.push_back({*from, *types, std::string(rest), numbers[0], numbers[1]});
    return from.has_value();
  }

  bool around(std::string_view key, std::string_view value) {
    if (key == "extension")
      table.extension = value;
    else if (key == "columns" && integerOf(value))
      table.traits.lineLimit = static_cast<size_t>(*integerOf(value));
    else if (key == "first")
      table.prologue += std::string(value) + "\n";
    else if (key == "also") // indented, after `first`
      table.prologue += std::string(static_cast<size_t>(table.traits.indent), ' ') + std::string(value) + "\n";
    else if (key == "function")
      table.function = std::string(value);
    else if (key == "end-function")
      table.close = std::string(value);
    else if (key == "result")
      table.result = std::string(value);
    else if (key == "reserved" || key == "internal")
      addWords(key == "reserved" ? *table.reserved : *table.internal, value);
    else
      return false;
    return true;
  }

  void addWords(std::vector<std::string_view> &list, std::string_view words) {
    for (std::string_view rest = words; !rest.empty();)
      list.push_back(table.words->emplace_back(takeWord(rest)));
  }

  std::string_view text;
  TableFile table;
};

void printFunction(Printer &printer, const TableFile &table, const Kernel &kernel) {
  std::vector<std::string> parameters = kernel.symbols;
  for (const Scalar &scalar : kernel.scalars)
    parameters.push_back(scalar.name);
  for (const Array *array : arrays(kernel))
    parameters.push_back(array->name);
  printer.blank();
  for (const std::string &line : kernel.doc)
    printer.comment(line, 4);
  printer.lines(fill(printer.use(table.function),
                     {{"kernel", kernel.name}, {"parameters", join(parameters, ",")}}));
  printer.indent();
  const auto end = [&](Status status) {
    printer.lines(fill(printer.use(table.result), {{"status", printer.statusName(status)}}));
  };
  for (const Let &extent : kernel.extents)
    printer.body({{extent}});
  for (const Requirement &requirement : kernel.requirements) {
    const LangTraits &lang = table.traits;
    printer.line(fill(printer.use(lang.ifOpen),
                      {{"condition", printer.expression(apply(Op::not_, {requirement.condition}))}}));
    printer.indent();
    end(requirement.status);
    printer.outdent();
    printer.lines(printer.use(lang.ifClose));
  }
  for (const Scratch &scratch : kernel.scratch)
    printer.lines(fill(printer.use(printer.language().scratch),
                       {{"type", printer.typeName(scratch.type)},
                        {"name", scratch.name},
                        {"bytes", printer.scratchBytes(scratch)}}));
  if (kernel.fails)
    printer.body({{Variable{"status", Elem::I32, integer(0, Elem::I32)}}});
  printer.body(kernel.body);
  if (kernel.fails)
    printer.lines(fill(printer.use(table.result), {{"status", "status"}}));
  else
    end(Status::Ok);
  printer.outdent();
  printer.lines(printer.use(table.close));
}

} // namespace

TableFile readTable(std::string_view text, const std::string &name) {
  return Reader(text, name).read();
}

Emitted printTableFile(const File &file, const TableFile &table) {
  Printer printer(table.traits);
  printer.comment(fmt::format("Kernels of {}, written by moac; change the source, not this file.",
                              file.source.empty() ? "a .moa file" : file.source));
  Emitted out{printer.take() + table.prologue, file.problems};
  for (const Kernel &kernel : file.kernels)
    printFunction(printer, table, kernel);
  out.text += printer.take();
  for (const std::vector<std::string> *list : {&table.problems, &printer.problems()})
    out.problems.insert(out.problems.end(), list->begin(), list->end());
  return out;
}

} // namespace moac::emit
