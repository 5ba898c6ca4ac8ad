// The translation of one kernel's body to the moa dialect. Internal to the frontend; the entry is
// AstToMoa.h.
//
// visit() turns an expression into a Val at the builder's place. A definition is built in a block
// of its own; when its right side is complete the extents of its indices are settled, its reads are
// judged, and it becomes a moa.gen. The methods stand in files by subject: Expressions, Conditions,
// Functions, Subscripts, Reductions, WordReductions, Elementwise, Definitions, KernelEntry,
// KernelCalls.
#ifndef MOAC_FRONTEND_ANALYZER_H
#define MOAC_FRONTEND_ANALYZER_H

#include "frontend/Scope.h"
#include "frontend/Signature.h"

namespace moac::sema {

/// A condition at a kernel's entry that is not one of the user's constraints: fn(value, 0), unless
/// one of `others` is not positive.
struct Demand {
  moa::ScalarFn fn; ///< ge, gt, eq or ne
  shape::Expr value;
  std::string_view status;
  std::vector<shape::Expr> others;
};
/// By kernel, for those that are analysed already. A caller takes its callees' demands over.
using Demands = std::map<std::string, std::vector<Demand>, std::less<>>;

class Analyzer {
public:
  Analyzer(const Items &items, const KernelInfo &info, Demands &demands, Diagnostics &diags,
           mlir::ModuleOp module);
  ~Analyzer();

  /// Appends the kernel to the module. Every problem is reported; after an error what was built is
  /// not valid.
  void run();

private:
  using Vals = std::vector<Val>;

  // Expressions: one node each.
  Val visit(const ast::Expr &expr);
  Val dispatch(const ast::Expr &expr);
  Val constant(const ast::Constant &expr);
  Val nameUse(const ast::NameUse &use);
  Val entityValue(Entity &entity, SourceRange range);
  Val unary(const ast::Unary &expr);
  Val binary(const ast::Binary &expr);
  Val poison() { return {}; }
  Val notYet(SourceRange range, std::string_view what);
  void unknownName(const std::string &name, SourceRange range);

  // Functions: a scalar function on values, element by element when one of them is an array.
  Val apply(const ast::FnRef &fn, Vals args, SourceRange at);
  Val applyScalar(const ast::FnRef &fn, const Vals &args, SourceRange at);
  Val symbolOp(ast::Op op, const Vals &args, SourceRange at, std::string_view text);
  Val arith(moa::ScalarFn fn, const Vals &args, SourceRange at, std::string_view text);
  Val floatFn(moa::ScalarFn fn, const Vals &args, SourceRange at, std::string_view text);
  Val divide(const Vals &args, SourceRange at);
  Val floorDivide(bool modulus, const Vals &args, SourceRange at);
  Val compareOp(moa::ScalarFn fn, const Vals &args, SourceRange at, std::string_view text);
  Val logicOp(moa::ScalarFn fn, const Vals &args, SourceRange at, std::string_view text);
  Val funcCall(Func func, const Vals &args, SourceRange at);
  Val maxMin(bool max, const Vals &args, SourceRange at);
  Val callFn(const ast::Fn &fn, const Vals &args, SourceRange at);
  Val call(const ast::Call &expr);
  bool checkArity(const ast::FnRef &fn, size_t found, SourceRange at);
  bool isBool(const Val &value, std::string_view what);

  // Conditions: what is evaluated only when needed.
  struct Branch {
    std::unique_ptr<mlir::Block> block;
    Val val;
  };
  Branch branch(mlir::Value guard, bool holds, const std::function<Val()> &fill);
  Val where(const ast::Call &expr);
  Val whereScalars(const Val &condition, Branch yes, Branch no, SourceRange at);
  Val whereArrays(const Val &condition, Branch yes, Branch no, SourceRange at);
  Val logical(const ast::Logical &expr);
  Val compare(const ast::Compare &expr);
  Val chain(const ast::Compare &expr, size_t at, Val lhs);
  Val lazyLogic(bool isAnd, Val lhs, const std::function<Val()> &rhs, SourceRange at,
                std::string_view text);

  // Subscripts.
  Val index(const ast::Index &expr);
  Val read(const Val &array, const ast::Index &expr, llvm::ArrayRef<mlir::Value> subscripts,
           std::vector<IndexInfo *> direct);
  Val element(const Val &array, llvm::ArrayRef<mlir::Value> subscripts, SourceRange at);
  ArrayOrigin originOf(const ast::Expr &expr);
  IndexInfo *asIndex(const ast::Expr &expr);

  // Reductions.
  struct Bound {
    IndexInfo *info = nullptr;
    std::unique_ptr<mlir::Block> domain; ///< its region: arguments are the earlier indices
  };
  struct RedKind {
    std::string kind; ///< of moa.red; empty for mean and logsumexp, which are formulas
    const ast::FnRef *fold = nullptr;
    std::optional<double> identity; ///< of a fold
  };
  Val reduce(const ast::Reduce &expr);
  std::optional<RedKind> redKind(const ast::Reduce &expr);
  bool bind(const ast::Reduce &expr, mlir::Block &term, std::vector<Bound> &bounds);
  bool bindDomain(const ast::Bind &bind, unsigned position, std::vector<Bound> &bounds);
  bool finishDomains(const ast::Reduce &expr, std::vector<Bound> &bounds);
  Val finishRed(const ast::Reduce &expr, const RedKind &kind, std::unique_ptr<mlir::Block> term,
                std::vector<Bound> bounds, Val value);
  std::optional<Meeting> accumulator(const ast::Reduce &expr, const RedKind &kind,
                                     const Val &value);
  std::unique_ptr<mlir::Block> combineBlock(const ast::FnRef &fn, const Meeting &type,
                                            SourceRange at);
  bool checkRedTerm(const RedKind &kind, const Val &value, std::string_view word, SourceRange at);
  mlir::Value makeRed(std::string_view kind, mlir::Type type, mlir::TypedAttr identity,
                      std::unique_ptr<mlir::Block> term, std::vector<Bound> bounds,
                      std::unique_ptr<mlir::Block> combine, SourceRange at);
  void requireNonEmpty(const ast::Reduce &expr, const std::vector<Bound> &bounds);

  // Reduction words on whole arrays: along the leading axis.
  using ElementAt =
      llvm::function_ref<mlir::Value(mlir::Value)>; ///< the element of a cell at an index value
  Val prefixWord(const ast::PrefixWord &expr);
  Val reduceArray(Word word, const Val &array, SourceRange at);
  Val reduceCell(Word word, ElementAt cell, const shape::Expr &extent, mlir::Type type,
                 SourceRange at);
  mlir::Value logsumexp(ElementAt cell, const shape::Expr &extent, mlir::Type type, SourceRange at);
  Val softmax(const Val &array, SourceRange at);
  bool checkWordOperand(Word word, const Val &array, SourceRange at);
  mlir::Value simpleRed(std::string_view kind, mlir::Type type, const shape::Expr &extent,
                        SourceRange at, ElementAt term);
  /// The array over all axes but the first of what `body` makes of the remaining subscripts.
  Val overRest(const Val &array, SourceRange at,
               const std::function<Val(llvm::ArrayRef<mlir::Value>)> &body);

  // Element by element.
  using Elements = std::function<Val(unsigned)>; ///< the scalar of argument i at the index at hand
  Val mapArrays(const Vals &args, SourceRange at, const std::function<Val(const Elements &)> &body);
  Val generate(const std::vector<shape::Expr> &extents, SourceRange at,
               const std::function<Val(llvm::ArrayRef<mlir::Value>)> &body);
  std::optional<std::vector<shape::Expr>> commonShape(const Vals &args, SourceRange at);
  Val makeGen(const std::string &name, const std::vector<std::string> &indices, moa::ArrayType type,
              std::unique_ptr<mlir::Block> body, SourceRange at);
  std::string freshName();
  std::string freshIndex(std::string wanted);
  mlir::Value extentValue(const shape::Expr &extent, SourceRange at);

  // Definitions.
  void define(const ast::Stmt &stmt);
  void defineIndexed(const ast::Define &define);
  void defineWhole(const ast::Define &define);
  void defineMany(const ast::DefineMany &define);
  bool bindLeft(const ast::Define &define, mlir::Block &block, std::vector<IndexInfo *> &indices);
  bool giveExtent(const ast::LhsIndex &lhs, IndexInfo &index, const ParamInfo *result,
                  unsigned axis);
  void finishIndexed(const ast::Define &define, const std::vector<IndexInfo *> &indices,
                     std::unique_ptr<mlir::Block> block, const Val &value);
  void finishScalar(const ast::Define &define, std::unique_ptr<mlir::Block> block,
                    const Val &value);
  Val nameArray(const Val &array, const ast::Name &name, SourceRange at);
  Val copyArray(const Val &array, const std::string &name, moa::ArrayType type, SourceRange at);
  void declareValue(const ast::Name &name, Val value);
  const ParamInfo *resultNamed(std::string_view name) const;
  bool sameShape(const Val &value, const ParamInfo &result, SourceRange at);
  void discard(std::unique_ptr<mlir::Block> block);

  // Entry and end of the kernel.
  void createKernel();
  void addConstraints();
  void addNeeds(const std::vector<ExtentNeed> &needs);
  void requireExtent(const shape::Expr &extent, SourceRange at, const std::string &text);
  void require(mlir::Value condition, std::string_view status, const std::string &text,
               SourceRange at);
  void demand(const Demand &demand, const std::string &text, SourceRange at);
  bool holds(const Demand &demand);
  mlir::Value conditionOf(const Demand &demand, SourceRange at);
  moa::ArrayType arrayType(const ParamInfo &param);
  moa::ArrayType arrayType(const ParamInfo &param, const std::vector<shape::Expr> &extents);
  mlir::Value argumentNamed(std::string_view name);
  mlir::Value argument(const ParamInfo &param);
  void atEntry(const std::function<void()> &build);
  std::optional<shape::Expr> extent(const ast::Expr &expr);
  void finish();
  void warnUnread();

  // Calls of kernels.
  struct CallSite {
    const KernelInfo *callee;
    SourceRange name, range;
    const std::vector<ast::ExprPtr> *args;
  };
  std::optional<Vals> callKernel(const CallSite &site, const std::string &prefix);
  bool unify(const CallSite &site, const Vals &args, std::map<std::string, shape::Expr> &symbols);
  bool checkArguments(const CallSite &site, const Vals &args,
                      const std::map<std::string, shape::Expr> &symbols);
  bool checkConditions(const CallSite &site, const Vals &args,
                       const std::map<std::string, shape::Expr> &symbols);
  bool calleeConstraint(const CallSite &site, const ast::Expr &constraint, const Vals &args,
                        const std::map<std::string, shape::Expr> &symbols);
  std::optional<llvm::SmallVector<mlir::Value>>
  callOperands(const CallSite &site, const Vals &args,
               const std::map<std::string, shape::Expr> &symbols);
  bool knownAtEntry(const shape::Expr &e);
  void judgeLater(const std::function<mlir::Value()> &build, const CallSite &site,
                  const std::string &text);
  bool isExtent(const shape::Expr &e);
  void defineByCall(const std::vector<ast::Name> &targets, const CallSite &site, SourceRange at);
  Val kernelInExpression(const ast::Call &expr, const KernelInfo &callee);

  const Items &items;
  const KernelInfo &info;
  Demands &demands;
  Diagnostics &diags;
  mlir::ModuleOp module;
  moa::KernelOp kernel;
  Emit emit;
  std::unique_ptr<moa::IndexExprs> exprs;
  std::unique_ptr<Ranges> ranges;
  Scope names;
  Scope *scope = &names; ///< the kernel's, or that of the fn being expanded
  std::vector<const ast::Fn *> fnStack;
  std::map<std::string, SourceRange, std::less<>> definitions; ///< where the body defines what
  std::map<std::string, mlir::Value, std::less<>> resultValues;
  std::string defining; ///< the name whose right side is being translated
  mlir::Operation *lastEntryOp = nullptr;
  std::vector<std::unique_ptr<mlir::Block>> discarded;
  unsigned temporaries = 0;
  unsigned budget; ///< nodes that may still be visited
  unsigned depth = 0;
};

} // namespace moac::sema

#endif
