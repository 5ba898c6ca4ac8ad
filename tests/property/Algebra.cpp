// Text of random programs, and smaller variants of them; see Algebra.h.
#include "tests/property/Algebra.h"

#include "tests/property/AlgebraGenerator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace moac;
using namespace moac::property;

std::string Statement::left() const {
  std::string out = name;
  for (size_t axis = 0; axis < indices.size(); ++axis)
    out += fmt::format("{}{}{}", axis ? ", " : "[", indices[axis],
                       result ? "" : ": " + shape[axis].str());
  return out + (indices.empty() ? "" : "]");
}

namespace {
std::string typeText(ElementType type, const Extents &shape) {
  return std::string(spelling(type)) + (shape.empty() ? "" : "[" + listed(shape) + "]");
}

bool mentions(const Term &term, const std::string &name) {
  for (const std::string &piece : term.pieces)
    for (size_t at = piece.find(name); at != std::string::npos; at = piece.find(name, at + 1)) {
      const size_t end = at + name.size();
      if ((at == 0 || !isalnum(piece[at - 1])) && (end == piece.size() || !isalnum(piece[end])))
        return true;
    }
  return std::ranges::any_of(term.slots,
                             [&](const Slot &slot) { return mentions(*slot.term, name); });
}
} // namespace

std::vector<std::string> Kernel::unbound() const {
  std::vector<std::string> free;
  for (const std::string &symbol : symbols) {
    bool used = false, bound = false;
    for (const Parameter &parameter : parameters)
      for (const shape::Expr &extent : parameter.shape)
        bound = bound || extent == shape::Expr::name(symbol);
    const std::string all = text({});
    for (size_t at = all.find(symbol); at != std::string::npos && !used;
         at = all.find(symbol, at + 1))
      used = (at == 0 || !isalnum(all[at - 1])) && !isalnum(all[at + symbol.size()]);
    if (used && !bound)
      free.push_back(symbol);
  }
  return free;
}

std::string Kernel::text() const { return text(unbound()); }

std::string Kernel::text(const std::vector<std::string> &scalars) const {
  std::vector<std::string> given, results;
  for (const std::string &symbol : scalars)
    given.push_back(symbol + ": i64");
  for (const Parameter &parameter : parameters)
    given.push_back(parameter.name + ": " + typeText(parameter.type, parameter.shape) +
                    (parameter.columnMajor ? " layout col" : ""));
  std::string body;
  for (const Statement &statement : statements) {
    body += "  " + statement.left() + " = " + statement.value->text() + "\n";
    if (statement.result)
      results.push_back(statement.name + ": " + typeText(statement.type, statement.shape) +
                        (statement.columnMajor ? " layout col" : ""));
  }
  return fmt::format("kernel {}({}) -> ({}){}{} {{\n{}}}\n", name, fmt::join(given, ", "),
                     fmt::join(results, ", "), constraints.empty() ? "" : " where ",
                     fmt::join(constraints, ", "), body);
}

size_t Kernel::size() const {
  size_t total = 0;
  for (const Statement &statement : statements)
    total += 1 + statement.value->size();
  return total;
}

std::string AlgebraProgram::text() const {
  std::string out = functions;
  for (const Kernel &helper : helpers)
    out += helper.text();
  return out + kernel.text();
}

AlgebraProgram moac::property::algebraProgram(uint64_t seed, const std::string &suffix) {
  Random random(Random(seed).bits()); // streams of neighbours would overlap
  AlgebraProgram program;
  program.seed = seed;
  program.functions = fmt::format("fn mix{0}(a, b) = a - 2*b\nfn square{0}(a) = a*a\n", suffix);
  const std::vector<Kernel> none;
  for (int64_t count = random.below(3); count > 0; --count) {
    Kernel helper;
    helper.name = fmt::format("h{}{}", program.helpers.size(), suffix);
    AlgebraGenerator(helper, none, suffix, random).helper(count == 2);
    program.helpers.push_back(std::move(helper));
  }
  program.kernel.name = "k" + suffix;
  program.kernel.exact = random.below(5) != 0;
  AlgebraGenerator(program.kernel, program.helpers, suffix, random).program();
  return program;
}

namespace {
/// A leaf of the same type and shape, if one is at hand; `spare` may become a new parameter.
std::vector<TermRef> leavesFor(const Term &term, const Kernel &kernel, size_t before) {
  std::vector<TermRef> result;
  auto name = [&](const std::string &text, double bound) {
    auto leaf = std::make_shared<Term>();
    leaf->pieces = {text};
    leaf->type = term.type;
    leaf->shape = term.shape;
    leaf->bound = bound;
    result.push_back(leaf);
  };
  if (term.shape.empty())
    name(fmt::format("{}({})", spelling(term.type),
                     term.type == ElementType::bool_ ? "1 == 1" : "1"),
         1);
  for (const Parameter &parameter : kernel.parameters)
    if (!parameter.below && parameter.shape == term.shape &&
        computeType(parameter.type) == term.type)
      name(parameter.name, 4);
  for (size_t s = 0; s < before; ++s)
    if (kernel.statements[s].shape == term.shape && kernel.statements[s].value->type == term.type)
      name(kernel.statements[s].name, kernel.statements[s].value->bound);
  return result;
}

/// Every way to make one term smaller.
void shrinkTerm(const TermRef &term, const Kernel &kernel, size_t before,
                std::vector<TermRef> &out) {
  for (const TermRef &leaf : leavesFor(*term, kernel, before))
    if (!term->slots.empty() ||
        (term->pieces[0] > leaf->pieces[0] && term->pieces[0].size() >= leaf->pieces[0].size()))
      out.push_back(leaf);
  for (const Slot &slot : term->slots)
    if (slot.term->type == term->type && slot.term->shape == term->shape && !slot.term->weak)
      out.push_back(slot.term);
  for (size_t i = 0; i < term->slots.size(); ++i) {
    std::vector<TermRef> smaller;
    shrinkTerm(term->slots[i].term, kernel, before, smaller);
    for (const TermRef &replacement : smaller) {
      auto copy = std::make_shared<Term>(*term);
      copy->slots[i].term = replacement;
      out.push_back(copy);
    }
  }
}

/// A term whose type and shape nobody at hand has becomes a parameter.
void shrinkToParameter(const TermRef &term,
                       const std::function<void(const TermRef &, const Parameter &)> &use,
                       const std::function<TermRef(const TermRef &)> &around) {
  if (!term->slots.empty() && !term->shape.empty()) {
    auto leaf = std::make_shared<Term>();
    leaf->pieces = {"Z"};
    leaf->type = term->type;
    leaf->shape = term->shape;
    leaf->bound = 4;
    use(around(leaf), Parameter{"Z", term->type, term->shape, false, {}});
  }
  for (size_t i = 0; i < term->slots.size(); ++i)
    shrinkToParameter(term->slots[i].term, use, [&, i](const TermRef &inner) {
      auto copy = std::make_shared<Term>(*term);
      copy->slots[i].term = inner;
      return around(copy);
    });
}
} // namespace

std::vector<AlgebraProgram> moac::property::shrunk(const AlgebraProgram &program) {
  std::vector<AlgebraProgram> result;
  const Kernel &kernel = program.kernel;
  auto isRead = [&](const std::string &name) {
    return std::ranges::any_of(kernel.statements,
                               [&](const Statement &s) { return mentions(*s.value, name); });
  };
  const auto results = std::ranges::count_if(kernel.statements, &Statement::result);
  for (size_t s = 0; s < kernel.statements.size(); ++s)
    if (!isRead(kernel.statements[s].name) && !(kernel.statements[s].result && results == 1)) {
      result.push_back(program);
      result.back().kernel.statements.erase(result.back().kernel.statements.begin() +
                                            static_cast<long>(s));
    }
  for (size_t c = 0; c < kernel.constraints.size(); ++c) {
    result.push_back(program);
    result.back().kernel.constraints.erase(result.back().kernel.constraints.begin() +
                                           static_cast<long>(c));
  }
  for (size_t p = 0; p < kernel.parameters.size(); ++p)
    if (!isRead(kernel.parameters[p].name)) {
      result.push_back(program);
      result.back().kernel.parameters.erase(result.back().kernel.parameters.begin() +
                                            static_cast<long>(p));
    }
  for (size_t h = 0; h < program.helpers.size(); ++h)
    if (!isRead(program.helpers[h].name)) {
      result.push_back(program);
      result.back().helpers.erase(result.back().helpers.begin() + static_cast<long>(h));
    }
  for (size_t s = 0; s < kernel.statements.size(); ++s) {
    std::vector<TermRef> smaller;
    shrinkTerm(kernel.statements[s].value, kernel, s, smaller);
    for (const TermRef &value : smaller) {
      result.push_back(program);
      result.back().kernel.statements[s].value = value;
    }
    const bool taken =
        std::ranges::any_of(kernel.parameters, [](const Parameter &p) { return p.name == "Z"; });
    if (!taken)
      shrinkToParameter(
          kernel.statements[s].value,
          [&](const TermRef &value, const Parameter &parameter) {
            result.push_back(program);
            result.back().kernel.statements[s].value = value;
            result.back().kernel.parameters.push_back(parameter);
          },
          [](const TermRef &whole) { return whole; });
  }
  return result;
}
