// Buffers of the onf dialect, with every access checked.
//
// The rules, each an Invalid ending that names the buffer and the element: offsets lie inside;
// inputs are never written; what is read has been written, in scratch of a thread by this very
// iteration or before the loop; two iterations of one parallel loop never touch the same element of
// a buffer they share if one of them writes it; nothing shared is written by a team outside its
// loops; an element of an output or of a stored stage is finished once, and every element of an
// output is.
#include "ir/InterpreterMachine.h"

#include <fmt/format.h>

namespace moac::interp {

static bool isShared(Space space) { return space != Space::thread && space != Space::local; }

/// Offset in memory of the element at row-major position `at`.
static int64_t placed(const std::vector<int64_t> &extents, bool columnMajor, int64_t at) {
  if (!columnMajor)
    return at;
  int64_t offset = 0, stride = 1, rest = at, total = elementCount(extents).value_or(0);
  for (int64_t extent : extents) {
    total /= extent;
    offset += rest / total * stride;
    rest %= total;
    stride *= extent;
  }
  return offset;
}

void Machine::bindBuffers(const KernelCode &kernel, const Arguments &arguments, const Slot *r) {
  buffers.resize(program.buffers.size());
  laidOut.reserve(kernel.inputs.size());
  for (size_t k = 0; k < kernel.inputs.size(); ++k) {
    const Tensor *tensor = &arguments.inputs[k];
    if (kernel.inputs[k].columnMajor) {
      Tensor &copy = laidOut.emplace_back(*tensor);
      for (int64_t i = 0; i < tensor->count(); ++i) {
        int64_t to = placed(tensor->extents, true, i);
        isFloat(copy.type) ? copy.setReal(to, tensor->real(i))
                           : copy.setInteger(to, tensor->integer(i));
        if (!copy.bounds.empty())
          copy.bounds[to] = tensor->bounds[i];
      }
      tensor = &copy;
    }
    buffers[k].storage.borrow(*tensor);
    buffers[k].size = tensor->count();
  }
  for (size_t k = 0; k < kernel.results.size(); ++k) {
    Status broken = Status::Ok;
    std::vector<int64_t> extents = extentsOf(kernel.results[k].extents, r, broken);
    std::optional<int64_t> count = elementCount(extents, elementBytes(kernel.results[k].element));
    // An impossible result is the business of the function's own requirements: it gets no memory.
    allocate(static_cast<uint32_t>(kernel.inputs.size() + k),
             broken == Status::Ok ? count.value_or(0) : 0);
  }
}

void Machine::allocate(uint32_t id, int64_t size) {
  const BufferCode &code = program.buffers[id];
  if (size < 0)
    invalid(fmt::format("buffer '{}' has size {}", code.name, size));
  Buffer &buffer = buffers[id];
  if (buffer.size != size) {
    if (buffer.size > 0)
      bytes -= static_cast<uint64_t>(buffer.size) *
               (Storage::bytesEach(code.element) + sizeof(Buffer::Mark));
    charge(size, Storage::bytesEach(code.element) + sizeof(Buffer::Mark));
    buffer.storage.allocate(code.element, size);
    buffer.size = size;
  }
  for (Buffer::Mark &mark : buffer.marks)
    buffer.endLife(mark);
  buffer.marks.assign(size, {});
}

Buffer &Machine::access(uint32_t id, int64_t at, const char *verb) {
  Buffer &buffer = buffers[id];
  if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(buffer.size) || buffer.size < 0)
    invalid(fmt::format("{} of '{}' at offset {}, size {}", verb, program.buffers[id].name, at,
                        buffer.size));
  return buffer;
}

void Machine::noteRead(const BufferCode &code, Buffer::Mark &mark, int64_t at) {
  bool fresh = mark.writer != 0 &&
               (code.space != Space::thread || mark.writer == current || mark.writer == team);
  if (!fresh)
    invalid(fmt::format("read of '{}' at offset {} before it is written{}", code.name, at,
                        mark.writer ? " in this iteration" : ""));
  if (loopStart == 0 || !isShared(code.space))
    return;
  if (mark.writer >= loopStart && (mark.writer != current || mark.several))
    invalid(fmt::format("race: '{}' at offset {} is written by one iteration and read by another",
                        code.name, at));
  if (mark.firstReader < loopStart)
    mark.firstReader = current;
  mark.lastReader = current;
}

void Machine::noteWrite(const BufferCode &code, Buffer::Mark &mark, int64_t at) {
  if (isShared(code.space) && inTeam && loopStart == 0)
    invalid(fmt::format("race: every thread writes '{}' at offset {}", code.name, at));
  if (isShared(code.space) && loopStart != 0) {
    if (mark.writer >= loopStart && (mark.writer != current || mark.several))
      invalid(fmt::format("race: two iterations write '{}' at offset {}", code.name, at));
    bool read = mark.firstReader >= loopStart;
    if (read && (mark.firstReader != current || mark.lastReader != current))
      invalid(fmt::format("race: '{}' at offset {} is read by one iteration and written by another",
                          code.name, at));
  }
  mark.writer = current;
  mark.adds = 0, mark.several = false;
}

void Machine::loadBuffer(uint32_t id, int64_t at, Slot &to) {
  Buffer &buffer = access(id, at, "read");
  if (program.buffers[id].space != Space::input)
    noteRead(program.buffers[id], buffer.marks[at], at);
  buffer.storage.load(at, to);
}

void Machine::storeBuffer(uint32_t id, int64_t at, Slot value, StoreEvent event) {
  Buffer &buffer = access(id, at, "write");
  const BufferCode &code = program.buffers[id];
  if (code.space == Space::input)
    invalid(fmt::format("write of input '{}' at offset {}", code.name, at));
  Buffer::Mark &mark = buffer.marks[at];
  noteWrite(code, mark, at);
  bool once = code.space == Space::output || code.space == Space::shared;
  bool completes = event == StoreEvent::Finishes || event == StoreEvent::Opens;
  if (once && mark.finishes != 0 && !(event == StoreEvent::Updates && mark.open))
    invalid(fmt::format("'{}' at offset {} is {} after it was finished", code.name, at,
                        completes ? "finished again" : "written"));
  if (event == StoreEvent::Updates)
    ++mark.updates;
  else
    buffer.endLife(mark);
  mark.finishes += completes;
  mark.open |= event == StoreEvent::Opens;
  if (doubtDepth != 0)
    value.bound = eval::unknown;
  Storage::convert(code.element, value);
  buffer.storage.store(at, value);
}

void Machine::updateBuffer(uint32_t id, int64_t at, const Slot &value, const Instr &instr) {
  using namespace eval;
  Element element = program.buffers[id].element;
  auto kind = static_cast<Reduction>(instr.aux);
  Slot old;
  loadBuffer(id, at, old);
  auto combine = [&]<class N>(N a, N b) -> N {
    switch (kind) {
    case Reduction::add:
      return add(a, b);
    case Reduction::mul:
      return mul(a, b);
    case Reduction::max:
      return max(a, b);
    default:
      return min(a, b);
    }
  };
  auto fromWhole = [](Slot &to, Whole v) { to.whole = v.value, to.bound = v.doubt; };
  Whole a{old.whole, old.bound}, b{value.whole, value.bound};
  if (kind == Reduction::any) {
    fromWhole(old, logicOr(a, b));
  } else if (kind == Reduction::all) {
    fromWhole(old, logicAnd(a, b));
  } else if (classOf(element) == Class::Double) {
    auto sum =
        combine(Number<Double>{old.wide, old.bound}, Number<Double>{value.wide, value.bound});
    old.wide = sum.value, old.bound = sum.bound;
  } else if (classOf(element) == Class::Single) {
    auto sum =
        combine(Number<Single>{old.narrow, old.bound}, Number<Single>{value.narrow, value.bound});
    old.narrow = sum.value, old.bound = sum.bound;
  } else if ((instr.c & 1) != 0 && (kind == Reduction::max || kind == Reduction::min)) {
    fromWhole(old, flip(combine(flip(a), flip(b))));
  } else {
    fromWhole(old, combine(a, b));
  }
  storeBuffer(id, at, old, StoreEvent::Updates);
}

/// Iterations may update one element so, as long as none of them reads or writes it otherwise.
void Machine::updateAtomically(uint32_t id, int64_t at, const Slot &value, const Instr &instr) {
  if (loopStart == 0 || !isShared(program.buffers[id].space))
    return updateBuffer(id, at, value, instr);
  Buffer::Mark &mark = access(id, at, "update").marks[at];
  const Buffer::Mark before = mark;
  const bool again = before.adds == loopStart;
  if (again)
    mark.writer = current, mark.several = false; // those of other iterations are no trouble
  updateBuffer(id, at, value, instr);
  mark.firstReader = before.firstReader, mark.lastReader = before.lastReader;
  mark.adds = loopStart;
  mark.several = again && (before.several || before.writer != current);
}

void Machine::checkFinished(uint32_t id) {
  const BufferCode &code = program.buffers[id];
  if ((code.space != Space::output && code.space != Space::shared) || code.refilled)
    return;
  const Buffer &buffer = buffers[id];
  for (size_t at = 0; at < buffer.marks.size(); ++at) {
    const Buffer::Mark &mark = buffer.marks[at];
    if (mark.finishes == 0 && (mark.writer != 0 || code.space == Space::output))
      invalid(fmt::format("'{}' at offset {} is {}", code.name, at,
                          mark.writer ? "written but never finished" : "never written"));
  }
}

Tensor Machine::output(const ArraySignature &signature, uint32_t id, const Slot *r) {
  Status broken = Status::Ok;
  Tensor tensor{signature.element, extentsOf(signature.extents, r, broken), {}, {}};
  if (broken != Status::Ok || !elementCount(tensor.extents))
    invalid(fmt::format("result '{}' cannot exist, yet no requirement failed", signature.name));
  tensor.bytes.resize(tensor.count() * elementBytes(tensor.type));
  tensor.bounds.resize(tensor.count());
  for (int64_t i = 0; i < tensor.count(); ++i)
    buffers[id].storage.copyTo(placed(tensor.extents, signature.columnMajor, i), tensor, i);
  return tensor;
}

} // namespace moac::interp
