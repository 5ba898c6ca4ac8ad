// See SyntaxHelpers.h. The dump mentions every field of the tree except ranges.
#include "tests/unit/SyntaxHelpers.h"

#include "llvm/Support/Casting.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace moac::test {

using namespace ast;

namespace {

std::string quoteless(std::string_view text) { return std::string(text); }

std::string dump(const ExprPtr &expr) { return expr ? test::dump(*expr) : "_"; }

template <typename T, typename F> std::string joined(const std::vector<T> &list, const F &each) {
  std::string result;
  for (const T &part : list)
    result += " " + each(part);
  return result;
}

std::string dumpAll(const std::vector<ExprPtr> &list) {
  return joined(list, [](const ExprPtr &e) { return dump(e); });
}

std::string names(const std::vector<Name> &list) {
  return "[" + joined(list, [](const Name &n) { return n.text; }) + " ]";
}

std::string dump(const FnRef &fn) {
  switch (fn.kind) {
  case FnRef::Kind::Symbol:
    return quoteless(spelling(fn.op));
  case FnRef::Kind::WordName:
    return "word:" + quoteless(spelling(fn.word));
  case FnRef::Kind::FuncName:
    return "func:" + quoteless(spelling(fn.func));
  case FnRef::Kind::Cast:
    return "type:" + quoteless(spelling(fn.type));
  case FnRef::Kind::UserName:
    return fn.name;
  }
  return "?";
}

std::string dump(const Operator &op) {
  switch (op.kind) {
  case Operator::Kind::Fn:
    return "{" + dump(op.f) + "}";
  case Operator::Kind::Product:
    return "{" + dump(op.f) + " . " + dump(op.g) + "}";
  case Operator::Kind::Red:
    return "{red " + dump(op.f) + "}";
  case Operator::Kind::Scan:
    return "{scan " + dump(op.f) + "}";
  case Operator::Kind::Outer:
    return "{outer " + dump(op.f) + "}";
  case Operator::Kind::Omega:
    return "{omega " + dump(*op.operand) + dumpAll(op.ranks) + "}";
  }
  return "?";
}

std::string dump(const Reduce &reduce) {
  std::string result = reduce.isRed ? "(red " : "(";
  result += dump(reduce.fn);
  for (const Bind &bind : reduce.binds)
    result += " [" + bind.name.text + (bind.lo ? " in " + dump(bind.lo) : "") +
              (bind.hi ? " < " + dump(bind.hi) : "") + "]";
  if (reduce.accumulator)
    result += " :" + quoteless(spelling(reduce.accumulator->type));
  return result + " " + dump(reduce.body) + ")";
}

std::string dump(const Subscript &s) {
  return s.isSlice ? "(: " + dump(s.lo) + " " + dump(s.hi) + " " + dump(s.step) + ")"
                   : dump(s.index);
}

std::string dump(const Compare &compare) {
  std::string result = "(cmp " + dump(compare.operands[0]);
  for (size_t i = 0; i < compare.ops.size(); ++i)
    result += " " + quoteless(spelling(compare.ops[i])) + " " + dump(compare.operands[i + 1]);
  return result + ")";
}

std::string dump(const Number &number) {
  if (number.isInteger)
    return std::to_string(number.integer);
  std::ostringstream out;
  out.precision(17);
  out << number.decimal;
  return "f" + out.str();
}

std::string dump(const Block &block);

std::string dump(const Stmt &stmt) {
  if (auto *define = llvm::dyn_cast<Define>(&stmt)) {
    auto index = [](const LhsIndex &i) { return i.name.text + ":" + dump(i.extent); };
    return "(= " + define->target.text +
           (define->indexed ? "[" + joined(define->indices, index) + " ]" : "") + " " +
           dump(define->value) + ")";
  }
  if (auto *many = llvm::dyn_cast<DefineMany>(&stmt))
    return "(=many " + names(many->targets) + " " + many->callee.text + dumpAll(many->args) + ")";
  auto &iterate = llvm::cast<Iterate>(stmt);
  auto carry = [](const Carry &c) { return "(" + c.name.text + " " + dump(c.init) + ")"; };
  return "(iterate " + iterate.index.text + " " + dump(iterate.lo) + " " + dump(iterate.hi) +
         joined(iterate.carries, carry) + dump(iterate.body) + ")";
}

std::string dump(const Block &block) {
  return joined(block, [](const StmtPtr &stmt) { return dump(*stmt); });
}

std::string dump(const Param &param) {
  return "(" + param.name.text + " " + quoteless(spelling(param.type.type)) + " [" +
         dumpAll(param.extents) + " ]" + (param.layout ? " " + param.layout->text : "") + ")";
}

std::string dump(const Kernel &kernel) {
  auto param = [](const Param &p) { return dump(p); };
  auto pair = [](const Inplace &p) { return "(" + p.output.text + " " + p.input.text + ")"; };
  return "(kernel " + kernel.name.text + joined(kernel.params, param) + " ->" +
         joined(kernel.results, param) + " where" + dumpAll(kernel.constraints) + " inplace" +
         joined(kernel.inplace, pair) + " body" + dump(kernel.body) + ")";
}

std::string dump(const Derive &d) {
  if (d.kind == Derive::Kind::Join)
    return "(join " + d.name.text + " " + names(d.parts) + ")";
  auto seed = [](const Seed &s) { return "(" + s.output.text + " " + s.cotangent.text + ")"; };
  return "(grad " + d.name.text + " " + d.kernel.text + " " + names(d.wrt) + " save " +
         names(d.save) + " seed" + joined(d.seeds, seed) + ")";
}

std::string dump(const Directive &d) {
  return "(" + std::to_string(int(d.kind)) + " " + names(d.names) + " " + dump(d.amount) +
         (d.cyclic ? " cyclic " : " ") + d.outer.text + " " + d.inner.text + " " +
         std::to_string(int(d.placement)) + " " + (d.at ? d.at->text : "_") + " " + names(d.axes) +
         " " + d.strategy.text + ")";
}

template <typename T> std::string pair(const char *head, const T &node) {
  return std::string("(") + head + " " + dump(node.lhs) + " " + dump(node.rhs) + ")";
}

} // namespace

std::string dump(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::Number:
    return dump(llvm::cast<Number>(expr));
  case Expr::Kind::Constant:
    return "const:" + std::to_string(int(llvm::cast<Constant>(expr).value));
  case Expr::Kind::NameUse:
    return llvm::cast<NameUse>(expr).name;
  case Expr::Kind::Unary: {
    auto &unary = llvm::cast<Unary>(expr);
    return (unary.op == Unary::Op::Not ? "(not " : "(neg ") + dump(unary.operand) + ")";
  }
  case Expr::Kind::Binary:
    return pair(spelling(llvm::cast<Binary>(expr).op).data(), llvm::cast<Binary>(expr));
  case Expr::Kind::Logical:
    return pair(spelling(llvm::cast<Logical>(expr).op).data(), llvm::cast<Logical>(expr));
  case Expr::Kind::Compare:
    return dump(llvm::cast<Compare>(expr));
  case Expr::Kind::Call:
    return "(call " + dump(llvm::cast<Call>(expr).callee) + dumpAll(llvm::cast<Call>(expr).args) +
           ")";
  case Expr::Kind::Reduce:
    return dump(llvm::cast<Reduce>(expr));
  case Expr::Kind::Index: {
    auto &index = llvm::cast<Index>(expr);
    return "(at " + dump(index.base) +
           joined(index.subscripts, [](const Subscript &s) { return dump(s); }) + ")";
  }
  case Expr::Kind::Vector:
    return "<" + dumpAll(llvm::cast<Vector>(expr).elements) + " >";
  case Expr::Kind::PrefixWord: {
    auto &word = llvm::cast<PrefixWord>(expr);
    return "(" + quoteless(spelling(word.word)) + " " + dump(word.operand) + ")";
  }
  case Expr::Kind::InfixWord:
    return pair(spelling(llvm::cast<InfixWord>(expr).word).data(), llvm::cast<InfixWord>(expr));
  case Expr::Kind::Section: {
    auto &section = llvm::cast<Section>(expr);
    return "(" + dump(*section.op) + " " + dump(section.lhs) + " " + dump(section.rhs) + ")";
  }
  }
  return "?";
}

std::string dump(const File &file) {
  std::string result;
  for (const Import &import : file.imports)
    result += "(import " + import.path + ")\n";
  for (const Fn &fn : file.fns)
    result += "(fn " + fn.name.text + " " + names(fn.params) + " " + dump(fn.body) + ")\n";
  for (const Kernel &kernel : file.kernels)
    result += dump(kernel) + "\n";
  for (const Derive &derive : file.derives)
    result += dump(derive) + "\n";
  for (const Schedule &schedule : file.schedules)
    result += "(schedule " + schedule.kernel.text + " " + schedule.machine.text +
              joined(schedule.directives, [](const Directive &d) { return dump(d); }) + ")\n";
  return result;
}

Parsed::Parsed(const std::string &text) {
  file = parse(sources, sources.add("t.moa", text), diagnostics);
  messages = diagnostics.render();
}

std::string dumpExpr(const std::string &expr) {
  Parsed parsed("kernel k() -> o: f64 {\n  o = " + expr + "\n}\n");
  if (parsed.diagnostics.hasErrors())
    return parsed.messages;
  const Block &body = parsed.file.kernels.at(0).body;
  return body.size() == 1 ? dump(*llvm::cast<Define>(*body[0]).value) : "not one statement";
}

const std::vector<Program> &programs() {
  static const std::vector<Program> all = [] {
    std::vector<Program> result;
    for (auto &entry : std::filesystem::directory_iterator(MOAC_TEST_PROGRAMS)) {
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      result.push_back({entry.path().filename().string(), text.str()});
    }
    std::ranges::sort(result, {}, &Program::name);
    return result;
  }();
  return all;
}

} // namespace moac::test
