// The machine-dependent constants of emitted files by name; see Tuned.def.
#ifndef MOAC_IR_TUNED_H
#define MOAC_IR_TUNED_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace moac {

struct Tuned {
  std::string_view name, what;
  std::array<int64_t, 4> values; ///< with vectors of 128 bits, AVX, AVX-512 by 256 bits, AVX-512
};

inline constexpr Tuned tunedConstants[] = {
#define TUNED(name, what, v128, v256, v512by256, v512) {#name, what, {v128, v256, v512by256, v512}},
#include "ir/Tuned.def"
#undef TUNED
};

inline std::optional<Tuned> findTuned(std::string_view name) {
  for (const Tuned &tuned : tunedConstants)
    if (tuned.name == name)
      return tuned;
  return std::nullopt;
}

} // namespace moac

#endif
