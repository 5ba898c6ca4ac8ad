// The table of targets that run on this host, and the wrappers of kernels in Fortran.
//
// A wrapper is a function for C of the type KernelFunction. The kernel is called by its name in C;
// Fortran names are made from a number, because a kernel's own may be too long or differ in case
// only.
#include "frontend/HostTarget.h"

#include <fmt/format.h>

#include <functional>

namespace moac {

namespace {
/// One call after the other: there are no teams of threads in the text of this target.
std::string accNestedWrapper(const KernelSignature &kernel) {
  std::string text = nestedWrapper(kernel);
  for (size_t at = text.find("#pragma omp"); at != text.npos; at = text.find("#pragma omp"))
    text.erase(at, text.find('\n', at) + 1 - at);
  return text;
}
} // namespace

const HostTarget &hostTarget(std::string_view target) {
  static const HostTarget targets[] = {
      {"c-openmp", hostC(), callWrapper, nestedWrapper},
      {"c-openacc", hostAccC(), callWrapper, accNestedWrapper},
      {"fortran-openmp", hostFortran(), fortranCallWrapper, fortranNestedWrapper},
      {"fortran-openacc", hostAccFortran(), fortranCallWrapper, fortranNestedWrapper},
  };
  for (const HostTarget &one : targets)
    if (one.name == target)
      return one;
  return targets[0];
}

namespace {

const char *fortranScalarType(ElementType type) {
  switch (type) {
  case ElementType::f32_:
    return "real(c_float)";
  case ElementType::f64_:
    return "real(c_double)";
  case ElementType::bool_:
    return "logical(c_bool)";
  case ElementType::i8_:
  case ElementType::u8_:
    return "integer(c_int8_t)";
  case ElementType::i16_:
  case ElementType::u16_:
  case ElementType::f16_: // halves travel as their bits
  case ElementType::bf16_:
    return "integer(c_int16_t)";
  case ElementType::i32_:
  case ElementType::u32_:
    return "integer(c_int32_t)";
  case ElementType::i64_:
  case ElementType::u64_:
    break;
  }
  return "integer(c_int64_t)";
}

const char *const convention = R"(
  integer(c_int64_t), intent(in) :: moac_symbols(*)
  type(c_ptr), intent(in) :: moac_scalars(*), moac_inputs(*), moac_outputs(*)
)";

std::string fortranName(const KernelSignature &kernel, const char *word) {
  return fmt::format("moac_{}_{:x}", word, std::hash<std::string>{}(kernel.name));
}

/// A function of the convention, up to its own declarations.
std::string head(const KernelSignature &kernel, const char *word, const std::string &cName) {
  return fmt::format(
      "\ninteger(c_int) function {}(moac_symbols, moac_scalars, moac_inputs, moac_outputs) &\n"
      "  bind(C, name=\"{}\") result(status)\n"
      "  use, intrinsic :: iso_c_binding\n  implicit none{}",
      fortranName(kernel, word), cName, convention);
}

/// Interface of the kernel's function: dummies called a1, a2, ...
std::string kernelInterface(const KernelSignature &kernel, size_t count) {
  std::string names, types;
  for (size_t k = 0; k < count; ++k) {
    names += fmt::format("{}a{}", k ? (k % 12 ? ", " : ", &\n      ") : "", k);
    const size_t scalar = k - kernel.symbols.size();
    const char *type = k < kernel.symbols.size() ? "integer(c_int64_t)"
                       : scalar < kernel.scalars.size()
                           ? fortranScalarType(kernel.scalars[scalar].type)
                           : "type(c_ptr)";
    types += fmt::format("      {}, value :: a{}\n", type, k);
  }
  return fmt::format(
      "  interface\n    integer(c_int) function moac_kernel({}) bind(C, name=\"{}\")\n"
      "      use, intrinsic :: iso_c_binding\n{}    end function\n  end interface\n",
      names, kernel.cName, types);
}

} // namespace

std::string fortranCallWrapper(const KernelSignature &kernel) {
  std::vector<std::string> arguments;
  std::string pointers, places;
  for (size_t k = 1; k <= kernel.symbols.size(); ++k)
    arguments.push_back(fmt::format("moac_symbols({})", k));
  for (size_t k = 1; k <= kernel.scalars.size(); ++k) {
    pointers +=
        fmt::format("  {}, pointer :: s{}\n", fortranScalarType(kernel.scalars[k - 1].type), k);
    places += fmt::format("  call c_f_pointer(moac_scalars({0}), s{0})\n", k);
    arguments.push_back(fmt::format("s{}", k));
  }
  for (size_t k = 1; k <= kernel.inputs.size(); ++k)
    arguments.push_back(fmt::format("moac_inputs({})", k));
  for (size_t k = 1; k <= kernel.outputs.size(); ++k)
    arguments.push_back(fmt::format("moac_outputs({})", k));
  std::string passed;
  for (size_t k = 0; k < arguments.size(); ++k)
    passed += (k ? (k % 5 ? ", " : ", &\n    ") : "") + arguments[k];
  std::string used;
  for (const char *name : {"moac_symbols", "moac_scalars", "moac_inputs", "moac_outputs"})
    used += fmt::format("  associate (unused => {}(1:0))\n  end associate\n", name);
  return head(kernel, "call", callWrapperName(kernel)) + kernelInterface(kernel, arguments.size()) +
         pointers + used + places + "  status = moac_kernel(" + passed + ")\nend function\n";
}

std::string fortranNestedWrapper(const KernelSignature &kernel) {
  const std::string call = fortranName(kernel, "call");
  return head(kernel, "nested", nestedWrapperName(kernel)) +
         fmt::format(R"(  interface
    integer(c_int) function {0}(moac_symbols, moac_scalars, moac_inputs, moac_outputs) &
      bind(C, name="{1}")
      use, intrinsic :: iso_c_binding{2}    end function
  end interface
  integer(c_int) :: first, second
  first = 0
  second = 0
  !$omp parallel sections num_threads(2)
  !$omp section
  first = {0}(moac_symbols, moac_scalars, moac_inputs, moac_outputs)
  !$omp section
  second = {0}(moac_symbols, moac_scalars, moac_inputs, moac_outputs({3}))
  !$omp end parallel sections
  status = merge(first, second, first /= 0)
end function
)",
                     call, callWrapperName(kernel), convention, kernel.outputs.size() + 1);
}

} // namespace moac
