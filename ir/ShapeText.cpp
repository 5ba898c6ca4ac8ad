// Exprs as text: the spelling users see in shapes and diagnostics, and its reader.
//
// The text is an expression of the language: `2*H*W + (N - 1)//s + min(M, 64) + 1`. A sum that
// would begin with a minus begins with its first positive term instead. The reader takes any such
// expression, with abs.
#include "ir/ShapeNode.h"

#include <cctype>
#include <fmt/format.h>

namespace moac::shape {

namespace {

bool isInfix(const Atom &a) { return a.kind == AtomKind::FloorDiv || a.kind == AtomKind::Mod; }

/// Text for a place that binds as tightly as a factor.
std::string operand(const Expr &e) {
  AtomRef atom = asAtom(e);
  std::optional<int64_t> c = e.constant();
  return (atom && !isInfix(*atom)) || (c && *c >= 0) ? e.str() : "(" + e.str() + ")";
}

/// Left operand of // and %: a product of names needs no parentheses.
std::string numerator(const Expr &e) {
  const auto &terms = e.node().terms;
  bool product = terms.size() == 1 && terms[0].coefficient > 0;
  for (size_t k = 0; product && k < terms[0].factors.size(); ++k)
    product = !isInfix(*terms[0].factors[k]);
  return product ? e.str() : operand(e);
}

std::string atomText(const Atom &a) {
  switch (a.kind) {
  case AtomKind::Name:
    return a.name;
  case AtomKind::FloorDiv:
    return numerator(a.args[0]) + "//" + operand(a.args[1]);
  case AtomKind::Mod:
    return numerator(a.args[0]) + " % " + operand(a.args[1]);
  default:
    break;
  }
  std::string text = a.kind == AtomKind::Min ? "min(" : "max(";
  for (size_t k = 0; k < a.args.size(); ++k)
    text += (k ? ", " : "") + a.args[k].str();
  return text + ")";
}

/// The term without its sign; `signedBefore` when a unary minus will stand before it.
std::string termText(const Term &t, bool signedBefore) {
  int64_t size = t.coefficient < 0 ? -t.coefficient : t.coefficient;
  if (t.factors.empty())
    return std::to_string(size);
  bool alone = t.factors.size() == 1 && size == 1 && !signedBefore;
  std::string text = size == 1 ? "" : std::to_string(size);
  for (AtomRef f : t.factors) {
    std::string factor = atomText(*f);
    text += text.empty() ? "" : "*";
    text += isInfix(*f) && !alone ? "(" + factor + ")" : factor;
  }
  return text;
}

/// Recursive descent over the text, with bounded nesting; `ok` turns false at the first error.
class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  std::optional<Expr> all() {
    Expr e = sum();
    skip();
    if (!ok || at != text.size())
      return std::nullopt;
    return e;
  }

private:
  void skip() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  bool eat(std::string_view token) {
    skip();
    if (text.substr(at, token.size()) != token)
      return false;
    at += token.size();
    return true;
  }
  Expr fail() {
    ok = false;
    return Expr();
  }

  Expr sum() {
    if (++depth > 200)
      return fail();
    Expr e = product();
    while (ok) {
      if (eat("+"))
        e = e + product();
      else if (eat("-"))
        e = e - product();
      else
        break;
    }
    --depth;
    return e;
  }

  Expr product() {
    Expr e = unary();
    while (ok) {
      if (eat("*"))
        e = e * unary();
      else if (eat("//"))
        e = floordiv(e, unary());
      else if (eat("%"))
        e = mod(e, unary());
      else
        break;
    }
    return e;
  }

  Expr unary() {
    bool negative = false;
    while (eat("-"))
      negative = !negative;
    Expr e = primary();
    return negative ? -e : e;
  }

  Expr primary() {
    if (eat("(")) {
      Expr e = sum();
      return ok && eat(")") ? e : fail();
    }
    size_t start = at;
    auto isWord = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
    };
    while (at < text.size() && isWord(text[at]))
      ++at;
    std::string_view word = text.substr(start, at - start);
    if (word.empty())
      return fail();
    if (std::isdigit(static_cast<unsigned char>(word[0])))
      return number(word);
    if (word == "min" || word == "max" || word == "abs")
      return call(word);
    return Expr::name(word);
  }

  Expr number(std::string_view word) {
    int64_t value = 0;
    for (char c : word)
      if (!std::isdigit(static_cast<unsigned char>(c)) ||
          __builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, c - '0', &value))
        return fail();
    return Expr(value);
  }

  Expr call(std::string_view word) {
    if (!eat("("))
      return fail();
    std::vector<Expr> args;
    do
      args.push_back(sum());
    while (ok && eat(","));
    if (!ok || !eat(")"))
      return fail();
    if (word == "abs")
      return args.size() == 1 ? abs(args[0]) : fail();
    return minMax(word == "min" ? AtomKind::Min : AtomKind::Max, std::move(args));
  }

  std::string_view text;
  size_t at = 0;
  int depth = 0;
  bool ok = true;
};

} // namespace

std::string Expr::str() const {
  if (poisoned())
    return "<overflow>";
  if (impl->terms.empty())
    return "0";
  size_t first = 0; // begin with a positive term if there is one
  while (first < impl->terms.size() && impl->terms[first].coefficient < 0)
    ++first;
  if (first == impl->terms.size())
    first = 0;
  const Term &head = impl->terms[first];
  std::string text = (head.coefficient < 0 ? "-" : "") + termText(head, head.coefficient < 0);
  for (size_t k = 0; k < impl->terms.size(); ++k)
    if (k != first)
      text += (impl->terms[k].coefficient < 0 ? " - " : " + ") + termText(impl->terms[k], false);
  return text;
}

std::optional<Expr> Expr::parse(std::string_view text) { return Reader(text).all(); }

} // namespace moac::shape
