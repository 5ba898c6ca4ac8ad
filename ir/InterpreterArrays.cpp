// Arrays of the moa dialect: made when the program reaches them, computed when something reads
// them.
//
// An array whose elements cannot fail is filled whole, after everything it reads has been filled: a
// worklist, so a long chain of definitions needs no deep recursion. Arrays whose elements may fail
// are computed element by element, by recursion through the definitions, which is as deep as the
// chain of such definitions.
#include "ir/InterpreterMachine.h"

#include <fmt/format.h>

namespace moac::interp {

static constexpr unsigned deepest = 1000;

int64_t Machine::offset(const Instr &instr, const uint32_t *list, const Slot *r, double &doubt) {
  const View &view = r[instr.a].view;
  const Array &array = *view.array;
  if (array.broken != Status::Ok) {
    fail(array.broken, array.broken == Status::Index
                           ? fmt::format("index leaves '{}'", *array.name)
                           : fmt::format("array '{}' cannot exist", *array.name));
    return -1;
  }
  size_t axis = array.extents.size() - instr.aux;
  int64_t at = view.offset;
  doubt = r[instr.a].bound;
  for (uint32_t k = 0; k < instr.c; ++k, ++axis) {
    const Slot &index = r[list[k]];
    doubt += index.bound;
    if (static_cast<uint64_t>(index.whole) >= static_cast<uint64_t>(array.extents[axis]))
        [[unlikely]] {
      badIndex(array, static_cast<unsigned>(axis), index.whole, list[instr.c] >> k & 1, doubt);
      return -1;
    }
    at += index.whole * array.strides[axis];
  }
  uncertain = uncertain || (doubt != 0 && list[instr.c] != 0);
  return at;
}

void Machine::badIndex(const Array &array, unsigned axis, int64_t index, bool checked,
                       double doubt) {
  std::string text = fmt::format("index {} leaves axis {} of '{}' with extent {}", index, axis,
                                 *array.name, array.extents[axis]);
  if (!checked && doubt == 0)
    invalid(text + "; the subscript was taken as proved in range");
  uncertain = uncertain || doubt != 0;
  fail(Status::Index, text);
}

void Machine::subArray(const Instr &instr, const uint32_t *list, Slot *r) {
  Slot &to = r[instr.dst];
  const Array &whole = *r[instr.a].view.array;
  bool there = whole.broken == Status::Ok;
  double doubt = r[instr.a].bound;
  for (uint32_t k = 0; k < instr.c && there; ++k) {
    const Slot &index = r[list[k]];
    doubt += index.bound;
    const size_t axis = whole.extents.size() - instr.aux + k;
    there = static_cast<uint64_t>(index.whole) < static_cast<uint64_t>(whole.extents[axis]) ||
            !(list[instr.c] >> k & 1);
  }
  if (there) {
    int64_t at = offset(instr, list, r, doubt = 0);
    to.view = {r[instr.a].view.array, at};
    to.bound = r[instr.a].bound + doubt;
    return;
  }
  auto cell = std::make_unique<Array>();
  cell->name = whole.name;
  cell->element = whole.element;
  cell->broken = whole.broken == Status::Ok ? Status::Index : whole.broken;
  uncertain = uncertain || doubt != 0;
  to.view = {cell.get(), 0};
  to.bound = 0;
  arrays.push_back(std::move(cell));
}

void Machine::shape(Array &array, std::vector<int64_t> extents) {
  array.extents = std::move(extents);
  array.strides.assign(array.extents.size(), 1);
  std::optional<int64_t> count = elementCount(array.extents, elementBytes(array.element));
  if (!count) {
    bool negative =
        std::any_of(array.extents.begin(), array.extents.end(), [](int64_t e) { return e < 0; });
    array.broken = negative ? Status::Extent : Status::Overflow;
    return;
  }
  array.total = *count;
  if (array.total != 0)
    for (size_t k = array.extents.size(); k-- > 1;)
      array.strides[k - 1] = array.strides[k] * array.extents[k];
}

std::vector<int64_t> Machine::extentsOf(const std::vector<uint32_t> &from, const Slot *r,
                                        Status &broken) const {
  std::vector<int64_t> extents;
  for (uint32_t slot : from) {
    extents.push_back(r[slot].whole);
    if (r[slot].bound != 0)
      broken = Status::Overflow;
  }
  return extents;
}

void Machine::makeArray(const GenCode &gen, Slot *r, Slot &to) {
  auto array = std::make_unique<Array>();
  array->name = &gen.name;
  array->element = gen.element;
  array->gen = &gen;
  array->lazy = gen.mayFail;
  shape(*array, extentsOf(gen.extents, r, array->broken));
  for (const Capture &capture : gen.captures) {
    array->captured.push_back(r[capture.from]);
    if (capture.isArray)
      array->lazy = array->lazy || r[capture.from].view.array->lazy ||
                    r[capture.from].view.array->broken != Status::Ok;
  }
  to.view = {array.get(), 0};
  to.bound = 0;
  arrays.push_back(std::move(array));
}

void Machine::need(Array &array, int64_t at) {
  if (!array.lazy)
    force(array);
  else if (array.done.empty() || !array.done[at])
    fillOne(array, at);
}

void Machine::force(Array &array) {
  std::vector<Array *> work{&array};
  while (!work.empty()) {
    Array &top = *work.back();
    size_t before = work.size();
    for (size_t k = 0; !top.ready && k < top.captured.size(); ++k)
      if (top.gen->captures[k].isArray)
        if (Array &read = *top.captured[k].view.array; !read.ready && !read.lazy)
          work.push_back(&read);
    if (work.size() > before)
      continue;
    work.pop_back();
    if (!top.ready)
      fill(top);
  }
}

void Machine::release(size_t mark) {
  for (; arrays.size() > mark; arrays.pop_back())
    bytes -= arrays.back()->charged;
}

void Machine::prepare(Frame frame, const Array &array) {
  for (size_t k = 0; k < array.captured.size(); ++k)
    frame.slots[array.gen->captures[k].to] = array.captured[k];
}

void Machine::fill(Array &array) {
  array.charged = charge(array.total, Storage::bytesEach(array.element));
  array.storage.allocate(array.element, array.total);
  const Procedure &procedure = program.procedures[array.gen->procedure];
  Frame frame = push(procedure);
  prepare(frame, array);
  size_t rank = array.extents.size();
  for (size_t k = 0; k < rank; ++k)
    frame.slots[k].whole = 0;
  for (int64_t at = 0; at < array.total; ++at) {
    run(procedure, frame);
    Slot value = frame.slots[array.gen->result];
    Storage::convert(array.element, value);
    array.storage.store(at, value);
    for (size_t k = rank; k-- > 0;) {
      if (++frame.slots[k].whole < array.extents[k])
        break;
      frame.slots[k].whole = 0;
    }
  }
  pop();
  array.ready = true;
}

void Machine::fillOne(Array &array, int64_t at) {
  if (array.done.empty()) {
    array.charged = charge(array.total, Storage::bytesEach(array.element) + 1);
    array.storage.allocate(array.element, array.total);
    array.done.resize(array.total);
  }
  if (++depth > deepest)
    throw Stop{Ending::MemoryLimit, Status::Ok, "definitions that may fail are chained too deeply"};
  const Procedure &procedure = program.procedures[array.gen->procedure];
  Frame frame = push(procedure);
  prepare(frame, array);
  int64_t rest = at;
  for (size_t k = 0; k < array.extents.size(); ++k) {
    frame.slots[k].whole = rest / array.strides[k];
    rest %= array.strides[k];
  }
  run(procedure, frame);
  Slot value = frame.slots[array.gen->result];
  pop();
  --depth;
  Storage::convert(array.element, value);
  array.storage.store(at, value);
  array.done[at] = 1;
}

void Machine::evaluateExtents(const KernelCode &kernel, Slot *r) {
  std::map<std::string, int64_t> values;
  for (size_t i = 0; i < kernel.symbols.size(); ++i)
    values[kernel.symbols[i]] = r[i].whole;
  for (size_t i = 0; i < kernel.scalarNames.size(); ++i)
    if (kernel.weakScalars[i])
      values[kernel.scalarNames[i]] = r[kernel.symbols.size() + i].whole;
  for (const auto &[extent, slot] : kernel.extents) {
    std::optional<int64_t> value = extent.evaluate(values);
    r[slot].whole = value.value_or(0);
    r[slot].bound = value ? 0 : eval::unknown; // overflow, or division by zero
  }
}

void Machine::call(const Instr &instr, const uint32_t *list, Slot *r) {
  const KernelCode &kernel = program.kernels[instr.a];
  const Procedure &procedure = program.procedures[kernel.procedure];
  if (++depth > deepest)
    throw Stop{Ending::MemoryLimit, Status::Ok, "calls are nested too deeply"};
  Frame frame = push(procedure);
  for (uint32_t k = 0; k < instr.c; ++k)
    frame.slots[k] = r[list[instr.aux + k]];
  evaluateExtents(kernel, frame.slots);
  run(procedure, frame);
  for (uint32_t k = 0; k < instr.aux; ++k)
    r[list[k]] = frame.slots[kernel.returned[k]];
  pop();
  --depth;
}

Tensor Machine::result(const ArraySignature &signature, View view) {
  Array &array = *view.array;
  if (array.broken != Status::Ok)
    throw Stop{Ending::Returned, array.broken, fmt::format("result '{}' cannot exist", signature.name)};
  Tensor tensor{signature.element, {}, {}, {}};
  tensor.extents = array.extents;
  while (tensor.extents.size() > signature.extents.size())
    tensor.extents.erase(tensor.extents.begin());
  int64_t count = tensor.count();
  charge(count, elementBytes(tensor.type) + sizeof(double));
  tensor.bytes.resize(count * elementBytes(tensor.type));
  tensor.bounds.resize(count);
  for (int64_t i = 0; i < count; ++i) {
    if (!array.ready)
      need(array, view.offset + i);
    array.storage.copyTo(view.offset + i, tensor, i);
  }
  return tensor;
}

} // namespace moac::interp
