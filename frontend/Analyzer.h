// The translation of one kernel's body to the moa dialect. Internal to the frontend; the entry is
// AstToMoa.h.
//
// visit() turns an expression into a Val at the builder's place. A definition is built in a block
// of its own; when its right side is complete the extents of its indices are settled, its reads are
// judged, and it becomes a moa.gen. The methods stand in files by subject: Expressions, Conditions,
// Functions, Subscripts, Reductions, WordReductions, Elementwise, Definitions, KernelEntry,
// KernelCalls; of the operator form Vectors, Structure, Slices, Products, Rank.
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
  Val negate(const Val &operand, SourceRange at);
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
  void unknownFunction(const std::string &name, SourceRange range,
                       const std::vector<std::string> &candidates);
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
  struct Cut {
    shape::Expr lo, hi; ///< of a slice
    mlir::Value start;
    int64_t step = 0; ///< 0: an index, which fixes the axis
    SourceRange range;
    IndexInfo *direct = nullptr; ///< the index that the subscript consists of
  };
  Val index(const ast::Index &expr);
  std::optional<Cut> subscript(const ast::Expr &expr, SourceRange range);
  Val read(const Val &array, const std::vector<Cut> &cuts, const ArrayOrigin &origin,
           SourceRange at);
  Val element(const Val &array, llvm::ArrayRef<mlir::Value> subscripts, SourceRange at);
  ArrayOrigin originOf(const ast::Expr &expr);
  ArrayOrigin originOf(const Val &value);
  void noteDeclared(DiagnosticBuilder &report, const Val &array);
  IndexInfo *asIndex(const ast::Expr &expr);
  std::optional<Cut> slicePart(const ast::Subscript &sub, const shape::Expr &extent);
  mlir::Value sliceBound(const ast::Expr *bound, const shape::Expr &missing,
                         const shape::Expr &extent, SourceRange at);
  bool checkSlices(const Val &array, const std::vector<Cut> &cuts, const ArrayOrigin &origin);
  Val slice(const Val &array, const std::vector<Cut> &cuts, const ArrayOrigin &origin,
            SourceRange at);
  Val psiWord(const ast::InfixWord &expr);
  Val psiOf(const Vals &subscripts, const Val &array, SourceRange at,
            const std::vector<IndexInfo *> &direct = {});

  // Reductions.
  struct Bound {
    IndexInfo *info = nullptr;
    std::unique_ptr<mlir::Block> domain; ///< its region: arguments are the earlier indices
  };
  struct RedKind {
    std::string kind; ///< of moa.red
    const ast::FnRef *fold = nullptr;
    std::optional<double> identity; ///< of a fold
  };
  Val reduce(const ast::Reduce &expr);
  std::optional<RedKind> redKind(const ast::FnRef &fn);
  Val boundTerm(const ast::Reduce &expr, mlir::Block &term, std::vector<Bound> &bounds, bool &good);
  void discard(std::unique_ptr<mlir::Block> term, std::vector<Bound> &bounds);
  mlir::TypedAttr identityOf(const RedKind &kind, mlir::Type type);
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

  // Those that are formulas: mean, logsumexp, softmax.
  struct Terms {
    const ast::Reduce &expr;
    Meeting type; ///< in which it computes
    Meeting own;  ///< the term's
    Val array;    ///< of the terms; poison where there is none, and the term is translated anew
    std::unique_ptr<mlir::Block> term = nullptr; ///< then: the first translation, until it is used
    std::vector<Bound> bounds = {};
  };
  using MapTerm = llvm::function_ref<mlir::Value(mlir::Value)>;
  static bool isFormula(const ast::FnRef &fn);
  static bool isSoftmax(const ast::FnRef &fn);
  Val formula(const ast::Reduce &expr);
  std::optional<Terms> termsOf(const ast::Reduce &expr);
  bool bindAlong(const ast::Reduce &expr, mlir::Block &term, std::vector<Bound> &bounds);
  bool checkAlong(const ast::Reduce &expr);
  void agreeAlong(const ast::Reduce &expr, const std::vector<Bound> &bounds);
  Val arrayOfTerms(const Terms &terms, std::unique_ptr<mlir::Block> &term,
                   const std::vector<Bound> &bounds);
  mlir::Value exponentials(Terms &terms);
  mlir::Value reduceTerms(Terms &terms, std::string_view kind, mlir::Type type, MapTerm map);
  std::optional<shape::Expr> knownCount(const Terms &terms);
  mlir::Value recount(const Terms &terms);
  mlir::Value meanOf(Terms &terms);
  mlir::Value ownTerm(Terms &terms);

  // Reduction words on whole arrays: along the leading axis.
  using TermAt = llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)>;
  Val prefixWord(const ast::PrefixWord &expr);
  Val reduceWord(Word word, const Val &array, SourceRange at);
  Val reduceArray(Word word, const Val &array, SourceRange at);
  Val reduceElements(Word word, const Vals &elements, SourceRange at);
  Val logsumexp(const Val &array, SourceRange at);
  std::pair<Val, Val> shiftedSum(const Val &array, SourceRange at);
  mlir::Value shifted(mlir::Value x, mlir::Value shift, SourceRange at);
  mlir::Value elementAt(const Val &array, mlir::Value k, llvm::ArrayRef<mlir::Value> rest);
  Val softmax(const Val &array, SourceRange at);
  bool checkWordOperand(Word word, const Val &array);
  bool checkWordScalar(Word word, mlir::Type type, const std::string &found, SourceRange at);
  Val logOfSum(mlir::Value shift, llvm::function_ref<mlir::Value()> sum, SourceRange at);
  Val shareOfSum(mlir::Value shift, llvm::function_ref<mlir::Value()> x,
                 llvm::function_ref<mlir::Value()> sum, SourceRange at);
  mlir::Value simpleRed(std::string_view kind, mlir::Type type,
                        const std::vector<shape::Expr> &extents, SourceRange at, TermAt term);
  /// The array over all axes but the first of what `body` makes of the remaining subscripts.
  Val overRest(const Val &array, SourceRange at,
               const std::function<Val(llvm::ArrayRef<mlir::Value>)> &body,
               const std::string &part);

  // Vectors whose elements are known, and shapes made of them.
  Val vector(const ast::Vector &expr);
  Val vectorOf(const Vals &elements, SourceRange at);
  Val shapeOf(const Val &array, SourceRange at);
  std::optional<Vals> elementsOf(const Val &vector, std::string_view word);
  std::optional<shape::Expr> lengthOf(const Val &value, std::string_view what);
  std::optional<std::vector<shape::Expr>> extentsOf(const Vals &elements, std::string_view what);
  bool checkNotNegative(const shape::Expr &extent, SourceRange at);
  bool checkRank(size_t rank, SourceRange at);
  Val chosen(const Val &vector, const std::vector<size_t> &from, SourceRange at);
  Val chosenRange(const Val &vector, int64_t lo, int64_t length, SourceRange at);

  // Structure words.
  struct Count {
    shape::Expr size;
    bool last; ///< counted from the end
    SourceRange range;
  };
  Val infixWord(const ast::InfixWord &expr);
  Val infix(Word word, const Val &lhs, const Val &rhs, SourceRange at);
  Val structureWord(Word word, const Val &value, SourceRange at);
  std::optional<Count> countOf(const Val &value, std::string_view word);
  bool checkCount(std::string_view word, const Count &count, const Val &array, unsigned axis);
  Val take(const Vals &counts, const Val &array, SourceRange at);
  Val drop(const Vals &counts, const Val &array, SourceRange at);
  Val rotate(const Vals &amounts, const Val &array, SourceRange at);
  Val transpose(const Vals &vector, SourceRange vectorRange, const Val &array, SourceRange at);
  Val transposed(const Val &array, llvm::ArrayRef<int64_t> to, SourceRange at);
  Val reshape(const Vals &shape, const Val &value, SourceRange at);
  Val cat(const Val &lhs, const Val &rhs, SourceRange at);
  Val iota(const Val &value, SourceRange at);
  Val atLeastVector(const Val &value);
  Meeting meetElements(const Val &a, const Val &b, SourceRange at, std::string_view what);
  Val withElements(const Val &array, mlir::Type elementType, const Meeting &met);
  Val made(mlir::Value array, SourceRange at, bool weakFloats);
  moa::ArrayType typeLike(const Val &array, const std::vector<shape::Expr> &extents);
  mlir::Type elementTypeOf(const Val &scalar);
  bool needsAxis(const Val &array, std::string_view what);
  bool same(const shape::Expr &a, const shape::Expr &b);
  void helpEqual(DiagnosticBuilder &report, const shape::Expr &a, const shape::Expr &b);

  // Operators in parentheses: products, reductions, the rank operator.
  struct Reduction {
    std::string kind;
    mlir::TypedAttr identity;
    std::unique_ptr<mlir::Block> combine;
    Meeting result;
  };
  Val section(const ast::Section &expr);
  Val applyOperator(const ast::Operator &op, const Vals &args, SourceRange opRange, SourceRange at);
  Val applyFn(const ast::Operator &op, const Vals &args, SourceRange opRange, SourceRange at);
  Val applyWord(const ast::Operator &op, const Vals &args, SourceRange opRange, SourceRange at);
  bool checkOperands(const ast::Operator &op, size_t found, size_t wanted, SourceRange opRange);
  Val regionElement(mlir::Block &block, const Val &array);
  Val pairRegion(mlir::Block &block, const ast::FnRef &fn, const Val &lhs, const Val &rhs,
                 SourceRange at);
  std::optional<Reduction> reduction(const ast::FnRef &fn, const Val &term,
                                     const shape::Expr &extent, std::vector<shape::Expr> others,
                                     SourceRange at);
  Val reduceBy(const ast::FnRef &fn, bool scan, const Val &array, SourceRange at);
  Val reduceOp(Reduction reduced, bool scan, const Val &array, SourceRange at);
  Val outer(const ast::FnRef &fn, const Val &lhs, const Val &rhs, SourceRange at);
  std::string transposeHelp(const Val &lhs, const Val &rhs, const std::string &name);
  Val inner(const ast::FnRef &f, const ast::FnRef &g, const Val &lhs, const Val &rhs,
            SourceRange at);
  std::optional<std::vector<int64_t>> ranksOf(const ast::Operator &op, const Vals &args);
  std::optional<std::vector<shape::Expr>>
  frameOfPair(const Vals &args, const std::vector<int64_t> &ranks, SourceRange opRange);
  Val omega(const ast::Operator &op, const Vals &args, SourceRange opRange, SourceRange at);
  Val cellOf(const Val &array, int64_t rank, mlir::Block &body);
  Val inRegion(mlir::Block &body, const std::vector<shape::Expr> &frame,
               const std::function<Val()> &fill);

  // Element by element.
  using Elements = std::function<Val(unsigned)>; ///< the scalar of argument i at the index at hand
  Val mapArrays(const Vals &args, SourceRange at, const std::function<Val(const Elements &)> &body,
                std::string_view fn = "");
  Val genArrays(const Vals &args, SourceRange at, const std::function<Val(const Elements &)> &body);
  Val mapOp(const Vals &args, const std::vector<shape::Expr> &extents, SourceRange at,
            const std::function<Val(const Elements &)> &body);
  std::shared_ptr<Vals> knownElements(const Vals &args,
                                      const std::function<Val(const Elements &)> &body);
  Val generate(const std::vector<shape::Expr> &extents, SourceRange at,
               const std::function<Val(llvm::ArrayRef<mlir::Value>)> &body,
               const std::string &part = "");
  std::optional<std::vector<shape::Expr>> commonShape(const Vals &args, SourceRange at,
                                                      std::string_view fn);
  std::string omegaHelp(const Val &a, const Val &b, std::string_view fn);
  Val makeGen(const std::string &name, const std::vector<std::string> &indices, moa::ArrayType type,
              std::unique_ptr<mlir::Block> body, SourceRange at);
  std::string freshName(const std::string &part = "");
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
  void reportUndefined(const ParamInfo &result);
  void finish();
  void warnUnread();

  // Calls of kernels.
  struct CallSite {
    const KernelInfo *callee;
    SourceRange name, range;
  };
  std::optional<Vals> callKernel(const CallSite &site, Vals args, const std::string &prefix);
  Vals visitAll(const std::vector<ast::ExprPtr> &exprs);
  Val oneResult(const CallSite &site, const Vals &args);
  Val stored(const Val &array);
  void convertArguments(const CallSite &site, Vals &args);
  bool unify(const CallSite &site, const Vals &args, std::map<std::string, shape::Expr> &symbols);
  void reportArgumentShape(const CallSite &site, const Vals &args, unsigned at,
                           const std::vector<shape::Expr> &wanted,
                           const std::vector<shape::Expr> &found);
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
  void defineByCall(const std::vector<ast::Name> &targets, const CallSite &site,
                    const std::vector<ast::ExprPtr> &args, SourceRange at);
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
  std::set<std::string, std::less<>> unknown; ///< names that were reported
  bool inSubscript = false;                   ///< directly: the name is all of it
  std::string defining;                       ///< the name whose right side is being translated
  std::vector<shape::Expr> frames;            ///< of the omegas around what is translated
  mlir::Operation *lastEntryOp = nullptr;
  std::vector<std::unique_ptr<mlir::Block>> discarded;
  std::map<std::string, unsigned> temporaries; ///< names made, by what they begin with
  unsigned budget;                             ///< nodes that may still be visited
  unsigned depth = 0;
};

} // namespace moac::sema

#endif
