// C11 with OpenMP, as data.
//
// Precedence numbers are those of the C grammar (primary 16, unary 15, * 13, + 12, < 10, == 9, &&
// 5,
// || 4, ?: 3); where compilers warn of a mixture that C allows (&& within ||, ! before a
// comparison) the numbers ask for the parentheses. Index arithmetic is printed tight, b*N + i, and
// is plain; integer elements wrap and go through support functions (CSupport.def), because signed
// overflow has no meaning in C.
#include "emitters/C.h"
#include "emitters/CNames.h"
#include "emitters/Names.h"

#include <algorithm>

namespace moac::emit {
namespace {

using namespace types;

std::vector<OpRow> integerRows() {
  const TypeSet indexes = index | i64;
  std::vector<OpRow> rows = {
      {Op::add_, index, "{0} + {1}", 12, {12, 13}, false},
      {Op::sub_, index, "{0} - {1}", 12, {12, 13}, false},
      {Op::mul_, index, "{0}*{1}", 13, {13, 14}, false},
      {Op::neg_, index, "-{0}", 15, {16}, false},
      {Op::quotient_, index, "{0}/{1}", 13, {13, 15}, false},
      {Op::remainder_, index, "{0}%{1}", 13, {13, 14}, false},
      {Op::add_, u32 | u64, "{0} + {1}", 12, {12, 13}, false},
      {Op::sub_, u32 | u64, "{0} - {1}", 12, {12, 13}, false},
      {Op::mul_, u32 | u64, "{0} * {1}", 13, {13, 14}, false},
      {Op::neg_, u32 | u64, "-{0}", 15, {16}, false},
      {Op::abs_, u32 | u64, "{0}", 16, {16}, false},
  };
  struct Called {
    Op op;
    const char *word;
  };
  for (auto [op, word] : {Called{Op::add_, "add"}, {Op::sub_, "sub"}, {Op::mul_, "mul"}}) {
    const std::string call = std::string("moac_") + word;
    rows.push_back({op, i32, call + "_i32({0}, {1})", 16, {0, 0}, false});
    rows.push_back({op, i64, call + "_i64({0}, {1})", 16, {0, 0}, false});
  }
  for (auto [op, word] : {Called{Op::neg_, "neg"}, {Op::abs_, "abs"}}) {
    const std::string call = std::string("moac_") + word;
    rows.push_back({op, i32, call + "_i32({0})", 16, {0}, false});
    rows.push_back({op, indexes, call + "_i64({0})", 16, {0}, false});
  }
  for (auto [op, word] : {Called{Op::floordiv_, "floordiv"}, {Op::mod_, "mod"}}) {
    const std::string call = std::string("moac_") + word;
    rows.push_back({op, i32, call + "_i32({0}, {1})", 16, {0, 0}, false});
    rows.push_back({op, indexes, call + "_i64({0}, {1})", 16, {0, 0}, false});
  }
  for (auto [op, word] : {Called{Op::floordiv_, "div"}, {Op::mod_, "mod"}}) {
    const std::string call = std::string("moac_") + word;
    rows.push_back({op, u32, call + "_u32({0}, {1})", 16, {0, 0}, false});
    rows.push_back({op, u64, call + "_u64({0}, {1})", 16, {0, 0}, false});
  }
  for (auto [op, word] : {Called{Op::min_, "min"}, {Op::max_, "max"}}) {
    const std::string call = std::string("moac_") + word;
    rows.push_back({op, i32, call + "_i32({0}, {1})", 16, {0, 0}, false});
    rows.push_back({op, indexes, call + "_i64({0}, {1})", 16, {0, 0}, false});
    rows.push_back({op, u32, call + "_u32({0}, {1})", 16, {0, 0}, false});
    rows.push_back({op, u64, call + "_u64({0}, {1})", 16, {0, 0}, false});
    rows.push_back({op, f32, call + "_f32({0}, {1})", 16, {0, 0}, false});
    rows.push_back({op, f64, call + "_f64({0}, {1})", 16, {0, 0}, false});
  }
  return rows;
}

std::vector<OpRow> floatRows() {
  std::vector<OpRow> rows = {
      {Op::add_, floats, "{0} + {1}", 12, {12, 13}, false},
      {Op::sub_, floats, "{0} - {1}", 12, {12, 13}, false},
      {Op::mul_, floats, "{0} * {1}", 13, {13, 14}, false},
      {Op::div_, floats, "{0} / {1}", 13, {13, 14}, false},
      {Op::neg_, floats, "-{0}", 15, {16}, false},
      {Op::floordiv_, f32, "floorf({0} / {1})", 16, {13, 14}, false},
      {Op::floordiv_, f64, "floor({0} / {1})", 16, {13, 14}, false},
      {Op::mod_, f32, "moac_mod_f32({0}, {1})", 16, {0, 0}, false},
      {Op::mod_, f64, "moac_mod_f64({0}, {1})", 16, {0, 0}, false},
      {Op::pow_, f32, "powf({0}, {1})", 16, {0, 0}, false},
      {Op::pow_, f64, "pow({0}, {1})", 16, {0, 0}, false},
      {Op::fma_, f32, "fmaf({0}, {1}, {2})", 16, {0, 0, 0}, false},
      {Op::fma_, f64, "fma({0}, {1}, {2})", 16, {0, 0, 0}, false},
      {Op::rsqrt_, f32, "moac_rsqrt_f32({0})", 16, {0}, false},
      {Op::rsqrt_, f64, "moac_rsqrt_f64({0})", 16, {0}, false},
      {Op::exp_, f32, "moac_exp_f32({0})", 16, {0}, false},
      {Op::exp_, f64, "moac_exp_f64({0})", 16, {0}, false},
      {Op::exp2_, f32, "moac_exp2_f32({0})", 16, {0}, false},
      {Op::exp2_, f64, "moac_exp2_f64({0})", 16, {0}, false},
      {Op::exp_down_, f32, "moac_exp_down_f32({0})", 16, {0}, false},
      {Op::exp_down_, f64, "moac_exp_down_f64({0})", 16, {0}, false},
      {Op::exp2_down_, f32, "moac_exp2_down_f32({0})", 16, {0}, false},
      {Op::exp2_down_, f64, "moac_exp2_down_f64({0})", 16, {0}, false},
      {Op::sigmoid_, f32, "moac_sigmoid_f32({0})", 16, {0}, false},
      {Op::sigmoid_, f64, "moac_sigmoid_f64({0})", 16, {0}, false},
      {Op::tanh_, f32, "moac_tanh_f32({0})", 16, {0}, false},
      {Op::tanh_, f64, "moac_tanh_f64({0})", 16, {0}, false},
  };
  struct Called {
    Op op;
    const char *word;
  };
  for (auto [op, word] : {Called{Op::abs_, "fabs"},
                          {Op::log_, "log"},
                          {Op::log2_, "log2"},
                          {Op::sqrt_, "sqrt"},
                          {Op::erf_, "erf"},
                          {Op::sin_, "sin"},
                          {Op::cos_, "cos"},
                          {Op::floor_, "floor"},
                          {Op::ceil_, "ceil"},
                          {Op::round_, "rint"}}) { // half to even in the default rounding mode
    rows.push_back({op, f32, std::string(word) + "f({0})", 16, {0}, false});
    rows.push_back({op, f64, std::string(word) + "({0})", 16, {0}, false});
  }
  return rows;
}

std::vector<OpRow> logicRows() {
  const TypeSet compared = index | integers | floats, equal = compared | boolean;
  return {
      {Op::lt_, boolean, "!{0} && {1}", 5, {15, 6}, false},
      {Op::le_, boolean, "!{0} || {1}", 4, {15, 6}, false},
      {Op::gt_, boolean, "{0} && !{1}", 5, {6, 15}, false},
      {Op::ge_, boolean, "{0} || !{1}", 4, {6, 15}, false},
      {Op::lt_, compared, "{0} < {1}", 10, {12, 12}, false},
      {Op::le_, compared, "{0} <= {1}", 10, {12, 12}, false},
      {Op::gt_, compared, "{0} > {1}", 10, {12, 12}, false},
      {Op::ge_, compared, "{0} >= {1}", 10, {12, 12}, false},
      {Op::eq_, equal, "{0} == {1}", 9, {12, 12}, false},
      {Op::ne_, equal, "{0} != {1}", 9, {12, 12}, false},
      {Op::and_, boolean, "{0} && {1}", 5, {6, 6}, true},
      {Op::or_, boolean, "{0} || {1}", 4, {6, 6}, true},
      {Op::not_, boolean, "!{0}", 8, {15}, false},
      {Op::select_, values, "{0} ? {1} : {2}", 3, {4, 4, 3}, false},
  };
}

std::vector<OpRow> opRows() {
  std::vector<OpRow> rows = integerRows();
  for (auto make : {floatRows, logicRows})
    for (OpRow &row : make())
      rows.push_back(std::move(row));
  return rows;
}

std::vector<CastRow> castRows() {
  const TypeSet whole = index | integers | narrow, number = whole | floats;
  return {
      {index | i64, index | i64, "{0}", 16, 0},
      {f16, f32, "moac_f16_to_f32({0})", 16, 0},
      {bf16, f32, "moac_bf16_to_f32({0})", 16, 0},
      {f16, boolean, "moac_f16_to_f32({0}) != 0", 9, 0},
      {bf16, boolean, "moac_bf16_to_f32({0}) != 0", 9, 0},
      {f16, f64, "(double)moac_f16_to_f32({0})", 15, 0},
      {bf16, f64, "(double)moac_bf16_to_f32({0})", 15, 0},
      {f16, bf16, "moac_f32_to_bf16(moac_f16_to_f32({0}))", 16, 0},
      {bf16, f16, "moac_f32_to_f16(moac_bf16_to_f32({0}))", 16, 0},
      {f32, f16, "moac_f32_to_f16({0})", 16, 0},
      {f32, bf16, "moac_f32_to_bf16({0})", 16, 0},
      {f64, f16, "moac_f64_to_f16({0})", 16, 0},
      {f64, bf16, "moac_f64_to_bf16({0})", 16, 0},
      {whole | boolean, f16, "moac_f64_to_f16((double){0})", 16, 15},
      {whole | boolean, bf16, "moac_f64_to_bf16((double){0})", 16, 15},
      {number, boolean, "{0} != 0", 9, 12},
      {narrow, i32, "{0}", 16, 0}, // C widens by itself
      {whole | boolean, whole, "({type}){0}", 15, 15},
      {whole | boolean | floats, floats, "({type}){0}", 15, 15},
      {floats, index | i64, "moac_f64_to_i64({0})", 16, 0},
      {floats, u64, "moac_f64_to_u64({0})", 16, 0},
      {floats, i8, "(int8_t)moac_f64_to_int({0}, -128, 127)", 15, 0},
      {floats, i16, "(int16_t)moac_f64_to_int({0}, -32768, 32767)", 15, 0},
      {floats, i32, "(int32_t)moac_f64_to_int({0}, INT32_MIN, INT32_MAX)", 15, 0},
      {floats, u8, "(uint8_t)moac_f64_to_int({0}, 0, 255)", 15, 0},
      {floats, u16, "(uint16_t)moac_f64_to_int({0}, 0, 65535)", 15, 0},
      {floats, u32, "(uint32_t)moac_f64_to_int({0}, 0, UINT32_MAX)", 15, 0},
      {f16, index | i64, "moac_f64_to_i64(moac_f16_to_f32({0}))", 16, 0},
      {bf16, index | i64, "moac_f64_to_i64(moac_bf16_to_f32({0}))", 16, 0},
      {halves, integers | narrow, unsupported("half-precision storage converts through f32"), 0, 0},
  };
}

std::vector<std::string_view> sortedWords(std::initializer_list<const char *> lists) {
  std::vector<std::string_view> all;
  for (const char *list : lists)
    for (std::string_view word : wordList(list))
      all.push_back(word);
  std::sort(all.begin(), all.end());
  return all;
}

NameRules nameRules() {
  static const std::vector<std::string_view> reserved = sortedWords({cKeywords, cLibraryNames});
  static const std::vector<std::string_view> internal = sortedWords(
      {"status slot slice team threads top fit shared_bytes thread_bytes ws ws_bytes own"});
  return {&reserved, &internal, {"_", "moac_", "MOAC_", "omp_"}, "v_", false, 200, false};
}

LangTraits make() {
  const Text none("");
  const char *const noDevice = "OpenMP is for the memory of the host here";
  return {
      .name = "c",
      .typeNames = {{Elem::Index, "int64_t"},
                    {Elem::Bool, "bool"},
                    {Elem::I8, "int8_t"},
                    {Elem::I16, "int16_t"},
                    {Elem::I32, "int32_t"},
                    {Elem::I64, "int64_t"},
                    {Elem::U8, "uint8_t"},
                    {Elem::U16, "uint16_t"},
                    {Elem::U32, "uint32_t"},
                    {Elem::U64, "uint64_t"},
                    {Elem::F16, "uint16_t"},
                    {Elem::BF16, "uint16_t"},
                    {Elem::F32, "float"},
                    {Elem::F64, "double"}},
      .literals = {{index | i64, "{v}", "INT64_C({v})", "INT64_MIN", none, none},
                   {i32, "{v}", "{v}", "INT32_MIN", none, none},
                   {u32, "{v}u", "{v}u", none, none, none},
                   {u64, "UINT64_C({v})", "UINT64_C({v})", none, none, none},
                   {f32, "{v}f", none, none, "INFINITY", "NAN"},
                   {f64, "{v}", none, none, "INFINITY", "NAN"}},
      .literalTrue = "true",
      .literalFalse = "false",
      .negativePrecedence = 15,
      .ops = opRows(),
      .casts = castRows(),
      .updates = {{Op::add_, index | u32 | u64 | floats, "{target} += {value};"},
                  {Op::sub_, index | u32 | u64 | floats, "{target} -= {value};"},
                  {Op::mul_, index | u32 | u64 | floats, "{target} *= {value};"}},
      .atomics = {{Op::add_, i32, "moac_atomic_add_i32(&{target},\t{value});"},
                  {Op::add_, i64, "moac_atomic_add_i64(&{target},\t{value});"},
                  {Op::add_, f32, "moac_atomic_add_f32(&{target},\t{value});"},
                  {Op::add_, f64, "moac_atomic_add_f64(&{target},\t{value});"}},
      .load = "{array}[{offset}]",
      .primaryPrecedence = 16,
      .note = "// {text}",
      .let = "const {type} {name} = {value};",
      .variable = "{type} {name} = {value};",
      .declaration = "{type} {name};",
      .arrayDeclaration = "{type} {name}[{count}];",
      .assign = "{target} = {value};",
      .prefetch = "MOAC_PREFETCH(&{element});",
      .prefetchRead = "MOAC_PREFETCH_READ(&{element});",
      .gather = "status = moac_give(&{element},\t{bytes},\tstatus);",
      .meet = "status = moac_meet(status);",
      .fail = "status = status < {status} ? status : {status};",
      .call = "{procedure}({arguments});",
      .ifOpen = "if ({condition}) {",
      .ifElse = "} else {",
      .ifClose = "}",
      .loopOpen = "for ({type} {name} = {lo};\t{name} < {hi};\t++{name}) {",
      .loopOpenReverse = "for ({type} {name} = {hi} - 1;\t{name} >= {lo};\t--{name}) {",
      .loopOpenStep = "for ({type} {name} = {lo};\t{name} < {hi};\t{name} += {step}) {",
      .loopClose = "}",
      .emptyBlock = none,
      .loopBoundBinds = 12,
      .loopBoundReverseBinds = 12,
      .loopWhere = " // {where}",
      .teamLoop = "#pragma omp parallel for{clauses}",
      .teamLoopClose = none,
      .teamOpen = "int64_t {slots} = 0;",
      .region = "#pragma omp parallel{clauses}\n{",
      .regionClose = "}",
      .workshareLoop = "#pragma omp for{clauses}",
      .workshareLoopClose = none,
      .clauseEven = "\tschedule(static)",
      .clauseUneven = "\tschedule(dynamic)",
      .laneLoop = "#pragma omp simd{clauses}",
      .unrollLoop = "#pragma GCC unroll {factor}",
      .blockLoop = "MOAC_BLOCK_LANES(simdlen({lanes}){clauses})",
      .clauseCollapse = "\tcollapse({n})",
      .clauseThreads = "\tnum_threads(moac_threads({work}))",
      .clauseTeam = "\tnum_threads(team)",
      .clauseStatus = "\treduction(min : status)",
      .clausePrivate = none,
      .laneReductions = {{Op::add_, "\treduction(+ : {name})"},
                         {Op::mul_, "\treduction(* : {name})"},
                         {Op::max_, "\treduction(moac_largest_{elem} : {name})"},
                         {Op::min_, "\treduction(moac_least_{elem} : {name})"}},
      .threadSlot = "int64_t slot;\n"
                    "#pragma omp atomic capture\n"
                    "slot = {slots}++;\n"
                    "char *slice = threads + (size_t)slot * thread_bytes;",
      .scratch = "{type} *restrict {name} = moac_take(&slice, {bytes});",
      .scratchBytes = "sizeof({type}){factors}",
      .scratchFactor = " * {factor}",
      .scratchFactorBinds = 14,
      .statuses = {{tree::Status::Ok, "MOAC_OK"},
                   {tree::Status::NullPointer, "MOAC_NULL_POINTER"},
                   {tree::Status::Extent, "MOAC_EXTENT"},
                   {tree::Status::Constraint, "MOAC_CONSTRAINT"},
                   {tree::Status::Index, "MOAC_INDEX"},
                   {tree::Status::Overflow, "MOAC_OVERFLOW"},
                   {tree::Status::Aliasing, "MOAC_ALIASING"},
                   {tree::Status::NoMemory, "MOAC_NO_MEMORY"},
                   {tree::Status::DivisionByZero, "MOAC_DIVISION_BY_ZERO"}},
      .checks = {.either = " ||",
                 .both = " &&",
                 .giveUp = "return {status};",
                 .nothing = "return {status}; // nothing to compute",
                 .tooLarge = "{bytes} > MOAC_MAX_BYTES",
                 .negative = "{value} < 0",
                 .size = "const size_t {name} = {value};",
                 .empty = "{bytes} == 0",
                 .missing = "{name} == NULL",
                 .missingUnlessEmpty = "({name} == NULL && {bytes} != 0)",
                 .overlap = "moac_overlap({a}, {aBytes}, {b}, {bBytes})"},
      .residentForms = {},
      .memoryForms = {"_ws", "_ws_size", "_run"},
      .deviceArguments = unsupported(noDevice),
      .deviceBuffers = unsupported(noDevice),
      .deviceDataClose = unsupported(noDevice),
      .deviceSerial = unsupported(noDevice),
      .deviceSerialClose = unsupported(noDevice),
      .clausePieces = {},
      .clauseLevels = {},
      .clauseGangs = unsupported(noDevice),
      .clauseWorkers = unsupported(noDevice),
      .outerLanes = false,
      .declarationsFirst = false,
      .explicitPrivate = false,
      .indent = 2,
      .lineLimit = 100,
      .continuation = none,
      .directivePrefix = "#pragma",
      .directiveContinuation = " \\",
      .directiveResume = "        ",
      .names = nameRules(),
  };
}

} // namespace

const LangTraits &cTraits() {
  static const LangTraits traits = make();
  return traits;
}

} // namespace moac::emit
