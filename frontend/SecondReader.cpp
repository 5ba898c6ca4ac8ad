// Finds the second reader's library next to the program and opens it.
#include "frontend/SecondReader.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <filesystem>

using namespace moac;
namespace fs = std::filesystem;

Answer<reading::CReader> moac::loadCReader() {
  using Failure = Answer<reading::CReader>;
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  const fs::path library =
      (program.parent_path().parent_path() / MOAC_READER_FOLDER / "moac-c-reader.so")
          .lexically_normal();
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Failure::failure(fmt::format("the C reader cannot be loaded: {}", dlerror()));
  const auto entry = reinterpret_cast<reading::CReader (*)()>(dlsym(handle, "moac_c_reader"));
  if (!entry)
    return Failure::failure(fmt::format("'{}' is not moac's C reader", library.string()));
  return entry();
}
