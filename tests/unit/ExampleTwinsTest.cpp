// The examples spell idioms twice: kernel `x` with operators, `x_indices` with indices. Both must
// come to the same DNF and to the same loops.
//
// Names differ, so the DNF is compared as formulas whose stages and indices are numbered in order
// of appearance, and the ONF as text without names and notes.
#include "frontend/Compiler.h"
#include "ir/IndexForm.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <sstream>

namespace moac {
namespace {

bool isWord(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Text with every identifier replaced by what `rename` makes of it and of the character behind it.
template <class Rename> std::string renamed(const std::string &text, Rename rename) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (!isWord(text[i])) {
      out += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && isWord(text[end]))
      ++end;
    std::string word = text.substr(i, end - i);
    out += isdigit(static_cast<unsigned char>(word[0]))
               ? word
               : rename(word, end < text.size() ? text[end] : ' ');
    i = end;
  }
  return out;
}

std::string number(std::map<std::string, size_t> &seen, const std::string &word, const char *mark) {
  return mark + std::to_string(seen.try_emplace(word, seen.size()).first->second);
}

/// The lines of stages in the order in which a reader who begins at the results needs them: what does not depend on each
/// other may stand in another order.
std::vector<std::string> inReadingOrder(const std::string &text, const KernelSignature &kernel) {
  std::map<std::string, std::string> lineOf;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lineOf[line.substr(0, line.find_first_of(" ["))] = line;
  std::vector<std::string> order;
  std::set<std::string> seen;
  std::function<void(const std::string &)> visit = [&](const std::string &name) {
    auto line = lineOf.find(name);
    if (line == lineOf.end() || !seen.insert(name).second)
      return;
    renamed(line->second, [&](const std::string &word, char) {
      visit(word);
      return word;
    });
    order.push_back(line->second);
  };
  for (const ArraySignature &output : kernel.outputs)
    visit(output.name);
  EXPECT_EQ(order.size(), lineOf.size()) << text;
  return order;
}

/// The stages of a kernel as formulas; parameters and functions keep their names.
std::string formulas(const std::string &dnf, const KernelSignature &kernel) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<moa::MoaDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(dnf, &context);
  EXPECT_TRUE(module) << dnf;
  if (!module)
    return "";
  std::string text = moa::indexForm(*module->getOps<moa::KernelOp>().begin());
  std::set<std::string> kept(kernel.symbols.begin(), kernel.symbols.end());
  for (const ArraySignature &input : kernel.inputs)
    kept.insert(input.name);
  for (const ScalarSignature &scalar : kernel.scalars)
    kept.insert(scalar.name);
  std::map<std::string, size_t> stages;
  std::string out;
  for (const std::string &line : inReadingOrder(text, kernel)) {
    std::map<std::string, size_t> indices;
    std::set<std::string> functions = {"sum",    "prod", "max", "min", "argmax",
                                       "argmin", "red",  "any", "all"};
    bool first = true;
    out += renamed(line,
                   [&](const std::string &word, char next) {
                     bool stage = first || stages.count(word);
                     first = false;
                     if (stage)
                       return number(stages, word, "$");
                     if (kept.count(word) || next == '(' || functions.count(word))
                       return word;
                     return number(indices, word, "#");
                   }) +
           "\n";
  }
  return out;
}

/// Loops without names: strings, the function's name and the lines of notes go.
std::string loops(const std::string &onf) {
  std::string out;
  std::istringstream lines(onf);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("onf.note") != line.npos)
      continue;
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"' && (i == 0 || line[i - 1] != '\\'))
        quoted = !quoted;
      else if (line[i] == '@')
        while (i + 1 < line.size() && isWord(line[i + 1]))
          ++i;
      else if (!quoted)
        out += line[i];
    }
    out += "\n";
  }
  return out;
}

TEST(ExampleTwins, GiveOneFormulaAndOneNest) {
  size_t pairs = 0;
  for (const auto &entry : std::filesystem::directory_iterator(MOAC_EXAMPLES)) {
    if (entry.path().extension() != ".moa")
      continue;
    auto program = Program::load(entry.path().string(), {});
    ASSERT_FALSE(program->hasErrors()) << program->diagnostics();
    for (const KernelSignature &kernel : program->kernels())
      for (const KernelSignature &twin : program->kernels()) {
        if (twin.name != kernel.name + "_indices")
          continue;
        ++pairs;
        auto text = [&](Stage stage, const KernelSignature &of) {
          Answer<std::string> printed = program->print(stage, of.name);
          EXPECT_TRUE(printed) << of.name << ": " << printed.error;
          return printed ? *printed : std::string();
        };
        EXPECT_EQ(formulas(text(Stage::Dnf, kernel), kernel),
                  formulas(text(Stage::Dnf, twin), twin))
            << kernel.name;
        EXPECT_EQ(loops(text(Stage::Onf, kernel)), loops(text(Stage::Onf, twin))) << kernel.name;
      }
  }
  EXPECT_GE(pairs, 33u);
}

} // namespace
} // namespace moac
