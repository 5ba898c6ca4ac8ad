// The wrapper's text, and its use. Arrays are handed over as `void *`, which C converts to any
// element pointer, so only scalar parameters need their C type spelled here.
#include "frontend/CallWrapper.h"

#include <fmt/format.h>

#include <algorithm>

using namespace moac;

namespace {

const char *cScalarType(ElementType type) {
  switch (type) {
  case ElementType::f32_:
    return "float";
  case ElementType::f64_:
    return "double";
  case ElementType::i8_:
    return "int8_t";
  case ElementType::i16_:
    return "int16_t";
  case ElementType::i32_:
    return "int32_t";
  case ElementType::i64_:
    return "int64_t";
  case ElementType::u8_:
  case ElementType::bool_: // one byte that is 0 or 1
    return "uint8_t";
  case ElementType::f16_: // halves travel as their bits
  case ElementType::bf16_:
  case ElementType::u16_:
    return "uint16_t";
  case ElementType::u32_:
    return "uint32_t";
  case ElementType::u64_:
    return "uint64_t";
  }
  return "int64_t";
}

/// Prototype and start of a wrapper, whose parameters are those of KernelFunction.
std::string wrapperHead(const std::string &name) {
  const std::string declaration =
      fmt::format("int {}(const int64_t *moac_symbols, const void *const *moac_scalars, const void "
                  "*const *moac_inputs,\n"
                  "    void *const *moac_outputs)",
                  name);
  return fmt::format("\n{0};\n{0} {{\n", declaration);
}

} // namespace

std::string moac::callWrapperName(const KernelSignature &kernel) { return kernel.cName + "__call"; }

std::string moac::callWrapper(const KernelSignature &kernel) {
  std::vector<std::string> arguments;
  for (size_t k = 0; k < kernel.symbols.size(); ++k)
    arguments.push_back(fmt::format("moac_symbols[{}]", k));
  for (size_t k = 0; k < kernel.scalars.size(); ++k)
    arguments.push_back(
        fmt::format("*(const {} *)moac_scalars[{}]", cScalarType(kernel.scalars[k].type), k));
  for (size_t k = 0; k < kernel.inputs.size(); ++k)
    arguments.push_back(fmt::format("moac_inputs[{}]", k));
  for (size_t k = 0; k < kernel.outputs.size(); ++k)
    arguments.push_back(fmt::format("moac_outputs[{}]", k));
  return fmt::format(
      "{0}"
      "  (void)moac_symbols, (void)moac_scalars, (void)moac_inputs, (void)moac_outputs;\n"
      "  return {1}({2});\n"
      "}}\n",
      wrapperHead(callWrapperName(kernel)), kernel.cName, fmt::join(arguments, ", "));
}

std::string moac::nestedWrapperName(const KernelSignature &kernel) {
  return kernel.cName + "__call_nested";
}

std::string moac::nestedWrapper(const KernelSignature &kernel) {
  return fmt::format(
      "{0}"
      "  int first = 0, second = 0;\n"
      "#pragma omp parallel sections num_threads(2)\n"
      "  {{\n"
      "#pragma omp section\n"
      "    first = {1}(moac_symbols, moac_scalars, moac_inputs, moac_outputs);\n"
      "#pragma omp section\n"
      "    second = {1}(moac_symbols, moac_scalars, moac_inputs, moac_outputs + {2});\n"
      "  }}\n"
      "  return first ? first : second;\n"
      "}}\n",
      wrapperHead(nestedWrapperName(kernel)), callWrapperName(kernel), kernel.outputs.size());
}

std::optional<HostShape> moac::shapeOf(const KernelSignature &kernel, const ArraySignature &array,
                                       const std::vector<int64_t> &symbols) {
  std::map<std::string, int64_t> values;
  for (size_t k = 0; k < kernel.symbols.size(); ++k)
    values[kernel.symbols[k]] = symbols[k];
  HostShape shape;
  for (const shape::Expr &extent : array.extents) {
    std::optional<int64_t> value = extent.evaluate(values);
    if (!value)
      return std::nullopt;
    shape.push_back(*value);
  }
  return shape;
}

std::vector<HostArray> moac::inMemoryOrder(const KernelSignature &kernel,
                                           const std::vector<HostArray> &inputs) {
  std::vector<HostArray> moved;
  for (size_t k = 0; k < inputs.size(); ++k)
    moved.push_back(kernel.inputs[k].columnMajor ? toColumnMajor(inputs[k]) : inputs[k]);
  return moved;
}

void moac::fromMemoryOrder(const KernelSignature &kernel, std::vector<HostArray> &outputs) {
  for (size_t k = 0; k < outputs.size(); ++k)
    if (kernel.outputs[k % kernel.outputs.size()].columnMajor)
      outputs[k] = fromColumnMajor(outputs[k]);
}

Answer<CallResult> moac::call(KernelFunction function, const KernelSignature &kernel,
                              const CallArguments &arguments) {
  CallResult result;
  for (const ArraySignature &output : kernel.outputs) {
    std::optional<HostShape> shape = shapeOf(kernel, output, arguments.symbols);
    if (!shape || !elementCount(*shape))
      return Answer<CallResult>::failure(
          fmt::format("output '{}' has no valid shape for these sizes{}", output.name,
                      shape ? fmt::format(": {}", toString(*shape)) : std::string()));
    result.outputs.emplace_back(output.type, *shape);
  }
  std::vector<const void *> scalars, inputs;
  std::vector<void *> outputs;
  for (const HostArray &scalar : arguments.scalars)
    scalars.push_back(scalar.bytes().data());
  const bool anyColumn = std::ranges::any_of(kernel.inputs, &ArraySignature::columnMajor);
  const std::vector<HostArray> moved =
      anyColumn ? inMemoryOrder(kernel, arguments.inputs) : std::vector<HostArray>();
  for (const HostArray &input : anyColumn ? moved : arguments.inputs)
    inputs.push_back(input.bytes().data());
  for (HostArray &output : result.outputs)
    outputs.push_back(output.bytes().data());
  result.status = function(arguments.symbols.data(), scalars.data(), inputs.data(), outputs.data());
  fromMemoryOrder(kernel, result.outputs);
  return result;
}
