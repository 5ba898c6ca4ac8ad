// Writing the files of a bundle; the programs in it are BundleDriver.c and the kernels.
//
// A case file has for each kernel of its program the number of cases, and each case as BundleDriver.c
// reads it. Results that are not floating-point are compared bit by bit.
#include "frontend/Bundle.h"

#include "frontend/BundleBuild.h"
#include "frontend/CallWrapper.h"
#include "frontend/CheckArguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace moac;
namespace fs = std::filesystem;

namespace {

class CaseFile {
public:
  explicit CaseFile(const fs::path &name) : out(name, std::ios::binary) {}
  bool good() const { return bool(out); }

  void number(int64_t value) { out.write(reinterpret_cast<const char *>(&value), sizeof value); }
  void bytes(std::span<const std::byte> data) {
    out.write(reinterpret_cast<const char *>(data.data()), static_cast<std::streamsize>(data.size()));
  }
  void sized(const HostArray &array) {
    number(static_cast<int64_t>(array.bytes().size()));
    bytes(array.bytes());
  }
  void head(const KernelSignature &kernel, const Sizes &sizes, int64_t repeat, int64_t status,
            bool uncertain) {
    std::string text;
    for (size_t k = 0; k < sizes.size(); ++k)
      text += fmt::format("{}{}={}", k ? "," : "", kernel.symbols[k], sizes[k]);
    for (int64_t value : {repeat, status, int64_t(uncertain), int64_t(sizes.size()), int64_t(text.size())})
      number(value);
    for (int64_t size : sizes)
      number(size);
    out << text;
  }

private:
  std::ofstream out;
};

/// What the driver calls a type: the bits of a float, 17 for bf16, 0 for what is compared exactly.
int64_t typeCode(ElementType type) {
  if (type == ElementType::bf16_)
    return 17;
  const bool real = type == ElementType::f16_ || type == ElementType::f32_ || type == ElementType::f64_;
  return real ? bitWidth(type) : 0;
}

/// A result as it lies in memory; `values` in place of elements where types differ.
HostArray inMemory(const ArraySignature &signature, const HostArray &array) {
  return signature.columnMajor ? toColumnMajor(array) : array;
}

void writeExpected(CaseFile &out, const ArraySignature &signature, const OracleArray &want) {
  HostArray exact(want.type, want.shape), values(ElementType::f64_, want.shape),
      bounds(ElementType::f64_, want.shape);
  for (int64_t p = 0; p < exact.size(); ++p) {
    exact.set(p, want.values[static_cast<size_t>(p)]);
    values.set(p, want.values[static_cast<size_t>(p)]);
    bounds.set(p, want.bounds[static_cast<size_t>(p)]);
  }
  if (typeCode(want.type) == 0)
    return out.bytes(inMemory(signature, exact).bytes());
  out.bytes(inMemory(signature, values).bytes());
  out.bytes(inMemory(signature, bounds).bytes());
}

class Writer {
public:
  Writer(Program &program, const KernelSignature &kernel, CaseFile &out)
      : program(program), kernel(kernel), out(out) {}

  /// Cases like those of `moac check`.
  void covering(uint64_t seed, double cap) {
    SizeRules rules;
    rules.symbols = static_cast<unsigned>(kernel.symbols.size());
    rules.admits = [&](const Sizes &sizes) { return program.admits(kernel.name, sizes, {}); };
    rules.work = [&](const Sizes &sizes) {
      return std::max(program.innermostIterations(kernel.name, sizes), elements(sizes));
    };
    rules.cap = cap;
    const std::vector<Sizes> sizes = sizeCases(rules);
    const ArgumentMaker maker(program, kernel, sizes);
    std::vector<CallArguments> cases;
    for (size_t k = 0; k < sizes.size(); ++k) {
      Random random(seed * 1000003 + k);
      if (auto made = maker.make(sizes[k], allDataKinds[k % std::size(allDataKinds)], random))
        cases.push_back(std::move(*made));
    }
    std::vector<InterpretResult> results;
    std::erase_if(cases, [&](const CallArguments &arguments) {
      Answer<InterpretResult> result = program.interpret(kernel.name, Stage::Moa, arguments);
      if (result)
        results.push_back(std::move(*result));
      return !result;
    });
    out.number(static_cast<int64_t>(cases.size()));
    for (size_t k = 0; k < cases.size(); ++k)
      one(cases[k], results[k]);
  }

  /// Sizes to be timed.
  void timed(const std::vector<Sizes> &all) {
    out.number(static_cast<int64_t>(all.size()));
    for (const Sizes &sizes : all) {
      out.head(kernel, sizes, 50, 0, false);
      out.number(static_cast<int64_t>(kernel.scalars.size()));
      for (const ScalarSignature &scalar : kernel.scalars) {
        HostArray value(scalar.type, {});
        value.set(0, 1);
        out.sized(value);
      }
      for (const auto *list : {&kernel.inputs, &kernel.outputs}) {
        out.number(static_cast<int64_t>(list->size()));
        for (const ArraySignature &array : *list) {
          const int64_t count = elementCount(shapeOf(kernel, array, sizes).value_or(HostShape{0})).value_or(0);
          out.number(typeCode(array.type));
          out.number(count * bitWidth(array.type) / 8);
          if (list == &kernel.outputs)
            out.number(count);
        }
      }
    }
  }

private:
  /// Of all arrays: they travel.
  double elements(const Sizes &sizes) const {
    double total = 0;
    for (const auto *list : {&kernel.inputs, &kernel.outputs})
      for (const ArraySignature &array : *list) {
        const std::optional<HostShape> shape = shapeOf(kernel, array, sizes);
        const std::optional<int64_t> count = shape ? elementCount(*shape) : std::nullopt;
        total += count ? static_cast<double>(*count) : std::numeric_limits<double>::infinity();
      }
    return total;
  }

  void one(const CallArguments &arguments, const InterpretResult &result) {
    out.head(kernel, arguments.symbols, 0, result.status, result.uncertain);
    out.number(static_cast<int64_t>(arguments.scalars.size()));
    for (const HostArray &scalar : arguments.scalars)
      out.sized(scalar);
    const std::vector<HostArray> inputs = inMemoryOrder(kernel, arguments.inputs);
    out.number(static_cast<int64_t>(inputs.size()));
    for (const HostArray &input : inputs) {
      out.number(typeCode(input.type()));
      out.sized(input);
    }
    out.number(static_cast<int64_t>(kernel.outputs.size()));
    for (size_t k = 0; k < kernel.outputs.size(); ++k) {
      const ArraySignature &output = kernel.outputs[k];
      const int64_t count =
          elementCount(shapeOf(kernel, output, arguments.symbols).value_or(HostShape{0})).value_or(0);
      out.number(typeCode(output.type));
      out.number(count * bitWidth(output.type) / 8);
      out.number(count);
      if (result.status == 0)
        writeExpected(out, output, result.outputs[k]);
    }
  }

  Program &program;
  const KernelSignature &kernel;
  CaseFile &out;
};

/// "matmul:M=64,K=64,N=64" for this kernel: its sizes. Nothing, with a message, if one is missing.
std::optional<std::vector<Sizes>> sizesFor(const KernelSignature &kernel,
                                           const std::vector<std::string> &timed) {
  std::vector<Sizes> all;
  for (const std::string &text : timed) {
    const size_t colon = text.find(':');
    if (text.substr(0, colon) != kernel.name)
      continue;
    std::map<std::string, int64_t> given;
    for (size_t at = colon; at < text.size();) {
      const size_t end = std::min(text.find(',', at + 1), text.size());
      std::string name, value;
      int64_t size = -1;
      if (splitAssignment(text.substr(at + 1, end - at - 1), name, value))
        std::from_chars(value.data(), value.data() + value.size(), size);
      given[name] = size;
      at = end;
    }
    Sizes sizes;
    for (const std::string &symbol : kernel.symbols) {
      if (!given.count(symbol) || given[symbol] < 0) {
        printError(fmt::format("--time {}: kernel '{}' needs {}", text, kernel.name,
                               fmt::join(kernel.symbols, ", ")));
        return std::nullopt;
      }
      sizes.push_back(given[symbol]);
    }
    all.push_back(std::move(sizes));
  }
  return all;
}

bool writeCases(Program &program, const std::vector<KernelSignature> &kernels,
                const BundleCommand &command, const fs::path &name) {
  CaseFile out(name);
  for (const KernelSignature &kernel : kernels) {
    Writer writer(program, kernel, out);
    const auto timed = sizesFor(kernel, command.timed);
    if (!timed)
      return false;
    if (command.timed.empty())
      writer.covering(command.seed, command.cap);
    else
      writer.timed(*timed);
  }
  if (!out.good())
    printError(fmt::format("cannot write '{}'", name.string()));
  return out.good();
}

} // namespace

int moac::bundle(const BundleCommand &command) {
  const fs::path folder = command.folder;
  std::error_code error;
  for (const char *part : {"bin", "cases", "lib", "src"})
    fs::create_directories(folder / part, error);
  BundleBuild build(folder.string(), command.target, command.flags);
  for (const std::string &file : command.files) {
    SourceOptions source = command.source;
    source.file = file;
    int code;
    std::unique_ptr<Program> program = loadProgram(source, code);
    if (!program)
      return code;
    const std::string stem = fs::path(file).stem().string();
    const std::vector<KernelSignature> kernels = selectedKernels(*program, source);
    EmitOptions emit;
    emit.target = command.target;
    emit.kernels = source.kernels;
    emit.headerName = stem + ".h";
    emit.standalone = true;
    const Answer<EmittedSource> text = program->emit(emit);
    const std::string problem = text ? build.program(stem, kernels, *text) : text.error;
    if (!problem.empty()) {
      printError(problem);
      return exitUserError;
    }
    if (!writeCases(*program, kernels, command, folder / "cases" / build.caseName(stem)))
      return exitUserError;
  }
  const std::string problem = build.finish();
  if (!problem.empty())
    printError(problem);
  return problem.empty() ? exitOk : exitUserError;
}
