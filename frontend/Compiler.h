// The compiler as the driver sees it: a file goes in; signatures, printed stages, C text and
// interpreted results come out. No MLIR type appears here, so the driver's sources stay cheap to
// compile and the commands stay thin.
//
//     auto program = Program::load("attention.moa", options);
//     if (program->hasErrors()) { print(program->diagnostics()); ... }
//     for (const KernelSignature &kernel : program->kernels()) ...
#ifndef MOAC_FRONTEND_COMPILER_H
#define MOAC_FRONTEND_COMPILER_H

#include "emitters/CReading.h"
#include "frontend/HostArray.h"
#include "ir/Machine.h"
#include "ir/Shape.h"
#include "ir/WorkTree.h"
#include "passes/PlanChoice.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace moac {

struct ScalarSignature {
  std::string name;
  ElementType type;
};

/// An input or output. Rank 0 outputs are passed as a pointer to one element; rank 0 inputs are
/// scalars instead.
struct ArraySignature {
  std::string name;
  ElementType type;
  std::vector<shape::Expr> extents; ///< over the kernel's symbols
  bool columnMajor = false;         ///< γ of the caller's memory
};

/// What a kernel becomes for its caller; every list is in the order of the C parameters.
struct KernelSignature {
  std::string name;
  std::string cName; ///< of the emitted function: `name`, unless C does not allow that
  std::vector<std::string> symbols; ///< bound ones (`--bind`) too: a binding is required at entry
  std::map<std::string, int64_t> bound; ///< symbols that `--bind` made constants
  std::vector<ScalarSignature> scalars; ///< scalar parameters that are not symbols
  std::vector<ArraySignature> inputs;
  std::vector<ArraySignature> outputs;
};

/// Values for a call, each list parallel to the signature's.
struct CallArguments {
  std::vector<int64_t> symbols;
  std::vector<HostArray> scalars; ///< rank 0
  std::vector<HostArray> inputs;
};

struct LoadOptions {
  std::vector<std::string> importFolders;
  std::map<std::string, int64_t> bindings; ///< symbols that become constants
  bool unchecked = false;                  ///< leave out run-time index checks
  bool strictOrder = false;                ///< reductions in the written order
  bool fastOrder = false;                  ///< sums of floats in any order where a schedule asks for it
  /// Directives by kernel, a line each, in place of the schedule that the file gives it; empty: none.
  std::map<std::string, std::string> schedules;
  uint64_t patience = 0; ///< steps of the interpreter on a formula; 0: as many as ir/Interpreter.h says
};

/// `Scheduled` is the DNF with its schedule: stages that are placed inline are substituted.
enum class Stage { Moa, Dnf, Scheduled, Onf };

struct EmitOptions {
  std::string target = "c-openmp";
  std::vector<std::string> kernels; ///< empty: all of the file
  std::string headerName;           ///< what the source includes, "attention.h"
  bool standalone = false;          ///< no reference to libmoac-runtime
  bool linked = false;              ///< into a program that may be started on several processing elements
  std::string table; ///< not empty: text of a language's table, which takes the place of `target`
};

struct EmittedSource {
  std::string header;
  std::string source;
  std::string extension; ///< of the source: ".c"
};

/// An interpreted output: exact integers, or floats evaluated in a wider type with a bound on their
/// own error and on that of a correctly rounded evaluation in the language's types. A result `got`
/// passes if |got - value| <= 8 * bound, element by element.
struct OracleArray {
  ElementType type;
  HostShape shape;
  std::vector<long double> values;
  std::vector<double> bounds; ///< 0 for integers and bool
};

struct InterpretResult {
  int status = 0; ///< enum moac_status of runtime/moac.h
  std::string message;
  /// A target may return another status: it hinged on a value within its error bound, or (with status 0) an
  /// element that no result needs may fail and be computed all the same.
  bool uncertain = false;
  std::set<int> failures; ///< when it fails: every status that is met, of which one is returned
  std::vector<OracleArray> outputs; ///< empty unless status is 0
  double operations = 0;            ///< scalar arithmetic operations of the formula, for GF/s
  uint64_t visits = 0;              ///< points of reductions visited (see ir/Interpreter.h)
  std::map<std::string, uint64_t> counts; ///< "op add.f64", "load A", "store A", "update A"
};

/// What interpret() says of a formula that takes more steps than it was given.
inline constexpr const char *outOfPatience = "the formula takes too many steps";

/// Either a value or the message why there is none.
template <class T> struct Answer {
  std::optional<T> value;
  std::string error;

  Answer(T value) : value(std::move(value)) {}
  static Answer failure(std::string text) {
    Answer answer;
    answer.error = std::move(text);
    return answer;
  }
  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }

private:
  Answer() = default;
};

/// A loaded file. Not thread-safe.
class Program {
public:
  /// Reads and analyses `path`. Never null; problems are in diagnostics().
  static std::unique_ptr<Program> load(const std::string &path, const LoadOptions &options);
  virtual ~Program() = default;

  virtual bool hasErrors() const = 0;
  /// Errors and warnings as text with carets; empty when there are none.
  virtual std::string diagnostics() const = 0;
  /// Valid when there are no errors.
  virtual const std::vector<KernelSignature> &kernels() const = 0;
  /// Paths of the imported files, for build systems.
  virtual std::vector<std::string> imports() const { return {}; }

  /// The kernels (all, or one) at a stage, as MLIR text.
  virtual Answer<std::string> print(Stage stage, const std::string &kernel) = 0;
  /// Shapes, laws, DNF, schedule and ONF of a kernel for a reader; `notation` is "ascii", "moa" or "json".
  virtual Answer<std::string> explain(const std::string &kernel, const std::string &notation) = 0;
  /// The kernel's schedule, decided by moac or by the user, as the user would write it.
  virtual Answer<std::string> schedule(const std::string &kernel) { return Answer<std::string>::failure("no schedule"); }
  /// Other schedules worth trying; the kernel has none of the user's.
  virtual std::vector<PlanChoice> choices(const std::string &kernel, const Machine &machine) { return {}; }
  /// What the kernel's loops do, to be counted (ir/Cost.h). `trips` gives axes whose loops depend on data a number of
  /// iterations, `tuned` chooses constants of the emitted file: 0 as interpreted, 1 with AVX, 3 with AVX-512.
  virtual Answer<cost::WorkTree> work(const std::string &kernel, const cost::Sizes &trips, unsigned tuned) {
    return Answer<cost::WorkTree>::failure("no loops to count");
  }
  virtual Answer<EmittedSource> emit(const EmitOptions &options) = 0;
  /// Where `source` differs from the analysis that emit() printed, as `reader` understands it;
  /// empty when it says what was analysed.
  virtual std::vector<std::string> verify(const EmitOptions &options, const EmittedSource &source,
                                          reading::CReader reader) = 0;

  /// Whether sizes and scalars satisfy the kernel's `where` conditions and give non-negative
  /// extents. Scalars may be empty: conditions on them are then not tested.
  virtual bool admits(const std::string &kernel, const std::vector<int64_t> &symbols,
                      const std::vector<HostArray> &scalars) = 0;
  /// Points of the innermost loops for these sizes, to bound the work of a test case; an estimate.
  virtual double innermostIterations(const std::string &kernel,
                                     const std::vector<int64_t> &symbols) = 0;
  virtual Answer<InterpretResult> interpret(const std::string &kernel, Stage stage,
                                            const CallArguments &arguments) = 0;
};

/// Names accepted by `--target`.
const std::vector<std::string> &targetNames();

} // namespace moac

#endif
