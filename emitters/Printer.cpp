// Statements: one short function for each node of the loop tree. Expressions: PrinterExpr.cpp.
#include "emitters/Names.h"
#include "emitters/Printer.h"

#include <algorithm>
#include <cctype>

namespace moac::emit {
using namespace tree;

std::string Printer::take() {
  std::string text;
  text.swap(out);
  return text;
}

void Printer::problem(const std::string &reason) {
  if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
    reasons.push_back(reason);
}

std::string Printer::use(const Text &text) {
  if (!text.supported()) {
    problem(text.reason());
    return "";
  }
  addWords(text.pattern());
  return text.pattern();
}

void Printer::addWords(std::string_view text) {
  const auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && isWord(text[end]))
      ++end;
    if (end > i && !std::isdigit(static_cast<unsigned char>(text[i])))
      used.emplace(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
}

void Printer::line(std::string_view text, std::optional<size_t> hang) {
  const std::string &mark = lang.directivePrefix.pattern();
  const bool directive = lang.directivePrefix.supported() && text.substr(0, mark.size()) == mark;
  const std::string lead(static_cast<size_t>(depth * lang.indent), ' ');
  const std::string rest =
      lead + std::string(hang.value_or(static_cast<size_t>(2 * lang.indent)), ' ');
  const Text &tail = directive ? lang.directiveContinuation : lang.continuation;
  const std::string resume = directive ? lead + lang.directiveResume.pattern() : rest;
  for (const std::string &one : breakLines(text, lead, resume, tail.pattern(), lang.lineLimit))
    out += one + '\n';
}

void Printer::lines(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void Printer::blank() {
  if (!out.empty() && out.size() >= 2 && out.substr(out.size() - 2) != "\n\n")
    out += '\n';
}

void Printer::comment(std::string_view text, size_t hang) {
  const std::string lead(static_cast<size_t>(depth * lang.indent), ' ');
  const std::string opener = fill(use(lang.note), {{"text", ""}});
  const std::string prefix = lead + opener.substr(0, opener.find_last_not_of(' ') + 1);
  for (const std::string &one : commentLines(text, prefix, lang.lineLimit, hang))
    out += one + '\n';
}

void Printer::body(const Body &statements) {
  for (const Stmt &statement : statements)
    std::visit([this](const auto &node) { print(node); }, statement.node);
}

void Printer::block(const Body &statements) {
  indent();
  body(statements);
  if (std::all_of(statements.begin(), statements.end(), [](const Stmt &statement) {
        return std::holds_alternative<Note>(statement.node);
      }))
    lines(use(lang.emptyBlock));
  outdent();
}

void Printer::assignment(const std::string &target, const Expr &value) {
  line(fill(use(lang.assign), {{"target", target}, {"value", expression(value)}}));
}

void Printer::print(const Note &note) {
  if (note.heading)
    blank();
  comment(note.text);
}

void Printer::print(const Let &let) {
  line(fill(
      use(lang.let),
      {{"type", typeName(let.value.type)}, {"name", let.name}, {"value", expression(let.value)}}));
}

void Printer::print(const Variable &variable) {
  if (variable.value)
    line(fill(use(lang.variable), {{"type", typeName(variable.type)},
                                   {"name", variable.name},
                                   {"value", expression(*variable.value)}}));
  else if (!lang.declarationsFirst)
    line(fill(use(lang.declaration), {{"type", typeName(variable.type)}, {"name", variable.name}}));
}

void Printer::print(const LocalArray &array) {
  if (!lang.declarationsFirst)
    line(fill(use(lang.arrayDeclaration), {{"type", typeName(array.type)},
                                           {"name", array.name},
                                           {"count", expression(array.count)}}) +
         place(array.where));
}

std::string Printer::place(const std::string &where) {
  return where.empty() ? "" : fill(use(lang.loopWhere), {{"where", safeForComment(where)}});
}

void Printer::print(const Assign &assign) { assignment(assign.name, assign.value); }

void Printer::print(const Store &store) {
  assignment(lastBreaks(expression(load(store.array, store.value.type, store.offset))),
             store.value);
}

void Printer::print(const Update &update) {
  const Elem type = update.value.type;
  const Expr target =
      update.offset ? load(update.name, type, *update.offset) : name(update.name, type);
  const std::string spelled = expression(target);
  const UpdateRow *row = findUpdate(update.atomic ? lang.atomics : lang.updates, update.op, type);
  if (row)
    lines(fill(use(row->text), {{"target", lastBreaks(spelled)}, {"value", expression(update.value)}}));
  else if (update.atomic)
    problem("this language has no atomic updates, which `reduce : atomic` asks for");
  else
    assignment(lastBreaks(spelled), apply(update.op, type, {target, update.value}));
}

void Printer::print(const Prefetch &prefetch) {
  const std::string element = expression(load(prefetch.array, Elem::F32, prefetch.offset));
  line(fill(use(prefetch.reads ? lang.prefetchRead : lang.prefetch), {{"element", withoutMarks(element)}}));
}

void Printer::print(const Gather &gather) {
  const std::string element = expression(load(gather.array, gather.type, gather.first));
  line(fill(use(lang.gather), {{"element", withoutMarks(element)},
                               {"bytes", arrayBytes(gather.type, {gather.count})}}));
}

void Printer::print(const Meet &) { line(use(lang.meet)); }

void Printer::print(const Fail &fail) {
  lines(fill(use(lang.fail), {{"status", statusName(fail.status)}}));
}

void Printer::print(const Call &call) {
  std::vector<std::string> arguments;
  for (const Expr &argument : call.arguments)
    arguments.push_back(expression(argument));
  line(fill(use(lang.call),
            {{"procedure", call.procedure}, {"arguments", join(arguments, ",")}}));
}

void Printer::print(const If &branch) {
  line(fill(use(lang.ifOpen), {{"condition", expression(branch.condition)}}));
  block(branch.then);
  if (!branch.otherwise.empty()) {
    line(use(lang.ifElse));
    block(branch.otherwise);
  }
  lines(use(lang.ifClose));
}

std::string Printer::clauses(const Loop &loop) {
  std::string text = levels(loop);
  if (loop.collapse > 1)
    text += fill(use(lang.clauseCollapse), {{"n", std::to_string(loop.collapse)}});
  if (loop.gangs)
    text += fill(use(lang.clauseGangs), {{"n", expression(*loop.gangs)}});
  if (loop.workers > 0)
    text += fill(use(lang.clauseWorkers), {{"n", std::to_string(loop.workers)}});
  if (loop.work)
    text += fill(use(lang.clauseThreads), {{"work", realValue(1, *loop.work)}});
  if (loop.fails && loop.role == Loop::Role::Team)
    text += fill(use(lang.clauseStatus), {});
  for (const LaneReduction &reduction : loop.reductions)
    for (const auto &[op, clause] : lang.laneReductions)
      if (op == reduction.op)
        text += use(Text(fill(use(clause), {{"name", reduction.name},
                                            {"elem", elemName(reduction.type)}})));
  text += privateClause(loop.body) + pieces(loop.pieces);
  if (loop.role == Loop::Role::Team || loop.role == Loop::Role::Workshare)
    text += fill(use(loop.uneven ? lang.clauseUneven : lang.clauseEven), {});
  return text;
}

std::string Printer::levels(const Loop &loop) {
  std::string text;
  for (const auto &[level, clause] : lang.clauseLevels)
    if (loop.levels & level)
      text += use(clause);
  return text;
}

std::string Printer::pieces(const std::vector<Piece> &list) {
  std::string text;
  for (const Piece &piece : list)
    for (const auto &[way, clause] : lang.clausePieces)
      if (way == piece.way)
        text += fill(use(clause), {{"name", piece.name},
                                   {"count", expression(piece.count, lang.loopBoundBinds)}});
  return text;
}

void Printer::print(const Loop &loop) {
  const Text none("");
  struct Directive {
    const Text &open, &close;
  };
  const Directive directives[] = {{none, none},
                                  {lang.teamLoop, lang.teamLoopClose},
                                  {lang.workshareLoop, lang.workshareLoopClose},
                                  {lang.laneLoop, none},
                                  {lang.unrollLoop, none}};
  const Directive ofBlock{lang.blockLoop, none};
  const Directive &directive = loop.block ? ofBlock : directives[static_cast<unsigned>(loop.role)];
  lines(fill(use(directive.open),
             {{"clauses", loop.role == Loop::Role::Sequential ? "" : clauses(loop)},
              {"lanes", loop.block ? expression(loop.hi) : ""},
              {"factor", std::to_string(loop.factor)}}));
  const int binds = loop.reverse ? lang.loopBoundReverseBinds : lang.loopBoundBinds;
  std::string where = place(loop.where);
  const Text &open = loop.step      ? lang.loopOpenStep
                     : loop.reverse ? lang.loopOpenReverse
                                    : lang.loopOpen;
  line(fill(use(open), {{"type", typeName(Elem::Index)},
                        {"name", loop.name},
                        {"lo", expression(loop.lo)},
                        {"hi", expression(loop.hi, binds)},
                        {"step", loop.step ? expression(*loop.step) : ""}}) +
       where);
  block(loop.body);
  lines(use(lang.loopClose));
  lines(use(directive.close));
}

void Printer::print(const Parallel &parallel) {
  const bool buffers = !parallel.scratch.empty();
  std::string text = buffers
                         ? fill(use(lang.clauseTeam), {})
                         : fill(use(lang.clauseThreads), {{"work", realValue(1, parallel.work)}});
  if (parallel.fails)
    text += fill(use(lang.clauseStatus), {});
  if (buffers)
    lines(fill(use(lang.teamOpen), {{"slots", parallel.slots}}));
  lines(fill(use(lang.region), {{"clauses", text + privateClause(parallel.body)}}));
  indent();
  if (buffers)
    lines(fill(use(lang.threadSlot), {{"slots", parallel.slots}}));
  for (const Scratch &scratch : parallel.scratch)
    lines(fill(use(lang.scratch), {{"type", typeName(scratch.type)},
                                   {"name", scratch.name},
                                   {"bytes", scratchBytes(scratch)}}) +
          place(scratch.where));
  body(parallel.body);
  outdent();
  lines(use(lang.regionClose));
}

void Printer::print(const Device &device) {
  struct Directive {
    const Text &open, &close;
  };
  const Directive directives[] = {{lang.deviceArguments, lang.deviceDataClose},
                                  {lang.deviceBuffers, lang.deviceDataClose},
                                  {lang.deviceSerial, lang.deviceSerialClose}};
  const Directive &directive = directives[static_cast<unsigned>(device.kind)];
  lines(fill(use(directive.open), {{"clauses", pieces(device.pieces)}}));
  block(device.body);
  lines(use(directive.close));
}

namespace {

/// The factors of a product, left to right; conversions to F64 are left to the arithmetic.
void factorsOf(const Expr &e, std::vector<const Expr *> &factors) {
  if (e.kind == Expr::Kind::Apply && e.op == Op::mul_) {
    factorsOf(e.args[0], factors);
    factorsOf(e.args[1], factors);
  } else if (e.kind == Expr::Kind::Cast && e.type == Elem::F64 && e.args[0].type == Elem::Index) {
    factorsOf(e.args[0], factors);
  } else {
    factors.push_back(&e);
  }
}

} // namespace

std::string Printer::scratchBytes(const Scratch &scratch) {
  return arrayBytes(scratch.type, {scratch.count});
}

std::string Printer::factors(const std::vector<const Expr *> &list) {
  std::string text;
  for (const Expr *factor : list)
    text += fillRow(use(lang.scratchFactor),
                    {{"factor", expression(*factor, lang.scratchFactorBinds)}});
  return text;
}

std::string Printer::arrayBytes(Elem type, const std::vector<Expr> &extents) {
  std::vector<const Expr *> list;
  for (const Expr &extent : extents)
    factorsOf(extent, list);
  return fill(use(lang.scratchBytes), {{"type", typeName(type)},
                                       {"elem", std::to_string(elemBytes(type))},
                                       {"factors", factors(list)}});
}

namespace {

struct Term {
  bool negative;
  double scale;
  std::vector<const Expr *> factors;
};

void termsOf(const Expr &e, bool negative, double scale, std::vector<Term> &terms) {
  if (e.kind == Expr::Kind::Cast && e.type == Elem::F64 && e.args[0].type == Elem::Index)
    return termsOf(e.args[0], negative, scale, terms);
  if (e.kind == Expr::Kind::Apply && (e.op == Op::add_ || e.op == Op::sub_)) {
    termsOf(e.args[0], negative, scale, terms);
    return termsOf(e.args[1], negative != (e.op == Op::sub_), scale, terms);
  }
  Term term{negative, scale, {}};
  factorsOf(e, term.factors);
  std::erase_if(term.factors, [&](const Expr *factor) {
    const bool real = factor->kind == Expr::Kind::Real, whole = factor->kind == Expr::Kind::Integer;
    term.scale *= real ? factor->real : whole ? static_cast<double>(factor->integer) : 1;
    return real || whole;
  });
  terms.push_back(std::move(term));
}

} // namespace

/// A sum of products. The first term is floating-point, so a later one may be a bare name.
std::string Printer::realValue(double scale, const Expr &e) {
  std::vector<Term> terms;
  termsOf(e, false, scale, terms);
  std::string sum;
  for (const Term &term : terms) {
    const bool bare = !sum.empty() && term.scale == 1 && term.factors.size() == 1;
    const std::string text = bare ? expression(*term.factors[0], lang.scratchFactorBinds)
                                  : expression(real(term.scale), sum.empty() ? 0 : lang.loopBoundBinds) +
                                        factors(term.factors);
    sum = sum.empty()
              ? (term.negative ? "-" + text : text)
              : fillRow(term.negative ? "{0} - {1}" : "{0} + {1}", {{"0", sum}, {"1", text}});
  }
  return sum;
}

namespace {

/// Every variable that `body` declares, loop variables included, with a function for each kind.
template <class OnScalar, class OnArray>
void forEachDeclaration(const Body &body, OnScalar scalar, OnArray array) {
  for (const Stmt &statement : body) {
    if (const auto *let = std::get_if<Let>(&statement.node)) {
      scalar(let->name, let->value.type);
    } else if (const auto *variable = std::get_if<Variable>(&statement.node)) {
      scalar(variable->name, variable->type);
    } else if (const auto *local = std::get_if<LocalArray>(&statement.node)) {
      array(*local);
    } else if (const auto *loop = std::get_if<Loop>(&statement.node)) {
      scalar(loop->name, Elem::Index);
      forEachDeclaration(loop->body, scalar, array);
    } else if (const auto *branch = std::get_if<If>(&statement.node)) {
      forEachDeclaration(branch->then, scalar, array);
      forEachDeclaration(branch->otherwise, scalar, array);
    } else if (const auto *parallel = std::get_if<Parallel>(&statement.node)) {
      forEachDeclaration(parallel->body, scalar, array);
    } else if (const auto *device = std::get_if<Device>(&statement.node)) {
      forEachDeclaration(device->body, scalar, array);
    }
  }
}

} // namespace

/// Scalars of one type together, in the order of first appearance.
void Printer::declarations(const Body &statements) {
  if (!lang.declarationsFirst)
    return;
  std::set<std::string> seen;
  std::vector<std::pair<Elem, std::vector<std::string>>> scalars;
  std::vector<const LocalArray *> arrays;
  const auto add = [&](const std::string &name, Elem type) {
    if (!seen.insert(nameKey(lang.names, name)).second)
      return;
    for (auto &[known, names] : scalars)
      if (known == type)
        return names.push_back(name);
    scalars.push_back({type, {name}});
  };
  forEachDeclaration(statements, add, [&](const LocalArray &array) {
    if (seen.insert(nameKey(lang.names, array.name)).second)
      arrays.push_back(&array);
  });
  for (const auto &[type, names] : scalars)
    line(fill(use(lang.declaration), {{"type", typeName(type)}, {"name", join(names, ",")}}));
  for (const LocalArray *array : arrays)
    line(fill(use(lang.arrayDeclaration), {{"type", typeName(array->type)},
                                           {"name", array->name},
                                           {"count", expression(array->count)}}));
}

std::string Printer::privateClause(const Body &body) {
  if (!lang.explicitPrivate)
    return "";
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add = [&](const std::string &name) {
    if (seen.insert(nameKey(lang.names, name)).second)
      names.push_back(name);
  };
  forEachDeclaration(
      body, [&](const std::string &name, Elem) { add(name); },
      [&](const LocalArray &array) { add(array.name); });
  return names.empty() ? "" : fill(use(lang.clausePrivate), {{"names", join(names, ",")}});
}

} // namespace moac::emit
