// The parser's state, shared by its two halves: LitmusParser.cpp reads files, headers and
// conditions, LitmusStatements.cpp reads expressions, places and thread statements. Internal to the
// library.
#pragma once

#include "runtime/model/LitmusLexer.h"
#include "runtime/model/Program.h"

namespace moac::model {

/// Recursive descent over the tokens of one file. Every parse function returns false (or null)
/// after the first error, which is kept in `error`.
class LitmusParser {
public:
  LitmusParser(std::string_view text, const std::string &file)
      : text(text), file(file), tokens(lexLitmus(text)) {}

  std::vector<Program> parseFile();
  std::optional<SourceError> error;

private:
  const Token &peek(size_t ahead = 0) const {
    return tokens[at + ahead < tokens.size() ? at + ahead : tokens.size() - 1];
  }
  const Token &take() { return tokens[at + 1 < tokens.size() ? at++ : at]; }
  bool accept(std::string_view symbol);
  bool expect(std::string_view symbol);
  bool fail(const std::string &message);
  bool failAt(size_t offset, const std::string &message);
  bool atLineEnd() const;
  bool endLine();
  void skipNewlines();
  std::string restOfLine();
  bool word(std::string &out, const char *what);
  bool integer(int64_t &out, const char *what);

  // File level.
  bool parseProgram(Program &program);
  bool parseHeader(Program &program, bool &known);
  bool parseInit(Program &program);
  bool parseContext(Program &program);
  bool parseComIds(Program &program);
  bool parseAllocation(Program &program);
  bool parseTeam(Program &program);
  bool parseThreadLabel(Program &program, bool &known);
  bool parseCondition(Program &program);
  bool parseExpectations(Program &program);
  bool validate(Program &program);
  bool validateBody(const Program &program, const std::vector<Statement> &body);
  bool validateCondition(const Program &program);

  // Statements and expressions.
  bool parseStatement(std::vector<Statement> &body);
  bool parseBlock(std::vector<Statement> &body);
  bool parseFor(Statement &statement);
  bool parseIf(Statement &statement);
  bool parseNormal(Statement &statement, const std::string &mnemonic);
  bool parseNormalArguments(Statement &statement, const std::string &mnemonic);
  bool parseOperation(Statement &statement);
  bool parseAttributes(Statement &statement);
  bool parsePlace(Place &place);
  bool parseComparison(Statement &statement);
  ExprPtr parseExpr();
  ExprPtr parseBinary(int level);
  ExprPtr parseUnary();
  ExprPtr parsePrimary();
  ExprPtr parseConditionAtom();

  std::string_view text;
  std::string file;
  std::vector<Token> tokens;
  size_t at = 0;
  int depth = 0;
  bool inCondition = false;
  std::vector<std::pair<ExprPtr, size_t>> conditionAtoms; // with their offsets
  std::vector<Statement> *threadBody = nullptr;
};

} // namespace moac::model
