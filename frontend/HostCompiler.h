// The system's C or Fortran compiler, as `moac run`, `moac check` and the demo use it: emitted text in,
// callable functions out.
//
// A compiled text is kept in a cache under a name made from everything that decides its bytes
// (text, command line, the compiler's file, the host's processor), so a second run neither compiles
// nor waits. Files enter the cache by rename: several processes may share it, and one that is
// killed leaves no half-written library behind.
#ifndef MOAC_FRONTEND_HOSTCOMPILER_H
#define MOAC_FRONTEND_HOSTCOMPILER_H

#include "frontend/Compiler.h"
#include "frontend/CompilerReport.h"

#include <string>
#include <string_view>
#include <vector>

namespace moac {

/// A loaded shared object; unloaded with the object.
class LoadedLibrary {
public:
  LoadedLibrary() = default;
  explicit LoadedLibrary(void *handle) : handle(handle) {}
  LoadedLibrary(LoadedLibrary &&other) noexcept : handle(other.handle) { other.handle = nullptr; }
  LoadedLibrary &operator=(LoadedLibrary &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~LoadedLibrary();

  /// Address of a function, null when there is none of that name.
  void *symbol(const std::string &name) const;

private:
  void *handle = nullptr;
};

/// A language that a compiler of the host understands.
struct HostLanguage {
  const char *name;                    ///< "C"
  const char *variable;                ///< environment variable that names the compiler: "CC"
  std::vector<std::string> candidates; ///< tried without it, in this order
  /// Flags that emitted text is written for. `parallel` is not among them: it is added when the
  /// compiler can link what it brings.
  std::vector<std::string> flags;
  const char *parallel; ///< "-fopenmp"
  std::vector<std::string> gnuFlags; ///< for GNU's compiler only
  const char *extension; ///< ".c"
  bool modules;          ///< a compilation writes module files, which nobody reads here
};
const HostLanguage &hostC();
const HostLanguage &hostFortran();
/// C with OpenACC, which the host stands in for a device.
const HostLanguage &hostAccC();
const HostLanguage &hostAccFortran();

class HostCompiler {
public:
  /// The compiler that the language's variable names (with arguments, if any), else the first of
  /// its candidates that exists.
  static Answer<HostCompiler> find(const HostLanguage &language = hostC());

  /// Program and leading arguments, "ccache gcc".
  const std::string &command() const { return spelled; }

  /// Compiles `source` into a shared object and loads it. `extraFlags` follow the language's.
  /// The error is the compiler's own text with the command that produced it.
  Answer<LoadedLibrary> load(std::string_view source,
                             const std::vector<std::string> &extraFlags = {}) const;

  /// What the compiler makes of `source` by the same command, without keeping it.
  Answer<CompilerReport> inspect(std::string_view source) const;

  /// Where compiled texts are kept: `$XDG_CACHE_HOME/moac`, else `~/.cache/moac`, else none
  /// (empty).
  static std::string cacheFolder();

private:
  /// Program and flags, but for what makes loops parallel.
  std::vector<std::string> plainCommand(const std::vector<std::string> &extraFlags) const;
  explicit HostCompiler(const HostLanguage &language) : language(&language) {}
  const HostLanguage *language;
  std::vector<std::string> program; ///< absolute path, then the variable's arguments
  std::string spelled;
};

} // namespace moac

#endif
