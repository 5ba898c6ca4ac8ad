// Items of a file: imports, scalar functions, and kernels with their heads.
//
// A kernel whose head has an error is still read to its end, so that its body's errors are shown
// too. It is kept in the tree, marked incomplete, because other items may refer to it by name.
#include "frontend/Habits.h"
#include "frontend/ParserImpl.h"

namespace moac {

void Parser::item(ast::File &result) {
  if (at(Keyword::Import))
    return import(result);
  if (at(Keyword::Fn))
    return fn(result);
  if (at(Keyword::Kernel))
    return kernel(result);
  if (at(Keyword::Derive))
    return derive(result);
  if (at(Keyword::Schedule))
    return schedule(result);
  complete = false;
  if (at(Tok::Bad))
    return;
  static const std::string words[] = {"kernel", "fn", "derive", "schedule", "import"};
  std::string help = at(Tok::Name) ? didYouMean(textOf(token()), words) : "";
  if (std::string_view habit = itemHabit(textOf(token())); !habit.empty())
    help = "write '" + std::string(habit) + "'";
  if (at(Tok::RightBrace))
    help = "there is one '}' more than '{'";
  if (next().kind == Tok::Name)
    result.broken.insert(std::string(textOf(next())));
  if (atWord("save") || atWord("seed"))
    help = "put it on the line of its 'derive'";
  error(diag::notAnItem, here(), describe()).help(help);
}

void Parser::import(ast::File &result) {
  uint32_t start = position;
  advance();
  if (!at(Tok::String))
    return expected("the name of a file in double quotes");
  Token path = advance();
  std::string_view text = textOf(path);
  result.imports.push_back(
      {std::string(text.substr(1, text.size() - 2)), rangeOf(path), since(start)});
}

void Parser::fn(ast::File &result) {
  uint32_t start = position;
  advance();
  ast::Fn fn;
  if (!name(fn.name, "a function"))
    return;
  Token open = token();
  if (!expect(Tok::LeftParen, "'(' and the parameters of '" + fn.name.text + "'"))
    return;
  {
    Scoped lines(freeLines, true);
    if (!names(fn.params, "a parameter") || !close(open, Tok::RightParen, false))
      return;
  }
  if (!expect(Tok::Equal, "'=' and the value of '" + fn.name.text + "'"))
    return;
  result.broken.insert(fn.name.text); // until it is read
  fn.body = expr();
  if (!fn.body)
    return;
  if (!at(Tok::NewLine) && !at(Tok::Semicolon) && !at(Tok::Eof) && !beginsItem(token()))
    return expected("the end of the function", true);
  fn.range = since(start);
  result.broken.erase(fn.name.text);
  result.fns.push_back(std::move(fn));
}

void Parser::kernel(ast::File &result) {
  uint32_t start = position;
  advance();
  ast::Kernel kernel;
  kernel.name.range = here();
  {
    Scoped lines(freeLines, true);
    kernelHead(kernel);
    kernel.headRange = since(start);
    while (!at(Tok::LeftBrace) && !at(Tok::Eof) && !at(Tok::RightBrace) && !beginsItem(token()))
      advance();
  }
  skipNewLine();
  if (at(Tok::LeftBrace))
    block(kernel.body, "kernel '" + kernel.name.text + "'");
  kernel.range = since(start);
  kernel.complete = complete;
  if (!kernel.name.text.empty())
    result.kernels.push_back(std::move(kernel));
}

bool Parser::kernelHead(ast::Kernel &kernel) {
  if (!name(kernel.name, "a kernel"))
    return false;
  Token open = token();
  if (!expect(Tok::LeftParen, "'(' and the parameters of '" + kernel.name.text + "'"))
    return false;
  bool good = at(Tok::RightParen) || params(kernel.params, "a parameter");
  if (!close(open, Tok::RightParen, false))
    return false;
  statementStart = position;
  if (!accept(Tok::Arrow)) {
    SourceRange place = {file, previous().end, previous().end};
    error(diag::missingArrow, place, kernel.name.text).help("write '-> y: f64[..]'");
    if (!at(Tok::Name) && !at(Tok::LeftParen))
      return false;
  }
  if (!kernelResults(kernel) || !kernelClauses(kernel))
    return false;
  if (!at(Tok::LeftBrace))
    expected("'{' and the body of '" + kernel.name.text + "'", !at(Tok::Equal),
             at(Tok::Equal) ? "the body defines the results in braces: `{ y = .. }`" : "");
  return good;
}

bool Parser::kernelResults(ast::Kernel &kernel) {
  if (!at(Tok::LeftParen)) {
    kernel.results.emplace_back();
    return param(kernel.results.back(), "a result");
  }
  Token open = advance();
  bool good = params(kernel.results, "a result");
  return close(open, Tok::RightParen, false) && good;
}

/// `where` constraints and `inplace` pairs, in any order.
bool Parser::kernelClauses(ast::Kernel &kernel) {
  while (true) {
    uint32_t start = position;
    if (at(Tok::Func) && Func(token().detail) == Func::Where) {
      advance();
      do {
        ExprPtr constraint = expr();
        if (!constraint)
          return false;
        kernel.constraints.push_back(std::move(constraint));
      } while (accept(Tok::Comma));
    } else if (acceptWord("inplace")) {
      Token open = token();
      ast::Inplace pair;
      if (!expect(Tok::LeftParen, "'(' and 'result = parameter'") ||
          !name(pair.output, "a result") || !expect(Tok::Equal, "'='") ||
          !name(pair.input, "a parameter") || !close(open, Tok::RightParen, false))
        return false;
      pair.range = since(start);
      kernel.inplace.push_back(std::move(pair));
    } else {
      return true;
    }
  }
}

/// `param,..` up to the bracket that closes the list; goes on after a parameter that could not be
/// read.
bool Parser::params(std::vector<ast::Param> &result, const std::string &what) {
  const Token open = previous();
  bool good = true;
  do {
    skipNewLine();
    result.emplace_back();
    if (param(result.back(), what))
      continue;
    good = false;
    syncElement(open);
  } while (accept(Tok::Comma));
  return good;
}

bool Parser::param(ast::Param &result, const std::string &what) {
  uint32_t start = statementStart = position;
  if (at(Tok::Type) && next().kind != Tok::Colon) {
    error(diag::unnamedResult, here(), what)
        .help("write 'name: " + std::string(textOf(token())) + "'");
    return false;
  }
  if (!name(result.name, what))
    return false;
  if (!accept(Tok::Colon)) {
    const std::string &named = result.name.text;
    std::string help = "write `" + named + ": f64`, or `" + named + ": f64[N]` for an array";
    if (std::string type = typeHabit(named); at(Tok::Name) && !type.empty())
      help = "write `" + std::string(textOf(token())) + ": " + type +
             (next().kind == Tok::LeftSquare ? "[..]`" : "`");
    expected("':' and the type of '" + named + "'", false, help);
    return false;
  }
  if (!typeRef(result.type))
    return false;
  if (at(Tok::Less)) {
    expected("the end of the type", false, "a shape stands in square brackets: `f64[N]`");
    return false;
  }
  if (at(Tok::LeftSquare)) {
    Token open = advance();
    Scoped whole(wholeNumbers, true);
    if (at(Tok::RightSquare)) {
      error(diag::emptyShape, join(rangeOf(open), here()))
          .help("a scalar is written without brackets");
      return false;
    }
    if (!exprs(result.extents, open, Tok::RightSquare))
      return false;
    result.shapeRange = join(rangeOf(open), rangeOf(previous()));
  }
  if (acceptWord("layout") && !name(result.layout.emplace(), "a layout"))
    return false;
  result.range = since(start);
  return true;
}

bool Parser::typeRef(ast::TypeRef &result) {
  if (at(Tok::Type)) {
    Token token = advance();
    result = {ElementType(token.detail), rangeOf(token)};
    return true;
  }
  if (!at(Tok::Name)) {
    expected("an element type");
    return false;
  }
  std::string_view text = textOf(token());
  std::vector<std::string> types;
  for (auto type : allElementTypes())
    types.emplace_back(spelling(type));
  std::string habit = typeHabit(text);
  error(diag::unknownType, here(), text)
      .help(habit.empty() ? didYouMean(text, types) : "write '" + habit + "'");
  return false;
}

/// `NAME,..`, at least one.
bool Parser::names(std::vector<ast::Name> &result, const std::string &what) {
  do {
    skipNewLine();
    if (!name(result.emplace_back(), what))
      return false;
  } while (accept(Tok::Comma));
  return true;
}

} // namespace moac
