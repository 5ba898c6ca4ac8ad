// Fortran has no reserved words, but a variable that is called like an intrinsic function hides it,
// and one that is called like a statement is hard to read. Names are compared in lower case.
#include "emitters/FortranNames.h"
#include "emitters/Names.h"

#include <string>

namespace moac::emit {
namespace {

const char *const statementWords = R"(
allocatable allocate assign associate asynchronous backspace bind block call case character class
close codimension common complex concurrent contains contiguous continue critical cycle data
deallocate deferred dimension do double elemental else elseif elsewhere end enddo endif endfile
entry enum enumerator equivalence error exit extends external final flush forall form format
function generic go goto if images implicit import impure in include inout inquire integer intent
interface intrinsic is kind len lock logical memory module name namelist none nopass nullify only
open operator optional out parameter pass pause pointer precision print private procedure program
protected public pure read real recursive result return rewind rewrite save select selectcase
sequence stop submodule subroutine sync target team then to type unlock use value volatile wait
where while write
)";

// Intrinsic functions that emitted code calls, and those whose hiding would surprise a reader.
const char *const intrinsicNames = R"(
abs aimag aint all anint any associated bge bgt ble blt ceiling cos dble dim epsilon erf exp floor
huge iand ieor index int ior ishft lbound log matmul max maxval merge min minval mod modulo nint not
popcnt present product reshape shape shiftl shiftr sign sin size spread sqrt sum tanh tiny transfer
transpose trailz ubound c_associated c_bool c_double c_f_pointer c_float c_int c_int16_t c_int32_t
c_int64_t c_int8_t c_intptr_t c_loc c_null_ptr c_ptr c_size_t compiler_options
)";

// Local names of emitted procedures and the module's own.
const char *const internalNames = R"(
bool code f32 f64 i16 i32 i64 i8 nothing own shared_bytes slot status taken team thread_bytes top
ws ws_bytes
)";

} // namespace

const std::vector<std::string_view> &fortranReserved() {
  static const std::string both = std::string(statementWords) + intrinsicNames;
  static const std::vector<std::string_view> words = wordList(both);
  return words;
}

const std::vector<std::string_view> &fortranInternal() {
  static const std::vector<std::string_view> words = wordList(internalNames);
  return words;
}

} // namespace moac::emit
