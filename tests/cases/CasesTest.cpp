// Every case of the .moa files here, through every stage and with fences around its arrays.
#include "tests/cases/CaseFile.h"
#include "tests/cases/Fences.h"

#include "frontend/Check.h"
#include "frontend/GuardedCall.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace moac;
using namespace moac::property;

namespace {

std::string fileText(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Batch buildFile(const std::string &path) {
  return build({Subject{.kernel = "", .text = fileText(path)}});
}

/// Memory for the arrays of one call, against fences.
struct FencedCall {
  std::vector<Fenced> blocks;
  std::vector<const void *> scalars, inputs;
  std::vector<void *> outputs;

  std::byte *add(size_t bytes, bool atEnd) {
    blocks.emplace_back(bytes, atEnd);
    return blocks.back().data();
  }
};

class CaseRun {
public:
  CaseRun(Batch &batch, const Case &test) : batch(batch), test(test) {
    for (const KernelSignature &candidate : batch.program->kernels())
      if (candidate.name == test.kernel)
        kernel = &candidate;
    const auto said = test.fields.find("status");
    status = said == test.fields.end() ? 0 : std::atoi(said->second.text.c_str());
  }

  void run() {
    ASSERT_TRUE(kernel) << "no kernel '" << test.kernel << "'";
    ASSERT_NO_FATAL_FAILURE(prepare());
    const auto alias = test.fields.find("alias");
    if (alias != test.fields.end())
      return aliased(alias->second.text);
    InterpretResult want;
    EXPECT_EQ(examineCall(batch, *kernel, arguments, test.exact(), 3, &want), "");
    ASSERT_EQ(want.status, status) << want.message;
    for (size_t k = 0; status == 0 && k < kernel->outputs.size(); ++k)
      compare(kernel->outputs[k].name, want.outputs[k]);
    fenced(true);
    fenced(false);
  }

private:
  void prepare() {
    for (const std::string &symbol : kernel->symbols) {
      ASSERT_TRUE(test.sizes.count(symbol) || test.fields.count(symbol))
          << "no size for " << symbol;
      arguments.symbols.push_back(test.sizes.count(symbol)
                                      ? test.sizes.at(symbol)
                                      : std::atoll(test.fields.at(symbol).text.c_str()));
    }
    auto take = [&](const std::string &name, ElementType type, const HostShape &shape,
                    std::vector<HostArray> &to) {
      ASSERT_TRUE(test.fields.count(name)) << "no values for " << name;
      std::optional<HostArray> values = valuesOf(test.fields.at(name), type, shape);
      ASSERT_TRUE(values) << "wrong values for " << name;
      to.push_back(std::move(*values));
    };
    for (const ScalarSignature &scalar : kernel->scalars)
      if (test.sizes.count(scalar.name)) {
        arguments.scalars.emplace_back(scalar.type, HostShape{});
        arguments.scalars.back().set(0, static_cast<long double>(test.sizes.at(scalar.name)));
      } else
        take(scalar.name, scalar.type, {}, arguments.scalars);
    for (const ArraySignature &input : kernel->inputs) {
      std::optional<HostShape> shape = shapeOf(*kernel, input, arguments.symbols);
      ASSERT_TRUE(shape && elementCount(*shape)) << input.name;
      take(input.name, input.type, *shape, arguments.inputs);
    }
  }

  /// The oracle against the values that the case says.
  void compare(const std::string &name, const OracleArray &got) {
    const auto field = test.fields.find(name);
    if (field == test.fields.end())
      return;
    std::optional<HostArray> want = valuesOf(field->second, got.type, got.shape);
    ASSERT_TRUE(want) << "wrong values for " << name << ", which has shape " << toString(got.shape);
    for (int64_t i = 0; i < want->size(); ++i) {
      const long double wish = want->get(i), have = got.values[static_cast<size_t>(i)];
      const bool same =
          wish == have || (std::isnan(wish) && std::isnan(have)) ||
          (field->second.approximate && std::abs(wish - have) <= 1e-6L * std::abs(wish));
      ASSERT_TRUE(same) << name << " at " << i << " is " << static_cast<double>(have) << ", not "
                        << static_cast<double>(wish);
    }
  }

  FencedCall place(bool atEnd) {
    FencedCall call;
    for (const HostArray &scalar : arguments.scalars)
      call.scalars.push_back(scalar.bytes().data());
    for (const HostArray &input : inMemoryOrder(*kernel, arguments.inputs)) {
      std::byte *at = call.add(input.bytes().size(), atEnd);
      std::memcpy(at, input.bytes().data(), input.bytes().size());
      call.inputs.push_back(at);
    }
    for (const ArraySignature &output : kernel->outputs) {
      const std::optional<HostShape> shape = shapeOf(*kernel, output, arguments.symbols);
      const int64_t count = shape ? elementCount(*shape).value_or(0) : 0;
      call.outputs.push_back(
          call.add(static_cast<size_t>(count) * bitWidth(output.type) / 8, atEnd));
    }
    return call;
  }

  int call(FencedCall &memory) {
    auto function =
        reinterpret_cast<KernelFunction>(batch.library->symbol(callWrapperName(*kernel)));
    return function(arguments.symbols.data(), memory.scalars.data(), memory.inputs.data(),
                    memory.outputs.data());
  }

  void fenced(bool atEnd) {
    FencedCall memory = place(atEnd);
    EXPECT_EQ(call(memory), status);
  }

  void aliased(const std::string &text) {
    FencedCall memory = place(true);
    const std::string name = text.substr(
        text.find_first_not_of(' '), text.find_last_not_of(' ') - text.find_first_not_of(' ') + 1);
    for (size_t k = 0; k < kernel->inputs.size(); ++k)
      if (kernel->inputs[k].name == name)
        memory.outputs[0] = const_cast<void *>(memory.inputs[k]);
    EXPECT_EQ(call(memory), status);
  }

  Batch &batch;
  const Case &test;
  const KernelSignature *kernel = nullptr;
  CallArguments arguments;
  int status = 0;
};

class ReportedFaults : public testing::TestWithParam<const char *> {};

TEST_P(ReportedFaults, AreNotHere) {
  const std::string path = fmt::format("{}/{}.moa", MOAC_TEST_CASES, GetParam());
  const std::vector<Case> cases = readCases(path);
  ASSERT_GT(cases.size(), 4u);
  Batch batch = buildFile(path);
  ASSERT_EQ(batch.failure, "");
  std::set<std::string> tested;
  for (const Case &test : cases) {
    SCOPED_TRACE(fmt::format("{}.moa:{}", GetParam(), test.line));
    tested.insert(test.kernel);
    CaseRun(batch, test).run();
  }
  EXPECT_GE(tested.size() + 2, batch.program->kernels().size()) << "kernels without a case";
}

INSTANTIATE_TEST_SUITE_P(Files, ReportedFaults,
                         testing::Values("algebra", "scheduling", "numbers", "attention",
                                         "emission", "found"),
                         [](const auto &file) { return std::string(file.param); });

} // namespace
