// What texts mean: precedence, sections, vectors, new lines, and the tree of every construct.
#include "tests/unit/SyntaxHelpers.h"

#include "llvm/Support/Casting.h"

#include <gtest/gtest.h>

namespace moac {
namespace {

using test::dump;
using test::dumpExpr;
using test::Parsed;

TEST(Parser, PrecedenceFromLooseToTight) {
  EXPECT_EQ(dumpExpr("a or b and not c < d + e * f"),
            "(or a (and b (not (cmp c < (+ d (* e f))))))");
  EXPECT_EQ(dumpExpr("a - b - c // d % e"), "(- (- a b) (% (// c d) e))");
  EXPECT_EQ(dumpExpr("a - (b - c)"), "(- a (- b c))");
  EXPECT_EQ(dumpExpr("-2*pi*q / L"), "(/ (* (* (neg 2) const:2) q) L)");
  EXPECT_EQ(dumpExpr("0 <= i + p < H and x == y"), "(and (cmp 0 <= (+ i p) < H) (cmp x == y))");
  EXPECT_EQ(dumpExpr("a ++ b + c"), "(+ (++ a b) c)");
}

TEST(Parser, WordsTakeTheNearestOperand) {
  EXPECT_EQ(dumpExpr("sum A * B"), "(* (sum A) B)");
  EXPECT_EQ(dumpExpr("sum(A * B)"), "(sum (* A B))");
  EXPECT_EQ(dumpExpr("max(A)[i]"), "(at (max A) i)");
  EXPECT_EQ(dumpExpr("max A[i]"), "(max (at A i))");
  EXPECT_EQ(dumpExpr("max(a, b, c)"), "(call word:max a b c)");
  EXPECT_EQ(dumpExpr("shape transpose A"), "(shape (transpose A))");
  EXPECT_EQ(dumpExpr("s reshape t reshape A"), "(reshape s (reshape t A))");
  EXPECT_EQ(dumpExpr("shape A reshape B"), "(reshape (shape A) B)");
  EXPECT_EQ(dumpExpr("v transpose transpose A"), "(transpose v (transpose A))");
}

TEST(Parser, AVectorWithItsWordIsOnePrefixWord) {
  EXPECT_EQ(dumpExpr("<1> drop <2> take A"), "(drop < 1 > (take < 2 > A))");
  EXPECT_EQ(dumpExpr("<1> drop A take B"), "(take (drop < 1 > A) B)");
  EXPECT_EQ(dumpExpr("B ++ <1 2> drop C"), "(++ B (drop < 1 2 > C))");
  EXPECT_EQ(dumpExpr("<1> rotate u - <-1> rotate u"),
            "(- (rotate < 1 > u) (rotate < (neg 1) > u))");
}

TEST(Parser, VectorElements) {
  EXPECT_EQ(dumpExpr("<>"), "< >");
  EXPECT_EQ(dumpExpr("<2 0 1>"), "< 2 0 1 >");
  EXPECT_EQ(dumpExpr("<N -1>"), "< N (neg 1) >");
  EXPECT_EQ(dumpExpr("<N-1>"), "< (- N 1) >");
  EXPECT_EQ(dumpExpr("<N - 1>"), "< (- N 1) >");
  EXPECT_EQ(dumpExpr("<M*P, N - -1>"), "< (* M P) (- N (neg 1)) >");
  EXPECT_EQ(dumpExpr("<(a < b), c[i -1]>"), "< (cmp a < b) (at c (- i 1)) >");
  EXPECT_EQ(dumpExpr("a < <1\n 2>"), "(cmp a < < 1 2 >)");
  EXPECT_EQ(dumpExpr("i <-1"), "(cmp i < (neg 1))");
}

TEST(Parser, Sections) {
  EXPECT_EQ(dumpExpr("A (+.*) B (* omega<1 0>) c"), "({omega {*} 1 0} ({+ . *} A B) c)");
  EXPECT_EQ(dumpExpr("((red +) omega<2>) (A ((* omega<0 1>) omega<1 2>) B)"),
            "({omega {red +} 2} _ ({omega {omega {*} 0 1} 1 2} A B))");
  EXPECT_EQ(dumpExpr("(scan max omega<1>) X"), "({omega {scan word:max} 1} _ X)");
  EXPECT_EQ(dumpExpr("d (outer f) v"), "({outer f} d v)");
  EXPECT_EQ(dumpExpr("(norm omega<N-1>) X"), "({omega {norm} (- N 1)} _ X)");
  EXPECT_EQ(dumpExpr("f.g"), "t.moa:2:8: error: expected the end of the statement, found '.' "
                             "[expected]\n  o = f.g\n       ^\nhelp: arrays have no members: "
                             "`shape A`, `transpose A`; products are `A (f.g) B`\n");
  EXPECT_EQ(dumpExpr("W (min.+) W * 2"), "(* ({word:min . +} W W) 2)");
  EXPECT_EQ(dumpExpr("a (-) b"), "({-} a b)");
  EXPECT_EQ(dumpExpr("A (f.g) B"), "({f . g} A B)");
  EXPECT_EQ(dumpExpr("sum (red +) A"), "(sum ({red +} _ A))");
}

TEST(Parser, OtherParenthesesGroupOrCall) {
  EXPECT_EQ(dumpExpr("a * (-x)"), "(* a (neg x))");
  EXPECT_EQ(dumpExpr("(transpose A)"), "(transpose A)");
  EXPECT_EQ(dumpExpr("f (x)"), "(call f x)");
  EXPECT_EQ(dumpExpr("(x)"), "x");
  EXPECT_EQ(dumpExpr("(red[f, k](A[k]))"), "(red f [k] (at A k))");
  EXPECT_EQ(dumpExpr("((red +) A)"), "({red +} _ A)");
}

TEST(Parser, Reductions) {
  EXPECT_EQ(dumpExpr("sum[p < 2, q in 0..i + 1: f64](x[p])"),
            "(word:sum [p < 2] [q in 0 < (+ i 1)] :f64 (at x p))");
  EXPECT_EQ(dumpExpr("red[<, k](a[k])"), "(red < [k] (at a k))");
  EXPECT_EQ(dumpExpr("max[k](a)[2]"), "(at (word:max [k] a) 2)");
}

TEST(Parser, SubscriptsAndSlices) {
  EXPECT_EQ(dumpExpr("A[1:-1, ::2, j, :, :n:]"),
            "(at A (: 1 (neg 1) _) (: _ _ 2) j (: _ _ _) (: _ n _))");
  EXPECT_EQ(dumpExpr("A[i][j]"), "(at (at A i) j)");
}

TEST(Parser, Literals) {
  EXPECT_EQ(dumpExpr("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(dumpExpr("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(dumpExpr("0.1 + 1e-400"), "(+ f0.10000000000000001 f0)");
  EXPECT_EQ(dumpExpr("where(true, inf, nan)"), "(call func:where const:3 const:0 const:1)");
  EXPECT_EQ(dumpExpr("f32(x)"), "(call type:f32 x)");
}

TEST(Parser, NewLinesEndStatementsOnlyWhereNothingMustFollow) {
  Parsed parsed("kernel k(a: f64\n) -> o: f64\n{\n a =\n 1 +\n 2 *\n -\n x; b = f(1\n, 2)\n\n; c = "
                "shape\n d\n e[i\n] = not\n a\n}");
  EXPECT_EQ(parsed.messages, "");
  EXPECT_EQ(dump(parsed.file), "(kernel k (a f64 [ ]) -> (o f64 [ ]) where inplace body "
                               "(= a (+ 1 (* 2 (neg x)))) (= b (call f 1 2)) (= c (shape d)) "
                               "(= e[ i:_ ] (not a)))\n");
}

TEST(Parser, ANameBeforeAParenthesisOnTheNextLineIsNoCall) {
  Parsed parsed("kernel k() -> o: f64 {\n a = b\n (c, d) = f(a)\n o = a }");
  EXPECT_EQ(parsed.messages, "");
  EXPECT_EQ(parsed.file.kernels.at(0).body.size(), 3u);
}

TEST(Parser, KernelHead) {
  Parsed parsed("kernel k(A: f64[M, 2*N] layout col, e: f32) -> (O: f64[N//2], p: i64) where N % 2 "
                "== 0, M <= 9\n inplace(O = A) where e > 0 { iterate p in 0..N carry L = A, q = 1 "
                "{ L = L; q = q }\n (O, p) = f() }");
  EXPECT_EQ(parsed.messages, "");
  EXPECT_EQ(dump(parsed.file),
            "(kernel k (A f64 [ M (* 2 N) ] col) (e f32 [ ]) -> (O f64 [ (// N 2) ]) (p i64 [ ]) "
            "where (cmp (% N 2) == 0) (cmp M <= 9) (cmp e > 0) inplace (O A) body (iterate p 0 N "
            "(L A) (q 1) (= L L) (= q q)) (=many [ O p ] f))\n");
}

TEST(Parser, FileItems) {
  Parsed parsed("import \"a/b.moa\"; fn f(x, y) = x * y\n"
                "derive g = grad k wrt A, B save L seed O <- G, P <-H\nderive j = join k, g\n"
                "schedule k for cpu { lift i by 2*T cyclic as it, ii order b, it\n online k "
                "parallel b lanes p\n place S, P at kt place T inline place U store pack K at kt "
                "as [j, kk] pack V as [j]; unroll ii by 4 unroll j\n reduce k: owner partition b over pe by 7 }");
  EXPECT_EQ(parsed.messages, "");
  EXPECT_EQ(dump(parsed.file),
            "(import a/b.moa)\n(fn f [ x y ] (* x y))\n"
            "(grad g k [ A B ] save [ L ] seed (O G) (P H))\n(join j [ k g ])\n"
            "(schedule k cpu (0 [ i ] (* 2 T) cyclic it ii 0 _ [ ] ) (1 [ b it ] _   0 _ [ ] ) "
            "(2 [ k ] _   0 _ [ ] ) (3 [ b ] _   0 _ [ ] ) (4 [ p ] _   0 _ [ ] ) "
            "(5 [ S P ] _   0 kt [ ] ) (5 [ T ] _   1 _ [ ] ) (5 [ U ] _   2 _ [ ] ) "
            "(6 [ K ] _   0 kt [ j kk ] ) (6 [ V ] _   0 _ [ j ] ) (7 [ ii ] 4   0 _ [ ] ) "
            "(7 [ j ] _   0 _ [ ] ) (8 [ k ] _   0 _ [ ] owner) (10 [ b ] 7   0 _ [ ] pe))\n");
}

TEST(Parser, ScheduleAndDeriveWordsAreOrdinaryNames) {
  Parsed parsed("kernel order(in: f64, lift: f64, at: f64) -> seed: f64 { iterate = lift\n seed = "
                "in * at + iterate }");
  EXPECT_EQ(parsed.messages, "");
}

TEST(Parser, AnEmptyFileIsValid) {
  for (const char *text : {"", "\n\n", "# nothing\n", ";;"}) {
    Parsed parsed(text);
    EXPECT_EQ(parsed.messages, "");
    EXPECT_TRUE(parsed.file.kernels.empty());
  }
}

TEST(Parser, RangesCoverWhatTheyName) {
  std::string text = "kernel k(A: f64[N, M]) -> o: f64 {\n  o[i: N] = (A[i, 2] + 1)*x // y\n}\n";
  Parsed parsed(text);
  ASSERT_EQ(parsed.messages, "");
  auto at = [&](SourceRange range) { return parsed.sources.text(range); };
  auto &kernel = parsed.file.kernels.at(0);
  EXPECT_EQ(at(kernel.headRange), "kernel k(A: f64[N, M]) -> o: f64");
  EXPECT_EQ(at(kernel.params[0].range), "A: f64[N, M]");
  EXPECT_EQ(at(kernel.params[0].shapeRange), "[N, M]");
  EXPECT_EQ(at(kernel.params[0].extents[1]->range), "M");
  auto &define = llvm::cast<ast::Define>(*kernel.body.at(0));
  EXPECT_EQ(at(define.range), "o[i: N] = (A[i, 2] + 1)*x // y");
  EXPECT_EQ(at(define.lhsRange), "o[i: N]");
  EXPECT_EQ(at(define.indices[0].range), "i: N");
  auto &floorDiv = llvm::cast<ast::Binary>(*define.value);
  EXPECT_EQ(at(floorDiv.opRange), "//");
  auto &product = llvm::cast<ast::Binary>(*floorDiv.lhs);
  EXPECT_EQ(at(product.range), "(A[i, 2] + 1)*x");
  EXPECT_EQ(at(product.lhs->range), "(A[i, 2] + 1)");
  auto &index = llvm::cast<ast::Index>(*llvm::cast<ast::Binary>(*product.lhs).lhs);
  EXPECT_EQ(at(index.range), "A[i, 2]");
  EXPECT_EQ(at(index.subscripts[1].range), "2");
}

TEST(Parser, NestingIsBoundedNotCrashing) {
  auto nested = [](int depth, const std::string &open, const std::string &close) {
    std::string text;
    for (int i = 0; i < depth; ++i)
      text += open;
    text += "x";
    for (int i = 0; i < depth; ++i)
      text += close;
    return dumpExpr(text);
  };
  EXPECT_EQ(nested(399, "(", ")"), "x");
  for (const char *open : {"(", "-", "not ", "f(", "a[", "<", "sum[i](", "shape ", "s take ",
                           "(red +) ", "<1> take ", "a + ("}) {
    std::string close = open[1] == '(' || open[0] == '(' ? ")" : "";
    EXPECT_NE(nested(20000, open, close).find("[nested-too-deep]"), std::string::npos) << open;
  }
  EXPECT_NE(nested(20000, "x + ", "").find("[chain-too-long]"), std::string::npos);
  EXPECT_NE(nested(20000, "x (+) ", "").find("[chain-too-long]"), std::string::npos);
  EXPECT_NE(nested(20000, "", "[i]").find("[chain-too-long]"), std::string::npos);
  EXPECT_EQ(nested(900, "x + ", "").find("error"), std::string::npos);
}

TEST(Parser, OperatorNestingIsBounded) {
  auto nested = [](int depth) {
    return dumpExpr("A " + std::string(depth, '(') + "+ omega<1>" + std::string(depth, ')') + " B");
  };
  EXPECT_EQ(nested(15).find("error"), std::string::npos) << nested(15);
  EXPECT_NE(nested(100).find("error"), std::string::npos);
  std::string omegas = "A (+";
  for (int i = 0; i < 20000; ++i)
    omegas += " omega<1>";
  EXPECT_NE(dumpExpr(omegas + ") B").find("[operator-too-deep]"), std::string::npos);
}

TEST(Parser, BlocksAreBounded) {
  std::string text = "kernel k() -> o: f64 {";
  for (int i = 0; i < 1000; ++i)
    text += "iterate p in 0..N carry L = A {";
  EXPECT_NE(Parsed(text).messages.find("[block-too-deep]"), std::string::npos);
}

TEST(Parser, TheFortyProgramsParse) {
  ASSERT_EQ(test::programs().size(), 40u);
  for (const test::Program &program : test::programs()) {
    Parsed parsed(program.text);
    EXPECT_EQ(parsed.messages, "") << program.name;
    EXPECT_FALSE(parsed.file.kernels.empty()) << program.name;
  }
}

} // namespace
} // namespace moac
