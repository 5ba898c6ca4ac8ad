// Commands are put together as text for the shell, with quoted words: the flags for the device's compiler
// hold blanks.
#include "frontend/BundleBuild.h"

#include "frontend/CallWrapper.h"
#include "frontend/EmbeddedTexts.h"
#include "frontend/HostCompiler.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace moac;
namespace fs = std::filesystem;

namespace {

std::string quoted(const std::string &word) {
  std::string out = "'";
  for (char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void write(const fs::path &name, std::string_view text) { std::ofstream(name) << text; }

/// Wrappers of both forms of each kernel, and the table that the driver reads.
std::string tableText(const std::string &stem, const std::vector<KernelSignature> &kernels) {
  std::string text = fmt::format("#include \"{}.h\"\n#include <stddef.h>\n#include <stdint.h>\n", stem);
  std::string rows;
  for (const KernelSignature &kernel : kernels) {
    KernelSignature device = kernel;
    device.cName += "_device";
    text += callWrapper(kernel) + callWrapper(device);
    rows += fmt::format("  {{\"{}\", {}, {}}},\n", kernel.name, callWrapperName(kernel),
                        callWrapperName(device));
  }
  return text +
         fmt::format("\ntypedef int moac_kernel(const int64_t *, const void *const *, const void *const *, "
                     "void *const *);\n"
                     "struct moac_entry {{\n  const char *name;\n  moac_kernel *host, *device;\n}};\n"
                     "extern const struct moac_entry moac_kernels[];\nextern const int moac_kernel_count;\n"
                     "const struct moac_entry moac_kernels[] = {{\n{}}};\n"
                     "const int moac_kernel_count = {};\n",
                     rows, kernels.size());
}

constexpr const char *runScript = R"sh(#!/bin/sh
# Runs the programs of this bundle on the device; ACC_DEVICE_TYPE=host in the environment runs them on the host.
cd "$(dirname "$0")" || exit 1
export ACC_DEVICE_TYPE="${ACC_DEVICE_TYPE:-nvidia}"
export LD_LIBRARY_PATH="$PWD/lib:/usr/local/nvidia/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
failed=0
for cases in cases/*.cases; do
  name=$(basename "$cases" .cases)
  echo "== $name"
  "bin/$name" "$cases" || { echo "FAILED $name ($?)"; failed=1; }
done
exit $failed
)sh";

} // namespace

BundleBuild::BundleBuild(std::string folder, std::string target, std::vector<std::string> given)
    : folder(fs::absolute(folder).string()), target(std::move(target)),
      fortran(this->target.starts_with("fortran")) {
  if (given.empty())
    given = {"-O3", "-fopenacc", "-foffload=nvptx-none",
             "-foffload-options=nvptx-none=-O3 -misa=sm_80 -lm", "-no-pie"};
  for (const std::string &flag : given)
    flags += " " + quoted(flag);
  const Answer<HostCompiler> cc = HostCompiler::find(hostAccC()), f = HostCompiler::find(hostAccFortran());
  problem = !cc ? cc.error : fortran && !f ? f.error : "";
  c = cc ? cc->command() : "";
  fc = f ? f->command() : "";
}

std::string BundleBuild::command(const std::string &words) const {
  const std::string log = folder + "/compiler.txt";
  if (std::system((words + " > " + quoted(log) + " 2>&1").c_str()) == 0) {
    fs::remove(log);
    return "";
  }
  std::ifstream said(log);
  return "the compiler refused:\n" + words + "\n" +
         std::string(std::istreambuf_iterator<char>(said), std::istreambuf_iterator<char>());
}

std::string BundleBuild::program(const std::string &stem, const std::vector<KernelSignature> &kernels,
                                 const EmittedSource &text) {
  if (!problem.empty())
    return problem;
  const fs::path src = fs::path(folder) / "src" / (stem + "-" + target);
  std::error_code error;
  fs::create_directories(src, error);
  write(src / (stem + text.extension), text.source);
  write(src / (stem + ".h"), text.header);
  write(src / "table.c", tableText(stem, kernels));
  write(src / "driver.c", bundleDriver());
  const std::string at = "cd " + quoted(src.string()) + " && ";
  const std::string inC = c + " -std=gnu11" + flags + " -c ";
  std::string objects = " table.o driver.o kernels.o";
  for (const char *part : {"table.c", "driver.c"})
    if (std::string wrong = command(at + inC + part); !wrong.empty())
      return wrong;
  const std::string compile = (fortran ? fc + " -std=f2018" + flags + " -c " : inC) +
                              quoted(stem + text.extension) + " -o kernels.o";
  if (std::string wrong = command(at + compile); !wrong.empty())
    return wrong;
  const std::string program = fs::absolute(fs::path(folder) / "bin" / (stem + "-" + target)).string();
  std::string wrong = command(at + (fortran ? fc : c) + flags + objects + " -o " + quoted(program) + " -lm");
  for (const auto &entry : fs::directory_iterator(src))
    if (entry.path().extension() == ".o" || entry.path().extension() == ".mod")
      fs::remove(entry.path(), error);
  return wrong;
}

std::string BundleBuild::library(const std::string &name, bool needed) const {
  const std::string to = quoted(folder + "/lib/" + name);
  // A compiler that does not know the file answers with its name.
  const std::string copy =
      fmt::format("found=$({} -print-file-name={}) && test -e \"$found\" && cp -L \"$found\" {}",
                  fortran ? fc : c, name, to);
  return std::system((copy + " 2> /dev/null").c_str()) == 0 || !needed
             ? ""
             : fmt::format("'{}' does not know the library {}", fortran ? fc : c, name);
}

std::string BundleBuild::finish() {
  const bool offloads = flags.find("nvptx") != flags.npos;
  for (const auto &[name, needed] : {std::pair("libgomp.so.1", true),
                                     {"libgomp-plugin-nvptx.so.1", offloads},
                                     {"libgfortran.so.5", fortran},
                                     {"libquadmath.so.0", fortran}})
    if (std::string wrong = fortran || std::string_view(name).starts_with("libgomp") ? library(name, needed) : "";
        !wrong.empty())
      return wrong;
  write(fs::path(folder) / "run.sh", runScript);
  std::error_code error;
  fs::permissions(fs::path(folder) / "run.sh", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  return "";
}
