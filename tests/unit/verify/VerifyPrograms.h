// Programs for the tests of the second reader, emitted.
#ifndef MOAC_TESTS_VERIFYPROGRAMS_H
#define MOAC_TESTS_VERIFYPROGRAMS_H

#include "frontend/Compiler.h"

namespace moac::test {

/// The .moa files of a folder, sorted.
std::vector<std::string> moaFiles(const std::string &folder);

/// A file as `moac compile` emits it; `program` is null when it has errors.
struct EmittedProgram {
  std::unique_ptr<Program> program;
  EmitOptions options;
  EmittedSource source;
};
EmittedProgram emitFile(const std::string &path, bool standalone = true);
/// The same from text.
EmittedProgram emitText(const std::string &text);

/// What the second reader finds in `source` when it is compared with the program.
std::vector<std::string> differences(const EmittedProgram &emitted, const std::string &source);
std::string joined(const std::vector<std::string> &lines);

} // namespace moac::test

#endif
