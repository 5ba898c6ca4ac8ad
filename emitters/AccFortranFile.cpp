// Kernels for a device as a Fortran module; the two forms of a kernel are those of C (AccCFile.cpp).
//
// The loops of a kernel are a procedure whose dummy `resident` says where its arrays are; a native
// subroutine stands before each of the two functions that C sees.
#include "emitters/Acc.h"
#include "emitters/FortranFile.h"
#include "emitters/FortranKernel.h"
#include "emitters/FortranSupport.h"
#include "emitters/Offload.h"

#include <algorithm>

namespace moac::emit {

namespace {

constexpr std::string_view hostOnly[] = {"moac_overlap", "moac_round64", "moac_align64", "moac_take",
                                         "moac_scratch_acquire", "moac_scratch_release", "moac_stop"};

/// A definition of the module as one that the device can call: each function says so, after the
/// words that must come first.
std::string deviceText(const std::string &text) {
  if (std::any_of(std::begin(hostOnly), std::end(hostOnly),
                  [&](std::string_view name) { return text.find(name) != text.npos; }))
    return text;
  std::string out;
  bool wanted = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const size_t first = std::min(line.find_first_not_of(' '), line.size());
    const bool import = line.compare(first, 6, "import") == 0;
    if (wanted && !import && line.find("!$omp declare") == line.npos) {
      out += "    !$acc routine seq\n";
      wanted = false;
    }
    if (line.find("!$omp declare") == line.npos)
      out += line + (end < text.size() ? "\n" : "");
    wanted = wanted || (line.find(" function ") != line.npos && line[first] != '!' &&
                        line.compare(first, 4, "end ") != 0);
    at = end + 1;
  }
  return out;
}

} // namespace

Emitted printAccFortranFile(const tree::File &file, const COptions &options,
                            const LangTraits &lang) {
  const char *const compile =
      "OpenACC 2.7. With gfortran: -O3 -fopenacc, and for a GPU -foffload=nvptx-none "
      "\"-foffload-options=nvptx-none=-O3 -misa=sm_80 -lm\" -no-pie; without a device the host does "
      "the work.";
  tree::File offloaded = file;
  for (tree::Kernel &kernel : offloaded.kernels) {
    Offloaded one = offload(std::move(kernel), false);
    kernel = std::move(one.kernel);
    offloaded.problems.insert(offloaded.problems.end(), one.problems.begin(), one.problems.end());
  }
  return fortranFile(offloaded, options, lang, {compile, deviceText});
}

} // namespace moac::emit
