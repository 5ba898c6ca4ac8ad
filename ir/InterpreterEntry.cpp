// Entering a program: arguments are checked and bound, the outcome is collected.
#include "ir/InterpreterMachine.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace {
struct StatusRow {
  moac::Status status;
  const char *name;
};
const StatusRow statusRows[] = {
    {moac::Status::Ok, "ok"},
    {moac::Status::NullPointer, "null"},
    {moac::Status::Extent, "extent"},
    {moac::Status::Constraint, "constraint"},
    {moac::Status::Index, "index"},
    {moac::Status::Overflow, "overflow"},
    {moac::Status::Aliasing, "aliasing"},
    {moac::Status::NoMemory, "memory"},
    {moac::Status::DivisionByZero, "division"},
};
} // namespace

std::optional<moac::Status> moac::statusFromName(std::string_view name) {
  for (const StatusRow &row : statusRows)
    if (name == row.name)
      return row.status;
  return std::nullopt;
}

std::string_view moac::statusName(Status status) {
  for (const StatusRow &row : statusRows)
    if (status == row.status)
      return row.name;
  return "unknown";
}

namespace moac::interp {

void Machine::checkInput(const ArraySignature &signature, const Tensor &tensor, const Slot *r) {
  Status broken = Status::Ok;
  std::vector<int64_t> extents = extentsOf(signature.extents, r, broken);
  if (std::any_of(extents.begin(), extents.end(), [](int64_t e) { return e < 0; }))
    throw Stop{Ending::Returned, Status::Extent,
               fmt::format("an extent of '{}' is negative", signature.name)};
  if (broken != Status::Ok || !elementCount(extents, elementBytes(signature.element)))
    throw Stop{Ending::Returned, Status::Overflow,
               fmt::format("the size of '{}' overflows", signature.name)};
  if (tensor.type != signature.element || tensor.extents != extents)
    throw Stop{Ending::Misuse, Status::Ok,
               fmt::format("'{}' needs {} <{}>, found {} <{}>", signature.name,
                           elementName(signature.element), fmt::join(extents, " "),
                           elementName(tensor.type), fmt::join(tensor.extents, " "))};
  if (tensor.bytes.size() != static_cast<size_t>(tensor.count()) * elementBytes(tensor.type))
    throw Stop{Ending::Misuse, Status::Ok,
               fmt::format("'{}' has {} bytes", signature.name, tensor.bytes.size())};
}

void Machine::bindArguments(const KernelCode &kernel, const Arguments &arguments, Slot *r) {
  if (arguments.symbols.size() != kernel.symbols.size() ||
      arguments.scalars.size() != kernel.scalars.size() ||
      arguments.inputs.size() != kernel.inputs.size())
    throw Stop{Ending::Misuse, Status::Ok, "wrong number of arguments"};
  size_t at = 0;
  for (int64_t symbol : arguments.symbols) {
    if (symbol < 0)
      throw Stop{Ending::Returned, Status::Extent,
                 fmt::format("symbol '{}' is {}", kernel.symbols[at], symbol)};
    r[at].bound = 0;
    r[at++].whole = symbol;
  }
  for (size_t k = 0; k < kernel.scalars.size(); ++k, ++at) {
    const Tensor &scalar = arguments.scalars[k];
    if (scalar.type != kernel.scalars[k] || scalar.count() != 1 || scalar.bytes.empty())
      throw Stop{Ending::Misuse, Status::Ok,
                 fmt::format("'{}' must be one {}", kernel.scalarNames[k],
                             elementName(kernel.scalars[k]))};
    Storage storage;
    storage.borrow(scalar);
    storage.load(0, r[at]);
  }
  evaluateExtents(kernel, r);
  for (size_t k = 0; k < kernel.inputs.size(); ++k)
    checkInput(kernel.inputs[k], arguments.inputs[k], r);
}

Counts Machine::counts() {
  Counts counts;
  counts.steps = steps;
  for (size_t b = 0; b < blockCounts.size(); ++b) {
    if (blockCounts[b] == 0)
      continue;
    const Block &block = program.blocks[b];
    for (const auto &[name, times] : block.operations)
      counts.operations[name] += times * blockCounts[b];
    counts.visits += block.visits * blockCounts[b];
    for (const auto &[name, times] : block.points)
      counts.points[name] += times * blockCounts[b];
    for (const auto &[name, traffic] : block.buffers) {
      Traffic &total = counts.buffers[name];
      total.loads += traffic.loads * blockCounts[b];
      total.stores += traffic.stores * blockCounts[b];
      total.updates += traffic.updates * blockCounts[b];
      total.finishes += traffic.finishes * blockCounts[b];
    }
  }
  for (size_t id = 0; id < buffers.size(); ++id) {
    Buffer &buffer = buffers[id];
    for (Buffer::Mark &mark : buffer.marks)
      buffer.endLife(mark);
    Traffic &total = counts.buffers[program.buffers[id].name];
    if (buffer.mostUpdates == 0)
      continue;
    if (total.leastUpdates == 0 || buffer.leastUpdates < total.leastUpdates)
      total.leastUpdates = buffer.leastUpdates;
    total.mostUpdates = std::max(total.mostUpdates, buffer.mostUpdates);
  }
  return counts;
}

template <class Body> Outcome Machine::guarded(Body body) {
  Outcome outcome;
  try {
    body();
    outcome.status = recorded;
  } catch (const Stop &stop) {
    outcome.ending = stop.ending;
    outcome.status = stop.status;
    outcome.message = stop.message;
  } catch (const std::bad_alloc &) {
    outcome.ending = Ending::MemoryLimit;
    outcome.message = "out of memory";
  }
  outcome.uncertain = uncertain;
  outcome.failures = failures;
  outcome.counts = counts();
  if (outcome.ok())
    outcome.results = std::move(results);
  return outcome;
}

/// What no result needs: its failures are none of the kernel's.
void Machine::forceUnread(Array &array) {
  if (!array.lazy)
    return force(array);
  for (int64_t at = 0; at < array.total; ++at)
    try {
      depth = 0;
      need(array, at);
    } catch (const Stop &stop) {
      if (stop.ending != Ending::Returned)
        throw;
    }
}

Outcome Machine::runKernel(const Arguments &arguments) {
  return guarded([&] {
    const KernelCode &kernel = program.kernels.front();
    const Procedure &procedure = program.procedures[kernel.procedure];
    Frame frame = push(procedure);
    bindArguments(kernel, arguments, frame.slots);
    size_t at = kernel.symbols.size() + kernel.scalars.size();
    for (size_t k = 0; k < kernel.inputs.size(); ++k) {
      auto array = std::make_unique<Array>();
      array->name = &kernel.inputs[k].name;
      array->element = kernel.inputs[k].element;
      array->ready = true;
      array->storage.borrow(arguments.inputs[k]);
      shape(*array, arguments.inputs[k].extents);
      frame.slots[at + k].view = {array.get(), 0};
      frame.slots[at + k].bound = 0;
      arrays.push_back(std::move(array));
    }
    run(procedure, frame);
    for (size_t k = 0; k < kernel.results.size(); ++k)
      results.push_back(result(kernel.results[k], frame.slots[kernel.returned[k]].view));
    for (size_t k = 0; limits.unread && k < arrays.size(); ++k)
      if (!arrays[k]->ready && arrays[k]->broken == Status::Ok)
        forceUnread(*arrays[k]);
  });
}

Outcome Machine::runFunction(const Arguments &arguments) {
  isOnf = true;
  return guarded([&] {
    const KernelCode &kernel = program.kernels.front();
    const Procedure &procedure = program.procedures[kernel.procedure];
    Frame frame = push(procedure);
    bindArguments(kernel, arguments, frame.slots);
    bindBuffers(kernel, arguments, frame.slots);
    run(procedure, frame);
    if (recorded != Status::Ok)
      return;
    for (uint32_t id = 0; id < program.buffers.size(); ++id)
      checkFinished(id);
    for (size_t k = 0; k < kernel.results.size(); ++k)
      results.push_back(
          output(kernel.results[k], static_cast<uint32_t>(kernel.inputs.size() + k), frame.slots));
  });
}

} // namespace moac::interp
