// What moac tells its user: a registry of message kinds and an engine that collects them.
//
// Kinds live in Diagnostics.def. A phase reports by kind, so that wording stays in one place and
// every kind has an id for `moac --explain`. Rules for texts: lower case, no full stop, names in
// single quotes, the fix only in `help`, which hardly a message goes without. Nothing is printed
// while reporting: messages are sorted by position first.
//
//   diags.report(diag::unknownName, use.range, use.name)
//       .note(declaration.range, "declared here")
//       .help(didYouMean(use.name, candidates));
#ifndef MOAC_FRONTEND_DIAGNOSTICS_H
#define MOAC_FRONTEND_DIAGNOSTICS_H

#include "frontend/Source.h"

#include <concepts>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace moac {

enum class Severity { Error, Warning };

/// One enumerator for each line of Diagnostics.def.
enum class DiagId {
#define MOAC_DIAG(ID, SEVERITY, FORMAT, HELP) ID,
#include "frontend/Diagnostics.def"
};

/// The registry's line for a kind.
struct DiagInfo {
  std::string_view id;
  Severity severity;
  std::string_view format; ///< `{}` stands for the next argument
  std::string_view help;   ///< what to do about it, when the report says nothing better
};
const DiagInfo &diagInfo(DiagId id);
/// The kind's id as it is printed behind a message, `unknown-name`.
std::string diagName(DiagId id);
/// All kinds, in the order of Diagnostics.def.
std::span<const DiagInfo> allDiagInfos();

/// A kind together with the number of arguments its text takes, so that a wrong call does not
/// compile.
template <unsigned N> struct DiagKind { DiagId id; };

namespace diag {
consteval unsigned countArguments(std::string_view format) {
  unsigned count = 0;
  for (size_t at = format.find("{}"); at != format.npos; at = format.find("{}", at + 2))
    ++count;
  return count;
}
#define MOAC_DIAG(ID, SEVERITY, FORMAT, HELP)                                                      \
  inline constexpr DiagKind<countArguments(FORMAT)> ID{DiagId::ID};
#include "frontend/Diagnostics.def"
} // namespace diag

/// An argument of a message text: a string or an integer.
class DiagArg {
public:
  DiagArg(std::string_view text) : value(text) {}
  DiagArg(const std::string &text) : value(text) {}
  DiagArg(const char *text) : value(text) {}
  DiagArg(std::integral auto number) : value(std::to_string(number)) {}

  const std::string &text() const { return value; }

private:
  std::string value;
};

/// A finished message.
struct Diagnostic {
  struct Note {
    SourceRange range; ///< may be invalid: a note without a place
    std::string text;
  };
  DiagId id;
  Severity severity;
  SourceRange range; ///< may be invalid: a message about no place of the source
  std::string message;
  std::vector<Note> notes;
  std::string help; ///< empty when there is none
};

/// Adds notes and help to the message just reported. Valid until the next report.
class DiagnosticBuilder {
public:
  explicit DiagnosticBuilder(Diagnostic *diagnostic) : diagnostic(diagnostic) {}
  DiagnosticBuilder &note(SourceRange range, std::string text);
  /// Replaces the kind's own help. An empty text changes nothing.
  DiagnosticBuilder &help(std::string text);

private:
  Diagnostic *diagnostic; ///< null when the message was dropped
};

/// Collects messages about the files of one SourceManager.
class Diagnostics {
public:
  /// Messages shown at most; the rest are counted.
  static constexpr size_t maxShown = 50;
  /// Messages kept at most, so that a file of nothing but errors needs little memory.
  static constexpr size_t maxKept = 1000;

  explicit Diagnostics(const SourceManager &sources) : sources(sources) {}

  /// Reports a message at `range`. The number of arguments is checked when compiling.
  template <unsigned N, class... Args>
  requires(sizeof...(Args) == N) DiagnosticBuilder
      report(DiagKind<N> kind, SourceRange range, const Args &...args) {
    return add(kind.id, range, {DiagArg(args)...});
  }

  bool hasErrors() const { return errors != 0; }
  bool reported(DiagId id) const;
  size_t errorCount() const { return errors; }

  /// Messages sorted by file and position, without duplicates.
  std::vector<const Diagnostic *> sorted() const;

  /// All messages as text: `file:line:col: error: ..`, the source line, a caret line, notes, help.
  /// When there are more than maxShown, a closing line says how many were left out.
  std::string render() const;

  const SourceManager &sourceManager() const { return sources; }

private:
  DiagnosticBuilder add(DiagId id, SourceRange range, std::initializer_list<DiagArg> args);

  const SourceManager &sources;
  std::vector<std::unique_ptr<Diagnostic>> all;
  size_t errors = 0;
  size_t dropped = 0;
};

/// The candidate nearest to `name` by edit distance, or empty when none is near.
std::string_view nearest(std::string_view name, std::span<const std::string> candidates);
/// `did you mean 'x'?` for that candidate, or empty.
std::string didYouMean(std::string_view name, std::span<const std::string> candidates);

} // namespace moac

#endif
