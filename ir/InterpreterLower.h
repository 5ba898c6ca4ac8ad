// Writing interpreter code from MLIR regions, once, before anything is evaluated.
//
// A Lowering holds the program; a Code writes one procedure of it. Values of enclosing procedures
// are captured on first use. InterpreterLower.cpp has the scalars and what both dialects share,
// InterpreterLowerMoa.cpp arrays, reductions and calls, InterpreterLowerOnf.cpp loops and memory.
#ifndef MOAC_IR_INTERPRETERLOWER_H
#define MOAC_IR_INTERPRETERLOWER_H

#include "ir/InterpreterCode.h"
#include "ir/Onf.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace moac::interp {

/// The Element of a scalar type of the language; `index` computes as i64.
Element elementOf(mlir::Type type);
/// True if evaluating the operation or what is in its regions could return a status: a checked read
/// or division, a call, a fold that needs terms.
bool mayFail(mlir::Operation *op);

/// The whole program being written. A refusal keeps its first reason.
struct Lowering {
  Program program;
  std::string refusal;
  llvm::DenseMap<mlir::Operation *, uint32_t> kernels;
  llvm::DenseSet<mlir::Operation *> beingLowered;
  llvm::DenseSet<mlir::Operation *> hoisted; ///< lowered before the region in which they stand
  llvm::DenseMap<mlir::Operation *, bool> failing, byNeed, unused; ///< answers of canFail, isByNeed and isUnused
  mlir::Operation *main = nullptr;                         ///< the kernel to run

  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &reason);
  /// Index of the kernel in the program.
  mlir::FailureOr<uint32_t> kernel(moa::KernelOp kernel);
  mlir::LogicalResult function(onf::FuncOp function);
  bool canFail(mlir::Operation *op);
  bool isByNeed(mlir::Operation *op);
  bool isUnused(mlir::Operation *op);
  bool passedByNeed(mlir::BlockArgument argument);
};

class Code {
public:
  Code(Lowering &shared, Code *outer, std::string name);

  /// A new slot for a value that this procedure computes.
  uint32_t define(mlir::Value value);
  /// Slot of a value that exists: this procedure's own, or captured from the enclosing one.
  uint32_t slot(mlir::Value value);
  /// Slot that holds an extent, evaluated when the kernel is entered.
  uint32_t extentSlot(const shape::Expr &extent);
  void bind(mlir::Value value, uint32_t to) { slots[value] = to; }
  /// `value` is the element of the array of rank 0 at `to`.
  void bindByNeed(mlir::Value value, uint32_t to) { byNeed[value] = to; }
  uint32_t fresh();
  uint32_t number(int64_t value);
  size_t emit(Op op, unsigned aux = 0, uint32_t dst = 0, uint32_t a = 0, uint32_t b = 0,
              uint32_t c = 0);
  /// Starts a block here (a target of jumps) and returns its address.
  uint32_t label();
  uint32_t here() const { return static_cast<uint32_t>(procedure().code.size()); }
  Instr &at(size_t address) { return procedure().code[address]; }
  uint32_t list(llvm::ArrayRef<uint32_t> entries);
  Block &block() { return shared.program.blocks[current]; }
  Procedure &procedure() const { return shared.program.procedures[id]; }

  /// Everything but the terminator.
  mlir::LogicalResult lower(mlir::Block &block);
  /// The same; arrays made inside are gone afterwards.
  mlir::LogicalResult lowerScoped(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  uint32_t addSignature(mlir::ArrayAttr names, unsigned index, moa::ArrayType type,
                        std::vector<ArraySignature> &to);

  Lowering &shared;
  Code *outer;
  std::string name; ///< the array being defined, for the counts
  uint32_t id;      ///< of the procedure
  std::vector<Capture> captures;
  std::map<std::string, uint32_t> extents;
  std::vector<std::pair<shape::Expr, uint32_t>> entryExtents; ///< of a kernel's own procedure
  llvm::SmallVector<uint32_t> returned;
  llvm::DenseMap<mlir::Value, uint32_t> buffers;

private:
  mlir::LogicalResult lowerByNeed(mlir::Operation *op);
  mlir::FailureOr<uint32_t> arrayByNeed(mlir::Value value, llvm::function_ref<mlir::LogicalResult(Code &)> element);
  std::optional<uint32_t> byNeedSlot(mlir::Value value);
  uint32_t arrayOf(mlir::Value scalar);
  mlir::LogicalResult hoist(mlir::Region &region);
  mlir::LogicalResult constant(mlir::Operation *op, mlir::TypedAttr attribute, uint32_t to);
  mlir::LogicalResult scalar(moa::ScalarOp op);
  mlir::LogicalResult conversion(moa::CastOp op);
  mlir::LogicalResult where(moa::WhereOp op);
  void convert(Element from, Element to, uint32_t dst, uint32_t source);
  mlir::LogicalResult require(mlir::Operation *op, mlir::Value condition, llvm::StringRef status,
                              llvm::StringRef text);

  mlir::LogicalResult moaOp(mlir::Operation *op);
  mlir::LogicalResult gen(moa::GenOp op);
  mlir::LogicalResult psi(moa::PsiOp op);
  mlir::LogicalResult call(moa::CallOp op);
  mlir::LogicalResult red(moa::RedOp op);

  /// What a reduction is, whichever operation it comes from.
  struct Reduced {
    mlir::Operation *op;
    llvm::StringRef kind;
    Element element;          ///< of the terms
    mlir::TypedAttr identity; ///< of a fold, or null
    mlir::Block *combine;     ///< of a fold, or null
    bool counts = false;      ///< argmax over several indices gives a position
  };
  struct Term {
    uint32_t value, index;
  };
  /// Writes the loops around what it is given, which taint accumulator number `first argument` - 1.
  using Nest = llvm::function_ref<mlir::LogicalResult(
      unsigned, llvm::function_ref<mlir::LogicalResult()>)>;
  using MakeTerm = llvm::function_ref<mlir::FailureOr<Term>()>;
  mlir::LogicalResult reduce(const Reduced &reduced, uint32_t to, Nest nest, MakeTerm term);
  mlir::LogicalResult accumulate(const Reduced &reduced, uint32_t to, Nest nest, MakeTerm term);
  mlir::LogicalResult fold(const Reduced &reduced, uint32_t to, Nest nest, MakeTerm term);

  // The operator form: every operation is the array of its index law.
  using Indices = llvm::ArrayRef<uint32_t>;
  using ElementCode = llvm::function_ref<mlir::FailureOr<uint32_t>(Code &, Indices)>;
  mlir::LogicalResult structureOp(mlir::Operation *op);
  mlir::LogicalResult array(mlir::Operation *op, ElementCode element);
  mlir::FailureOr<uint32_t> elementOfStructure(mlir::Operation *op, Indices index);
  mlir::FailureOr<uint32_t> movedElement(mlir::Operation *op, Indices index);
  mlir::FailureOr<uint32_t> catElement(moa::CatOp op, Indices index);
  mlir::FailureOr<uint32_t> reshapeElement(moa::ReshapeOp op, Indices index);
  mlir::FailureOr<uint32_t> vectorElement(moa::VectorOp op, Indices index);
  mlir::FailureOr<uint32_t> iotaElement(moa::IotaOp op, Indices index);
  mlir::FailureOr<uint32_t> omegaElement(moa::OmegaOp op, Indices index);
  mlir::FailureOr<uint32_t> along(const Reduced &reduced, uint32_t high,
                                  llvm::function_ref<mlir::FailureOr<uint32_t>(uint32_t)> term);
  mlir::FailureOr<uint32_t> regionValue(mlir::Block &block, Indices arguments);
  uint32_t whole(moa::ScalarFn fn, uint32_t a, uint32_t b);
  uint32_t read(mlir::Value array, Indices subscripts, uint32_t checked = 0);
  uint32_t read(uint32_t array, unsigned rank, Indices subscripts, uint32_t checked = 0);
  /// Loops over the indices from `k` on around what `innermost` writes.
  mlir::LogicalResult loops(moa::RedOp op, unsigned k, unsigned accumulator, bool down,
                            llvm::SmallVectorImpl<uint32_t> &indices,
                            llvm::function_ref<mlir::LogicalResult()> innermost);

  mlir::LogicalResult onfOp(mlir::Operation *op);
  mlir::LogicalResult loop(onf::ForOp op);
  mlir::LogicalResult condition(onf::IfOp op);
  mlir::LogicalResult memory(mlir::Operation *op);
  uint32_t offsetSlot(mlir::Value offset) { return offset ? slot(offset) : number(0); }

  uint32_t current = 0; ///< block
  llvm::DenseMap<mlir::Value, uint32_t> slots, byNeed; ///< values; arrays that hold values
  std::map<int64_t, uint32_t> numbers;
  unsigned sharedLevels = 0; ///< of the parallel nest still to come
  bool inSharedLoop = false;
};

} // namespace moac::interp

#endif
