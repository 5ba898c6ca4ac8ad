// What the interpreter's tests share: textual IR in, outcome out.
#ifndef MOAC_TESTS_INTERPRETERFIXTURE_H
#define MOAC_TESTS_INTERPRETERFIXTURE_H

#include "ir/Interpreter.h"
#include "ir/Onf.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

namespace moac {

/// One module of kernels or functions, parsed and verified.
class Source {
public:
  explicit Source(const std::string &text) {
    context.loadDialect<moa::MoaDialect, onf::OnfDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
  }
  /// The last kernel or function.
  Outcome run(const Arguments &arguments, const Limits &limits = {}) {
    if (!module)
      return {};
    mlir::Operation &last = module->getBody()->back();
    if (auto kernel = llvm::dyn_cast<moa::KernelOp>(last))
      return interpret(kernel, arguments, limits);
    return interpret(llvm::cast<onf::FuncOp>(last), arguments, limits);
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

inline Outcome run(const std::string &text, const Arguments &arguments, const Limits &limits = {}) {
  return Source(text).run(arguments, limits);
}

/// The values of a result, or a failure with the outcome's message.
inline std::vector<double> values(const Outcome &outcome, size_t result = 0) {
  std::vector<double> out;
  EXPECT_TRUE(outcome.ok()) << outcome.message << " status " << statusName(outcome.status);
  if (!outcome.ok() || outcome.results.size() <= result)
    return out;
  const Tensor &tensor = outcome.results[result];
  for (int64_t i = 0; i < tensor.count(); ++i)
    out.push_back(static_cast<double>(tensor.real(i)));
  return out;
}

/// A kernel of no inputs whose one result `r` of rank 0 and type `type` is the value `%r` that
/// `body` computes.
inline std::string scalarKernel(const std::string &type, const std::string &body,
                                const std::string &storage = "") {
  std::string array = "!moa.array<[], " + (storage.empty() ? type : storage) + ">";
  return "moa.kernel @k() -> (\"r\" : " + array + ") {\n%a = moa.gen \"r\" [] : " + array + " {\n" +
         body + "\nmoa.yield %r : " + type + "\n}\nmoa.return %a : " + array + "\n}";
}

} // namespace moac

#endif
