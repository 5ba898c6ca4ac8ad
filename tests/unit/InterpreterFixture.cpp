// Textual IR to outcomes, for the interpreter's tests.
#include "InterpreterFixture.h"

#include "ir/Onf.h"

#include "mlir/Parser/Parser.h"

namespace moac {

Outcome run(const std::string &text, const Arguments &arguments, const Limits &limits) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<moa::MoaDialect, onf::OnfDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  if (!module)
    return {};
  mlir::Operation &last = module->getBody()->back();
  if (auto kernel = llvm::dyn_cast<moa::KernelOp>(last))
    return interpret(kernel, arguments, limits);
  return interpret(llvm::cast<onf::FuncOp>(last), arguments, limits);
}

std::vector<double> values(const Outcome &outcome, size_t result) {
  std::vector<double> out;
  EXPECT_TRUE(outcome.ok()) << outcome.message << " status " << statusName(outcome.status);
  if (!outcome.ok() || outcome.results.size() <= result)
    return out;
  const Tensor &tensor = outcome.results[result];
  for (int64_t i = 0; i < tensor.count(); ++i)
    out.push_back(static_cast<double>(tensor.real(i)));
  return out;
}

std::string scalarKernel(const std::string &type, const std::string &body,
                         const std::string &storage) {
  std::string array = "!moa.array<[], " + (storage.empty() ? type : storage) + ">";
  return "moa.kernel @k() -> (\"r\" : " + array + ") {\n%a = moa.gen \"r\" [] : " + array + " {\n" +
         body + "\nmoa.yield %r : " + type + "\n}\nmoa.return %a : " + array + "\n}";
}

} // namespace moac
