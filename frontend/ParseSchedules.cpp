// Derivations and schedules. Their words are names everywhere else in the language, so they are
// recognised by text where the grammar asks for them.
#include "frontend/ParserImpl.h"

namespace moac {

void Parser::derive(ast::File &result) {
  uint32_t start = position;
  advance();
  ast::Derive derive;
  if (!name(derive.name, "a derived kernel") ||
      !expect(Tok::Equal, "'=' after '" + derive.name.text + "'") || !deriveBody(derive))
    return;
  derive.range = since(start);
  if (!at(Tok::NewLine) && !at(Tok::Semicolon) && !at(Tok::Eof) && !beginsItem(token()))
    return expected(derive.kind == ast::Derive::Kind::Grad
                        ? "',', 'save', 'seed' or the end of the line"
                        : "',' or the end of the line");
  result.derives.push_back(std::move(derive));
}

bool Parser::deriveBody(ast::Derive &derive) {
  if (acceptWord("join")) {
    derive.kind = ast::Derive::Kind::Join;
    return names(derive.parts, "a kernel");
  }
  if (!acceptWord("grad")) {
    expected("'grad' or 'join'");
    return false;
  }
  derive.kind = ast::Derive::Kind::Grad;
  if (!name(derive.kernel, "a kernel"))
    return false;
  if (!acceptWord("wrt")) {
    expected("'wrt' and the inputs to differentiate by");
    return false;
  }
  if (!names(derive.wrt, "an input"))
    return false;
  while (atWord("save") || atWord("seed")) {
    bool save = atWord("save");
    advance();
    if (save ? !names(derive.save, "a value to save") : !seeds(derive.seeds))
      return false;
  }
  return true;
}

/// `O <- G,..`; the arrow is a `<` and a `-`.
bool Parser::seeds(std::vector<ast::Seed> &result) {
  do {
    skipNewLine();
    uint32_t start = position;
    ast::Seed seed;
    if (!name(seed.output, "a result"))
      return false;
    if (!at(Tok::Less) || next().kind != Tok::Minus) {
      expected("'<-' and the cotangent of '" + seed.output.text + "'");
      return false;
    }
    advance();
    advance();
    if (!name(seed.cotangent, "a cotangent"))
      return false;
    seed.range = since(start);
    result.push_back(std::move(seed));
  } while (accept(Tok::Comma));
  return true;
}

void Parser::schedule(ast::File &result) {
  uint32_t start = position;
  advance();
  ast::Schedule schedule;
  if (!name(schedule.kernel, "a kernel"))
    return;
  if (!acceptWord("for"))
    return expected("'for' and a machine");
  if (!name(schedule.machine, "a machine"))
    return;
  Token open = token();
  if (!expect(Tok::LeftBrace, "'{' and the directives"))
    return;
  while (true) {
    skipSeparators();
    if (accept(Tok::RightBrace))
      break;
    if (token().kind == Tok::Eof || beginsItem(token())) {
      error(diag::unclosedBody, rangeOf(open), "schedule '" + schedule.kernel.text + "'")
          .help("close it with '}'");
      return;
    }
    uint32_t directiveStart = statementStart = position;
    if (directive(schedule.directives.emplace_back()))
      continue;
    syncStatement(directiveStart);
  }
  schedule.range = since(start);
  if (complete)
    result.schedules.push_back(std::move(schedule));
}

bool Parser::directive(ast::Directive &result) {
  using Kind = ast::Directive::Kind;
  struct Row {
    std::string_view word;
    Kind kind;
  };
  static constexpr Row rows[] = {
      {"lift", Kind::Lift},         {"order", Kind::Order},   {"online", Kind::Online},
      {"parallel", Kind::Parallel}, {"lanes", Kind::Lanes},   {"place", Kind::Place},
      {"pack", Kind::Pack},         {"unroll", Kind::Unroll}, {"reduce", Kind::Reduce},
      {"tile", Kind::Tile},         {"partition", Kind::Partition}};
  uint32_t start = position;
  auto row = std::ranges::find(rows, textOf(token()), &Row::word);
  if (!at(Tok::Name) || row == std::end(rows)) {
    std::vector<std::string> words;
    for (const Row &known : rows)
      words.emplace_back(known.word);
    if (at(Tok::Name))
      error(diag::unknownDirective, here(), textOf(token()))
          .help(didYouMean(textOf(token()), words));
    else
      expected("a directive");
    return false;
  }
  result.kind = row->kind;
  result.keywordRange = rangeOf(advance());
  bool good = result.kind == Kind::Lift    ? lift(result)
              : result.kind == Kind::Place ? place(result)
              : result.kind == Kind::Pack  ? pack(result)
                                           : loopNames(result.names);
  if (good && result.kind == Kind::Unroll && acceptWord("by"))
    good = (result.amount = sum()) != nullptr;
  if (good && result.kind == Kind::Tile && !acceptWord("by")) {
    expected("'by' and the length of a tile");
    return false;
  }
  if (good && result.kind == Kind::Tile)
    good = (result.amount = sum()) != nullptr;
  if (good && result.kind == Kind::Partition)
    good = partition(result);
  if (good && result.kind == Kind::Reduce)
    good = expect(Tok::Colon, "':' and a strategy") && name(result.strategy, "a strategy");
  result.range = since(start);
  return good;
}

/// `i`, or `S.i` for the axis of S alone.
bool Parser::loopName(ast::Name &result) {
  if (!name(result, "a loop"))
    return false;
  if (!accept(Tok::Dot))
    return true;
  ast::Name axis;
  if (!name(axis, "an axis of '" + result.text + "'"))
    return false;
  result.text += "." + axis.text;
  result.range.end = axis.range.end;
  return true;
}

bool Parser::loopNames(std::vector<ast::Name> &result) {
  do {
    skipNewLine();
    if (!loopName(result.emplace_back()))
      return false;
  } while (accept(Tok::Comma));
  return true;
}

/// `k over pe [by 256]`, behind the names.
bool Parser::partition(ast::Directive &result) {
  if (!acceptWord("over")) {
    expected("'over pe'");
    return false;
  }
  if (textOf(token()) != "pe") {
    expected("'pe': processing elements are what an axis can be divided over");
    return false;
  }
  if (!name(result.strategy, "'pe'"))
    return false;
  return !acceptWord("by") || (result.amount = sum()) != nullptr;
}

/// `i by 64 [cyclic] as it, ii`.
bool Parser::lift(ast::Directive &result) {
  if (!loopName(result.names.emplace_back()))
    return false;
  if (!acceptWord("by")) {
    expected("'by' and the length of the inner axis");
    return false;
  }
  if (!(result.amount = sum()))
    return false;
  result.cyclic = acceptWord("cyclic");
  if (!acceptWord("as")) {
    expected("'as' and the names of the two axes");
    return false;
  }
  skipNewLine();
  return name(result.outer, "an axis") && expect(Tok::Comma, "',' and the inner axis") &&
         (skipNewLine(), name(result.inner, "an axis"));
}

/// `S, P at kt`, `S inline`, `S store`.
bool Parser::place(ast::Directive &result) {
  using Placement = ast::Directive::Placement;
  if (!names(result.names, "a value"))
    return false;
  if (acceptWord("inline")) {
    result.placement = Placement::Inline;
    return true;
  }
  if (acceptWord("store")) {
    result.placement = Placement::Store;
    return true;
  }
  if (!acceptWord("at")) {
    expected("'at' and an axis, 'inline' or 'store'");
    return false;
  }
  result.placement = Placement::At;
  return loopName(result.at.emplace());
}

/// `K [at kt] as [j, kk]`.
bool Parser::pack(ast::Directive &result) {
  if (!name(result.names.emplace_back(), "an array"))
    return false;
  if (acceptWord("at") && !loopName(result.at.emplace()))
    return false;
  if (!acceptWord("as")) {
    expected("'as' and the order of the axes in brackets");
    return false;
  }
  Token open = token();
  if (!expect(Tok::LeftSquare, "'[' and the order of the axes"))
    return false;
  Scoped lines(freeLines, true);
  return loopNames(result.axes) && close(open, Tok::RightSquare, false);
}

} // namespace moac
