// moa-emit: prints the C file (or with --header its header) of the onf functions in a textual module.
// A test tool, not installed.
#include "emitters/C.h"
#include "emitters/CFile.h"
#include "emitters/LoopTreeBuilder.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
static cl::opt<std::string> input(cl::Positional, cl::desc("input"), cl::init("-"));
static cl::opt<bool> header("header", cl::desc("print the header"));
static cl::opt<bool> standalone("standalone", cl::desc("do not use libmoac-runtime"));
static cl::opt<std::string> headerName("header-name", cl::desc("name of the header"));
static cl::opt<bool> split("split-input-file", cl::desc("each part is a module of its own"));

static mlir::LogicalResult emit(std::unique_ptr<llvm::MemoryBuffer> text, llvm::raw_ostream &out) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<moac::moa::MoaDialect, moac::onf::OnfDialect>();
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return mlir::failure();
  std::vector<moac::onf::FuncOp> functions;
  for (auto function : module->getOps<moac::onf::FuncOp>())
    functions.push_back(function);
  const moac::emit::LangTraits &lang = moac::emit::cTraits();
  const moac::tree::File file = moac::emit::buildLoopTree(functions, lang);
  const moac::emit::COptions options{standalone, headerName};
  const moac::emit::Emitted emitted = header ? moac::emit::printCHeader(file, options, lang)
                                             : moac::emit::printCFile(file, options, lang);
  for (const std::string &problem : emitted.problems)
    llvm::errs() << "error: " << problem << '\n';
  out << emitted.text;
  return mlir::success(emitted.problems.empty());
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "prints C from onf\n");
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> text = mlir::openInputFile(input, &problem);
  if (!text) {
    llvm::errs() << problem << '\n';
    return 1;
  }
  return mlir::failed(mlir::splitAndProcessBuffer(std::move(text), emit, llvm::outs(),
                                                  split ? mlir::kDefaultSplitMarker : ""));
}
