// Index values read back as algebra: names, arithmetic, and what must stay opaque.
#include "ir/IndexExpr.h"
#include "ir/KernelFacts.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace moac {
namespace {

using shape::Expr;

/// A kernel in the moa dialect; values are found by the operation that uses them.
struct Kernel {
  explicit Kernel(const std::string &body) {
    context.loadDialect<moa::MoaDialect>();
    std::string text = "moa.kernel @k(symbol \"N\" %N: index, scalar \"p\" %p: index, \"t\" %t: "
                       "!moa.array<[N], i64>, "
                       "\"u\" %u: !moa.array<[N], ui64>) -> (\"o\" : !moa.array<[N], i64>) {\n"
                       "  %o = moa.gen \"o\" [\"i\"] : <[N], i64> {\n  ^bb0(%i: index):\n" +
                       body + "  }\n  moa.return %o : !moa.array<[N], i64>\n}\n";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return;
    module->walk([&](moa::KernelOp op) { kernel = op; });
    exprs = std::make_unique<moa::IndexExprs>(kernel);
  }
  /// The subscripts of the reads from `u`, in order.
  std::vector<mlir::Value> subscripts() {
    std::vector<mlir::Value> result;
    kernel.walk([&](moa::PsiOp psi) {
      if (psi.getArray() == kernel.inputArg(1))
        result.push_back(psi.getSubscripts()[0]);
    });
    return result;
  }
  std::string text(unsigned i) { return exprs->toExpr(subscripts()[i]).str(); }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  moa::KernelOp kernel;
  std::unique_ptr<moa::IndexExprs> exprs;
};

const char *arithmetic = R"(
    %c2 = moa.constant 2 : index
    %a = moa.scalar mul(%c2, %i) : index, index -> index
    %b = moa.scalar add(%a, %p) : index, index -> index
    %d = moa.scalar mod(%b, %N) : index, index -> index
    %x = moa.psi %u[%d] : <[N], ui64> -> ui64
    %e = moa.scalar sub(%b, %a) : index, index -> index
    %y = moa.psi %u[%e] : <[N], ui64> -> ui64
    %z = moa.cast %y : ui64 to i64
    moa.yield %z : i64
)";

TEST(IndexExpr, ArithmeticOfIndexValuesIsAlgebra) {
  Kernel k(arithmetic);
  ASSERT_TRUE(k.module);
  EXPECT_EQ(k.text(0),
            (shape::mod(Expr(2) * Expr::name("i") + Expr::name("p"), Expr::name("N"))).str());
  EXPECT_EQ(k.text(1), "p");
  EXPECT_EQ(k.exprs->valueOf("N"), k.kernel.symbolArg(0));
  EXPECT_EQ(k.exprs->valueOf("nothing"), mlir::Value());
}

const char *elements = R"(
    %one = moa.constant 1 : i64
    %a = moa.psi %t[%i] : <[N], i64> -> i64
    %as = moa.cast %a : i64 to index
    %x0 = moa.psi %u[%as] : <[N], ui64> -> ui64
    %b = moa.psi %t[%i] : <[N], i64> -> i64
    %bs = moa.cast %b : i64 to index
    %x1 = moa.psi %u[%bs] : <[N], ui64> -> ui64
    %c = moa.scalar sub(%b, %one) : i64, i64 -> i64
    %cs = moa.cast %c : i64 to index
    %x2 = moa.psi %u[%cs] : <[N], ui64> -> ui64
    %ds = moa.cast %x0 : ui64 to index
    %x3 = moa.psi %u[%ds] : <[N], ui64> -> ui64
    %zero = moa.constant 0 : i64
    %low = moa.scalar ge(%c, %zero) : i64, i64 -> i1
    %n = moa.cast %N : index to i64
    %high = moa.scalar lt(%c, %n) : i64, i64 -> i1
    %in = moa.scalar and(%low, %high) : i1, i1 -> i1
    %v = moa.where %in : i64 {
      moa.yield %one : i64
    } else {
      moa.yield %zero : i64
    }
    moa.yield %v : i64
)";

TEST(IndexExpr, ElementsAreNamedByWhatTheyAre) {
  Kernel k(elements);
  ASSERT_TRUE(k.module);
  EXPECT_EQ(k.text(0), "t[i]");
  EXPECT_EQ(k.text(1), "t[i]"); // another read of the same element
  EXPECT_NE(k.text(2), "t[i] - 1") << "i64 arithmetic wraps: the algebra must not look into it";
  EXPECT_EQ(k.text(3).find("u["), std::string::npos)
      << "a u64 beyond the signed range is another number";
}

TEST(IndexExpr, GuardsOnElementsAreFacts) {
  Kernel k(elements);
  ASSERT_TRUE(k.module);
  mlir::Value condition;
  k.kernel.walk([&](moa::WhereOp op) { condition = op.getCondition(); });
  shape::Facts facts = moa::entryFacts(k.kernel, *k.exprs);
  Expr c = k.exprs->toExpr(k.subscripts()[2]);
  EXPECT_FALSE(facts.proveNonNegative(c));
  moa::assume(facts, condition, true, *k.exprs);
  EXPECT_TRUE(facts.proveNonNegative(c)) << c.str();
  EXPECT_TRUE(facts.proveLess(c, Expr::name("N"))) << c.str();
}

TEST(IndexExpr, MarksAreNotShown) {
  EXPECT_EQ(moa::IndexExprs::display(Expr::name("i'2") + Expr::name("N")),
            (Expr::name("i") + Expr::name("N")).str());
}

} // namespace
} // namespace moac
