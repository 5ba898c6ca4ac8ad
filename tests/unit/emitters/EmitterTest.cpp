// Names, literals, line breaking, the C table and whole files, on hand-made trees.
#include "emitters/C.h"
#include "emitters/CFile.h"
#include "emitters/CSupport.h"
#include "emitters/LoopShape.h"
#include "emitters/Languages.h"
#include "emitters/Names.h"
#include "emitters/Printer.h"
#include "tests/unit/emitters/CompileC.h"
#include "tests/unit/emitters/EmitTrees.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

using namespace moac;
using namespace moac::emit;
using namespace moac::tree;

namespace {

std::string printed(const Expr &e) {
  Printer printer(cTraits());
  return withoutMarks(printer.expression(e));
}

TEST(Languages, AnswerEveryQuestion) {
  for (const Language &language : languages()) {
    EXPECT_EQ(holes(language.traits()), std::vector<std::string>{}) << language.target;
    EXPECT_EQ(findLanguage(language.target), &language);
  }
  EXPECT_EQ(findLanguage("cobol"), nullptr);
}

TEST(CTable, HolesAreFound) {
  LangTraits broken = cTraits();
  std::erase_if(broken.ops, [](const OpRow &row) { return row.op == Op::exp_; });
  broken.typeNames.pop_back();
  const std::vector<std::string> expected = {"exp on f32", "exp on f64", "name of f64"};
  EXPECT_EQ(holes(broken), expected);
}

TEST(CTable, UnsupportedBecomesAProblemOnce) {
  LangTraits without = cTraits();
  for (OpRow &row : without.ops)
    if (row.op == Op::erf_)
      row.text = unsupported("no error function");
  Printer printer(without);
  printer.body({stmt(Assign{"x", apply(Op::erf_, {apply(Op::erf_, {real(1)})})})});
  EXPECT_EQ(printer.problems(), std::vector<std::string>{"no error function"});
}

TEST(CTable, SupportTextsUseOnlyEarlierOnes) {
  std::set<std::string_view> seen, all;
  for (const Support &support : cSupport())
    all.insert(support.name);
  for (const Support &support : cSupport()) {
    for (const std::string &word : cWords(support.text))
      EXPECT_TRUE(word == support.name || !all.count(word) || seen.count(word)) << word;
    EXPECT_NE(support.text.find(support.name), std::string_view::npos) << support.name;
    seen.insert(support.name);
  }
}

TEST(CExpressions, MinimalParentheses) {
  const Expr a = name("a"), b = name("b"), c = name("c");
  EXPECT_EQ(printed(a - (b - c)), "a - (b - c)");
  EXPECT_EQ(printed(a - b - c), "a - b - c");
  EXPECT_EQ(printed((a + b) * c), "(a + b)*c");
  EXPECT_EQ(printed(a + b * c), "a + b*c");
  EXPECT_EQ(printed(cast(Elem::F32, (a + b) * c)), "(float)((a + b)*c)");
  const Expr choice = apply(Op::select_, {less(a, b), a, b});
  EXPECT_EQ(printed(cast(Elem::I32, choice)), "(int32_t)(a < b ? a : b)");
  EXPECT_EQ(printed(choice * c), "(a < b ? a : b)*c");
  const Expr p = name("p", Elem::Bool), q = name("q", Elem::Bool);
  const auto both = [](Expr x, Expr y) { return apply(Op::and_, {std::move(x), std::move(y)}); };
  EXPECT_EQ(printed(both(both(p, q), p)), "p && q && p");
  EXPECT_EQ(printed(apply(Op::or_, {both(p, q), p})), "(p && q) || p");
  EXPECT_EQ(printed(apply(Op::not_, {both(p, q)})), "!(p && q)");
  EXPECT_EQ(printed(apply(Op::eq_, Elem::Bool, {apply(Op::not_, {p}), q})), "(!p) == q");
  EXPECT_EQ(printed(apply(Op::neg_, {integer(-3)})), "-(-3)");
  EXPECT_EQ(
      printed(load("Q", Elem::F64, (name("b") * name("N") + name("i")) * name("D") + name("j"))),
      "Q[(b*N + i)*D + j]");
}

TEST(CExpressions, Literals) {
  EXPECT_EQ(printed(real(1)), "1.0");
  EXPECT_EQ(printed(real(0.1)), "0.1");
  EXPECT_EQ(printed(real(-1e300)), "-1e+300");
  EXPECT_EQ(printed(real(0.1, Elem::F32)), "0.1f");
  EXPECT_EQ(printed(real(1e-45, Elem::F32)), "1e-45f");
  EXPECT_EQ(printed(real(-std::numeric_limits<double>::infinity())), "-INFINITY");
  EXPECT_EQ(printed(real(std::nan(""), Elem::F32)), "NAN");
  EXPECT_EQ(printed(integer(std::numeric_limits<int64_t>::min())), "INT64_MIN");
  EXPECT_EQ(printed(integer(int64_t{1} << 40)), "INT64_C(1099511627776)");
  EXPECT_EQ(printed(integer(-1, Elem::U64)), "UINT64_C(18446744073709551615)");
  EXPECT_EQ(printed(integer(-1, Elem::U32)), "4294967295u");
  EXPECT_EQ(printed(integer(std::numeric_limits<int32_t>::min(), Elem::I32)), "INT32_MIN");
  EXPECT_EQ(printed(integer(1, Elem::Bool)), "true");
}

TEST(CNames, AwkwardNamesAreAdjusted) {
  Names names(cTraits().names);
  const std::vector<std::string> words = {"if",  "if_",   "asm",     "I",       "y1",    "end",
                                          "x",   "errno", "NULL",    "double",  "main",  "restrict",
                                          "_up", "_Up",   "moac_x",  "MOAC_OK", "class", "status",
                                          "x",   "new",   "int64_t", "signgam", "omp_x"};
  const std::vector<std::string> expected = {
      "if__1",  "if_",     "asm_",  "I_",        "y1_",      "end_",     "x",        "errno_",
      "NULL_",  "double_", "main_", "restrict_", "v__up",    "v__Up",    "v_moac_x", "v_MOAC_OK",
      "class_", "status_", "x_1",   "new_",      "int64_t_", "signgam_", "v_omp_x"};
  EXPECT_EQ(names.pickAll(words), expected);
}

TEST(CNames, ScopesGiveNamesBack) {
  Names names(cTraits().names);
  const size_t outer = names.mark();
  EXPECT_EQ(names.pick("i"), "i");
  EXPECT_EQ(names.pick("i"), "i_1");
  names.release(outer);
  EXPECT_EQ(names.pick("i"), "i");
  EXPECT_EQ(names.pick("2x y"), "v_2x_y");
}

TEST(CNames, FlatScopesKeepTypesApart) {
  NameRules rules = cTraits().names;
  rules.flatScopes = rules.foldsCase = true;
  Names names(rules);
  const size_t outer = names.mark();
  EXPECT_EQ(names.pick("t", Elem::F64), "t");
  EXPECT_EQ(names.pick("T", Elem::F64), "T_1");
  names.release(outer);
  EXPECT_EQ(names.pick("t", Elem::F32), "t_2");
}

TEST(CNames, KernelsThatCannotKeepTheirName) {
  const NameRules &rules = cTraits().names;
  for (const char *word : {"exp", "main", "read", "if", "_x", "moac_run", "end", "NULL", "new"})
    EXPECT_TRUE(interfaceNameProblem(rules, word)) << word;
  for (const char *word : {"attention", "matmul", "softmax", "step2"})
    EXPECT_FALSE(interfaceNameProblem(rules, word)) << word;
  File file{"x.moa", {matmul(), matmul()}, {}};
  file.kernels[0].name = "exp";
  const Emitted emitted = printCFile(file, {}, cTraits());
  ASSERT_EQ(emitted.problems.size(), 1u);
  EXPECT_EQ(emitted.problems[0], "kernel 'exp' cannot keep its name in C: 'exp' is a keyword or a "
                                 "library name there");
}

TEST(CNames, TwoKernelsMayNotDefineOneName) {
  File file{"x.moa", {scratchy(), matmul()}, {}};
  file.kernels[1].name = "scratchy_ws";
  EXPECT_EQ(printCFile(file, {}, cTraits()).problems,
            std::vector<std::string>{
                "kernels 'scratchy' and 'scratchy_ws' would both define 'scratchy_ws' in C"});
}

TEST(CLayout, LongExpressionsBreakAtTheLoosestOperator) {
  Expr sum = name("a_rather_long_name_of_a_value") * name("another_rather_long_name_of_a_value");
  sum = sum + name("a_third_rather_long_name_of_a_value") * name("the_last_of_these_long_names");
  Printer printer(cTraits());
  printer.body({stmt(Let{"x", sum})});
  EXPECT_EQ(printer.take(),
            "const int64_t x = a_rather_long_name_of_a_value*another_rather_long_name_of_a_value\n"
            "    + a_third_rather_long_name_of_a_value*the_last_of_these_long_names;\n");
}

TEST(CLayout, CommentsCannotEscape) {
  Printer printer(cTraits());
  printer.comment("a */ b /* c ?\?/ d \\ \n e \xe2\x80\xae f");
  EXPECT_EQ(printer.take(), "// a * / b / * c ? ?/ d     e _ f\n");
}

/// Compiles `text` in every way that users may, without a warning.
void expectClean(const std::string &text, const std::string &extra) {
  test::Scratchpad pad;
  pad.write("k.c", text);
  for (const char *compiler : {"gcc", "clang-14", "clang-22"})
    for (const char *options : {"-std=c11 -O2", "-std=gnu11 -O3 -fopenmp -march=native"})
      if (test::haveCompiler(compiler)) {
        EXPECT_EQ(pad.run(std::string(compiler) + test::strictFlags + options + " -c k.c " + extra),
                  0)
            << compiler << ' ' << options << '\n'
            << pad.output;
      }
}

TEST(CFiles, CompileClean) {
  const File file{"demo.moa", {matmul(), scratchy()}, {}};
  expectClean(printCFile(file, {.standalone = true, .headerName = ""}, cTraits()).text, "");
  expectClean(printCFile(file, {}, cTraits()).text, "-I" MOAC_SOURCE_DIR "/runtime");
}

TEST(CFiles, NoTabs) {
  const File file{"demo.moa", {scratchy()}, {}};
  EXPECT_EQ(printCFile(file, {}, cTraits()).text.find('\t'), std::string::npos);
}

TEST(LoopShape, UnreadVariablesGoWithTheirAssignments) {
  const Expr zero = real(0), x = name("x", Elem::F64);
  Body body = {stmt(Let{"v", load("A", Elem::F64, integer(0))}),
               stmt(Variable{"choice", Elem::F64, std::nullopt}),
               stmt(If{apply(Op::lt_, Elem::Bool, {x, zero}),
                       {stmt(Assign{"choice", name("v", Elem::F64)})},
                       {stmt(Assign{"choice", zero})}}),
               stmt(Store{"B", integer(0), x})};
  finishLoops(body);
  ASSERT_EQ(body.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Store>(body[0].node));
}

/// A name is one variable in one block and another in the next: only the unread one loses its assignments.
TEST(CLoops, AnUnreadVariableLeavesItsNamesakesAlone) {
  const auto summing = [] {
    Loop loop;
    loop.name = "i";
    loop.lo = integer(0);
    loop.hi = integer(4);
    loop.body = {stmt(Update{Op::add_, "sum", std::nullopt, real(1)})};
    return Stmt{std::move(loop)};
  };
  Body inner = {stmt(Variable{"sum", Elem::F64, real(0)}), summing(),
                stmt(Store{"B", integer(0), name("sum", Elem::F64)})};
  Body body = {stmt(If{name("c", Elem::Bool), inner, {}}), stmt(Variable{"sum", Elem::F64, real(0)}),
               summing()};
  finishLoops(body);
  ASSERT_EQ(body.size(), 1u);
  EXPECT_EQ(std::get<If>(body[0].node).then.size(), 3u);
}

TEST(CFiles, EverySupportFunctionCompilesClean) {
  // Calls of the SHMEM layer need its header: tests/exec/partitioned.test compiles them.
  std::vector<Support> all;
  for (const Support &support : cSupport())
    if (support.text.find("moac_shmem_") == std::string_view::npos)
      all.push_back(support);
  std::set<std::string> words;
  for (const Support &support : all)
    words.emplace(support.name);
  const Prologue prologue = cPrologue(words, true);
  std::string text = "#pragma GCC diagnostic ignored \"-Wunknown-pragmas\"\n"; // as files have it
  for (const std::string &header : prologue.headers)
    text += "#include " + header + "\n";
  for (std::string_view definition : prologue.definitions)
    text += definition;
  // One use of each, because unused functions are warned of.
  std::string uses = "extern void use(int, ...);\nvoid all(void);\nvoid all(void) {\n";
  for (const Support &support : all) {
    const std::string use = fmt::format("  use(0, (void (*)(void)){});\n", support.name);
    if (support.name == "moac_threads" || support.name == "moac_team_size")
      uses += "#ifdef _OPENMP\n" + use + "#endif\n";
    else if (support.text.find("declare reduction") != std::string_view::npos)
      continue; // no function
    else if (support.name.substr(0, 5) == "moac_")
      uses += use;
  }
  expectClean(text + uses + "}\n", "");
}

TEST(CFiles, HeadersServeCAndCpp) {
  File one{"one.moa", {matmul()}, {}}, two{"two.moa", {scratchy()}, {}};
  const COptions first{true, "one.h"}, second{true, "two.h"};
  test::Scratchpad pad;
  pad.write("one.h", printCHeader(one, first, cTraits()).text);
  pad.write("two.h", printCHeader(two, second, cTraits()).text);
  pad.write("one.c", printCFile(one, first, cTraits()).text);
  pad.write("two.c", printCFile(two, second, cTraits()).text);
  const std::string use = "#include \"one.h\"\n#include \"two.h\"\n#include \"one.h\"\n"
                          "int main(void) { return matmul(0, 0, 0, 0, 0, 0) + "
                          "(scratchy_ws_size(4, 1.0, 1.0f) < 64); }\n";
  pad.write("use.c", use);
  pad.write("usepp.cpp", use);
  const std::string build =
      "gcc -std=c99" + test::strictFlags + "-c use.c && g++ -std=c++17" + test::strictFlags +
      "-c usepp.cpp && gcc -std=c11" + test::strictFlags + "-c one.c two.c && " +
      "gcc use.o one.o two.o -lm -o c && g++ usepp.o one.o two.o -lm -o cpp && ./c && ./cpp";
  EXPECT_EQ(pad.run(build), 0) << pad.output;
}

TEST(CFiles, BytesDoNotDependOnTheRun) {
  const File file{"demo.moa", {matmul(Elem::I64), scratchy()}, {}};
  EXPECT_EQ(printCFile(file, {}, cTraits()).text, printCFile(file, {}, cTraits()).text);
}

TEST(CFiles, OnlyNeededSupportIsDefined) {
  const std::string text = printCFile({"m.moa", {matmul()}, {}}, {}, cTraits()).text;
  EXPECT_NE(text.find("moac_overlap("), std::string::npos);
  for (const char *absent : {"moac_take", "<math.h>", "moac_mul_i64", "moac_scratch"})
    EXPECT_EQ(text.find(absent), std::string::npos) << absent;
}

/// gcc is told that nobody reads exceptions where floats are compared, and nowhere else.
TEST(CFiles, ExceptionsAreGivenUpOnlyForComparisons) {
  const auto givesUp = [](const Expr &value) {
    Kernel kernel;
    kernel.name = "f";
    kernel.outputs = {{"y", Elem::F64, {}, "f64", "y_bytes"}};
    kernel.body = {stmt(If{name("c", Elem::Bool), {stmt(Store{"y", integer(0), value})}, {}})};
    const std::string text = printCFile({"f.moa", {kernel}, {}}, {}, cTraits()).text;
    const size_t at = text.find("#pragma GCC optimize(\"no-trapping-math\")");
    EXPECT_TRUE(at == text.npos || at < text.find("#include"));
    return at != text.npos;
  };
  const Expr x = name("x", Elem::F64), i = name("i");
  EXPECT_TRUE(givesUp(x + apply(Op::exp_down_, {x})));
  EXPECT_TRUE(givesUp(apply(Op::select_, Elem::F64, {less(x, real(1)), x, x})));
  EXPECT_TRUE(givesUp(apply(Op::max_, {x, real(0)})));
  EXPECT_FALSE(givesUp(x * x + cast(Elem::F64, apply(Op::max_, {i, integer(3)}))));
  EXPECT_FALSE(givesUp(apply(Op::select_, Elem::F64, {less(i, integer(1)), x, x})));
}

} // namespace
