// NumPy's .npy files: the form in which `moac run` takes and gives arrays.
//
// Versions 1 to 3 are read, C and Fortran order (the result is row-major either way), little-endian
// elements of every type of the language. f16, bf16 and bool map to `<f2`, `<V2` (NumPy has no
// bfloat16; `<u2` is accepted where a kernel wants bf16) and `|b1`. Files are written as version 1
// in C order. A malformed file is an error with a reason; the memory and time spent on one are
// bounded by its own size.
#ifndef MOAC_FRONTEND_NPY_H
#define MOAC_FRONTEND_NPY_H

#include "frontend/HostArray.h"

#include <optional>
#include <string>
#include <string_view>

namespace moac {

/// Reads the array stored in the bytes of a file. On failure: nothing, and `error` says why.
std::optional<HostArray> parseNpy(std::string_view bytes, std::string &error);
/// The bytes of a version 1 file.
std::string formatNpy(const HostArray &array);

/// The same for a file at `path`; `error` then names the path.
std::optional<HostArray> readNpy(const std::string &path, std::string &error);
/// Replaces `path` in one step, so that a reader never sees half a file. False on failure, with
/// `error` set.
bool writeNpy(const std::string &path, const HostArray &array, std::string &error);

/// `array` as the type `wanted`, when the stored bits mean the same: equal types, or uint16 and
/// bf16.
std::optional<HostArray> reinterpretAs(HostArray array, ElementType wanted);

} // namespace moac

#endif
