// What the interpreter runs: kernels as flat code over registers.
//
// Regions are translated once into instructions on numbered slots, so that evaluating an element
// costs a few nanoseconds an operation instead of a walk over MLIR. A kernel body is one procedure,
// each moa.gen another (its first slots are its indices); reductions and conditions are jumps
// inside them. An onf.func is one procedure. Nothing here knows MLIR; InterpreterLower*.cpp write
// this code, InterpreterMachine.cpp runs it.
#ifndef MOAC_IR_INTERPRETERCODE_H
#define MOAC_IR_INTERPRETERCODE_H

#include "ir/Interpreter.h"
#include "ir/Shape.h"

#include <deque>
#include <map>

namespace moac::interp {

struct Array;
/// An array, or the sub-array at `offset` whose leading axes are fixed.
struct View {
  Array *array;
  int64_t offset;
};

/// A register: a float with its bound, an integer or bool with its doubt (in `bound`), or a view.
struct Slot {
  union {
    long double wide;
    double narrow;
    int64_t whole;
    View view;
  };
  double bound;
};

/// What a store means for the element's life: `finishes` and `opens` of onf.store, or the write
/// half of an update.
enum class StoreEvent : uint8_t { Plain, Finishes, Opens, Updates };

enum class Op : uint16_t {
// Scalar functions on f32, f64, integers (and bool), and u64 where the order matters.
#define SCALAR_FN(kind, arity, klass) kind##_single, kind##_double, kind##_whole, kind##_unsigned,
#include "ir/ScalarFunctions.def"
  // dst, a: conversions; `aux` is the Element or 1 for u64.
  wrap,
  widen,
  narrow,
  wholeToSingle,
  wholeToDouble,
  singleToWhole,
  doubleToWhole,
  singleToBool,
  doubleToBool,
  wholeToBool,
  roundHalf,
  // Control. Targets are indices of instructions.
  enter,        // a: block; counts it and its steps
  move,         // dst, a
  moveTaint,    // dst, a; in doubt if bool b is
  jump,         // a
  jumpUnless,   // a, target b; aux: a side may fail
  increment,    // dst
  loopUp,       // dst = a; to c unless dst < b; aux - 1: accumulator that the bounds' doubt taints
  loopUpNext,   // ++dst; to c if dst < b
  loopUpBy,     // dst += a; to c if dst < b
  loopDown,     // dst = b - 1; to c unless dst >= a; aux as above
  loopDownNext, // --dst; to c if dst >= a
  emptyFold,    // a fold with no identity met an empty domain
  require,      // a: condition; aux: status as a positive number; b: text
  finish,       // end of the procedure
  // Accumulators: dst is one; aux the Reduction; term a, position b; results to dst from
  // accumulator a.
  startSingle,
  startDouble,
  startWhole,
  termSingle,
  termDouble,
  termWhole, // c: 1 for u64
  endSingle,
  endDouble,
  endWhole, // b: Element; c: 1 for u64
  // Arrays: subscripts are `c` slots listed from `b`, then a mask of checked axes; aux is the rank
  // of view a.
  load,
  subArray,
  makeArray, // dst; a: gen
  call,      // a: kernel; b: list of results then operands; aux: how many results
  mark,      // dst: arrays alive now
  release,   // a: back to that mark
  // Memory (onf): buffer a, offset b.
  loadBuffer,   // dst
  storeBuffer,  // dst: the value; aux: StoreEvent
  updateBuffer, // dst: the value; aux: the Reduction; c: 1 for u64
  allocBuffer,  // a: buffer; b: size
  teamBegin,
  teamEnd,
  sharedLoop, // a parallel loop begins: iterations from here on may not touch each other's elements
  iteration,  // one of them begins
  sharedLoopEnd, // dst: slot that holds what `sharedLoop` replaced
  fail,          // aux: status as a positive number
  doubtBegin,    // a: condition of the statements until doubtEnd
  doubtEnd,
};

struct Instr {
  Op op;
  uint16_t aux = 0;
  uint32_t dst = 0, a = 0, b = 0, c = 0;
};

/// A run of instructions without a branch: what one execution of it counts.
struct Block {
  uint32_t steps = 0;
  std::map<std::string, uint32_t> operations, points;
  uint32_t visits = 0; ///< points of reductions that may be regrouped
  std::map<std::string, Traffic> buffers;
};

struct Procedure {
  std::vector<Instr> code;
  std::vector<uint32_t> lists;
  std::vector<Slot> slots; ///< initial contents: constants, else zero
  uint32_t accumulators = 0;
};

struct Capture {
  uint32_t from, to;
  bool isArray;
};

struct GenCode {
  std::string name;
  uint32_t procedure = 0, result = 0;
  Element element = Element::F64;
  std::vector<uint32_t> extents; ///< slots of the enclosing procedure
  std::vector<Capture> captures;
  bool mayFail = false;
};

struct ArraySignature {
  std::string name;
  Element element = Element::F64;
  std::vector<uint32_t> extents; ///< slots of the kernel's procedure
  bool columnMajor = false;
};

/// A kernel or onf.func. Slots: symbols, scalars, inputs (and nothing else in fixed places).
struct KernelCode {
  std::string name;
  uint32_t procedure = 0;
  std::vector<std::string> symbols;
  std::vector<std::string> scalarNames;
  std::vector<Element> scalars;
  std::vector<bool> weakScalars;
  std::vector<ArraySignature> inputs, results;
  std::vector<uint32_t> returned; ///< slots of the result views
  std::vector<std::pair<shape::Expr, uint32_t>> extents;
};

enum class Space : uint8_t { input, output, shared, thread, local };
struct BufferCode {
  std::string name;
  Element element = Element::F64;
  Space space = Space::local;
  bool refilled = false; ///< holds copies for a while: nothing in it is final
};

struct Program {
  std::deque<Procedure> procedures;
  std::deque<GenCode> gens;
  std::deque<KernelCode> kernels; ///< the first is the one to run
  std::vector<Block> blocks;
  std::vector<BufferCode> buffers; ///< inputs and outputs first
  std::vector<std::string> texts;
};

/// How values of an element type are computed: in f32 or f64 arithmetic or as integers.
enum class Class : uint8_t { Single, Double, Whole };
inline Class classOf(Element type) {
  return type == Element::F64 ? Class::Double : isFloat(type) ? Class::Single : Class::Whole;
}

} // namespace moac::interp

#endif
