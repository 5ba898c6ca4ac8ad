// The machine that runs interpreter code: registers, arrays that are computed when needed, checked
// memory.
//
// One Machine runs one program once. Inside it an error is a thrown Stop, caught where the run
// began; nothing else in the interpreter throws. Split by concern: InterpreterMachine.cpp (the
// instruction loop), InterpreterArrays.cpp (moa arrays and calls), InterpreterMemory.cpp (onf
// buffers).
#ifndef MOAC_IR_INTERPRETERMACHINE_H
#define MOAC_IR_INTERPRETERMACHINE_H

#include "ir/Accumulator.h"
#include "ir/InterpreterStorage.h"

#include <tuple>

namespace moac::interp {

/// Why a run ends early.
struct Stop {
  Ending ending;
  Status status;
  std::string message;
};

/// An array value of the moa dialect: an input, or a gen with what its region captured.
struct Array {
  Storage storage;
  Element element = Element::F64;
  std::vector<int64_t> extents, strides;
  int64_t total = 0;
  uint64_t charged = 0;
  bool ready = false;         ///< every element is there
  bool lazy = false;          ///< elements are computed one by one
  Status broken = Status::Ok; ///< no such array can exist; reported if it is needed
  const std::string *name = nullptr;
  const GenCode *gen = nullptr;
  std::vector<Slot> captured;
  std::vector<uint8_t> done; ///< of a lazy array, by element
};

/// Memory of the onf dialect. Each element knows which iteration wrote it last and which have read
/// it since.
struct Buffer {
  Storage storage;
  int64_t size = -1; ///< -1: not allocated yet
  struct Mark {
    uint32_t writer = 0, firstReader = 0, lastReader = 0, finishes = 0, updates = 0;
    uint32_t adds = 0;    ///< the loop in which it was updated atomically, and by nothing else
    bool several = false; ///< by several iterations of it
    bool open = false;    ///< finished by updates in place
  };
  std::vector<Mark> marks;
  uint64_t leastUpdates = 0, mostUpdates = 0; ///< over the lives of its elements

  /// The life of an element's accumulated value ends: it is stored to, or the buffer goes.
  void endLife(Mark &mark) {
    if (mark.updates == 0)
      return;
    leastUpdates = leastUpdates ? std::min<uint64_t>(leastUpdates, mark.updates) : mark.updates;
    mostUpdates = std::max<uint64_t>(mostUpdates, mark.updates);
    mark.updates = 0;
  }
};

/// A stack of runs of T whose addresses stay put.
template <class T> class StackPool {
public:
  T *push(size_t count) {
    marks.push_back({chunk, used});
    if (chunk == chunks.size() || used + count > chunks[chunk].second) {
      chunk += chunk < chunks.size();
      if (chunk < chunks.size() && chunks[chunk].second < count)
        chunks.resize(chunk);
      if (chunk == chunks.size()) {
        size_t size = std::max<size_t>(count, 4096);
        chunks.emplace_back(std::make_unique<T[]>(size), size);
      }
      used = 0;
    }
    used += count;
    return chunks[chunk].first.get() + used - count;
  }
  void pop() {
    std::tie(chunk, used) = marks.back();
    marks.pop_back();
  }

private:
  std::vector<std::pair<std::unique_ptr<T[]>, size_t>> chunks;
  std::vector<std::pair<size_t, size_t>> marks;
  size_t chunk = 0, used = 0;
};

struct Frame {
  Slot *slots;
  eval::Accumulator *accumulators;
};

class Machine {
public:
  Machine(const Program &program, const Limits &limits);
  Outcome runKernel(const Arguments &arguments);
  Outcome runFunction(const Arguments &arguments);

private:
  // ---- the instruction loop ----
  void run(const Procedure &procedure, Frame frame);
  void countBlock(uint32_t block) {
    ++blockCounts[block];
    steps += blockSteps[block];
    if (steps > limits.steps) [[unlikely]]
      throw Stop{Ending::StepLimit, Status::Ok, "step limit reached"};
  }
  void require(const Instr &instr, const Slot &condition);
  /// Floor division or remainder that looks at its divisor first.
  eval::Whole divide(Op op, eval::Whole a, eval::Whole b, bool checked);
  /// Reports a status: at once on moa (unless it is to go on), at the end on onf.
  void fail(Status status, const std::string &message);
  [[noreturn]] void invalid(const std::string &message) {
    throw Stop{Ending::Invalid, Status::Ok, message};
  }
  /// Counts memory against the limit; returns its bytes.
  uint64_t charge(int64_t elements, uint64_t bytesEach);
  Frame push(const Procedure &procedure);
  void pop();

  // ---- moa arrays ----
  /// Offset of a read from its subscripts, checked against the axes; adds the subscripts' doubt. Negative: there is no such
  /// element, and it is to go on.
  int64_t offset(const Instr &instr, const uint32_t *list, const Slot *r, double &doubt);
  void badIndex(const Array &array, unsigned axis, int64_t index, bool checked,
                             double doubt);
  void loadElement(const Instr &instr, const uint32_t *list, Slot *r) {
    double doubt = 0;
    int64_t at = offset(instr, list, r, doubt);
    if (at < 0) [[unlikely]] {
      r[instr.dst] = {};
      r[instr.dst].bound = eval::unknown;
      return;
    }
    Array &array = *r[instr.a].view.array;
    if (!array.ready) [[unlikely]]
      need(array, at);
    array.storage.load(at, r[instr.dst]);
    r[instr.dst].bound += doubt;
  }
  /// A cell that is not there is reported when one of its elements is needed.
  void subArray(const Instr &instr, const uint32_t *list, Slot *r);
  void makeArray(const GenCode &gen, Slot *r, Slot &to);
  void shape(Array &array, std::vector<int64_t> extents);
  /// Makes element `at` (or all) available.
  void need(Array &array, int64_t at);
  void force(Array &array);
  void forceUnread(Array &array);
  void fill(Array &array);
  void fillOne(Array &array, int64_t at);
  void release(size_t mark);
  void prepare(Frame frame, const Array &array);
  void call(const Instr &instr, const uint32_t *list, Slot *r);
  void evaluateExtents(const KernelCode &kernel, Slot *r);
  std::vector<int64_t> extentsOf(const std::vector<uint32_t> &from, const Slot *r,
                                 Status &broken) const;
  void checkInput(const ArraySignature &signature, const Tensor &tensor, const Slot *r);
  Tensor result(const ArraySignature &signature, View view);
  /// Checks and stores the arguments up to the inputs; the frame is that of the first kernel.
  void bindArguments(const KernelCode &kernel, const Arguments &arguments, Slot *r);
  Counts counts();
  /// Runs `body` and turns what it throws into an outcome.
  template <class Body> Outcome guarded(Body body);

  // ---- onf buffers ----
  void bindBuffers(const KernelCode &kernel, const Arguments &arguments, const Slot *r);
  void allocate(uint32_t id, int64_t size);
  Buffer &access(uint32_t id, int64_t at, const char *verb);
  void loadBuffer(uint32_t id, int64_t at, Slot &to);
  void storeBuffer(uint32_t id, int64_t at, Slot value, StoreEvent event);
  void updateBuffer(uint32_t id, int64_t at, const Slot &value, const Instr &instr);
  void updateAtomically(uint32_t id, int64_t at, const Slot &value, const Instr &instr);
  void noteRead(const BufferCode &code, Buffer::Mark &mark, int64_t at);
  void noteWrite(const BufferCode &code, Buffer::Mark &mark, int64_t at);
  Tensor output(const ArraySignature &signature, uint32_t id, const Slot *r);
  void checkFinished(uint32_t id);

  const Program &program;
  const Limits &limits;
  std::vector<uint64_t> blockCounts;
  std::vector<uint32_t> blockSteps;
  uint64_t steps = 0, bytes = 0;
  bool uncertain = false, isOnf = false;
  unsigned depth = 0;
  Status recorded = Status::Ok; ///< the first failure after which it went on
  std::set<Status> failures;    ///< all of them
  std::vector<Tensor> results;

  std::vector<std::unique_ptr<Array>> arrays;
  StackPool<Slot> slotPool;
  StackPool<eval::Accumulator> accumulatorPool;

  std::vector<Buffer> buffers;
  std::vector<Tensor> laidOut; ///< column-major copies of inputs
  // Every iteration of a parallel loop gets a number of its own; so does each stretch outside of
  // one.
  uint32_t lastIteration = 1, current = 1, team = 1, loopStart = 0;
  unsigned doubtDepth = 0;
  bool inTeam = false;
};

} // namespace moac::interp

#endif
