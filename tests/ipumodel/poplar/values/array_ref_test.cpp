#include <gccs/Algorithm.hpp>
#include <gccs/ArrayRef.hpp>
#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/StringRef.hpp>

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

using poplar::ArrayRef;
using poplar::Interval;
using poplar::StringRef;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<std::size_t> shapeOf(ArrayRef<std::size_t> shape) {
  return shape.cloneAsVector();
}

struct Base {};
struct Derived : Base {};

TEST(ArrayRef, TakesEveryFormOfShapeAFunctionIsCalledWith) {
  const std::vector<std::size_t> vector{2, 3};
  const std::array<std::size_t, 2> array{{4, 5}};
  const std::size_t plain[] = {6, 7};
  EXPECT_THAT(shapeOf(vector), ElementsAre(2, 3));
  EXPECT_THAT(shapeOf(array), ElementsAre(4, 5));
  EXPECT_THAT(shapeOf(plain), ElementsAre(6, 7));
  EXPECT_THAT(shapeOf({8, 9}), ElementsAre(8, 9));
  EXPECT_THAT(shapeOf({vector.data() + 1, 1}), ElementsAre(3));
}

TEST(ArrayRef, IsDeducedFromAVector) {
  std::vector<unsigned> changeable{1, 2};
  const std::vector<float> constant{3};
  EXPECT_THAT(ArrayRef(changeable), ElementsAre(1, 2));
  static_assert(
      std::is_same<decltype(ArrayRef(changeable)), ArrayRef<unsigned>>::value,
      "elements of the vector's type");
  static_assert(
      std::is_same<decltype(ArrayRef(constant)), ArrayRef<float>>::value,
      "elements of the vector's type");
}

TEST(ArrayRef, OneElementInBracesIsAListOfOne) {
  EXPECT_THAT(shapeOf({4}), ElementsAre(4));
  EXPECT_THAT(shapeOf({0}), ElementsAre(0));
}

TEST(ArrayRef, EmptyBracesAreAnEmptyList) {
  EXPECT_THAT(shapeOf({}), IsEmpty());
}

TEST(ArrayRef, RefusesNullptrAndOtherElementTypes) {
  EXPECT_FALSE((std::is_constructible<ArrayRef<int>, std::nullptr_t>::value));
  EXPECT_FALSE(
      (std::is_constructible<ArrayRef<int>, std::vector<long>>::value));
  EXPECT_FALSE(
      (std::is_constructible<ArrayRef<Base>, std::vector<Derived>>::value));
}

TEST(ArrayRef, ViewsPointersAsPointersToConst) {
  int value = 1;
  const std::vector<int *> pointers{&value};
  const ArrayRef<const int *> view(pointers);
  EXPECT_EQ(view[0], &value);
}

TEST(ArrayRef, ComparesElements) {
  const std::vector<int> a{1, 2}, b{1, 2}, shorter{1}, other{1, 3};
  EXPECT_EQ(ArrayRef<int>(a), ArrayRef<int>(b));
  EXPECT_NE(ArrayRef<int>(a), ArrayRef<int>(shorter));
  EXPECT_NE(ArrayRef<int>(a), ArrayRef<int>(other));
}

TEST(ArrayRef, CanBeStoredOverALiveObjectAndReassigned) {
  int first = 1, second = 2;
  ArrayRef<int> view(&first, 1);
  view = ArrayRef<int>(&second, 1);
  EXPECT_EQ(view.front(), 2);
}

TEST(StringRef, ConvertsToAndFromStringsWhereverTheyMeet) {
  const std::string string = "abc";
  const StringRef ref = string;
  EXPECT_EQ(ref, "abc");
  EXPECT_EQ("abc", ref);
  EXPECT_EQ(ref, string);
  EXPECT_NE(ref, "abcd");
  const std::map<std::string, int> numbers{{"abc", 1}};
  EXPECT_EQ(numbers.find(ref)->second, 1);
}

TEST(StringRef, ConcatenatesAndPrints) {
  const StringRef ref = "b";
  EXPECT_EQ("a" + ref, "ab");
  EXPECT_EQ(ref + std::string("c"), "bc");
  std::string text = "a";
  text += ref;
  EXPECT_EQ(text, "ab");
  std::ostringstream os;
  os << StringRef("abc", 2);
  EXPECT_EQ(os.str(), "ab");
}

TEST(StringRef, OrdersLikeStringsAndKeepsZeros) {
  EXPECT_LT(StringRef("a"), StringRef("ab"));
  EXPECT_LT(StringRef("ab"), StringRef("b"));
  EXPECT_FALSE(StringRef("a") < StringRef("a"));
  const std::string zero("a\0b", 3);
  EXPECT_EQ(StringRef(zero).cloneAsString(), zero);
}

TEST(StringRef, OfALiteralIsAConstant) {
  constexpr StringRef literal = "four";
  static_assert(literal.size() == 4, "without the terminating zero");
}

TEST(Interval, IsHalfOpen) {
  const Interval interval{3, 7};
  EXPECT_EQ(interval.size(), 4u);
  EXPECT_EQ(interval.begin(), interval.lower());
  EXPECT_EQ(interval.end(), interval.upper());
  EXPECT_EQ(Interval().size(), 0u);
}

TEST(Interval, OrdersByBeginThenEnd) {
  EXPECT_LT(Interval(1, 9), Interval(2, 3));
  EXPECT_LT(Interval(1, 2), Interval(1, 3));
  EXPECT_GE(Interval(1, 3), Interval(1, 3));
  EXPECT_GT(Interval(1, 4), Interval(1, 3));
  EXPECT_LE(Interval(1, 3), Interval(1, 3));
}

TEST(Interval, PrintsItsEnds) {
  std::ostringstream os;
  os << Interval(1, 3);
  EXPECT_EQ(os.str(), "[1,3)");
}

TEST(GccsArrayRef, WritesThroughToTheVector) {
  std::vector<int> values{1, 2};
  const gccs::ArrayRef view(values);
  view[1] = 5;
  EXPECT_THAT(values, ElementsAre(1, 5));
}

TEST(GccsArrayRef, OfAConstVectorIsReadOnly) {
  const std::vector<int> values{1, 2};
  const gccs::ArrayRef view(values);
  EXPECT_TRUE((std::is_same<decltype(view[0]), const int &>::value));
}

TEST(GccsAlgorithm, DividesAndAlignsWithoutOverflow) {
  EXPECT_EQ(gccs::ceildiv(7u, 4u), 2u);
  EXPECT_EQ(gccs::ceildiv(8u, 4u), 2u);
  EXPECT_EQ(gccs::ceildiv(~0u, 2u), 0x80000000u);
  EXPECT_EQ(gccs::floordiv(7u, 4u), 1u);
  EXPECT_EQ(gccs::alignNext(9, 4), 12);
  EXPECT_EQ(gccs::alignPrev(9, 4), 8);
}

TEST(GccsAlgorithm, CeilLog2IsTheSmallestSufficientPower) {
  EXPECT_EQ(gccs::ceilLog2(1u), 0u);
  for (unsigned a = 2; a < 3000; ++a) {
    const unsigned n = gccs::ceilLog2(a);
    EXPECT_GE(1u << n, a);
    EXPECT_LT(1u << (n - 1), a);
  }
}

TEST(GccsAlgorithm, TriangularNumbersAddUp) {
  unsigned sum = 0;
  for (unsigned n = 0; n < 100; ++n) {
    sum += n;
    EXPECT_EQ(gccs::nthTriangular(n), sum);
  }
}

} // namespace
