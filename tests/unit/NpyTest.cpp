// .npy files: what NumPy writes is read, what we write NumPy's rules accept, and nothing malformed
// does harm.
#include "frontend/Npy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace moac;

namespace {

std::string file(std::string_view header, std::string_view elements, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k)
    bytes += static_cast<char>(header.size() >> 8 * k & 255);
  bytes += header;
  bytes += elements;
  return bytes;
}

template <class T> std::string elements(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T));
}

std::string errorOf(std::string_view bytes) {
  std::string error;
  EXPECT_FALSE(parseNpy(bytes, error).has_value());
  return error;
}

constexpr ElementType allTypes[] = {
#define MOAC_TYPE(NAME, CLASS, BITS, COMPUTES) ElementType::NAME##_,
#include "frontend/Words.def"
};

} // namespace

TEST(Npy, everyTypeSurvivesARoundTrip) {
  for (ElementType type : allTypes) {
    HostArray array(type, {2, 3});
    for (int64_t k = 0; k < 6; ++k)
      array.set(k, k % 2);
    std::string bytes = formatNpy(array), error;
    EXPECT_EQ(bytes.find('\n') % 64, 63u) << spelling(type);
    auto back = parseNpy(bytes, error);
    ASSERT_TRUE(back) << error;
    EXPECT_EQ(back->type(), type);
    EXPECT_EQ(back->shape(), array.shape());
    EXPECT_TRUE(std::ranges::equal(back->bytes(), array.bytes()));
  }
}

TEST(Npy, shapesOfEveryRank) {
  for (HostShape shape :
       {HostShape{}, HostShape{0}, HostShape{5}, HostShape{2, 0, 3}, HostShape{1, 2, 3, 4, 5}}) {
    std::string error;
    auto back = parseNpy(formatNpy(HostArray(ElementType::i16_, shape)), error);
    ASSERT_TRUE(back) << error;
    EXPECT_EQ(back->shape(), shape);
  }
}

TEST(Npy, headerIsWhatNumpyWrites) {
  std::string bytes = formatNpy(HostArray(ElementType::f32_, {3}));
  EXPECT_NE(bytes.find("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"), bytes.npos);
  bytes = formatNpy(HostArray(ElementType::bool_, {}));
  EXPECT_NE(bytes.find("{'descr': '|b1', 'fortran_order': False, 'shape': (), }"), bytes.npos);
}

TEST(Npy, fortranOrderBecomesRowMajor) {
  std::string error;
  auto array = parseNpy(file("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }",
                             elements<int32_t>({0, 10, 1, 11, 2, 12})),
                        error);
  ASSERT_TRUE(array) << error;
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column)
      EXPECT_EQ(array->get(3 * row + column), 10 * row + column);
}

TEST(Npy, versionTwoAndOtherKeyOrders) {
  std::string error;
  auto array = parseNpy(file("{ \"shape\" : ( 2 , ) ,'fortran_order':False,'descr':'<f8'}\n",
                             elements<double>({1.5, -2}), 2),
                        error);
  ASSERT_TRUE(array) << error;
  EXPECT_EQ(array->get(1), -2);
}

TEST(Npy, whatIsRefusedIsSaid) {
  auto header = [](const char *descr) {
    return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (1,), }}", descr);
  };
  EXPECT_NE(errorOf(file(header(">f8"), "12345678")).find("big-endian"), std::string::npos);
  EXPECT_NE(errorOf(file(header("|O"), "12345678")).find("Python objects"), std::string::npos);
  EXPECT_NE(errorOf(file(header("<c16"), "12345678")).find("'<c16' is none"), std::string::npos);
  EXPECT_NE(errorOf(file(header("<f8"), "1234567")).find("needs more than the 7 bytes"),
            std::string::npos);
  EXPECT_NE(errorOf("PK\x03\x04 something else").find("not a .npy file"), std::string::npos);
  EXPECT_NE(errorOf(file("{}", "", 9)).find("version 9"), std::string::npos);
  EXPECT_NE(errorOf(file("{'descr': '<f8'}", "")).find("lacks one of"), std::string::npos);
  EXPECT_NE(errorOf(file("{'descr': [('a', '<f8')], }", "")).find("structured"), std::string::npos);
}

TEST(Npy, hugeAndNegativeShapesAreBounded) {
  for (const char *shape : {"(9223372036854775807,)", "(99999999999999999999,)", "(-1,)",
                            "(4294967296, 4294967296)", "(2, 3", "(1 2)", "2", "(1,,)"})
    errorOf(file(fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': {}, }}", shape),
                 "12345678"));
  errorOf(file(
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::string(3000, '1') + "), }", ""));
  std::string deep;
  for (int k = 0; k < 100; ++k)
    deep += "1, ";
  errorOf(file("{'descr': '<f8', 'fortran_order': False, 'shape': (" + deep + "), }", "12345678"));
  std::string error; // no memory is needed for an empty array, however long its other extents
  EXPECT_TRUE(parseNpy(
      file("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 9223372036854775807, 9), }", ""),
      error));
}

TEST(Npy, everyTruncationAndMutationIsSurvived) {
  HostArray array(ElementType::f32_, {2, 2});
  const std::string good = formatNpy(array);
  std::string error;
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(parseNpy(good.substr(0, length), error)) << length;
  unsigned accepted = 0;
  for (size_t at = 0; at < 96; ++at)
    for (char c : {'\0', '\xff', '(', '9', '\'', '}'}) {
      std::string bad = good;
      bad[at] = c;
      accepted += parseNpy(bad, error).has_value();
    }
  EXPECT_GT(accepted, 0u); // a blank replaced by another blank, the minor version, ...
}

TEST(Npy, filesAreReadAndReplaced) {
  std::string path = testing::TempDir() + "moac-npy-test.npy", error;
  HostArray array(ElementType::f64_, {3});
  array.set(2, 0.25);
  ASSERT_TRUE(writeNpy(path, array, error)) << error;
  auto back = readNpy(path, error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(back->get(2), 0.25);
  std::remove(path.c_str());
  EXPECT_FALSE(readNpy(path, error));
  EXPECT_NE(error.find(path), std::string::npos);
  EXPECT_FALSE(readNpy(testing::TempDir(), error)); // a folder
  EXPECT_FALSE(writeNpy("/nonexistent/x.npy", array, error));
}

TEST(HostArray, halvesRoundToNearestEven) {
  EXPECT_EQ(toHalf(1.0), 0x3c00);
  EXPECT_EQ(toHalf(-2.0), 0xc000);
  EXPECT_EQ(toHalf(65504), 0x7bff);
  EXPECT_EQ(toHalf(65519.99L), 0x7bff);
  EXPECT_EQ(toHalf(65520), 0x7c00);       // halfway to 2^16: even is infinity
  EXPECT_EQ(toHalf(1 + 0x1p-11), 0x3c00); // tie to even
  EXPECT_EQ(toHalf(1 + 3 * 0x1p-11), 0x3c02);
  EXPECT_EQ(toHalf(1 + 0x1p-11 + 0x1p-60L),
            0x3c01); // above a tie by less than a double can hold beside it
  EXPECT_EQ(toHalf(0x1p-24), 1);
  EXPECT_EQ(toHalf(0x1p-25), 0);
  EXPECT_EQ(toHalf(0x1.8p-25), 1);
  EXPECT_EQ(toHalf(0x1.ffcp-15), 0x400); // a tie at the largest subnormal rounds into the normals
  EXPECT_EQ(toHalf(-std::numeric_limits<double>::infinity()), 0xfc00);
  EXPECT_TRUE(std::isnan(fromHalf(toHalf(NAN))));
  EXPECT_EQ(toBfloat(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(toBfloat(0x1.fefp127L), 0x7f7f);
  EXPECT_EQ(toBfloat(0x1.ffp127L), 0x7f80);
}

TEST(HostArray, everyHalfSurvivesARoundTrip) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    double half = fromHalf(static_cast<uint16_t>(bits)),
           bfloat = fromBfloat(static_cast<uint16_t>(bits));
    if (!std::isnan(half))
      ASSERT_EQ(toHalf(half), bits);
    if (!std::isnan(bfloat))
      ASSERT_EQ(toBfloat(bfloat), bits);
  }
}

TEST(HostArray, integersSaturateAndAreExact) {
  HostArray array(ElementType::i64_, {1});
  array.set(0, static_cast<long double>(INT64_MAX));
  EXPECT_EQ(array.get(0), static_cast<long double>(INT64_MAX));
  array.set(0, 1e30L);
  EXPECT_EQ(array.get(0), static_cast<long double>(INT64_MAX));
  array.set(0, NAN);
  EXPECT_EQ(array.get(0), 0);
  HostArray bytes(ElementType::u8_, {1});
  bytes.set(0, -3);
  EXPECT_EQ(bytes.get(0), 0);
}

TEST(HostArray, shapes) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({0, INT64_MAX, INT64_MAX}), 0);
  EXPECT_FALSE(elementCount({INT64_MAX, 2}));
  EXPECT_FALSE(elementCount({0, -1}));
  EXPECT_EQ(toString(HostShape{3, 4}), "<3 4>");
}

TEST(HostArray, bfloatBitsMayArriveAsUint16) {
  HostArray bits(ElementType::u16_, {1});
  bits.set(0, 0x3f80);
  auto array = reinterpretAs(bits, ElementType::bf16_);
  ASSERT_TRUE(array);
  EXPECT_EQ(array->get(0), 1);
  EXPECT_FALSE(reinterpretAs(bits, ElementType::f16_));
}
