// The lines that emitted loops and buffers name are those of the ONF's operations, loop by loop.
//
// The module is parsed from text here, so that every operation has a line of its own: two loops that were mixed up, or a
// buffer with its reader's line, would show.
#include "emitters/C.h"
#include "emitters/CFile.h"
#include "emitters/LoopTreeBuilder.h"
#include "frontend/Compiler.h"
#include "passes/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <regex>
#include <sstream>

using namespace mlir;
using namespace moac;

namespace {
using Places = std::set<std::string>;

/// Places of loops, of buffers.
std::pair<Places, Places> placesOf(ModuleOp module) {
  std::pair<Places, Places> found;
  module.walk([&](onf::ForOp op) { found.first.insert(emit::sourcePlace(op.getLoc())); });
  module.walk([&](onf::AllocOp op) { found.second.insert(emit::sourcePlace(op.getLoc())); });
  return found;
}

bool isIn(const Places &all, const std::string &text, std::string &missing) {
  if (!all.count(text))
    missing += text + "\n";
  return all.count(text) != 0;
}

TEST(Places, EmittedLoopsAndBuffersNameTheLinesOfTheOnf) {
  unsigned loops = 0, buffers = 0;
  for (const auto &entry : std::filesystem::directory_iterator(MOAC_EXAMPLES)) {
    if (entry.path().extension() != ".moa")
      continue;
    auto program = Program::load(entry.path().string(), {});
    ASSERT_FALSE(program->hasErrors()) << program->diagnostics();
    Answer<std::string> text = program->print(Stage::Moa, "");
    ASSERT_TRUE(text) << text.error;
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<moa::MoaDialect, onf::OnfDialect>();
    auto module = parseSourceString<ModuleOp>(*text, &context, "kernels.mlir");
    ASSERT_TRUE(module);
    PassManager passes(&context);
    addDnfPasses(passes);
    addSchedulePasses(passes);
    passes.addPass(createGammaConstruct());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    auto [loopPlaces, bufferPlaces] = placesOf(*module);
    EXPECT_FALSE(loopPlaces.count("")) << entry.path();

    std::vector<onf::FuncOp> functions(module->getOps<onf::FuncOp>().begin(), module->getOps<onf::FuncOp>().end());
    tree::File file = emit::buildLoopTree(functions, emit::cTraits());
    ASSERT_TRUE(file.problems.empty()) << file.problems.front();
    std::string c = emit::printCFile(file, {}, emit::cTraits()).text;
    std::istringstream lines(c);
    std::string missing;
    Places seen;
    std::string statement; // a long one stands on several lines, the last of which has the place
    for (std::string line; std::getline(lines, line);) {
      std::smatch at;
      bool named = std::regex_search(line, at, std::regex("// (kernels\\.mlir:[0-9]+)$"));
      statement += line;
      if (statement.find("moac_take(") != statement.npos || std::regex_search(statement, std::regex("^ +(float|double|int64_t) \\w+\\[[^;]*\\];")))
        buffers += named && isIn(bufferPlaces, at[1], missing);
      else if (named)
        loops += isIn(loopPlaces, at[1], missing), seen.insert(at[1]);
      if (named || std::regex_search(line, std::regex("[;{}]$")))
        statement.clear();
    }
    EXPECT_EQ(missing, "") << entry.path() << "\n" << c;
    // A loop whose variable nobody needs becomes a statement; those are few.
    EXPECT_GE(seen.size() * 10, loopPlaces.size() * 9) << entry.path();
  }
  EXPECT_GE(loops, 100u);
  EXPECT_GE(buffers, 10u);
}
} // namespace
