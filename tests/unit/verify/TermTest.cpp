// The comparison itself, on terms written by hand, and the counting of values.
#include "emitters/CWords.h"
#include "emitters/Term.h"
#include "emitters/TreeTerms.h"
#include "emitters/Work.h"

#include <gtest/gtest.h>

using namespace moac::reading;

namespace {

Term leaf(std::string word) { return {std::move(word), {}, 0}; }
Term at(std::string array, std::string index) {
  return {"[] " + std::move(array), {leaf(std::move(index))}, 0};
}
Term loop(const std::string &name, std::vector<Term> body, std::vector<Term> directives = {}) {
  return {"for " + name + " up",
          {{"directives", std::move(directives), 0},
           leaf("0"),
           leaf("N"),
           {"block", std::move(body), 0}},
          0};
}
Term block(std::vector<Term> statements) { return {"block", std::move(statements), 0}; }

TEST(Term, TextIsCutAndNested) {
  EXPECT_EQ(text({"mul f64", {leaf("a"), at("B", "i")}, 0}), "mul f64(a, [] B(i))");
  EXPECT_EQ(text(leaf(std::string(50, 'x')), 10), "xxxxxxxxxx...");
}

TEST(Term, BothSidesHaveOneWordForACall) {
  using moac::tree::Elem, moac::tree::Op;
  EXPECT_EQ(calledWord("moac_exp_f32"), opWord(Op::exp_, Elem::F32));
  EXPECT_EQ(calledWord("moac_exp_down_f32"), opWord(Op::exp_down_, Elem::F32));
  EXPECT_EQ(calledWord("moac_exp2_down_f64"), opWord(Op::exp2_down_, Elem::F64));
  EXPECT_EQ(calledWord("moac_f64_to_i64"), "call moac_f64_to_i64");
  EXPECT_EQ(calledWord("moac_round64"), "call moac_round64");
}

TEST(Term, EstimatesDoNotDependOnTheOrderOfTerms) {
  const Term left{"add f64", {{"mul f64", {leaf("8.0"), leaf("N")}, 0}, leaf("M")}, 0};
  const Term right{"add f64", {leaf("M"), {"mul f64", {leaf("N"), leaf("0x1p+3")}, 0}}, 0};
  EXPECT_EQ(estimate(left).head, estimate(right).head);
  EXPECT_NE(estimate(left).head, estimate(leaf("N")).head);
}

TEST(Term, CountsLevelsApart) {
  const Term update{"=", {at("C", "i"), {"add f64", {at("C", "i"), leaf("x")}, 0}}, 0};
  const Counts counts = countsOf(block({update, loop("k", {update, update})}));
  EXPECT_EQ(counts, (Counts{{"load C", 1}, {"store C", 1}, {"add f64", 1}}));
}

TEST(Term, DifferencesNameTheLevel) {
  const Term one{"=", {at("C", "k"), at("A", "k")}, 0};
  const Term two{"=", {at("C", "k"), {"mul f64", {at("A", "k"), at("A", "k")}, 0}}, 0};
  const std::vector<std::string> found =
      compare(block({loop("i", {loop("k", {one})})}), block({loop("i", {loop("k", {two})})}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], "in i/k: 2 of 'load A' printed, 1 analysed");
  EXPECT_EQ(found[1], "in i/k: 1 of 'mul f64' printed, 0 analysed");
}

TEST(Term, MissingDirective) {
  const Term one{"=", {at("C", "k"), leaf("0")}, 0};
  const std::vector<std::string> found =
      compare(block({loop("k", {one}, {leaf("simd")})}), block({loop("k", {one})}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "in k: directive 'directives' printed, 'directives(simd)' analysed");
}

TEST(Work, NamesAndRepetitionDoNotMatter) {
  const Term product{"mul f64", {at("A", "k"), leaf("x")}, 0};
  const Term twice{"=", {at("C", "k"), {"add f64", {product, product}, 0}}, 0};
  const Term named{"let f64 v", {product}, 0};
  const Term sum{"=", {at("C", "k"), {"add f64", {leaf("v"), leaf("v")}, 0}}, 0};
  const Work left = workOf(block({loop("k", {twice})}), {});
  const Work right = workOf(block({loop("k", {named, sum})}), {});
  EXPECT_TRUE(compareWork(left, right).empty());
  EXPECT_EQ(left.levels()[1].counts,
            (Counts{{"load A", 1}, {"store C", 1}, {"mul f64", 1}, {"add f64", 1}}));
}

TEST(Work, AVariableSetOnBothSidesIsAChoice) {
  const Term set{"=", {leaf("c"), leaf("x")}, 0}, other{"=", {leaf("c"), leaf("y")}, 0};
  const Term branch{"if", {{"lt", {leaf("a"), leaf("b")}, 0}, block({set}), block({other})}, 0};
  const Term use{"=", {at("C", "k"), {"exp f64", {leaf("c")}, 0}}, 0};
  const Term choice{"select", {{"lt", {leaf("a"), leaf("b")}, 0}, leaf("x"), leaf("y")}, 0};
  const Term direct{"=", {at("C", "k"), {"exp f64", {choice}, 0}}, 0};
  const Work left = workOf(block({loop("k", {leaf("var f64 c"), branch, use})}), {});
  const Work right = workOf(block({loop("k", {direct})}), {});
  EXPECT_TRUE(compareWork(left, right).empty());
}

TEST(Work, LostStoresAndLoopsShow) {
  const Term store{"=", {at("C", "k"), leaf("x")}, 0};
  const Work whole = workOf(block({loop("k", {store, store})}), {});
  EXPECT_EQ(compareWork(whole, workOf(block({loop("k", {store})}), {})),
            std::vector<std::string>{"in k: 1 of 'store C' printed, ONF has 2"});
  EXPECT_EQ(compareWork(whole, workOf(block({}), {})),
            std::vector<std::string>{"0 loops printed, ONF has 1"});
}

} // namespace
