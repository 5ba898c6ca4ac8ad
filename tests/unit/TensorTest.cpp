// Element types as bytes, and the verdict on a result.
#include "ir/Tensor.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace moac;

namespace {

TEST(Tensor, NamesGoBothWays) {
  for (unsigned i = 0; i <= static_cast<unsigned>(Element::Bool); ++i) {
    auto type = static_cast<Element>(i);
    EXPECT_EQ(elementFromName(elementName(type)), type);
  }
  EXPECT_FALSE(elementFromName("f128"));
}

TEST(Tensor, EveryHalfPatternSurvivesReadingAndWriting) {
  for (Element type : {Element::F16, Element::BF16}) {
    Tensor t = Tensor::zeros(type, {1}), back = t;
    for (unsigned bits = 0; bits < 65536; ++bits) {
      auto pattern = static_cast<uint16_t>(bits);
      std::memcpy(t.bytes.data(), &pattern, 2);
      long double value = t.real(0);
      back.setReal(0, value);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(back.real(0)));
      else
        EXPECT_EQ(back.bytes, t.bytes) << elementName(type) << " pattern " << bits;
    }
  }
}

struct Rounding {
  Element type;
  long double from, to;
};

TEST(Tensor, HalvesRoundToNearestEven) {
  const long double inf = INFINITY;
  const Rounding table[] = {
      {Element::F16, 1 + 0x1p-11L, 1},
      {Element::F16, 1 + 3 * 0x1p-11L, 1 + 0x1p-9L},
      {Element::F16, 1 + 0x1p-11L + 0x1p-60L, 1 + 0x1p-10L},
      {Element::F16, 65519, 65504},
      {Element::F16, 65520, inf},
      {Element::F16, -65520, -inf},
      {Element::F16, 0x1p-25L, 0},
      {Element::F16, 0x1.8p-24L, 0x1p-23L},
      {Element::F16, 1023.5L * 0x1p-24L, 0x1p-14L},
      {Element::BF16, 1 + 0x1p-8L, 1},
      {Element::BF16, 1 + 3 * 0x1p-8L, 1 + 0x1p-6L},
      {Element::BF16, 3.39e38L, 0x1.fep127L},
      {Element::BF16, 0x1.ffp127L, inf},
      {Element::F32, 16777217, 16777216},
  };
  for (const Rounding &row : table)
    EXPECT_EQ(roundTo(row.type, row.from), row.to) << elementName(row.type) << " " << row.from;
}

TEST(Tensor, IntegersWrap) {
  EXPECT_EQ(wrapTo(Element::I8, 200), -56);
  EXPECT_EQ(wrapTo(Element::U8, -1), 255);
  EXPECT_EQ(wrapTo(Element::U16, 65537), 1);
  EXPECT_EQ(wrapTo(Element::I32, INT64_C(1) << 31), INT32_MIN);
  EXPECT_EQ(wrapTo(Element::U32, -1), UINT32_MAX);
  EXPECT_EQ(wrapTo(Element::Bool, 256), 1);
}

TEST(Tensor, CountsElements) {
  EXPECT_EQ(elementCount(std::vector<int64_t>{}), 1);
  EXPECT_EQ(elementCount(std::vector<int64_t>{INT64_MAX, 0, INT64_MAX}), 0);
  EXPECT_EQ(elementCount(std::vector<int64_t>{2, -1}), std::nullopt);
  EXPECT_EQ(elementCount(std::vector<int64_t>{INT64_C(1) << 32, INT64_C(1) << 31}), std::nullopt);
  EXPECT_EQ(elementCount(std::vector<int64_t>{INT64_C(1) << 60}, 8), std::nullopt);
}

Verdict judge(Element type, double got, double want, double bound) {
  Tensor g = Tensor::scalar(type, got), w = Tensor::scalar(type, want);
  w.bounds = {bound};
  return compare(g.bytes, w);
}

TEST(Tensor, VerdictCountsInBounds) {
  EXPECT_TRUE(judge(Element::F64, 1.0, 1.0, 0).passed);
  EXPECT_FALSE(judge(Element::F64, 1 + 0x1p-52, 1.0, 0).passed);
  EXPECT_TRUE(judge(Element::F64, 1.8, 1.0, 0.1).passed);
  EXPECT_FALSE(judge(Element::F64, 1.81, 1.0, 0.1).passed);
  EXPECT_NEAR(judge(Element::F64, 1.2, 1.0, 0.1).worst, 2, 1e-9);
  EXPECT_EQ(judge(Element::F64, 7.0, 1.0, INFINITY).ambiguous, 1);
  EXPECT_TRUE(judge(Element::F64, 0x1p-1074, 0.0, 0).passed);
  EXPECT_FALSE(judge(Element::F64, 0x1p-1072, 0.0, 0).passed);
  EXPECT_FALSE(judge(Element::I32, 3, 4, 0).passed);
  EXPECT_TRUE(judge(Element::I32, 3, 4, INFINITY).passed);
}

TEST(Tensor, VerdictMatchesSpecialValues) {
  EXPECT_TRUE(judge(Element::F32, NAN, NAN, 0).passed);
  EXPECT_FALSE(judge(Element::F32, 1, NAN, 0).passed);
  EXPECT_FALSE(judge(Element::F32, NAN, 1, 1).passed);
  EXPECT_TRUE(judge(Element::F32, INFINITY, INFINITY, 0).passed);
  EXPECT_FALSE(judge(Element::F32, -INFINITY, INFINITY, 0).passed);
  EXPECT_FALSE(judge(Element::F32, INFINITY, 1, 1).passed);
  EXPECT_TRUE(judge(Element::F32, INFINITY, 3.4e38, 1e37).passed);
  EXPECT_FALSE(judge(Element::F32, -INFINITY, 3.4e38, 1e37).passed);
}

TEST(Tensor, VerdictNamesTheFirstFailure) {
  Tensor want = Tensor::of(Element::I16, {2, 2}, {1, 2, 3, 4});
  Tensor got = Tensor::of(Element::I16, {2, 2}, {1, 2, 4, 5});
  Verdict verdict = compare(got.bytes, want);
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.index, 2);
  EXPECT_NE(verdict.explanation.find("got 4"), std::string::npos);
  EXPECT_FALSE(compare(std::span(got.bytes).subspan(2), want).passed);
  Tensor empty = Tensor::zeros(Element::F64, {0, 5});
  EXPECT_TRUE(compare(empty.bytes, empty).passed);
}

} // namespace
