// Stands in for the compiler until its phases are connected: every question is answered with "not
// yet".
#include "frontend/Compiler.h"

using namespace moac;

namespace {

class UnbuiltProgram : public Program {
public:
  explicit UnbuiltProgram(std::string path) : path(std::move(path)) {}

  bool hasErrors() const override { return true; }
  std::string diagnostics() const override {
    return path + ": error: compiling is not built yet\n";
  }
  const std::vector<KernelSignature> &kernels() const override { return none; }
  Answer<std::string> print(Stage, const std::string &) override { return notYet<std::string>(); }
  Answer<std::string> explain(const std::string &, const std::string &) override {
    return notYet<std::string>();
  }
  Answer<EmittedSource> emit(const EmitOptions &) override { return notYet<EmittedSource>(); }
  bool admits(const std::string &, const std::vector<int64_t> &,
              const std::vector<HostArray> &) override {
    return false;
  }
  double innermostIterations(const std::string &, const std::vector<int64_t> &) override {
    return 0;
  }
  Answer<InterpretResult> interpret(const std::string &, Stage, const CallArguments &) override {
    return notYet<InterpretResult>();
  }

private:
  template <class T> static Answer<T> notYet() { return Answer<T>::failure("not yet built"); }

  std::string path;
  std::vector<KernelSignature> none;
};

} // namespace

std::unique_ptr<Program> Program::load(const std::string &path, const LoadOptions &) {
  return std::make_unique<UnbuiltProgram>(path);
}

const std::vector<std::string> &moac::targetNames() {
  static const std::vector<std::string> names = {"c-openmp"};
  return names;
}
