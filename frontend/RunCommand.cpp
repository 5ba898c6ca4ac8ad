// `moac run`: arrays from .npy files through one kernel and back.
//
// Symbols are read off the inputs' shapes (an axis whose extent is a bare symbol) and may be given
// with --set; every other axis is then checked against its extent, so that a wrong file is named
// together with both shapes.
#include "frontend/Commands.h"

#include "frontend/HostTarget.h"
#include "frontend/Npy.h"
#include "runtime/moac.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

using namespace moac;

namespace {

class Runner {
public:
  Runner(const RunCommand &command, Program &program, KernelSignature kernel)
      : command(command), program(program), kernel(std::move(kernel)) {}

  int run() {
    if (!readAssignments() || !readInputs() || !findSymbols() || !checkShapes() || !makeScalars())
      return code;
    if (command.target == "interp" ? !interpret() : !execute())
      return code;
    return writeOutputs() ? exitOk : code;
  }

private:
  bool fail(std::string text, int exitCode = exitUserError) {
    printError(text);
    code = exitCode;
    return false;
  }

  /// --in, --out and --set as maps; every name must be one of the kernel's.
  bool readAssignments() {
    auto read = [&](const std::vector<std::string> &from, const char *option, const auto &known,
                    auto &to) {
      for (const std::string &text : from) {
        std::string name, value;
        if (!splitAssignment(text, name, value))
          return fail(fmt::format("{} takes NAME=value, not '{}'", option, text), exitUsage);
        if (!known(name))
          return fail(fmt::format("kernel '{}' has no {} '{}'", kernel.name, nounOf(option), name));
        if (!to.emplace(name, value).second)
          return fail(fmt::format("{} '{}' is given twice", nounOf(option), name), exitUsage);
      }
      return true;
    };
    auto in = [](const auto &list, const std::string &name) {
      return std::ranges::any_of(list, [&](const auto &item) { return item.name == name; });
    };
    return read(
               command.inputs, "--in", [&](auto &name) { return in(kernel.inputs, name); },
               inputFiles) &&
           read(
               command.outputs, "--out", [&](auto &name) { return in(kernel.outputs, name); },
               outputFiles) &&
           read(
               command.settings, "--set",
               [&](auto &name) {
                 return in(kernel.scalars, name) || symbolIndex(name) < kernel.symbols.size();
               },
               settings);
  }

  static std::string nounOf(const std::string &option) {
    return option == "--in" ? "input" : option == "--out" ? "output" : "symbol or scalar";
  }

  size_t symbolIndex(const std::string &name) const {
    return static_cast<size_t>(std::ranges::find(kernel.symbols, name) - kernel.symbols.begin());
  }

  bool readInputs() {
    for (const ArraySignature &input : kernel.inputs) {
      auto file = inputFiles.find(input.name);
      if (file == inputFiles.end())
        return fail(
            fmt::format("input '{}' is missing; give --in {}=file.npy", input.name, input.name));
      std::string error;
      std::optional<HostArray> array = readNpy(file->second, error);
      if (!array)
        return fail(error);
      const ElementType found = array->type();
      array = reinterpretAs(std::move(*array), input.type);
      if (!array)
        return fail(fmt::format("'{}' holds {}, input '{}' is {}", file->second, spelling(found),
                                input.name, spelling(input.type)));
      if (array->shape().size() != input.extents.size())
        return fail(fmt::format("'{}' has shape {}, input '{}' is {}", file->second,
                                toString(array->shape()), input.name, extentsText(input)));
      arguments.inputs.push_back(std::move(*array));
    }
    return true;
  }

  static std::string extentsText(const ArraySignature &array) {
    std::vector<std::string> extents;
    for (const shape::Expr &extent : array.extents)
      extents.push_back(extent.str());
    return fmt::format("<{}>", fmt::join(extents, " "));
  }

  bool findSymbols() {
    for (const std::string &symbol : kernel.symbols) {
      std::optional<int64_t> value;
      auto setting = settings.find(symbol);
      if (setting != settings.end()) {
        value = parseInteger(setting->second);
        if (!value)
          return fail(
              fmt::format("symbol '{}' takes an integer, not '{}'", symbol, setting->second),
              exitUsage);
      }
      for (size_t k = 0; k < kernel.inputs.size() && !value; ++k)
        for (size_t axis = 0; axis < kernel.inputs[k].extents.size() && !value; ++axis)
          if (kernel.inputs[k].extents[axis].asName() == symbol)
            value = arguments.inputs[k].shape()[axis];
      if (!value)
        return fail(
            fmt::format("no input's shape gives symbol '{}'; use --set {}=value", symbol, symbol));
      arguments.symbols.push_back(*value);
    }
    return true;
  }

  bool checkShapes() {
    for (size_t k = 0; k < kernel.inputs.size(); ++k) {
      std::optional<HostShape> expected = shapeOf(kernel, kernel.inputs[k], arguments.symbols);
      if (expected && *expected == arguments.inputs[k].shape())
        continue;
      std::string sizes;
      for (size_t s = 0; s < kernel.symbols.size(); ++s)
        sizes += fmt::format("{}{}={}", s ? ", " : "", kernel.symbols[s], arguments.symbols[s]);
      return fail(fmt::format("input '{}' is {}{} with {}; the file's shape is {}",
                              kernel.inputs[k].name, extentsText(kernel.inputs[k]),
                              expected ? " = " + toString(*expected) : "", sizes,
                              toString(arguments.inputs[k].shape())));
    }
    return true;
  }

  static std::optional<int64_t> parseInteger(const std::string &text) {
    int64_t value = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size())
      return std::nullopt;
    return value;
  }

  bool makeScalars() {
    for (const ScalarSignature &scalar : kernel.scalars) {
      auto setting = settings.find(scalar.name);
      if (setting == settings.end())
        return fail(
            fmt::format("scalar '{}' is missing; give --set {}=value", scalar.name, scalar.name));
      HostArray value(scalar.type, {});
      const std::string &text = setting->second;
      char *end = nullptr;
      if (text == "true" || text == "false")
        value.set(0, text == "true");
      else if (std::optional<int64_t> integer = parseInteger(text))
        value.set(0, static_cast<long double>(*integer));
      else if (long double number = std::strtold(text.c_str(), &end);
               !text.empty() && !*end && typeClass(scalar.type) == TypeClass::Float)
        value.set(0, number);
      else
        return fail(
            fmt::format("scalar '{}' is {}; '{}' is not", scalar.name, spelling(scalar.type), text),
            exitUsage);
      arguments.scalars.push_back(std::move(value));
    }
    return true;
  }

  bool checkStatus(int status, const std::string &message) {
    if (status == MOAC_OK)
      return true;
    return fail(fmt::format("kernel '{}' returned {}: {}{}{}", kernel.name, status,
                            moac_status_string(status), message.empty() ? "" : "; ", message));
  }

  bool interpret() {
    Answer<InterpretResult> result = program.interpret(kernel.name, Stage::Moa, arguments);
    if (!result)
      return fail(result.error);
    if (!checkStatus(result->status, result->message))
      return false;
    for (const OracleArray &output : result->outputs) {
      HostArray array(output.type, output.shape);
      for (int64_t k = 0; k < array.size(); ++k)
        array.set(k, output.values[static_cast<size_t>(k)]);
      outputs.push_back(std::move(array));
    }
    return true;
  }

  bool execute() {
    EmitOptions emit;
    emit.target = command.target;
    emit.kernels = {kernel.name};
    emit.standalone = true;
    Answer<EmittedSource> text = program.emit(emit);
    if (!text)
      return fail(text.error);
    const HostTarget &host = hostTarget(command.target);
    Answer<HostCompiler> compiler = HostCompiler::find(host.language);
    if (!compiler)
      return fail(compiler.error);
    Answer<LoadedLibrary> library = compiler->load(text->source + host.wrapper(kernel));
    if (!library)
      return fail(fmt::format("the {} compiler refused the emitted text:\n{}", host.language.name,
                              library.error),
                  exitInternal);
    auto function = reinterpret_cast<KernelFunction>(library->symbol(callWrapperName(kernel)));
    Answer<CallResult> result = call(function, kernel, arguments);
    if (!result)
      return fail(result.error);
    if (!checkStatus(result->status, ""))
      return false;
    if (command.repeat > 0)
      time(function);
    outputs = std::move(result->outputs);
    return true;
  }

  void time(KernelFunction function) {
    std::vector<double> seconds;
    for (int k = 0; k < command.repeat; ++k) {
      auto start = std::chrono::steady_clock::now();
      (void)call(function, kernel, arguments);
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::ranges::sort(seconds);
    fmt::print("time: median {:.3f} ms, best {:.3f} ms of {}\n", 1e3 * seconds[seconds.size() / 2],
               1e3 * seconds[0], command.repeat);
  }

  /// Writes what --out names; without any --out prints the outputs, long ones shortened.
  bool writeOutputs() {
    for (size_t k = 0; k < outputs.size(); ++k) {
      auto file = outputFiles.find(kernel.outputs[k].name);
      std::string error;
      if (file != outputFiles.end() && !writeNpy(file->second, outputs[k], error))
        return fail(error);
      if (outputFiles.empty())
        print(kernel.outputs[k].name, outputs[k]);
    }
    return true;
  }

  static void print(const std::string &name, const HostArray &array) {
    constexpr int64_t most = 64;
    fmt::print("{}: {}", name, spelling(array.type()));
    if (!array.shape().empty())
      fmt::print(" {}", toString(array.shape()));
    fmt::print(" =");
    const bool isFloat = typeClass(array.type()) == TypeClass::Float;
    for (int64_t k = 0; k < std::min(array.size(), most); ++k)
      isFloat ? fmt::print(" {}", static_cast<double>(array.get(k)))
              : fmt::print(" {:.0f}", array.get(k));
    fmt::print("{}\n", array.size() > most ? " ..." : "");
  }

  const RunCommand &command;
  Program &program;
  const KernelSignature kernel;
  std::map<std::string, std::string> inputFiles, outputFiles, settings;
  CallArguments arguments;
  std::vector<HostArray> outputs;
  int code = exitUserError;
};

} // namespace

int moac::run(const RunCommand &command) {
  int code;
  std::unique_ptr<Program> program = loadProgram(command.source, code);
  if (!program)
    return code;
  std::vector<KernelSignature> kernels = selectedKernels(*program, command.source);
  if (kernels.size() != 1) {
    printError(fmt::format("'{}' has {} kernels; choose one with --kernel", command.source.file,
                           kernels.size()));
    return exitUsage;
  }
  return Runner(command, *program, kernels[0]).run();
}
