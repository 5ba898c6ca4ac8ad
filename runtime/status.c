/* The words for a status. The order of the table is the enumeration's, counted downwards from
 * MOAC_OK. */
#include "moac.h"

const char *moac_status_string(int status) {
  static const char *const words[] = {
      "success",
      "null pointer for an array that has elements",
      "extent out of range",
      "constraint of the kernel's signature violated",
      "index out of range",
      "number of elements overflows 64 bits",
      "output overlaps another array",
      "out of memory",
      "integer division by zero",
      "communication between processing elements failed",
  };
  const int count = (int)(sizeof words / sizeof words[0]);
  if (status > 0 || status <= -count)
    return "unknown status";
  return words[-status];
}
