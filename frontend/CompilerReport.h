// What the host's compiler made of emitted text: stack of its functions, and vector registers that it kept in memory in
// innermost loops. Read after compilation, so that a schedule that looked good by counts can still be rejected.
//
// Stack usage comes from -fstack-usage, which gcc and clang write alike. Neither reports spills, so they are seen in the
// assembly of an x86 processor: moves of vector registers to and from the stack pointer inside loops that hold no other loop and
// multiply vectors; the worst of these loops counts. What is an array there by the program's own wish counts too: the
// number is an upper bound.
#ifndef MOAC_FRONTEND_COMPILERREPORT_H
#define MOAC_FRONTEND_COMPILERREPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace moac {

struct CompilerReport {
  int64_t stackBytes = 0;   ///< of the function that takes most
  std::string function;     ///< its name
  bool dynamicStack = false; ///< some function's stack has no bound that the compiler knows
  int64_t vectorOperations = 0;  ///< products of vectors in the innermost loop with most spills
  std::optional<int64_t> spills; ///< moves between vector registers and the stack there; nothing: another processor
};

/// From the text that -fstack-usage writes, and from assembly.
CompilerReport readCompilerReport(std::string_view stackUsage, std::string_view assembly);

} // namespace moac

#endif
