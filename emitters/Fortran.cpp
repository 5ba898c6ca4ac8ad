// Fortran 2018 with OpenMP, as data.
//
// Precedence numbers follow the Fortran grammar (primary 20, * 16, + 14, a sign 12, < 10, .not. 8,
// .and. 6, .or. 4, .eqv. 2). A sign never stands after an operator. Kinds have the language's own
// words (real(f64)); they are names of the module (FortranSupport.def), as are the functions for
// arithmetic that wraps: overflow has no meaning in Fortran either. Unsigned numbers are signed
// ones of the same bits, half-precision numbers patterns of 16 bits. Values that must not be
// computed unless they are needed have become statements before this table is asked
// (FortranLegalise.h).
#include "emitters/Fortran.h"
#include "emitters/FortranNames.h"

namespace moac::emit {
namespace {

using namespace types;

constexpr TypeSet indexes = index | i64, words = u32 | u64;
constexpr int primary = 20;

/// A row for a call: all operands stand bare.
OpRow called(Op op, TypeSet operands, const std::string &text) {
  return {op, operands, text, primary, std::vector<int>(tree::opArity(op), 0), false};
}

std::string arguments(Op op) {
  const unsigned arity = tree::opArity(op);
  return arity == 1 ? "({0})" : arity == 2 ? "({0}, {1})" : "({0}, {1}, {2})";
}

std::vector<OpRow> integerRows() {
  std::vector<OpRow> rows = {
      {Op::add_, index, "{0} + {1}", 14, {14, 15}, false},
      {Op::sub_, index, "{0} - {1}", 14, {14, 15}, false},
      {Op::mul_, index, "{0}*{1}", 16, {16, 17}, false},
      {Op::neg_, index, "-{0}", 12, {16}, false},
      {Op::quotient_, index, "{0}/{1}", 16, {16, 17}, false},
      called(Op::remainder_, indexes, "mod({0}, {1})"),
      {Op::abs_, words, "{0}", primary, {primary}, false},
  };
  for (auto [op, word] :
       {std::pair(Op::add_, "add"), {Op::sub_, "sub"}, {Op::mul_, "mul"}, {Op::neg_, "neg"}}) {
    const std::string call = std::string("moac_") + word;
    rows.push_back(called(op, i32 | u32, call + "_i32" + arguments(op)));
    rows.push_back(called(op, i64 | u64, call + "_i64" + arguments(op)));
  }
  rows.push_back(called(Op::abs_, i32, "moac_abs_i32({0})"));
  rows.push_back(called(Op::abs_, indexes, "moac_abs_i64({0})"));
  for (auto [op, word] : {std::pair(Op::floordiv_, "floordiv"), {Op::mod_, "mod"}}) {
    const std::string call = std::string("moac_") + word;
    for (auto [type, suffix] :
         {std::pair(i32, "_i32"), {indexes, "_i64"}, {u32, "_u32"}, {u64, "_u64"}})
      rows.push_back(called(op, type, call + suffix + arguments(op)));
  }
  for (auto [op, word] : {std::pair(Op::min_, "min"), {Op::max_, "max"}}) {
    rows.push_back(called(op, i32 | indexes, word + arguments(op)));
    for (auto [type, suffix] :
         {std::pair(u32, "_u32"), {u64, "_u64"}, {f32, "_f32"}, {f64, "_f64"}})
      rows.push_back(called(op, type, std::string("moac_") + word + suffix + arguments(op)));
  }
  return rows;
}

std::vector<OpRow> floatRows() {
  std::vector<OpRow> rows = {
      {Op::add_, floats, "{0} + {1}", 14, {14, 15}, false},
      {Op::sub_, floats, "{0} - {1}", 14, {14, 15}, false},
      {Op::mul_, floats, "{0} * {1}", 16, {16, 17}, false},
      {Op::div_, floats, "{0} / {1}", 16, {16, 17}, false},
      {Op::neg_, floats, "-{0}", 12, {16}, false},
      {Op::pow_, floats, "{0}**{1}", 18, {19, 19}, false},
      {Op::floordiv_, f32, "moac_floor_f32({0} / {1})", primary, {16, 17}, false},
      {Op::floordiv_, f64, "moac_floor_f64({0} / {1})", primary, {16, 17}, false},
  };
  for (auto [op, word] : {std::pair(Op::abs_, "abs"),
                          {Op::log_, "log"},
                          {Op::sqrt_, "sqrt"},
                          {Op::erf_, "erf"},
                          {Op::sin_, "sin"},
                          {Op::cos_, "cos"}})
    rows.push_back(called(op, floats, word + arguments(op)));
  for (Op op : {Op::mod_, Op::fma_, Op::exp_, Op::exp2_, Op::exp_down_, Op::exp2_down_, Op::log2_,
                Op::rsqrt_, Op::sigmoid_, Op::tanh_, Op::floor_, Op::ceil_, Op::round_}) {
    const std::string call = std::string("moac_") + tree::opName(op);
    rows.push_back(called(op, f32, call + "_f32" + arguments(op)));
    rows.push_back(called(op, f64, call + "_f64" + arguments(op)));
  }
  return rows;
}

std::vector<OpRow> logicRows() {
  const TypeSet ordered = index | i32 | i64 | floats;
  std::vector<OpRow> rows = {
      {Op::lt_, boolean, ".not. {0} .and. {1}", 6, {primary, 7}, false},
      {Op::le_, boolean, ".not. {0} .or. {1}", 4, {primary, 5}, false},
      {Op::gt_, boolean, "{0} .and. .not. {1}", 6, {7, primary}, false},
      {Op::ge_, boolean, "{0} .or. .not. {1}", 4, {5, primary}, false},
      {Op::lt_, ordered, "{0} < {1}", 10, {12, 12}, false},
      {Op::le_, ordered, "{0} <= {1}", 10, {12, 12}, false},
      {Op::gt_, ordered, "{0} > {1}", 10, {12, 12}, false},
      {Op::ge_, ordered, "{0} >= {1}", 10, {12, 12}, false},
      {Op::eq_, boolean, "{0} .eqv. {1}", 2, {3, 3}, false},
      {Op::ne_, boolean, "{0} .neqv. {1}", 2, {3, 3}, false},
      {Op::eq_, index | integers, "{0} == {1}", 10, {12, 12}, false},
      {Op::ne_, index | integers, "{0} /= {1}", 10, {12, 12}, false},
      {Op::and_, boolean, "{0} .and. {1}", 6, {7, 7}, true},
      {Op::or_, boolean, "{0} .or. {1}", 4, {5, 5}, true},
      {Op::not_, boolean, ".not. {0}", 8, {primary}, false},
      called(Op::select_, boolean, "merge(logical({1}, bool), logical({2}, bool), {0})"),
      called(Op::select_, values, "merge({1}, {2}, {0})"),
  };
  // Compilers warn of reals that are compared for equality.
  for (auto [type, suffix] : {std::pair(f32, "_f32"), {f64, "_f64"}}) {
    const std::string equal = std::string("moac_eq") + suffix + "({0}, {1})";
    rows.push_back(called(Op::eq_, type, equal));
    rows.push_back({Op::ne_, type, ".not. " + equal, 8, {0, 0}, false});
  }
  for (auto [op, word] :
       {std::pair(Op::lt_, "blt"), {Op::le_, "ble"}, {Op::gt_, "bgt"}, {Op::ge_, "bge"}})
    rows.push_back(called(op, TypeSet(words), word + arguments(op)));
  return rows;
}

std::vector<OpRow> opRows() {
  std::vector<OpRow> rows = integerRows();
  for (auto make : {floatRows, logicRows})
    for (OpRow &row : make())
      rows.push_back(std::move(row));
  return rows;
}

/// To a half type, through the widest float that holds the source.
void addHalves(std::vector<CastRow> &rows) {
  const TypeSet small = i8 | i16 | i32 | index | i64;
  for (auto [type, word] : {std::pair(f16, "f16"), {bf16, "bf16"}}) {
    const std::string widen = std::string("moac_") + word + "_to_f32({0})";
    const std::string narrow = std::string("_to_") + word + "(";
    rows.push_back({type, f32, widen, primary, 0});
    rows.push_back({type, boolean, ".not. abs(" + widen + ") <= 0.0_f32", 8, 0});
    rows.push_back({type, f64, "real(" + widen + ", f64)", primary, 0});
    rows.push_back({f32, type, "moac_f32" + narrow + "{0})", primary, 0});
    rows.push_back({f64, type, "moac_f64" + narrow + "{0})", primary, 0});
    rows.push_back({small, type, "moac_f64" + narrow + "real({0}, f64))", primary, 0});
    rows.push_back(
        {boolean, type, "moac_f64" + narrow + "merge(1.0_f64, 0.0_f64, {0}))", primary, 0});
    for (auto [from, name] : {std::pair(u8, "u8"), {u16, "u16"}, {u32, "u32"}, {u64, "u64"}})
      rows.push_back(
          {from, type, "moac_f64" + narrow + "moac_" + name + "_to_f64({0}))", primary, 0});
    rows.push_back({type, indexes, "moac_f64_to_i64(real(" + widen + ", f64))", primary, 0});
  }
  rows.push_back({f16, bf16, "moac_f32_to_bf16(moac_f16_to_f32({0}))", primary, 0});
  rows.push_back({bf16, f16, "moac_f32_to_f16(moac_bf16_to_f32({0}))", primary, 0});
  rows.push_back({halves, integers | narrow,
                  unsupported("half-precision storage converts through f32"), 0, 0});
}

/// From floats to integers: saturating, NaN gives 0.
void addSaturating(std::vector<CastRow> &rows) {
  struct Range {
    TypeSet to;
    const char *kind, *lo, *hi;
  };
  for (auto [from, wide] : {std::pair(f64, "{0}"), {f32, "real({0}, f64)"}}) {
    const std::string value = wide;
    rows.push_back({from, indexes, "moac_f64_to_i64(" + value + ")", primary, 0});
    rows.push_back({from, u64, "moac_f64_to_u64(" + value + ")", primary, 0});
    for (const Range &range : {Range{i8, "i8", "-128", "127"},
                               {i16, "i16", "-32768", "32767"},
                               {i32, "i32", "-2147483648", "2147483647"},
                               {u8, "u8", "0", "255"},
                               {u16, "u16", "0", "65535"},
                               {u32, "u32", "0", "4294967295"}})
      rows.push_back({from, range.to,
                      std::string("moac_wrap_") + (range.kind[0] == 'u' ? "i" : "") +
                          (range.kind + (range.kind[0] == 'u' ? 1 : 0)) + "(moac_f64_to_int(" +
                          value + ", " + range.lo + "_i64, " + range.hi + "_i64))",
                      primary, 0});
  }
}

std::vector<CastRow> castRows() {
  std::vector<CastRow> rows = {
      {indexes | u64, indexes | u64, "{0}", primary, 0},
      {i32 | u32, i32 | u32, "{0}", primary, 0},
      {i8 | u8, i8 | u8, "{0}", primary, 0},
      {i16 | u16, i16 | u16, "{0}", primary, 0},
  };
  addHalves(rows);
  addSaturating(rows);
  rows.push_back({floats, boolean, ".not. abs({0}) <= 0", 8, 0});
  rows.push_back({index | integers | narrow, boolean, "{0} /= 0", 10, 12});
  struct Kind {
    TypeSet types;
    const char *word;
  };
  const Kind wide[] = {{indexes | u64, "i64"}, {i32 | u32, "i32"}, {i16 | u16, "i16"},
                       {i8 | u8, "i8"},        {f32, "f32"},       {f64, "f64"}};
  for (const Kind &kind : wide) {
    const std::string one = kind.types & floats ? "1.0_" : "1_",
                      zero = kind.types & floats ? "0.0_" : "0_";
    rows.push_back({boolean, kind.types,
                    "merge(" + one + kind.word + ", " + zero + kind.word + ", {0})", primary, 0});
    if (kind.types & floats) {
      for (auto [from, name] : {std::pair(u8, "u8"), {u16, "u16"}, {u32, "u32"}, {u64, "u64"}})
        rows.push_back({from, kind.types,
                        std::string("moac_") + name + "_to_" + kind.word + "({0})", primary, 0});
      rows.push_back({index | i64 | i32 | i16 | i8 | floats, kind.types,
                      std::string("real({0}, ") + kind.word + ")", primary, 0});
      continue;
    }
    // A narrow unsigned number is widened without its sign.
    const std::string word = kind.word;
    for (auto [from, mask] : {std::pair(u8, "255_"), {u16, "65535_"}, {u32, "4294967295_"}})
      if (word == "i64" || (word == "i32" && from != u32) || (word == "i16" && from == u8))
        rows.push_back(
            {from, kind.types, "iand(int({0}, " + word + "), " + mask + word + ")", primary, 0});
    // The rest either fits or keeps the low bits.
    const TypeSet fits = i8 | (word != "i8" ? i16 : 0) | (word == "i64" || word == "i32" ? i32 : 0);
    rows.push_back({fits, kind.types, "int({0}, " + word + ")", primary, 0});
    rows.push_back({index | integers | narrow, kind.types, "moac_wrap_" + word + "(int({0}, i64))",
                    primary, 0});
  }
  return rows;
}

NameRules nameRules() {
  return {&fortranReserved(), &fortranInternal(), {"_", "moac_", "omp_"}, "v_", true, 63, true};
}

LangTraits make() {
  const Text none("");
  const char *const noDevice = "OpenMP is for the memory of the host here";
  return {
      .name = "fortran",
      .typeNames = {{Elem::Index, "integer(i64)"},
                    {Elem::Bool, "logical(bool)"},
                    {Elem::I8, "integer(i8)"},
                    {Elem::I16, "integer(i16)"},
                    {Elem::I32, "integer(i32)"},
                    {Elem::I64, "integer(i64)"},
                    {Elem::U8, "integer(i8)"},
                    {Elem::U16, "integer(i16)"},
                    {Elem::U32, "integer(i32)"},
                    {Elem::U64, "integer(i64)"},
                    {Elem::F16, "integer(i16)"},
                    {Elem::BF16, "integer(i16)"},
                    {Elem::F32, "real(f32)"},
                    {Elem::F64, "real(f64)"}},
      .literals = {{index, "{v}", "{v}_i64", "(-huge(0_i64) - 1)", none, none},
                   {i64 | u64, "{v}_i64", "{v}_i64", "(-huge(0_i64) - 1)", none, none},
                   {i32 | u32, "{v}_i32", "{v}_i32", "(-huge(0_i32) - 1)", none, none},
                   {f32, "{v}_f32", none, none, "moac_inf_f32", "moac_nan_f32"},
                   {f64, "{v}_f64", none, none, "moac_inf_f64", "moac_nan_f64"}},
      .literalTrue = ".true._bool",
      .literalFalse = ".false._bool",
      .negativePrecedence = 12,
      .ops = opRows(),
      .casts = castRows(),
      .updates = {},
      .atomics = {{Op::add_, i32, "!$omp critical\n{target} = moac_add_i32({target},\t{value})\n!$omp end critical"},
                  {Op::add_, i64, "!$omp critical\n{target} = moac_add_i64({target},\t{value})\n!$omp end critical"},
                  {Op::add_, f32 | f64, "!$omp atomic\n{target} = {target} + ({value})"}},
      .load = "{array}({offset})",
      .primaryPrecedence = primary,
      .note = "! {text}",
      .let = "{name} = {value}",
      .variable = "{name} = {value}",
      .declaration = "{type} :: {name}",
      .arrayDeclaration = "{type} :: {name}(0:{count} - 1)",
      .assign = "{target} = {value}",
      .prefetch = unsupported("a prefetch is a call here"),
      .prefetchRead = unsupported("a prefetch is a call here"),
      .gather = unsupported("only the C target calls the SHMEM layer"),
      .meet = unsupported("only the C target calls the SHMEM layer"),
      .fail = "status = min(status, {status})",
      .call = "call {procedure}({arguments})",
      .ifOpen = "if ({condition}) then",
      .ifElse = "else",
      .ifClose = "end if",
      .loopOpen = "do {name} = {lo},\t{hi} - 1",
      .loopOpenReverse = "do {name} = {hi} - 1,\t{lo},\t-1",
      .loopOpenStep = "do {name} = {lo},\t{hi} - 1,\t{step}",
      .loopClose = "end do",
      .emptyBlock = none,
      .loopBoundBinds = 14,
      .loopBoundReverseBinds = 14,
      .loopWhere = " ! {where}",
      .teamLoop = "!$omp parallel do{clauses}",
      .teamLoopClose = "!$omp end parallel do",
      .teamOpen = "{slots} = 0",
      .region = "!$omp parallel{clauses}",
      .regionClose = "!$omp end parallel",
      .workshareLoop = "!$omp do{clauses}",
      .workshareLoopClose = "!$omp end do",
      .clauseEven = "\tschedule(static)",
      .clauseUneven = "\tschedule(dynamic)",
      .laneLoop = "!$omp simd{clauses}",
      .unrollLoop = "!dir$ unroll {factor}\n!GCC$ unroll {factor}",
      .blockLoop = "!$omp simd\tsimdlen({lanes}){clauses}",
      .clauseCollapse = "\tcollapse({n})",
      .clauseThreads = "\tnum_threads(moac_team({work}))",
      .clauseTeam = "\tnum_threads(team)\tprivate(slot)",
      .clauseStatus = "\treduction(min: status)",
      .clausePrivate = "\tprivate({names})",
      .laneReductions = {{Op::add_, "\treduction(+: {name})"},
                         {Op::mul_, "\treduction(*: {name})"},
                         {Op::max_, "\treduction(moac_largest_{elem}: {name})"},
                         {Op::min_, "\treduction(moac_least_{elem}: {name})"}},
      .threadSlot = "!$omp atomic capture\n"
                    "slot = {slots}\n"
                    "{slots} = {slots} + 1\n"
                    "!$omp end atomic",
      .scratch = none,
      .scratchBytes = "{elem}_i64{factors}",
      .scratchFactor = " * {factor}",
      .scratchFactorBinds = 17,
      .statuses = {{tree::Status::Ok, "MOAC_OK"},
                   {tree::Status::NullPointer, "MOAC_NULL_POINTER"},
                   {tree::Status::Extent, "MOAC_EXTENT"},
                   {tree::Status::Constraint, "MOAC_CONSTRAINT"},
                   {tree::Status::Index, "MOAC_INDEX"},
                   {tree::Status::Overflow, "MOAC_OVERFLOW"},
                   {tree::Status::Aliasing, "MOAC_ALIASING"},
                   {tree::Status::NoMemory, "MOAC_NO_MEMORY"},
                   {tree::Status::DivisionByZero, "MOAC_DIVISION_BY_ZERO"}},
      .checks = {.either = " .or.",
                 .both = " .and.",
                 .giveUp = "status = {status}\nreturn",
                 .nothing = "status = {status}\nreturn ! nothing to compute",
                 .tooLarge = "{bytes} > MOAC_MAX_BYTES",
                 .negative = "{value} < 0",
                 .size = "{name} = {value}",
                 .empty = "{bytes} == 0",
                 .missing = ".not. c_associated({name})",
                 .missingUnlessEmpty = "(.not. c_associated({name}) .and. {bytes} /= 0)",
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
      .declarationsFirst = true,
      .explicitPrivate = true,
      .indent = 2,
      .lineLimit = 100,
      .continuation = " &",
      .directivePrefix = "!$omp",
      .directiveContinuation = " &",
      .directiveResume = "!$omp ",
      .names = nameRules(),
  };
}

} // namespace

const LangTraits &fortranTraits() {
  static const LangTraits traits = make();
  return traits;
}

} // namespace moac::emit
