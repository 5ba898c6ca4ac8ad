// Keeps the test executable non-empty before any library has tests, and pins the language level the build promises.
#include <gtest/gtest.h>

TEST(Smoke, languageLevelIsCxx20) { EXPECT_GE(__cplusplus, 202002L); }
