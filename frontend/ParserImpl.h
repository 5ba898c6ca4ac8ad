// The parser's state and the functions of the grammar, shared by the Parse*.cpp files.
//
// Recursive descent over the token list with constant-time look-ahead, so the time is linear. A
// function that fails has reported why and returns null or false; callers pass that on up to a
// statement, parameter, directive or item, where sync.. finds the next one. Nothing here is for
// other folders: they call parse().
#ifndef MOAC_FRONTEND_PARSERIMPL_H
#define MOAC_FRONTEND_PARSERIMPL_H

#include "frontend/Ast.h"
#include "frontend/Diagnostics.h"
#include "frontend/Lexer.h"

#include <algorithm>
#include <set>

namespace moac {

class Parser {
public:
  /// How deep expressions, operators in parentheses and blocks may nest.
  static constexpr unsigned maxNesting = 400, maxSections = 16, maxBlocks = 16;

  Parser(const SourceManager &sources, FileId file, Diagnostics &diagnostics);
  ast::File run();

private:
  using ExprPtr = ast::ExprPtr;
  template <typename T> using Ptr = std::unique_ptr<T>;

  /// Sets a variable until the end of a scope.
  template <typename T> class Scoped {
  public:
    Scoped(T &variable, T value) : variable(variable), old(variable) { variable = value; }
    ~Scoped() { variable = old; }
    Scoped(const Scoped &) = delete;

  private:
    T &variable;
    T old;
  };

  //===-- Tokens (Parser.cpp)
  //------------------------------------------------------------------===//
  const Token &token() const { return tokens[position]; }
  const Token &next(unsigned ahead = 1) const;
  const Token &previous() const { return tokens[position ? position - 1 : 0]; }
  /// The current token's kind; NewLine when a new line that means something stands before it.
  Tok kind() const;
  bool at(Tok wanted) const { return kind() == wanted; }
  bool at(Keyword keyword) const { return at(Tok::Keyword) && token().is(keyword); }
  /// At this word, which is a name anywhere else.
  bool atWord(std::string_view word) const { return at(Tok::Name) && textOf(token()) == word; }
  Token advance();
  bool accept(Tok wanted);
  bool acceptWord(std::string_view word);
  /// Lets an operand or element come on a later line.
  void skipNewLine() { skippedAt = position; }
  void skipSeparators();
  std::string_view textOf(const Token &token) const;
  SourceRange rangeOf(const Token &token) const { return {file, token.begin, token.end}; }
  /// From the first byte of token `first` to the last byte consumed.
  SourceRange since(uint32_t first) const;

  //===-- Errors and recovery (ParseErrors.cpp)
  //------------------------------------------------===//
  template <unsigned N, class... Args>
  DiagnosticBuilder error(DiagKind<N> kind, SourceRange range, const Args &...args) {
    complete = false;
    if (followsMisusedWord())
      return DiagnosticBuilder(nullptr);
    return diagnostics.report(kind, range, args...);
  }
  /// Reports that `what` should stand here; in an expression, says what usually leads to it.
  void expected(const std::string &what, bool inExpression = false, std::string help = "");
  std::string neighbourHelp() const;
  bool expect(Tok wanted, const std::string &what);
  /// Consumes the bracket that closes `open`, or reports with `open` in a note.
  bool close(const Token &open, Tok closing, bool inExpression = true);
  bool name(ast::Name &result, const std::string &what);
  std::string describe() const;
  SourceRange here() const;
  bool followsMisusedWord() const;
  const Token *commentSlashes() const;
  void skipSlashComment();
  bool startsStatement(uint32_t index) const;
  uint32_t definitionEquals(uint32_t index) const;
  bool ranIntoStatement() const;
  void syncStatement(uint32_t start);
  void syncItem(uint32_t start);
  void syncElement(const Token &open);

  //===-- Items (ParseItems.cpp)
  //---------------------------------------------------------------===//
  void item(ast::File &result);
  void import(ast::File &result);
  void fn(ast::File &result);
  void kernel(ast::File &result);
  bool kernelHead(ast::Kernel &kernel);
  bool kernelResults(ast::Kernel &kernel);
  bool kernelClauses(ast::Kernel &kernel);
  bool params(std::vector<ast::Param> &result, const std::string &what);
  bool param(ast::Param &result, const std::string &what);
  bool typeRef(ast::TypeRef &result);
  bool names(std::vector<ast::Name> &result, const std::string &what);

  //===-- Statements (ParseStatements.cpp)
  //-----------------------------------------------------===//
  void block(ast::Block &result, const std::string &owner);
  ast::StmtPtr statement();
  ast::StmtPtr define();
  ast::StmtPtr defineMany();
  ast::StmtPtr iterate();
  std::string definitionHelp(const ast::Define &define) const;
  bool lhsIndices(ast::Define &define);
  bool range(ExprPtr &lo, ExprPtr &hi);
  void badStatementStart();

  //===-- Derivations and schedules (ParseSchedules.cpp)
  //---------------------------------------===//
  void derive(ast::File &result);
  bool deriveBody(ast::Derive &derive);
  bool seeds(std::vector<ast::Seed> &result);
  void schedule(ast::File &result);
  bool directive(ast::Directive &result);
  bool loopName(ast::Name &result);
  bool loopNames(std::vector<ast::Name> &result);
  bool partition(ast::Directive &result);
  bool lift(ast::Directive &result);
  bool place(ast::Directive &result);
  bool pack(ast::Directive &result);

  //===-- Expressions (ParseExpressions.cpp), loosest first
  //--------------------------------------===//
  ExprPtr expr();
  ExprPtr conjunction();
  ExprPtr negation();
  ExprPtr comparison();
  ExprPtr sum();
  ExprPtr product();
  ExprPtr applied();
  ExprPtr worded();
  ExprPtr prefix();
  ExprPtr prefixVector();
  ExprPtr prefixWord();
  ExprPtr minus();
  ExprPtr postfix(ExprPtr base);
  bool exprs(std::vector<ExprPtr> &result, const Token &open, Tok closing);

  //===-- Primaries (ParsePrimaries.cpp)
  //---------------------------------------------------------===//
  ExprPtr primary();
  ExprPtr number();
  ExprPtr constant();
  ExprPtr parenthesized();
  ExprPtr call(ast::FnRef callee);
  ExprPtr wordCall();
  bool callBody(std::vector<ExprPtr> &args, const std::string &callee);
  ExprPtr reduction();
  bool binds(ast::Reduce &reduce);
  bool bind(ast::Bind &result, const std::string &owner);
  bool subscript(ast::Subscript &result);
  void noOperand();

  //===-- Sections and vectors (ParseSections.cpp)
  //-----------------------------------------------===//
  bool opensSection(uint32_t index, unsigned depth = 0) const;
  ast::OperatorPtr section();
  ast::OperatorPtr operatorBody();
  bool omegas(ast::OperatorPtr &op);
  bool fnRef(ast::FnRef &result, const std::string &what);
  bool vector(std::vector<ExprPtr> &elements);
  bool commaElements(std::vector<ExprPtr> &elements);
  bool blankElements(std::vector<ExprPtr> &elements);
  bool closeVector(const Token &open);
  bool atAtom() const;

  template <typename T> Ptr<T> make(SourceRange range) { return std::make_unique<T>(range); }
  /// Gives a node its height; null, with a report, when it is too high.
  ExprPtr finish(ExprPtr node);
  ExprPtr binary(ast::Op op, const Token &opToken, ExprPtr lhs, ExprPtr rhs);
  ExprPtr logical(ast::Op op, const Token &opToken, ExprPtr lhs, ExprPtr rhs);
  /// Reports and returns false when the current nesting is at its limit.
  bool mayNest();

  const SourceManager &sources;
  FileId file;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  uint32_t position = 0;
  uint32_t skippedAt = ~0u;    ///< the token whose new line no longer counts
  uint32_t statementStart = 0; ///< first token of the statement, directive or item being read
  uint32_t lastSlashes = ~0u;  ///< the last `//` consumed
  uint32_t unclosedAt = ~0u;   ///< where a block was found to be unclosed
  bool freeLines = false;      ///< new lines mean nothing: in brackets, in a kernel's head
  bool wholeNumbers = false;   ///< only integers stand here: in shapes, subscripts, vectors
  bool inVector = false;       ///< directly between < and >
  bool complete = true;        ///< no error in the item being read
  unsigned nesting = 0, sections = 0, blocks = 0;
  std::set<std::string, std::less<>> misused; ///< reserved words that this item uses as names
};

/// The scalar operator a symbol stands for in a section, `red[..]` or an expression.
std::optional<ast::Op> scalarOp(const Token &token);

} // namespace moac

#endif
