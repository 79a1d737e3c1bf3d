// The order of NumPy and the split of scikit-learn, which
// make_split_references.py wrote down.
#include "host/data/digits.hpp"
#include "host/data/shuffle.hpp"
#include "tests/support/reference_file.hpp"

#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using testsupport::ReferenceCase;

std::vector<ReferenceCase> references(const std::string &kind) {
  std::vector<ReferenceCase> result;
  for (const ReferenceCase &item :
       testsupport::ReferenceReader(POPSCOPE_TEST_DATA "/host/split.ref.gz")
           .cases())
    if (item.text("kind") == kind)
      result.push_back(item);
  return result;
}

TEST(NumpyPermutation, IsTheOneOfRandomState) {
  const auto orders = references("order");
  ASSERT_EQ(orders.size(), 6u);
  for (const ReferenceCase &item : orders)
    EXPECT_EQ(numpyPermutation(std::size_t(item.number("size")),
                               std::uint32_t(item.number("seed"))),
              item.list<std::size_t>("permutation"))
        << item.number("size");
  EXPECT_EQ(numpyPermutation(0, 0), std::vector<std::size_t>{});
  EXPECT_EQ(numpyPermutation(1, 0), std::vector<std::size_t>{0});
}

TEST(NumpyPermutation, BeginsWithScikitLearnsTestSetAndThenHasItsTrainingSet) {
  for (const ReferenceCase &item : references("order")) {
    auto split = item.list<std::size_t>("test");
    const auto train = item.list<std::size_t>("train");
    EXPECT_EQ(split.size(), std::size_t(item.number("size") + 3) / 4);
    split.insert(split.end(), train.begin(), train.end());
    EXPECT_EQ(numpyPermutation(std::size_t(item.number("size")),
                               std::uint32_t(item.number("seed"))),
              split);
  }
}

TEST(Digits, AreSplitAsScikitLearnDoes) {
  const auto items = references("digits");
  ASSERT_EQ(items.size(), 1u);
  const TrainingData data = readDigitsDirectory(POPSCOPE_DATA "/digits", 0);
  EXPECT_EQ(data.test.labels, items[0].list<unsigned>("test_labels"));
  EXPECT_EQ(data.train.labels, items[0].list<unsigned>("train_labels"));
  const auto pixelsOf = [](const Dataset &set, std::size_t image) {
    return std::vector<std::uint8_t>(set.image(image), set.image(image + 1));
  };
  EXPECT_EQ(pixelsOf(data.test, 0), items[0].list<std::uint8_t>("first_test"));
  EXPECT_EQ(pixelsOf(data.train, data.train.size() - 1),
            items[0].list<std::uint8_t>("last_train"));
}

} // namespace
} // namespace popscope::host
