// Each array is copied into a block of its own:
//
//     [ guard ... ][ elements ][ guard ... ]      elements start at 64 bytes, or at 64 bytes + one
//     element
//
// Outputs start out as the guard's pattern, so an element that the kernel forgot holds an odd
// value, not a lucky zero.
#include "frontend/GuardedCall.h"

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>

using namespace moac;

namespace {

constexpr std::byte pattern{0xb5};

size_t guardBytes() {
  static const bool sanitized = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
  return sanitized ? 0 : 256;
}

class GuardedBlock {
public:
  GuardedBlock(const HostArray &array, bool offBoundary, bool isOutput)
      : bytes(array.bytes().size()) {
    const size_t shift = offBoundary ? array.elementBytes() : 0, slack = guardBytes() ? 64 : 0;
    storage.assign(bytes + 2 * guardBytes() + shift + slack, pattern);
    const auto address = reinterpret_cast<uintptr_t>(storage.data()) + guardBytes();
    start = guardBytes() + shift + (slack ? (64 - address % 64) % 64 : 0);
    if (!isOutput)
      std::ranges::copy(array.bytes(), storage.begin() + static_cast<ptrdiff_t>(start));
  }

  std::byte *data() { return storage.data() + start; }
  std::span<const std::byte> elements() const { return {storage.data() + start, bytes}; }
  bool guardsIntact() const {
    auto isPattern = [](std::byte b) { return b == pattern; };
    return std::all_of(storage.begin(), storage.begin() + static_cast<ptrdiff_t>(start),
                       isPattern) &&
           std::all_of(storage.begin() + static_cast<ptrdiff_t>(start + bytes), storage.end(),
                       isPattern);
  }

private:
  size_t bytes, start = 0;
  std::vector<std::byte> storage;
};

} // namespace

Answer<CallResult> moac::guardedCall(KernelFunction function, const KernelSignature &kernel,
                                     const CallArguments &arguments, GuardOptions options) {
  CallResult result;
  std::vector<GuardedBlock> inputs, outputs;
  const std::vector<HostArray> given = inMemoryOrder(kernel, arguments.inputs);
  for (const HostArray &input : given)
    inputs.emplace_back(input, options.offBoundary, false);
  for (size_t k = 0; k < kernel.outputs.size() * options.copies; ++k) {
    const ArraySignature &output = kernel.outputs[k % kernel.outputs.size()];
    std::optional<HostShape> shape = shapeOf(kernel, output, arguments.symbols);
    if (!shape || !elementCount(*shape))
      return Answer<CallResult>::failure(
          fmt::format("output '{}' has no valid shape for these sizes", output.name));
    result.outputs.emplace_back(output.type, *shape);
    outputs.emplace_back(result.outputs.back(), options.offBoundary, true);
  }
  std::vector<const void *> scalarPointers, inputPointers;
  std::vector<void *> outputPointers;
  for (const HostArray &scalar : arguments.scalars)
    scalarPointers.push_back(scalar.bytes().data());
  for (GuardedBlock &block : inputs)
    inputPointers.push_back(block.data());
  for (GuardedBlock &block : outputs)
    outputPointers.push_back(block.data());
  result.status = function(arguments.symbols.data(), scalarPointers.data(), inputPointers.data(),
                           outputPointers.data());

  for (size_t k = 0; k < inputs.size(); ++k)
    if (!inputs[k].guardsIntact() ||
        !std::ranges::equal(inputs[k].elements(), given[k].bytes()))
      return Answer<CallResult>::failure(
          fmt::format("wrote into or beside input '{}'", kernel.inputs[k].name));
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].guardsIntact())
      return Answer<CallResult>::failure(
          fmt::format("wrote outside output '{}'", kernel.outputs[k % kernel.outputs.size()].name));
    std::ranges::copy(outputs[k].elements(), result.outputs[k].bytes().begin());
  }
  fromMemoryOrder(kernel, result.outputs);
  return result;
}
