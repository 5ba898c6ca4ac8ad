// Compiling and running emitted C from a unit test, with the compilers that are there.
#ifndef MOAC_TESTS_COMPILEC_H
#define MOAC_TESTS_COMPILEC_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace moac::test {

/// A directory of its own for one test, removed at the end.
class Scratchpad {
public:
  Scratchpad() {
    std::string pattern = (std::filesystem::temp_directory_path() / ("moac-unit-" + std::string(6, 'X'))).string();
    where = mkdtemp(pattern.data());
  }
  ~Scratchpad() { std::filesystem::remove_all(where); }
  std::string path(const std::string &name) const { return where + "/" + name; }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(path(name)) << text;
  }
  /// Runs a command in the directory; its exit status, output in `output`.
  int run(const std::string &command) {
    const std::string log = path("log");
    const int status =
        std::system(("cd " + where + " && (" + command + ") >" + log + " 2>&1").c_str());
    std::ostringstream text;
    text << std::ifstream(log).rdbuf();
    output = text.str();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string output;

private:
  std::string where;
};

inline bool haveCompiler(const std::string &name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// Whether `name` links a program with OpenMP: clang without its run time compiles, and fails then.
inline bool linksOpenMp(const std::string &name) {
  return std::system(("echo 'int main(void) { return 0; }' | " + name +
                      " -fopenmp -xc - -o /dev/null >/dev/null 2>&1")
                         .c_str()) == 0;
}

inline const std::string strictFlags = " -Wall -Wextra -Wpedantic -Werror ";

} // namespace moac::test

#endif
