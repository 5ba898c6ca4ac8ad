// The instruction loop of the interpreter. One case an instruction; the scalar functions come from
// the table.
#include "ir/InterpreterMachine.h"

#include <fmt/format.h>

namespace moac::interp {

using eval::Double;
using eval::Number;
using eval::Reduction;
using eval::Single;
using eval::Whole;

namespace {
template <class P> Number<P> get(const Slot &slot) {
  if constexpr (std::is_same_v<P, Double>)
    return {slot.wide, slot.bound};
  else
    return {slot.narrow, slot.bound};
}
Whole whole(const Slot &slot) { return {slot.whole, slot.bound}; }
void put(Slot &slot, Number<Double> value) { slot.wide = value.value, slot.bound = value.bound; }
void put(Slot &slot, Number<Single> value) { slot.narrow = value.value, slot.bound = value.bound; }
void put(Slot &slot, Whole value) { slot.whole = value.value, slot.bound = value.doubt; }

bool isMin(Reduction kind) { return kind == Reduction::min || kind == Reduction::argmin; }

template <class P>
void term(eval::Accumulator &to, Reduction kind, Number<P> value, int64_t position) {
  switch (kind) {
  case Reduction::add:
    return to.addTerm<P>(value);
  case Reduction::mul:
    return to.mulTerm<P>(value);
  case Reduction::max:
    return to.maxTerm<P>(value, 1);
  case Reduction::min:
    return to.maxTerm<P>(value, -1);
  default:
    return to.argTerm<P>(value, position, isMin(kind) ? -1 : 1);
  }
}

template <class P> void end(Slot &to, const eval::Accumulator &from, Reduction kind) {
  switch (kind) {
  case Reduction::add:
    return put(to, from.sum<P>());
  case Reduction::mul:
    return put(to, from.product<P>());
  case Reduction::max:
    return put(to, from.extreme<P>(1));
  case Reduction::min:
    return put(to, from.extreme<P>(-1));
  default:
    return put(to, from.position<P>());
  }
}
} // namespace

Machine::Machine(const Program &program, const Limits &limits)
    : program(program), limits(limits), blockCounts(program.blocks.size()) {
  for (const Block &block : program.blocks)
    blockSteps.push_back(block.steps);
}

void Machine::fail(Status status, const std::string &message) {
  if (!isOnf && !limits.onward)
    throw Stop{Ending::Returned, status, message};
  uncertain = uncertain || (recorded != Status::Ok && recorded != status);
  failures.insert(status);
  if (recorded == Status::Ok)
    recorded = status;
}

void Machine::require(const Instr &instr, const Slot &condition) {
  uncertain = uncertain || condition.bound != 0;
  if (!condition.whole)
    throw Stop{Ending::Returned, static_cast<Status>(-instr.aux), program.texts[instr.b]};
}

Whole Machine::divide(Op op, Whole a, Whole b, bool checked) {
  uncertain = uncertain || (checked && b.doubt != 0);
  if (b.value == 0) {
    if (!checked && b.doubt == 0)
      invalid("a divisor that was taken as proved nonzero is 0");
    fail(Status::DivisionByZero, "integer division by zero");
    return {0, eval::unknown};
  }
  double doubt = a.doubt + b.doubt;
  auto x = static_cast<uint64_t>(a.value), y = static_cast<uint64_t>(b.value);
  switch (op) {
  case Op::floordiv_whole:
    return {eval::floordivWhole(a.value, b.value), doubt};
  case Op::mod_whole:
    return {eval::modWhole(a.value, b.value), doubt};
  case Op::floordiv_unsigned:
    return {eval::wrap(x / y), doubt};
  default:
    return {eval::wrap(x % y), doubt};
  }
}

uint64_t Machine::charge(int64_t elements, uint64_t bytesEach) {
  uint64_t size;
  if (__builtin_mul_overflow(static_cast<uint64_t>(elements), bytesEach, &size) ||
      size > limits.bytes || bytes + size > limits.bytes)
    throw Stop{Ending::MemoryLimit, Status::Ok, "memory limit reached"};
  bytes += size;
  return size;
}

Frame Machine::push(const Procedure &procedure) {
  Frame frame{slotPool.push(procedure.slots.size()), accumulatorPool.push(procedure.accumulators)};
  std::copy(procedure.slots.begin(), procedure.slots.end(), frame.slots);
  return frame;
}

void Machine::pop() {
  slotPool.pop();
  accumulatorPool.pop();
}

// The scalar functions, by class and arity. `kind` may spell an operator (and, or, not), so it is
// only pasted.
#define FLOAT_1(kind)                                                                              \
  case Op::kind##_single:                                                                          \
    put(dst, eval::kind<Single>(get<Single>(r[i.a])));                                             \
    break;                                                                                         \
  case Op::kind##_double:                                                                          \
    put(dst, eval::kind<Double>(get<Double>(r[i.a])));                                             \
    break;
#define FLOAT_2(kind)                                                                              \
  case Op::kind##_single:                                                                          \
    put(dst, eval::kind<Single>(get<Single>(r[i.a]), get<Single>(r[i.b])));                        \
    break;                                                                                         \
  case Op::kind##_double:                                                                          \
    put(dst, eval::kind<Double>(get<Double>(r[i.a]), get<Double>(r[i.b])));                        \
    break;
#define FLOAT_3(kind)                                                                              \
  case Op::kind##_single:                                                                          \
    put(dst, eval::kind<Single>(get<Single>(r[i.a]), get<Single>(r[i.b]), get<Single>(r[i.c])));   \
    break;                                                                                         \
  case Op::kind##_double:                                                                          \
    put(dst, eval::kind<Double>(get<Double>(r[i.a]), get<Double>(r[i.b]), get<Double>(r[i.c])));   \
    break;
#define WHOLE_1(kind)                                                                              \
  case Op::kind##_whole:                                                                           \
    put(dst, eval::kind(whole(r[i.a])));                                                           \
    break;
#define WHOLE_2(kind)                                                                              \
  case Op::kind##_whole:                                                                           \
    put(dst, eval::kind(whole(r[i.a]), whole(r[i.b])));                                            \
    break;
#define UNSIGNED_2(kind)                                                                           \
  case Op::kind##_unsigned:                                                                        \
    put(dst, eval::kind(eval::flip(whole(r[i.a])), eval::flip(whole(r[i.b]))));                    \
    break;
#define EXTREME(kind)                                                                              \
  FLOAT_2(kind)                                                                                    \
  WHOLE_2(kind)                                                                                    \
  case Op::kind##_unsigned                                                                         \
      : put(dst, eval::flip(eval::kind(eval::flip(whole(r[i.a])), eval::flip(whole(r[i.b])))));    \
  break;
#define COMPARE(kind) FLOAT_2(kind) WHOLE_2(kind) UNSIGNED_2(kind)
#define DIVISION(kind)                                                                             \
  FLOAT_2(kind)                                                                                    \
  case Op::kind##_whole:                                                                           \
  case Op::kind##_unsigned:                                                                        \
    put(dst, divide(i.op, whole(r[i.a]), whole(r[i.b]), i.aux != 0));                              \
    break;

void Machine::run(const Procedure &procedure, Frame frame) {
  const Instr *code = procedure.code.data(), *next = code;
  const uint32_t *lists = procedure.lists.data();
  Slot *r = frame.slots;
  for (;;) {
    const Instr &i = *next++;
    Slot &dst = r[i.dst];
    switch (i.op) {
      FLOAT_2(add)
      WHOLE_2(add)
      FLOAT_2(sub) WHOLE_2(sub) FLOAT_2(mul) WHOLE_2(mul) FLOAT_1(neg) WHOLE_1(neg) FLOAT_1(abs)
          WHOLE_1(abs) EXTREME(min) EXTREME(max) COMPARE(eq) COMPARE(ne) COMPARE(lt) COMPARE(le)
              COMPARE(gt) COMPARE(ge) DIVISION(floordiv) DIVISION(mod) FLOAT_2(div) FLOAT_2(pow)
                  FLOAT_3(fma) FLOAT_1(exp) FLOAT_1(exp2) FLOAT_1(log) FLOAT_1(log2) FLOAT_1(sqrt)
                      FLOAT_1(rsqrt) FLOAT_1(tanh) FLOAT_1(sigmoid) FLOAT_1(erf) FLOAT_1(sin)
                          FLOAT_1(cos) FLOAT_1(floor) FLOAT_1(ceil)
                              FLOAT_1(round) case Op::and_whole
          : put(dst, eval::logicAnd(whole(r[i.a]), whole(r[i.b])));
      break;
    case Op::or_whole:
      put(dst, eval::logicOr(whole(r[i.a]), whole(r[i.b])));
      break;
    case Op::not_whole:
      put(dst, eval::logicNot(whole(r[i.a])));
      break;

    case Op::wrap:
      put(dst, Whole{wrapTo(static_cast<Element>(i.aux), r[i.a].whole), r[i.a].bound});
      break;
    case Op::widen:
      put(dst, eval::widen(get<Single>(r[i.a])));
      break;
    case Op::narrow:
      put(dst, eval::narrow(get<Double>(r[i.a])));
      break;
    case Op::wholeToSingle:
      put(dst, eval::fromWhole<Single>(whole(r[i.a]), i.aux));
      break;
    case Op::wholeToDouble:
      put(dst, eval::fromWhole<Double>(whole(r[i.a]), i.aux));
      break;
    case Op::singleToWhole:
      put(dst, eval::toWhole<Single>(get<Single>(r[i.a]), static_cast<Element>(i.aux)));
      break;
    case Op::doubleToWhole:
      put(dst, eval::toWhole<Double>(get<Double>(r[i.a]), static_cast<Element>(i.aux)));
      break;
    case Op::singleToBool:
      put(dst, eval::toBool<Single>(get<Single>(r[i.a])));
      break;
    case Op::doubleToBool:
      put(dst, eval::toBool<Double>(get<Double>(r[i.a])));
      break;
    case Op::wholeToBool:
      put(dst, Whole{r[i.a].whole != 0, r[i.a].bound});
      break;
    case Op::roundHalf: {
      Number<Single> from = get<Single>(r[i.a]);
      if (i.b)
        from.value = static_cast<double>(r[i.a].wide);
      put(dst, eval::roundHalf(from, static_cast<Element>(i.aux)));
      break;
    }

    case Op::enter:
      countBlock(i.a);
      break;
    case Op::move:
      dst = r[i.a];
      break;
    case Op::moveTaint:
      dst = r[i.a];
      dst.bound += r[i.b].bound;
      break;
    case Op::jump:
      next = code + i.a;
      break;
    case Op::jumpUnless:
      if (i.aux && r[i.a].bound != 0)
        uncertain = true;
      if (!r[i.a].whole)
        next = code + i.b;
      break;
    case Op::increment:
      ++dst.whole;
      break;
    case Op::loopUp:
    case Op::loopDown: {
      double doubt = r[i.a].bound + r[i.b].bound;
      if (i.aux)
        frame.accumulators[i.aux - 1].taint(doubt);
      bool empty = r[i.a].whole >= r[i.b].whole;
      dst = i.op == Op::loopUp ? r[i.a] : r[i.b];
      dst.whole -= i.op == Op::loopDown && !empty;
      dst.bound = doubt;
      if (empty)
        next = code + i.c;
      break;
    }
    case Op::loopUpNext:
      if (++dst.whole < r[i.b].whole)
        next = code + i.c;
      break;
    case Op::loopUpBy:
      dst.whole += r[i.a].whole;
      if (dst.whole < r[i.b].whole)
        next = code + i.c;
      break;
    case Op::loopDownNext:
      if (--dst.whole >= r[i.a].whole)
        next = code + i.c;
      break;
    case Op::emptyFold:
      fail(Status::Constraint, "a fold without an identity has an empty domain");
      break;
    case Op::require:
      require(i, r[i.a]);
      break;
    case Op::finish:
      return;

    case Op::startSingle:
      frame.accumulators[i.dst].start<Single>(static_cast<Reduction>(i.aux));
      break;
    case Op::startDouble:
      frame.accumulators[i.dst].start<Double>(static_cast<Reduction>(i.aux));
      break;
    case Op::startWhole:
      frame.accumulators[i.dst].startWhole(static_cast<Reduction>(i.aux));
      break;
    case Op::termSingle:
      term<Single>(frame.accumulators[i.dst], static_cast<Reduction>(i.aux), get<Single>(r[i.a]),
                   r[i.b].whole);
      break;
    case Op::termDouble:
      term<Double>(frame.accumulators[i.dst], static_cast<Reduction>(i.aux), get<Double>(r[i.a]),
                   r[i.b].whole);
      break;
    case Op::termWhole:
      frame.accumulators[i.dst].wholeTerm(static_cast<Reduction>(i.aux), whole(r[i.a]),
                                          r[i.b].whole, i.c);
      break;
    case Op::endSingle:
      end<Single>(dst, frame.accumulators[i.a], static_cast<Reduction>(i.aux));
      break;
    case Op::endDouble:
      end<Double>(dst, frame.accumulators[i.a], static_cast<Reduction>(i.aux));
      break;
    case Op::endWhole:
      put(dst, frame.accumulators[i.a].whole(static_cast<Reduction>(i.aux),
                                             static_cast<Element>(i.b), i.c));
      break;

    case Op::load:
      loadElement(i, lists + i.b, r);
      break;
    case Op::subArray:
      subArray(i, lists + i.b, r);
      break;
    case Op::makeArray:
      makeArray(program.gens[i.a], r, dst);
      break;
    case Op::call:
      call(i, lists + i.b, r);
      break;
    case Op::mark:
      dst.whole = static_cast<int64_t>(arrays.size());
      break;
    case Op::release:
      release(static_cast<size_t>(r[i.a].whole));
      break;

    case Op::loadBuffer:
      loadBuffer(i.a, r[i.b].whole, dst);
      dst.bound += r[i.b].bound;
      break;
    case Op::storeBuffer:
      storeBuffer(i.a, r[i.b].whole, dst, static_cast<StoreEvent>(i.aux));
      break;
    case Op::updateBuffer:
      (i.c & 2) != 0 ? updateAtomically(i.a, r[i.b].whole, dst, i) : updateBuffer(i.a, r[i.b].whole, dst, i);
      break;
    case Op::allocBuffer:
      allocate(i.a, r[i.b].whole);
      break;
    case Op::teamBegin:
      inTeam = true;
      team = current = ++lastIteration;
      break;
    case Op::teamEnd:
      inTeam = false;
      team = current = ++lastIteration;
      break;
    case Op::sharedLoop:
      dst.whole = current;
      loopStart = lastIteration + 1;
      break;
    case Op::iteration:
      current = ++lastIteration;
      break;
    case Op::sharedLoopEnd:
      current = static_cast<uint32_t>(dst.whole);
      loopStart = 0;
      break;
    case Op::fail:
      fail(static_cast<Status>(-static_cast<int>(i.aux)), "onf.fail");
      break;
    case Op::doubtBegin:
      doubtDepth += r[i.a].bound != 0;
      break;
    case Op::doubtEnd:
      doubtDepth -= r[i.a].bound != 0;
      break;
    default:
      invalid("an operation that no type supports");
    }
  }
}

} // namespace moac::interp
