#include "operators.hpp"

#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using popops::SortOrder;
using popops::TopKParams;
using poputil::poplibs_error;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::UnorderedElementsAre;

namespace {

// The positions of the best k elements of a row, by a stable sort.
std::vector<unsigned> bestOf(const std::vector<float> &row,
                             const TopKParams &params) {
  std::vector<unsigned> places(row.size());
  std::iota(places.begin(), places.end(), 0u);
  const auto sortBy = [&](bool descending) {
    std::stable_sort(places.begin(), places.end(), [&](unsigned a, unsigned b) {
      return descending ? row[a] > row[b] : row[a] < row[b];
    });
  };
  sortBy(params.largest);
  places.resize(params.k);
  std::sort(places.begin(), places.end());
  sortBy(params.sortOrder == SortOrder::DESCENDING);
  return places;
}

} // namespace

TEST(TopK, AgreesWithAStableSortForRandomRows) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    Bench b;
    const Type type = std::vector<Type>{HALF, FLOAT}[round % 2];
    const std::size_t rows = 1 + random() % 20, n = 1 + random() % 40;
    const TopKParams params(
        random() % (n + 1), random() % 2,
        random() % 2 ? SortOrder::ASCENDING : SortOrder::DESCENDING, true);
    std::vector<float> values(rows * n), expected;
    for (float &value : values)
      value = (static_cast<float>(random() % 17) - 8) / 4; // with ties
    std::vector<unsigned> expectedPlaces;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::vector<float> row(values.begin() + r * n,
                                   values.begin() + (r + 1) * n);
      for (const unsigned place : bestOf(row, params)) {
        expectedPlaces.push_back(place);
        expected.push_back(row[place]);
      }
    }
    const auto result = popops::topKWithPermutation(
        b.graph, b.prog, b.tensor(type, {1, rows, n}, values), params);
    EXPECT_EQ(result.first.shape(), Shape({1, rows, params.k}));
    EXPECT_EQ(result.second.shape(), Shape({1, rows, params.k}));
    const std::string places = b.watch(result.second);
    ASSERT_THAT(b.floatsOf(result.first), ElementsAreArray(expected));
    ASSERT_THAT(b.read<unsigned>(places, expected.size()),
                ElementsAreArray(expectedPlaces));
  }
}

TEST(TopK, OrdersSignedAndUnsignedIntegers) {
  const TopKParams params(2, true, SortOrder::DESCENDING);
  Bench b;
  const Tensor ints = popops::topK(
      b.graph, b.prog, b.ints({4}, {-1, 3, std::numeric_limits<int>::min(), 2}),
      params);
  const Tensor unsignedInts = popops::topK(
      b.graph, b.prog,
      b.tensor<unsigned>(UNSIGNED_INT, {3}, {1, 0xffffffff, 2}), params);
  const std::string read = b.watch(unsignedInts);
  EXPECT_THAT(b.result<int>(ints), ElementsAre(3, 2));
  EXPECT_THAT(b.read<unsigned>(read, 2), ElementsAre(0xffffffff, 2));
}

TEST(TopK, UnsortedStillHasTheRightElements) {
  Bench b;
  const Tensor t = b.floats({5}, {4, 1, 5, 2, 3});
  const Tensor best =
      popops::topK(b.graph, b.prog, t, {3, false, SortOrder::NONE});
  EXPECT_THAT(b.floatsOf(best), UnorderedElementsAre(1, 2, 3));
}

TEST(TopK, UnsortedButStableKeepsEqualElementsInTheOrderOfTheRow) {
  constexpr unsigned kElements = 1000, kBest = 300;
  std::vector<float> row;
  for (unsigned i = 0; i < kElements; ++i)
    row.push_back(float(i * 37 % 11));
  for (const bool largest : {false, true}) {
    Bench b;
    const TopKParams params(kBest, largest, SortOrder::NONE, true);
    const auto best = popops::topKWithPermutation(
        b.graph, b.prog, b.floats({kElements}, row), params);
    auto places = b.result<unsigned>(best.second);
    std::stable_sort(places.begin(), places.end(),
                     [&](unsigned i, unsigned j) { return row[i] < row[j]; });
    EXPECT_EQ(places, bestOf(row, params)) << largest;
  }
}

TEST(TopK, CountsNaNAsLargestAndInfinityBelow) {
  Bench b;
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor t = b.floats({5}, {-inf, 1, -std::nanf(""), inf, -0.0f});
  const auto result = popops::topKWithPermutation(
      b.graph, b.prog, t, {5, true, SortOrder::DESCENDING});
  EXPECT_THAT(b.result<unsigned>(result.second), ElementsAre(2, 3, 1, 4, 0));
}

TEST(TopK, TreatsBothZerosAsEqual) {
  Bench b;
  const auto result =
      popops::topKWithPermutation(b.graph, b.prog, b.floats({2}, {0.0f, -0.0f}),
                                  {2, false, SortOrder::ASCENDING, true});
  EXPECT_THAT(b.result<unsigned>(result.second), ElementsAre(0, 1));
}

TEST(TopK, CarriesValuesOfAnyType) {
  Bench b;
  const Tensor keys = b.floats({2, 3}, {3, 1, 2, 4, 6, 5});
  const Tensor values =
      b.tensor<unsigned char>(UNSIGNED_CHAR, {2, 3}, {30, 10, 20, 40, 60, 50});
  const auto result = popops::topKKeyValue(b.graph, b.prog, keys, values,
                                           {2, true, SortOrder::DESCENDING});
  const std::string read = b.watch(result.first);
  EXPECT_THAT(b.result<unsigned char>(result.second),
              ElementsAre(30, 20, 60, 50));
  EXPECT_THAT(b.read<float>(read, 4), ElementsAre(3, 2, 6, 5));
  EXPECT_THROW(popops::topKKeyValue(b.graph, b.prog, keys, values,
                                    {2, true, SortOrder::DESCENDING, true}),
               poplibs_error);
}

TEST(TopK, RefusesMoreThanThereAre) {
  Bench b;
  EXPECT_THROW(popops::topK(b.graph, b.prog, b.floats({3}, {1, 2, 3}),
                            {4, true, SortOrder::NONE}),
               poplibs_error);
  EXPECT_THROW(popops::topK(b.graph, b.prog, b.variable(BOOL, {3}),
                            {1, true, SortOrder::NONE}),
               poplibs_error);
}

TEST(TopK, OfNoRowsOrNoneOfARowIsEmpty) {
  Bench b;
  const TopKParams two(2, true, SortOrder::DESCENDING);
  const TopKParams none(0, true, SortOrder::DESCENDING);
  EXPECT_EQ(popops::topK(b.graph, b.prog, b.floats({0, 3}, {}), two).shape(),
            Shape({0, 2}));
  EXPECT_EQ(
      popops::topK(b.graph, b.prog, b.floats({1, 3}, {1, 2, 3}), none).shape(),
      Shape({1, 0}));
  EXPECT_NO_THROW(b.run());
}

TEST(TopK, NamesItsParameters) {
  std::ostringstream text;
  text << TopKParams(3, true, SortOrder::ASCENDING);
  EXPECT_EQ(text.str(),
            "{k=3, largest=true, sortOrder=ascending, stableSort=false}");
}

TEST(Sort, AscendsAlongAnyDimension) {
  Bench b;
  const Tensor t = b.ints({3, 2}, {5, 0, 3, 2, 4, 1});
  const Tensor rows = popops::sort(b.graph, t, 1, b.prog);
  const Tensor columns = popops::sort(b.graph, t, 0, b.prog);
  const std::string read = b.watch(rows);
  EXPECT_THAT(b.result<int>(columns), ElementsAre(3, 0, 4, 1, 5, 2));
  EXPECT_THAT(b.read<int>(read, 6), ElementsAre(0, 5, 2, 3, 1, 4));
  EXPECT_THROW(popops::sort(b.graph, t, 2, b.prog), poplibs_error);
}

TEST(Sort, WorksInPlace) {
  Bench b;
  const Tensor t = b.halves({2, 2}, {2, 4, 1, 3});
  popops::sortInPlace(b.graph, t, 0, b.prog);
  EXPECT_THAT(b.floatsOf(t), ElementsAre(1, 3, 2, 4));
}

TEST(Sort, OrdersValuesByTheirKeys) {
  Bench b;
  const Tensor k = b.ints({4}, {3, 1, 2, 1}), v = b.floats({4}, {0, 1, 2, 3});
  const Tensor sorted = popops::sortKeyValue(b.graph, k, v, 0, b.prog);
  const Tensor keys = b.ints({3}, {2, 0, 1}), values = b.ints({3}, {7, 8, 9});
  popops::sortKeyValueInPlace(b.graph, keys, values, 0, b.prog);
  const std::string readKeys = b.watch(keys), readValues = b.watch(values);
  EXPECT_THAT(b.floatsOf(sorted), ElementsAre(1, 3, 2, 0));
  EXPECT_THAT(b.read<int>(readKeys, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(b.read<int>(readValues, 3), ElementsAre(8, 9, 7));
  EXPECT_THROW(popops::sortKeyValue(b.graph, k, v.slice(0, 3), 0, b.prog),
               poplibs_error);
}
