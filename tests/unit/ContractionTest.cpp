// Register blocks of any size mean what the formula means.
//
// The default blocks are larger than what an interpreter likes, so each program here is scheduled with small random ones:
// tiles that do not divide the extents, chunks of one block, sums in several tiles. Data are small integers, so equality is
// bitwise whatever the order; the interpreter of the ONF also refuses an element that is written twice or never, and
// threads that meet.
#include "frontend/Compiler.h"
#include "ir/Interpreter.h"
#include "passes/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace mlir;
using namespace moac;

namespace {
/// Name and text. Each has exactly `contractions` of them.
struct Sample {
  const char *name, *text;
  unsigned contractions = 1;
};

const Sample samples[] = {
    {"product", "kernel f(A: f64[M, K], B: f64[K, N]) -> C: f64[M, N] {\n  C[i, j] = sum[k](A[i, k] * B[k, j])\n}\n"},
    {"transposed", "kernel f(A: f32[K, M], B: f32[N, K]) -> C: f32[M, N] {\n  C[i, j] = sum[k](A[k, i] * B[j, k])\n}\n"},
    {"swapped", "kernel f(A: f64[M, K], B: f64[K, N]) -> C: f64[N, M] {\n  C[j, i] = sum[k](A[i, k] * B[k, j])\n}\n"},
    {"operators", "kernel f(A: f64[M, K], B: f64[K, N]) -> C: f64[M, N] {\n  C = A (+.*) B\n}\n"},
    {"batched", "kernel f(A: f64[P, M, K], B: f64[P, K, N]) -> C: f64[P, M, N] {\n"
                "  C[p, i, j] = sum[k](A[p, i, k] * B[p, k, j])\n}\n"},
    {"rows of a batch", "kernel f(A: f64[P, M, K], B: f64[K, N]) -> C: f64[P, M, N] {\n"
                        "  C[p, i, j] = sum[k](A[p, i, k] * B[k, j])\n}\n"},
    {"scaled, biased, clamped", "kernel f(A: f64[M, K], B: f64[K, N], c: f64[N], s: f64) -> C: f64[M, N] {\n"
                                "  C[i, j] = max(s * sum[k](A[i, k] * B[k, j]) + c[j], 0)\n}\n"},
    {"rounded", "kernel f(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] {\n  C[i, j] = f32(sum[k](f64(A[i, k]) * f64(B[k, j])))\n}\n"},
    {"activated before", "kernel f(A: f64[M, K], B: f64[K, N], g: f64[K]) -> C: f64[M, N] {\n"
                         "  X[i, k] = max(A[i, k], 0) * g[k]\n  C[i, j] = sum[k](X[i, k] * B[k, j])\n}\n"},
    {"gated", "kernel f(X: f64[M, D], U: f64[D, F], V: f64[D, F], W: f64[F, N]) -> Y: f64[M, N] {\n"
              "  H[i, f] = max(sum[d](X[i, d] * U[d, f]), 0) * sum[d](X[i, d] * V[d, f])\n"
              "  Y[i, j] = sum[f](H[i, f] * W[f, j])\n}\n", 3},
    {"convolution", "kernel f(X: f64[C, H, W], F: f64[M, C, 3, 3]) -> Y: f64[M, H, W] {\n"
                    "  Y[m, y, x] = sum[c, p < 3, q < 3](F[m, c, p, q] *\n"
                    "    where(0 <= y + p - 1 < H and 0 <= x + q - 1 < W, X[c, y + p - 1, x + q - 1], 0))\n}\n"},
    {"padded", "kernel f(X: f64[C, W], F: f64[M, C, 3]) -> Y: f64[M, W] {\n"
               "  Y[m, x] = sum[c, q < 3](F[m, c, q] * where(0 <= x + q - 1 < W, X[c, x + q - 1], 0))\n}\n"},
    {"columns", "kernel f(A: f64[M, K] layout col, B: f64[K, N] layout col) -> C: f64[M, N] layout col {\n"
                "  C[i, j] = sum[k](A[i, k] * B[k, j])\n}\n"},
};

std::string moaText(const Sample &sample) {
  auto path = std::filesystem::temp_directory_path() / ("moac-contraction-" + std::to_string(getpid()) + ".moa");
  std::ofstream(path) << sample.text;
  auto program = Program::load(path.string(), {});
  std::filesystem::remove(path);
  EXPECT_FALSE(program->hasErrors()) << program->diagnostics();
  if (program->hasErrors())
    return "";
  Answer<std::string> text = program->print(Stage::Moa, "f");
  EXPECT_TRUE(text) << text.error;
  return text ? *text : "";
}

/// Other sizes in the directives of contractions; gives their number.
unsigned reschedule(moa::KernelOp kernel, std::mt19937 &random) {
  auto upTo = [&](unsigned most) { return std::to_string(1 + random() % most); };
  SmallVector<Attribute> list;
  unsigned tiles = 0;
  std::set<StringRef> blocked;
  for (Attribute attribute : kernel.getScheduleAttr()) {
    auto d = cast<moa::DirectiveAttr>(attribute);
    StringRef verb = d.getVerb().getValue();
    std::string mode = d.getMode().getValue().str();
    if (verb == "tile") {
      ++tiles;
      blocked.insert(d.getStage().getValue());
      mode = std::to_string(4 * (1 + random() % 3)) + ", " + std::to_string(3 * (1 + random() % 3)) + ", " + upTo(6);
      if (d.getAxes().size() == 4)
        mode += ", " + upTo(200);
    } else if (blocked.count(d.getStage().getValue()) && verb == "parallel") {
      mode = upTo(2) + ", " + upTo(2);
    } else if (blocked.count(d.getStage().getValue()) && verb == "unroll") {
      mode = random() % 2 ? "3, 2, 1" : "3, 1";
    } else if (blocked.count(d.getStage().getValue()) && verb == "lanes") {
      mode = random() % 2 ? "4" : "2";
    }
    list.push_back(moa::DirectiveAttr::get(kernel.getContext(), d.getVerb(), d.getStage(), d.getAxes(),
                                           StringAttr::get(kernel.getContext(), mode)));
  }
  kernel.setScheduleAttr(ArrayAttr::get(kernel.getContext(), list));
  return tiles;
}

class Contractions : public testing::TestWithParam<Sample> {};

TEST_P(Contractions, BlocksOfAnySizeAgree) {
  const Sample &sample = GetParam();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<moa::MoaDialect, onf::OnfDialect>();
  auto module = parseSourceString<ModuleOp>(moaText(sample), &context);
  ASSERT_TRUE(module);
  auto kernel = *module->getOps<moa::KernelOp>().begin();
  constexpr unsigned seed = 20261130;
  std::mt19937 random(seed);
  const int64_t sizes[] = {0, 1, 2, 3, 5, 7, 11, 13};
  for (int round = 0; round < 24; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
    OwningOpRef<ModuleOp> onf = module->clone();
    PassManager schedules(&context), constructs(&context);
    addDnfPasses(schedules);
    addSchedulePasses(schedules);
    constructs.addPass(createGammaConstruct());
    ASSERT_TRUE(succeeded(schedules.run(*onf)));
    ASSERT_EQ(reschedule(*onf->getOps<moa::KernelOp>().begin(), random), sample.contractions);
    ASSERT_TRUE(succeeded(constructs.run(*onf)));

    Arguments arguments;
    std::map<std::string, int64_t> values;
    for (unsigned i = 0; i < kernel.numSymbols(); ++i) {
      arguments.symbols.push_back(sizes[random() % std::size(sizes)]);
      values[kernel.argName(i).str()] = arguments.symbols.back();
    }
    for (unsigned i = 0; i < kernel.getScalars().size(); ++i) {
      Tensor scalar = Tensor::zeros(Element::F64, {});
      scalar.setReal(0, static_cast<int>(random() % 5) - 2);
      arguments.scalars.push_back(scalar);
    }
    for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
      auto type = cast<moa::ArrayType>(kernel.inputArg(i).getType());
      std::vector<int64_t> extents;
      for (const shape::Expr &e : type.extents())
        extents.push_back(*e.evaluate(values));
      Tensor input = Tensor::zeros(type.getElementType().isF32() ? Element::F32 : Element::F64, extents);
      for (int64_t at = 0; at < input.count(); ++at)
        input.setReal(at, static_cast<int>(random() % 7) - 3);
      arguments.inputs.push_back(input);
    }
    Outcome want = interpret(kernel, arguments);
    Outcome got = interpret(*onf->getOps<onf::FuncOp>().begin(), arguments);
    ASSERT_TRUE(want.ok()) << want.message;
    ASSERT_TRUE(got.ok()) << got.message;
    for (size_t i = 0; i < want.results.size(); ++i) {
      Verdict verdict = compare(got.results[i].bytes, want.results[i]);
      ASSERT_TRUE(verdict.passed) << verdict.explanation;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, Contractions, testing::ValuesIn(samples), [](const auto &info) {
  std::string name = info.param.name;
  for (char &c : name)
    c = isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

/// What must not run in blocks: chains of sums over one axis, and what is no sum of products.
TEST(Contractions, LeaveTheRestAlone) {
  const Sample others[] = {
      {"attention", "kernel f(Q: f64[N, D], K: f64[M, D], V: f64[M, E]) -> O: f64[N, E] {\n"
                    "  S[i, k] = sum[d](Q[i, d] * K[k, d])\n  m[i] = max[k](S[i, k])\n  P[i, k] = exp(S[i, k] - m[i])\n"
                    "  l[i] = sum[k](P[i, k])\n  O[i, e] = sum[k](P[i, k] * V[k, e]) / l[i]\n}\n"},
      {"a vector", "kernel f(A: f64[M, K], x: f64[K]) -> y: f64[M] {\n  y[i] = sum[k](A[i, k] * x[k])\n}\n"},
      {"triangular", "kernel f(A: f64[M, M], B: f64[M, N]) -> C: f64[M, N] {\n  C[i, j] = sum[k < i + 1](A[i, k] * B[k, j])\n}\n"},
      {"whole numbers", "kernel f(A: i32[M, K], B: i32[K, N]) -> C: i32[M, N] {\n  C[i, j] = sum[k](A[i, k] * B[k, j])\n}\n"},
      {"paths", "kernel f(A: f64[M, K], B: f64[K, N]) -> C: f64[M, N] {\n  C[i, j] = min[k](A[i, k] + B[k, j])\n}\n"},
  };
  for (const Sample &sample : others) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<moa::MoaDialect, onf::OnfDialect>();
    auto module = parseSourceString<ModuleOp>(moaText(sample), &context);
    ASSERT_TRUE(module);
    PassManager manager(&context);
    addDnfPasses(manager);
    addSchedulePasses(manager);
    ASSERT_TRUE(succeeded(manager.run(*module)));
    std::mt19937 random;
    EXPECT_EQ(reschedule(*module->getOps<moa::KernelOp>().begin(), random), 0u) << sample.name;
  }
}
} // namespace
