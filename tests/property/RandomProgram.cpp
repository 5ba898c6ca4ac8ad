// The generator of random kernels; see RandomProgram.h.
#include "tests/property/RandomProgram.h"

#include <fmt/format.h>

using namespace moac;
using namespace moac::property;

std::string Node::text() const {
  std::string out = pieces[0];
  for (size_t i = 0; i < operands.size(); ++i)
    out += operands[i]->text() + pieces[i + 1];
  return out;
}

size_t Node::size() const {
  size_t total = 1;
  for (const NodeRef &operand : operands)
    total += operand->size();
  return total;
}

std::string RandomProgram::text() const {
  std::string out = fmt::format("kernel {}(A: {}[M, N], v: {}[N], w: {}[M], p: i64[M], s: i64) -> {} {{\n", name, type, type, type, result);
  for (const Definition &definition : definitions)
    out += "  " + definition.left + " = " + definition.value->text() + "\n";
  return out + "}\n";
}

size_t RandomProgram::size() const {
  size_t total = 0;
  for (const Definition &definition : definitions)
    total += definition.value->size();
  return total;
}

namespace {
struct IndexInScope {
  std::string name, symbol;
};
struct Readable {
  std::string name;
  std::vector<std::string> symbols;
};

/// A literal that has the program's type even when nothing else in its expression has one.
std::string typedLiteral(const std::string &type, int64_t value) {
  return type + "(" + std::to_string(value) + (type[0] == 'f' ? ".0" : "") + ")";
}

class Generator {
public:
  Generator(RandomProgram &program, Random &random) : program(program), random(random) {
    arrays = {{"A", {"M", "N"}}, {"v", {"N"}}, {"w", {"M"}}};
  }

  void run() {
    if (random.below(4) == 0)
      return stencil();
    int64_t count = 1 + random.below(3);
    for (int64_t d = 0; d < count; ++d) {
      std::vector<std::string> symbols;
      for (int64_t axis = random.below(3); axis >= 0 && symbols.size() < 2; --axis)
        symbols.push_back(pick({"M", "N"}));
      bool last = d + 1 == count;
      if (last && random.below(6) == 0)
        symbols.clear();
      define(last ? "O" : "T" + std::to_string(d), symbols);
    }
  }

private:
  std::string pick(std::initializer_list<const char *> words) {
    return *(words.begin() + random.below(static_cast<int64_t>(words.size())));
  }

  /// A result that reads a value at its neighbours: inside a tile of the result more of the value is needed than the tile has.
  void stencil() {
    std::vector<std::string> symbols = {pick({"M", "N"})};
    if (random.below(2) == 0)
      symbols.push_back(pick({"M", "N"}));
    define("T0", symbols);
    define("O", symbols, true);
  }

  /// The last array at the indices of its axes, each moved a little.
  NodeRef neighbour(const std::vector<IndexInScope> &scope) {
    std::string text = arrays.back().name, guards;
    for (size_t axis = 0; axis < arrays.back().symbols.size(); ++axis) {
      const IndexInScope &index = scope[axis];
      const int64_t by = random.below(5) - 2;
      const std::string at = by == 0 ? index.name : fmt::format("{} {} {}", index.name, by < 0 ? "-" : "+", std::abs(by));
      text += (axis ? ", " : "[") + at;
      if (by != 0)
        guards += (guards.empty() ? "" : " and ") + (by < 0 ? "0 <= " + at : at + " < " + index.symbol);
    }
    text += "]";
    return guards.empty() ? leaf(text) : node({"where(" + guards + ", " + text + ", ", ")"}, {literal()});
  }

  NodeRef neighbours(const std::vector<IndexInScope> &scope) {
    NodeRef sum = neighbour(scope);
    for (int64_t more = 1 + random.below(3); more > 0; --more)
      sum = node({"(", pick({" + ", " - "}), ")"}, {sum, neighbour(scope)});
    return sum;
  }

  void define(const std::string &name, const std::vector<std::string> &symbols, bool nearby = false) {
    std::vector<IndexInScope> scope;
    std::string left = name, shape;
    for (const std::string &symbol : symbols) {
      std::string index(1, static_cast<char>('i' + scope.size()));
      left += scope.empty() ? "[" : ", ";
      left += name == "O" ? index : index + ": " + symbol;
      shape += (shape.empty() ? "[" : ", ") + symbol;
      scope.push_back({index, symbol});
    }
    counter = 0;
    program.definitions.push_back({left + (symbols.empty() ? "" : "]"), nearby ? neighbours(scope) : expression(scope, 3)});
    if (name == "O")
      program.result = "O: " + program.type + shape + (symbols.empty() ? "" : "]");
    arrays.push_back({name, symbols});
  }

  static NodeRef leaf(std::string text) { return std::make_shared<Node>(Node{{std::move(text)}, {}}); }
  static NodeRef node(std::vector<std::string> pieces, std::vector<NodeRef> operands) {
    return std::make_shared<Node>(Node{std::move(pieces), std::move(operands)});
  }

  NodeRef literal() {
    int64_t value = random.below(5) - 2;
    return leaf(typedLiteral(program.type, value));
  }

  /// A subscript for an axis of `symbol` that is always in range, or is guarded by the caller.
  std::string subscript(const std::vector<IndexInScope> &scope, const std::string &symbol, std::string &guard) {
    std::vector<std::string> own, others;
    for (const IndexInScope &index : scope)
      (index.symbol == symbol ? own : others).push_back(index.name);
    if (own.empty())
      return others.empty() ? "" : fmt::format("{} % {}", others.back(), symbol);
    const std::string &i = own[random.below(static_cast<int64_t>(own.size()))];
    switch (random.below(14)) {
    case 0: return fmt::format("{} - 1 - {}", symbol, i);
    case 1: return fmt::format("({} + 1) % {}", i, symbol);
    case 2: return fmt::format("min({} + 1, {} - 1)", i, symbol);
    case 3:
      guard = fmt::format("{} + 1 < {}", i, symbol);
      return i + " + 1";
    case 4:
      if (symbol == "M" && random.below(3) == 0)
        return fmt::format("p[{}]", i);
      return i;
    case 5: return fmt::format("({} - {}) % {}", i, 1 + random.below(3), symbol);
    case 6: return random.below(2) ? fmt::format("({} + s) % {}", i, symbol) : fmt::format("(s - {}) % {}", i, symbol);
    case 7: return fmt::format("max({} - 2, 0)", i);
    case 8:
      guard = fmt::format("0 <= {} - 2", i);
      return i + " - 2";
    case 9:
      if (!others.empty())
        return fmt::format("({} + {}) % {}", others.back(), i, symbol);
      return i;
    default: return i;
    }
  }

  /// A condition that is affine in the indices at hand; empty when there is none.
  std::string affineCondition(const std::vector<IndexInScope> &scope) {
    if (scope.empty())
      return "";
    const IndexInScope &a = scope[random.below(static_cast<int64_t>(scope.size()))];
    const IndexInScope &b = scope[random.below(static_cast<int64_t>(scope.size()))];
    int64_t c = random.below(4);
    switch (random.below(9)) {
    case 0: return fmt::format("{} < {}", a.name, c);
    case 1: return fmt::format("0 < {} and {} < {} - 1", a.name, a.name, a.symbol);
    case 2: return fmt::format("{} <= {}", a.name, b.name);
    case 3: return fmt::format("{} == {}", a.name, b.name);
    case 4: return fmt::format("{} + s < {}", a.name, a.symbol);
    case 5: return fmt::format("2*{} < {} + {}", a.name, a.symbol, c);
    case 6: return fmt::format("0 <= {} + {} - {} < {}", a.name, b.name, c, a.symbol);
    case 7: return fmt::format("{} != {} and {} < {}", a.name, c, b.name, b.symbol + " - 1");
    default: return fmt::format("{} > 1 or {} == 0", a.name, b.name);
    }
  }

  /// A read of A at a flat offset, in and against the order of its elements.
  NodeRef reshaped(const std::vector<IndexInScope> &scope) {
    for (const IndexInScope &i : scope)
      for (const IndexInScope &j : scope) {
        if (i.symbol == "N" && j.symbol == "M")
          return leaf(fmt::format("A[({0}*M + {1}) // N, ({0}*M + {1}) % N]", i.name, j.name));
        if (i.name == j.name || i.symbol != "M" || j.symbol != "N")
          continue;
        switch (random.below(3)) {
        case 0: return leaf(fmt::format("A[({0}*N + {1}) // N, ({0}*N + {1}) % N]", i.name, j.name));
        case 1: return leaf(fmt::format("A[({0}*N + {1}) % M, ({0}*N + {1}) // M % N]", i.name, j.name));
        default: return leaf(fmt::format("A[({0} + 3*{1}) % M, ({0} + 3*{1} + s) % N]", i.name, j.name));
        }
      }
    return read(scope);
  }

  NodeRef read(const std::vector<IndexInScope> &scope) {
    const Readable &array = arrays[random.below(static_cast<int64_t>(arrays.size()))];
    std::string text = array.name, guards;
    for (size_t axis = 0; axis < array.symbols.size(); ++axis) {
      std::string guard, at = subscript(scope, array.symbols[axis], guard);
      if (at.empty())
        return literal();
      text += (axis ? ", " : "[") + at;
      if (!guard.empty())
        guards += (guards.empty() ? "" : " and ") + guard;
    }
    text += array.symbols.empty() ? "" : "]";
    return guards.empty() ? leaf(text) : node({"where(" + guards + ", " + text + ", ", ")"}, {literal()});
  }

  NodeRef reduction(const std::vector<IndexInScope> &scope, int depth) {
    std::string k = "k" + std::to_string(counter++), symbol = pick({"M", "N"}), bound = symbol;
    std::string head = pick({"sum", "max", "min", "sum"});
    // Bounds that depend on an index of the same axis: triangular and windowed domains.
    for (const IndexInScope &index : scope)
      if (index.symbol == symbol && random.below(3) == 0)
        bound = index.name + " + 1";
    std::string domain = random.below(4) == 0 ? fmt::format("{} in {}..{}", k, "max(0, " + bound + " - 3)", bound)
                                              : fmt::format("{} < {}", k, bound);
    std::vector<IndexInScope> inner = scope;
    inner.push_back({k, symbol});
    NodeRef body = expression(inner, depth - 1);
    // A mask: the reduction's identity outside a range of the index.
    std::string condition = random.below(3) == 0 ? affineCondition(inner) : "";
    std::string identity = head == "sum" ? typedLiteral(program.type, 0) : head == "max" ? "-inf" : "inf";
    if (!condition.empty() && (head == "sum" || program.type[0] == 'f'))
      body = node({"where(" + condition + ", ", ", " + identity + ")"}, {body});
    // An empty max is -inf, which then meets 0; keep the values finite where exactness is claimed.
    if (head != "sum")
      return node({"max(-50" + one() + ", min(50" + one() + ", " + head + "[" + domain + "](", ")))"}, {body});
    return node({head + "[" + domain + "](", ")"}, {body});
  }

  std::string one() const { return program.type[0] == 'f' ? ".0" : ""; }

  NodeRef expression(const std::vector<IndexInScope> &scope, int depth) {
    if (depth == 0)
      return random.below(5) == 0 ? literal() : read(scope);
    switch (random.below(program.exact ? 11 : 14)) {
    case 0: return node({"(", " + ", ")"}, {expression(scope, depth - 1), expression(scope, depth - 1)});
    case 1: return node({"(", " - ", ")"}, {expression(scope, depth - 1), expression(scope, depth - 1)});
    case 2: return node({"", "*", ""}, {expression(scope, 0), expression(scope, 0)});
    case 3: return node({pick({"max(", "min("}), ", ", ")"}, {expression(scope, depth - 1), expression(scope, depth - 1)});
    case 4: return node({"where(", pick({" < ", " <= ", " == "}), ", ", ", ", ")"},
                        {expression(scope, 0), expression(scope, 0), expression(scope, depth - 1), expression(scope, depth - 1)});
    case 5:
    case 6: return reduction(scope, depth);
    case 7: return read(scope);
    case 8: return reshaped(scope);
    case 9:
    case 10: {
      std::string condition = affineCondition(scope);
      if (condition.empty())
        return read(scope);
      return node({"where(" + condition + ", ", ", ", ")"}, {expression(scope, depth - 1), expression(scope, depth - 1)});
    }
    case 11: return node({"exp(-abs(", "))"}, {expression(scope, depth - 1)});
    case 12: return node({"(", " / (2.0 + abs(", ")))"}, {expression(scope, depth - 1), expression(scope, 0)});
    default: return node({"tanh(", ")"}, {expression(scope, depth - 1)});
    }
  }

  RandomProgram &program;
  Random &random;
  std::vector<Readable> arrays;
  unsigned counter = 0;
};

/// Every way to replace one node by an operand or a literal.
void shrinkNode(const NodeRef &root, const std::string &type, std::vector<NodeRef> &out) {
  NodeRef zero = std::make_shared<Node>(Node{{typedLiteral(type, 1)}, {}});
  if (root->text() != zero->text())
    out.push_back(zero);
  for (const NodeRef &operand : root->operands)
    out.push_back(operand);
  for (size_t i = 0; i < root->operands.size(); ++i) {
    std::vector<NodeRef> smaller;
    shrinkNode(root->operands[i], type, smaller);
    for (const NodeRef &replacement : smaller) {
      auto copy = std::make_shared<Node>(*root);
      copy->operands[i] = replacement;
      out.push_back(copy);
    }
  }
}
} // namespace

RandomProgram moac::property::randomProgram(const std::string &name, Random &random) {
  RandomProgram program;
  program.name = name;
  program.exact = random.below(3) != 0;
  const char *exactTypes[] = {"f64", "f64", "i32", "i64"}, *floatTypes[] = {"f64", "f32"};
  program.type = program.exact ? exactTypes[random.below(4)] : floatTypes[random.below(2)];
  Generator(program, random).run();
  return program;
}

std::vector<RandomProgram> moac::property::shrunk(const RandomProgram &program) {
  std::vector<RandomProgram> result;
  for (size_t d = 0; d < program.definitions.size(); ++d) {
    if (d + 1 < program.definitions.size()) {
      result.push_back(program);
      result.back().definitions.erase(result.back().definitions.begin() + static_cast<long>(d));
    }
    std::vector<NodeRef> smaller;
    shrinkNode(program.definitions[d].value, program.type, smaller);
    for (const NodeRef &value : smaller) {
      result.push_back(program);
      result.back().definitions[d].value = value;
    }
  }
  return result;
}
