// Every message of semantic analysis in full, and proof that every kind can be reached.
//
// The cases are data (sema-errors.txt), so that a change of wording is reviewed as text.
#include "frontend/AstToMoa.h"
#include "frontend/Imports.h"
#include "frontend/Parser.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace moac {
namespace {

struct Case {
  std::string title, source, messages;
};

std::vector<Case> cases() {
  std::ifstream in(MOAC_TEST_SEMA_ERRORS);
  std::vector<Case> result;
  bool messages = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      result.push_back({line.substr(4), "", ""});
      messages = false;
    } else if (line == "---") {
      messages = true;
    } else if (!result.empty()) {
      (messages ? result.back().messages : result.back().source) += line + "\n";
    }
  }
  return result;
}

/// A text that was analysed, with the messages as they are printed; the file is called `t.moa`.
struct Analysed {
  explicit Analysed(const std::string &text) {
    std::vector<ast::File> files;
    files.push_back(parse(sources, sources.add("t.moa", text), diags));
    module = buildModule(files, diags, context);
    messages = diags.render();
  }
  std::set<DiagId> kinds() const {
    std::set<DiagId> result;
    for (const Diagnostic *message : diags.sorted())
      result.insert(message->id);
    return result;
  }

  SourceManager sources;
  Diagnostics diags{sources};
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string messages;
};

std::string repeat(const std::string &text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text;
  return result;
}

/// Twenty fns, each of which calls the one before it twice: a million copies of the first.
std::string explosion() {
  std::string text = "fn g0(x) = x + 1.0\n";
  for (int i = 1; i <= 20; ++i) {
    std::string f = "g" + std::to_string(i - 1) + "(";
    text += "fn g" + std::to_string(i) + "(x) = " + f + f + "x))\n";
  }
  return text + "kernel k(a: f64) -> o: f64 { o = g20(a) }\n";
}

TEST(SemaErrors, MessagesInFull) {
  std::vector<Case> all = cases();
  EXPECT_GT(all.size(), 50u);
  for (const Case &one : all) {
    EXPECT_FALSE(one.messages.empty()) << one.title;
    EXPECT_EQ(Analysed(one.source).messages, one.messages) << one.title;
  }
}

/// Kinds about shapes that do not fit each other name both.
const std::set<DiagId> aboutTwoShapes = {
    DiagId::extentsDisagree, DiagId::resultShape, DiagId::shapesDiffer, DiagId::totalsDiffer,
    DiagId::cannotJoin,      DiagId::innerShapes, DiagId::framesDiffer, DiagId::argumentShape,
    DiagId::axisTooShort};

TEST(SemaErrors, MessagesHaveAPlaceARemedyAndBothShapes) {
  std::set<DiagId> shaped;
  for (const Case &one : cases()) {
    Analysed analysed(one.source);
    for (const Diagnostic *message : analysed.diags.sorted()) {
      EXPECT_TRUE(message->range.valid()) << one.title;
      if (message->id != DiagId::expected) // it says itself what to write
        EXPECT_FALSE(message->help.empty()) << one.title << ": " << message->message;
      if (aboutTwoShapes.contains(message->id))
        EXPECT_GE(std::ranges::count(message->message, '<'), 2) << message->message;
      shaped.insert(message->id);
    }
  }
  for (DiagId id : aboutTwoShapes)
    EXPECT_TRUE(shaped.contains(id)) << diagName(id);
}

TEST(SemaErrors, LimitsAreMessages) {
  EXPECT_TRUE(Analysed(explosion()).kinds().contains(DiagId::tooComplex));
  std::string chain = "fn g0(x) = x\n";
  for (int i = 1; i < 3000; ++i)
    chain += "fn g" + std::to_string(i) + "(x) = g" + std::to_string(i - 1) + "(x)\n";
  Analysed deep(chain + "kernel k(a: f64) -> o: f64 { o = g2999(a) }\n");
  EXPECT_TRUE(deep.kinds().contains(DiagId::tooComplex)) << deep.messages;
  std::string sum = "a" + repeat(" + a", 900);
  Analysed wide("kernel k(a: f64) -> o: f64 { o = " + sum + " }\n");
  EXPECT_TRUE(wide.module) << wide.messages;
}

TEST(SemaErrors, ImportsThatFail) {
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / ("moac-imports-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "a.moa") << "import \"b.moa\"\nimport \"missing.moa\"\nfn f(x) = x\n"
                                     "kernel k(a: f64) -> o: f64 { o = g(f(a)) }\n";
  std::ofstream(folder / "b.moa") << "import \"a.moa\"\nfn g(x) = 2.0*x\nfn f(x) = x\n";
  SourceManager sources;
  Diagnostics diags(sources);
  std::vector<ast::File> files = loadFiles((folder / "a.moa").string(), {}, sources, diags);
  EXPECT_EQ(files.size(), 2u);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EXPECT_FALSE(buildModule(files, diags, context));
  std::string text = diags.render();
  EXPECT_NE(text.find("cannot find 'missing.moa'"), text.npos) << text;
  EXPECT_NE(text.find("b.moa:3:4: error: 'f' is defined twice"), text.npos) << text;
  EXPECT_NE(text.find("a.moa:3:4: note: first defined here"), text.npos) << text;
  EXPECT_EQ(diags.errorCount(), 2u) << text;
  EXPECT_TRUE(loadFiles((folder / "none.moa").string(), {}, sources, diags).empty());
  EXPECT_NE(diags.render().find("cannot read"), std::string::npos);
  fs::remove_all(folder);
}

TEST(SemaErrors, EveryKindIsReached) {
  std::set<DiagId> reached = {DiagId::cannotRead, DiagId::importNotFound,
                              DiagId::tooComplex}; // by the tests above
  for (const Case &one : cases())
    reached.merge(Analysed(one.source).kinds());
  // The kinds from unknownLoop on are reported of normal forms: frontend/Messages.md has programs with them.
  for (int id = int(DiagId::cannotRead); id < int(DiagId::unknownLoop); ++id)
    EXPECT_TRUE(reached.contains(DiagId(id))) << diagName(DiagId(id));
  EXPECT_GE(allDiagInfos().size(), 100u);
}

} // namespace
} // namespace moac
