// Reads C through clang. The only file of the project that includes clang's headers.
//
// Every construct that emitted code uses has its word; anything else becomes a term that no
// analysis produces (`unknown ...`), so that it is reported rather than overlooked. Conversions
// that C inserts by itself are left out where they keep every value, and are words elsewhere.
#include "emitters/CReading.h"
#include "emitters/CWords.h"

#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/AST/StmtVisitor.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <fmt/format.h>

using namespace clang;

namespace moac::reading {
namespace {

Term leaf(std::string word) { return {std::move(word), {}, 0}; }

class TermReader : public ConstStmtVisitor<TermReader, Term> {
public:
  explicit TermReader(const ASTContext &context)
      : context(context), sources(context.getSourceManager()) {}

  /// A statement as the list of terms it is: a declaration may be several.
  void statement(const Stmt *s, std::vector<Term> &out) {
    if (const auto *declarations = dyn_cast<DeclStmt>(s)) {
      for (const Decl *d : declarations->decls())
        out.push_back(placed(declaration(d), s));
    } else if (!isa<NullStmt>(s)) {
      out.push_back(placed(Visit(s), s));
    }
  }

  Term block(const Stmt *s) {
    Term out = leaf("block");
    out.line = line(s->getBeginLoc());
    if (const auto *compound = dyn_cast<CompoundStmt>(s))
      for (const Stmt *inner : compound->body())
        statement(inner, out.args);
    else
      statement(s, out.args);
    return out;
  }

  unsigned line(SourceLocation where) const { return sources.getExpansionLineNumber(where); }

  // ---- statements

  Term VisitStmt(const Stmt *s) { return leaf(std::string("unknown ") + s->getStmtClassName()); }

  Term VisitCompoundStmt(const CompoundStmt *s) { return block(s); }

  Term VisitReturnStmt(const ReturnStmt *s) {
    return {"return", s->getRetValue() ? parts({s->getRetValue()}) : std::vector<Term>(), 0};
  }

  Term VisitIfStmt(const IfStmt *s) {
    Term out{"if", {Visit(s->getCond()), block(s->getThen())}, 0};
    if (s->getElse())
      out.args.push_back(block(s->getElse()));
    return out;
  }

  Term VisitAttributedStmt(const AttributedStmt *s) {
    Term directives = leaf("directives");
    for (const Attr *attribute : s->getAttrs()) {
      const auto *hint = dyn_cast<LoopHintAttr>(attribute);
      if (!isWhole(hint) && (!hint || hint->getOption() != LoopHintAttr::UnrollCount || !hint->getValue()))
        return VisitStmt(s);
      directives.args.push_back(leaf("unroll " + (isWhole(hint) ? "1" : Visit(hint->getValue()).head)));
    }
    return loop(s->getSubStmt(), std::move(directives));
  }

  static bool isWhole(const LoopHintAttr *hint) {
    return hint && hint->getOption() == LoopHintAttr::Unroll && hint->getState() == LoopHintAttr::Disable;
  }
  /// A loop that is to be kept whole is that loop.
  static const Stmt *whole(const Stmt *s) {
    const auto *attributed = dyn_cast<AttributedStmt>(s);
    const auto *hint = attributed && attributed->getAttrs().size() == 1 ? dyn_cast<LoopHintAttr>(attributed->getAttrs()[0]) : nullptr;
    return isWhole(hint) ? attributed->getSubStmt() : s;
  }

  Term VisitOMPExecutableDirective(const OMPExecutableDirective *s) {
    const std::string kind = getOpenMPDirectiveName(s->getDirectiveKind()).str();
    Term directives{"directives", {leaf(kind)}, 0};
    for (const OMPClause *clause : s->clauses())
      directives.args.push_back(this->clause(clause));
    const Stmt *body = s->getRawStmt();
    if (s->getDirectiveKind() == llvm::omp::OMPD_atomic)
      return {"atomic capture", block(body).args, 0};
    if (s->getDirectiveKind() == llvm::omp::OMPD_parallel)
      return {"region", {std::move(directives), block(body)}, 0};
    return loop(whole(body), std::move(directives));
  }

  // ---- expressions

  Term VisitForStmt(const ForStmt *s) { return loop(s, leaf("directives")); }
  Term VisitExpr(const Expr *e) { return VisitStmt(e); }
  Term VisitParenExpr(const ParenExpr *e) { return expression(e->getSubExpr()); }
  Term VisitDeclRefExpr(const DeclRefExpr *e) { return leaf(e->getDecl()->getNameAsString()); }

  Term VisitIntegerLiteral(const IntegerLiteral *e) {
    return leaf(fmt::format("{}", e->getValue().getZExtValue()));
  }

  Term VisitFloatingLiteral(const FloatingLiteral *e) {
    return real(e->getValueAsApproximateDouble(), e->getType());
  }

  Term VisitArraySubscriptExpr(const ArraySubscriptExpr *e) {
    return {"[] " + expression(e->getBase()).head, parts({e->getIdx()}), 0};
  }

  Term VisitUnaryExprOrTypeTraitExpr(const UnaryExprOrTypeTraitExpr *e) {
    if (e->getKind() != UETT_SizeOf || !e->isArgumentType())
      return VisitStmt(e);
    return leaf("sizeof " + typeWord(e->getArgumentType()));
  }

  Term VisitConditionalOperator(const ConditionalOperator *e) {
    return {"select", parts({e->getCond(), e->getTrueExpr(), e->getFalseExpr()}), 0};
  }

  Term VisitCallExpr(const CallExpr *e) {
    std::vector<Term> arguments;
    for (const Expr *argument : e->arguments())
      arguments.push_back(expression(widened(argument)));
    const FunctionDecl *callee = e->getDirectCallee();
    if (const std::string name = callee ? callee->getNameAsString() : ""; llvm::StringRef(name).starts_with(atomicAdd) && arguments.size() == 2 && arguments[0].is("address of"))
      return added(name.substr(std::strlen(atomicAdd)), arguments[0].args[0], arguments[1], e->getArg(1)->getType());
    return {callee ? calledWord(callee->getNameAsString()) : "unknown call", std::move(arguments), 0};
  }

  static constexpr const char *atomicAdd = "moac_atomic_add_";

  /// What its call does: integers wrap, as in the function that adds elsewhere.
  Term added(const std::string &type, const Term &target, const Term &value, QualType by) {
    const std::string word = by->isFloatingType() ? operatorWord(BO_Add, by) : calledWord("moac_add_" + type);
    return {"atomic", {{"=", {target, {word, {target, value}, 0}, }, 0}}, 0};
  }

  Term VisitUnaryOperator(const UnaryOperator *e) {
    Term part = expression(e->getSubExpr());
    switch (e->getOpcode()) {
    case UO_LNot:
      return {"not", {std::move(part)}, 0};
    case UO_AddrOf:
      return {"address of", {std::move(part)}, 0};
    case UO_PostInc:
      return {"post ++", {std::move(part)}, 0};
    case UO_Minus:
      if (!part.begins("-") && !e->getType()->isUnsignedIntegerType() && (isNumber(part) || part.is("inf")))
        return leaf("-" + part.head);
      return {"neg " + typeWord(e->getType()), {std::move(part)}, 0};
    default:
      return leaf("unknown operator " + UnaryOperator::getOpcodeStr(e->getOpcode()).str());
    }
  }

  Term VisitBinaryOperator(const BinaryOperator *e) {
    std::vector<Term> both = parts({e->getLHS(), e->getRHS()});
    if (isConstantOperand(e->getLHS()) && isConstantOperand(e->getRHS())) // has the type of indices
      return {reading::operatorWord(BinaryOperator::getOpcodeStr(e->getOpcode()).str(), "i64"), std::move(both), 0};
    return {operatorWord(e->getOpcode(), e->getType()), std::move(both), 0};
  }

  /// A literal or one of the file's constants.
  static bool isConstantOperand(const Expr *e) {
    e = e->IgnoreParenImpCasts();
    if (const auto *product = dyn_cast<BinaryOperator>(e))
      return isConstantOperand(product->getLHS()) && isConstantOperand(product->getRHS());
    const auto *name = dyn_cast<DeclRefExpr>(e);
    return isa<IntegerLiteral>(e) || (name && isa<EnumConstantDecl>(name->getDecl()));
  }

  Term VisitCompoundAssignOperator(const CompoundAssignOperator *e) {
    Term target = expression(e->getLHS());
    const BinaryOperatorKind op = BinaryOperator::getOpForCompoundAssignment(e->getOpcode());
    const QualType type = e->getComputationResultType();
    Term value{operatorWord(op, type), {target, expression(e->getRHS())}, 0};
    if (!context.hasSameUnqualifiedType(type, e->getLHS()->getType()))
      value = {"implicit " + typeWord(e->getLHS()->getType()), {std::move(value)}, 0};
    return {"=", {std::move(target), std::move(value)}, 0};
  }

  Term VisitCStyleCastExpr(const CStyleCastExpr *e) {
    return {"to " + typeWord(e->getType()), parts({e->getSubExpr()}), 0};
  }

  Term VisitImplicitCastExpr(const ImplicitCastExpr *e) {
    Term part = expression(e->getSubExpr());
    if (e->isPartOfExplicitCast() || keepsValue(e, part))
      return part;
    if (isNumber(part) && e->getCastKind() == CK_IntegralToFloating)
      return real(std::strtod(part.head.c_str(), nullptr), e->getType());
    return {"implicit " + typeWord(e->getType()), {std::move(part)}, 0};
  }

  /// An expression; what a macro spelled (INT64_MIN, NULL, INFINITY) is its value. Names are names also inside a macro.
  Term expression(const Expr *e) {
    const SourceLocation begin = e->getBeginLoc(), end = e->getEndLoc();
    if (!isa<DeclRefExpr>(e->IgnoreParenImpCasts()) && begin.isMacroID() && end.isMacroID() &&
        sources.getExpansionLoc(begin) == sources.getExpansionLoc(end)) {
      if (std::optional<Term> value = constant(e))
        return *value;
    }
    return Visit(e);
  }

private:
  Term placed(Term term, const Stmt *s) {
    term.line = line(s->getBeginLoc());
    return term;
  }

  std::vector<Term> parts(std::initializer_list<const Expr *> list) {
    std::vector<Term> out;
    for (const Expr *e : list)
      out.push_back(expression(e));
    return out;
  }

  std::optional<Term> constant(const Expr *e) {
    if (e->getType()->isPointerType())
      return e->isNullPointerConstant(const_cast<ASTContext &>(context), Expr::NPC_ValueDependentIsNotNull) ? std::optional<Term>(leaf("NULL")) : std::nullopt;
    Expr::EvalResult result;
    if (!e->EvaluateAsRValue(result, context) || result.HasSideEffects)
      return std::nullopt;
    if (result.Val.isInt()) {
      llvm::SmallString<24> digits;
      result.Val.getInt().toString(digits);
      return leaf(digits.str().str());
    }
    if (!result.Val.isFloat())
      return std::nullopt;
    return real(result.Val.getFloat().convertToDouble(), e->getType());
  }

  static Term real(double value, QualType type) {
    return leaf(realWord(value, type->isSpecificBuiltinType(BuiltinType::Float)));
  }

  /// i64, f32, bool; the pointee and a star for pointers.
  std::string typeWord(QualType type) const {
    type = type.getCanonicalType();
    if (type->isPointerType())
      return typeWord(type->getPointeeType()) + "*";
    if (type->isBooleanType())
      return "bool";
    if (type->isCharType() && type.getUnqualifiedType() == context.CharTy)
      return "char";
    const bool isFloat = type->isRealFloatingType();
    if (!isFloat && !type->isIntegerType())
      return type.getUnqualifiedType().getAsString();
    const char *kind = isFloat ? "f" : type->isUnsignedIntegerType() ? "u" : "i";
    return kind + std::to_string(context.getTypeSize(type));
  }

  /// Whether an inserted conversion leaves every value as it is.
  bool keepsValue(const ImplicitCastExpr *e, const Term &part) const {
    const QualType from = e->getSubExpr()->getType(), to = e->getType();
    switch (e->getCastKind()) {
    case CK_LValueToRValue:
    case CK_NoOp:
    case CK_FunctionToPointerDecay:
    case CK_ArrayToPointerDecay:
    case CK_NullToPointer:
    case CK_BitCast: // void * to T *
      return true;
    case CK_IntegralCast: // also int64_t to size_t: byte counts that the checks have bounded
      return context.getTypeSize(to) >= context.getTypeSize(from) || isNumber(part);
    case CK_IntegralToBoolean:
      return isTruth(e->getSubExpr());
    case CK_FloatingCast:
      return part.is("inf") || part.is("-inf") || part.is("nan");
    default:
      return false;
    }
  }

  /// An int that can only be 0 or 1.
  static bool isTruth(const Expr *e) {
    e = e->IgnoreParenImpCasts();
    if (const auto *choice = dyn_cast<ConditionalOperator>(e))
      return isTruth(choice->getTrueExpr()) && isTruth(choice->getFalseExpr());
    if (const auto *literal = dyn_cast<IntegerLiteral>(e))
      return literal->getValue().ule(1);
    return e->isKnownToHaveBooleanValue();
  }

  /// An argument without the widening of float to double.
  static const Expr *widened(const Expr *argument) {
    const auto *cast = dyn_cast<ImplicitCastExpr>(argument);
    const bool widens = cast && cast->getCastKind() == CK_FloatingCast &&
                        cast->getType()->isSpecificBuiltinType(BuiltinType::Double);
    return widens ? cast->getSubExpr() : argument;
  }

  std::string operatorWord(BinaryOperatorKind op, QualType type) const {
    return reading::operatorWord(BinaryOperator::getOpcodeStr(op).str(),
                                 type->isPointerType() ? "ptr" : typeWord(type));
  }

  /// The size as it is written.
  Term arraySize(const VarDecl *variable) {
    return expression(variable->getTypeSourceInfo()->getTypeLoc().castAs<ArrayTypeLoc>().getSizeExpr());
  }

  Term declaration(const Decl *d) {
    const auto *variable = dyn_cast<VarDecl>(d);
    if (!variable)
      return leaf(std::string("unknown declaration ") + d->getDeclKindName());
    const std::string name = variable->getNameAsString();
    const QualType type = variable->getType();
    if (const auto *array = context.getAsConstantArrayType(type))
      return {"array " + typeWord(array->getElementType()) + " " + name, {arraySize(variable)}, 0};
    const char *how = variable->getStorageClass() != SC_None ? "static"
                      : type.isConstQualified()              ? "let"
                                                             : "var";
    Term out = leaf(fmt::format("{} {} {}", how, typeWord(type), name));
    if (variable->getInit())
      out.args.push_back(expression(variable->getInit()));
    return out;
  }

  /// A counted loop; any other shape is unknown.
  Term loop(const Stmt *s, Term directives) {
    const auto *loop = dyn_cast<ForStmt>(s);
    const auto *first = loop ? dyn_cast_or_null<DeclStmt>(loop->getInit()) : nullptr;
    const auto *last = loop ? dyn_cast_or_null<BinaryOperator>(loop->getCond()) : nullptr;
    const auto *step = loop ? dyn_cast_or_null<UnaryOperator>(loop->getInc()) : nullptr;
    const auto *stride = loop ? dyn_cast_or_null<CompoundAssignOperator>(loop->getInc()) : nullptr;
    if (!first || !first->isSingleDecl() || !last || (!step && !stride))
      return leaf("unknown loop");
    const Term variable = declaration(first->getSingleDecl());
    const bool up = last->getOpcode() == BO_LT &&
                    (step ? step->getOpcode() == UO_PreInc : stride->getOpcode() == BO_AddAssign);
    const bool down = step && last->getOpcode() == BO_GE && step->getOpcode() == UO_PreDec;
    const Term counted = expression(last->getLHS());
    const Term stepped = expression(step ? step->getSubExpr() : stride->getLHS());
    const std::string name = counted.head;
    if ((!up && !down) || !counted.args.empty() || stepped.head != name ||
        variable.head != "var i64 " + name || variable.args.size() != 1)
      return leaf("unknown loop");
    Term out{fmt::format("for {} {}", name, up ? "up" : "down"), {}, line(loop->getBeginLoc())};
    Term end = expression(last->getRHS());
    if (stride)
      end = Term{"by", {std::move(end), expression(stride->getRHS())}, 0};
    out.args = {std::move(directives), variable.args[0], std::move(end), block(loop->getBody())};
    return out;
  }

  Term clause(const OMPClause *clause) {
    if (const auto *collapse = dyn_cast<OMPCollapseClause>(clause))
      return leaf("collapse " + constant(collapse->getNumForLoops()).value_or(leaf("unknown")).head);
    if (const auto *threads = dyn_cast<OMPNumThreadsClause>(clause)) {
      const Term count = expression(threads->getNumThreads());
      return {"num_threads", {count.is("call moac_threads") ? estimate(count.args[0]) : count}, 0};
    }
    if (const auto *reduction = dyn_cast<OMPReductionClause>(clause)) {
      std::string word = reduction->getNameInfo().getAsString();
      if (llvm::StringRef(word).starts_with("operator"))
        word = word.substr(8);
      std::string names;
      for (const Expr *variable : reduction->varlist())
        names += " " + expression(variable).head;
      return leaf("reduction " + word + names);
    }
    if (const auto *lanes = dyn_cast<OMPSimdlenClause>(clause))
      return lanesTerm(Visit(lanes->getSimdlen()->IgnoreImplicit())); // may stand in a macro
    if (const auto *schedule = dyn_cast<OMPScheduleClause>(clause))
      return leaf(schedule->getChunkSize() ? "schedule other" : std::string("schedule ") + getOpenMPSimpleClauseTypeName(llvm::omp::OMPC_schedule, schedule->getScheduleKind()));
    return leaf("unknown clause " + llvm::omp::getOpenMPClauseName(clause->getClauseKind()).str());
  }

  const ASTContext &context;
  const SourceManager &sources;
};

/// Diagnostics of every level that a user would see, as `file:line: text`.
class Collector : public DiagnosticConsumer {
public:
  explicit Collector(std::vector<std::string> &problems) : problems(problems) {}
  void HandleDiagnostic(DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < DiagnosticsEngine::Warning)
      return;
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    std::string place;
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      const SourceManager &from = info.getSourceManager();
      const PresumedLoc where = from.getPresumedLoc(from.getExpansionLoc(info.getLocation()));
      if (where.isValid())
        place = fmt::format("{}:{}: ", where.getFilename(), where.getLine());
    }
    problems.push_back(place + message.str().str());
  }

private:
  std::vector<std::string> &problems;
};

void readDeclaration(const Decl *d, TermReader &reader, CReading &reading) {
  if (const auto *function = dyn_cast<FunctionDecl>(d)) {
    if (function->doesThisDeclarationHaveABody())
      reading.functions.push_back({function->getNameAsString(), reader.line(d->getBeginLoc()),
                                   reader.block(function->getBody())});
  } else if (const auto *combine = dyn_cast<OMPDeclareReductionDecl>(d)) {
    reading.functions.push_back({combine->getNameAsString(), reader.line(d->getBeginLoc()), {}});
  } else if (const auto *list = dyn_cast<EnumDecl>(d)) {
    for (const EnumConstantDecl *one : list->enumerators())
      reading.enumerators[one->getNameAsString()] = one->getInitVal().getExtValue();
  } else {
    reading.others.push_back(fmt::format("line {}: a {} declaration", reader.line(d->getBeginLoc()), d->getDeclKindName()));
  }
}

} // namespace

CReading readC(const SourceText &source, const std::vector<SourceText> &headers) {
  CReading reading;
  Collector collector(reading.problems);
  tooling::FileContentMappings files;
  for (const SourceText &header : headers)
    files.emplace_back(header.name, header.text);
  const std::vector<std::string> flags = {"-xc", "-std=gnu11", "-fopenmp", "-Wall", "-Wextra", "-I."};
  const std::unique_ptr<ASTUnit> unit = tooling::buildASTFromCodeWithArgs(
      source.text, flags, source.name, "clang", std::make_shared<PCHContainerOperations>(),
      tooling::getClangStripDependencyFileAdjuster(), files, &collector);
  if (!unit)
    reading.problems.push_back("clang could not read the file");
  if (!reading.problems.empty())
    return reading;
  TermReader reader(unit->getASTContext());
  for (const Decl *d : unit->getASTContext().getTranslationUnitDecl()->decls())
    if (unit->getSourceManager().isInMainFile(unit->getSourceManager().getExpansionLoc(d->getLocation())))
      readDeclaration(d, reader, reading);
  return reading;
}

} // namespace moac::reading
