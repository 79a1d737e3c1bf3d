#include "outfeed/element_coordinates.hpp"

#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

TEST(ElementCoordinates, TheLastDimensionVariesFastest) {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 4; ++k, ++index)
        EXPECT_EQ(coordinatesOf(index, {2, 3, 4}),
                  (std::vector<std::size_t>{i, j, k}));
}

TEST(ElementCoordinates, AreWrittenAsNumPyTakesThem) {
  EXPECT_EQ(coordinatesText(23, {2, 3, 4}), "[1,2,3]");
  EXPECT_EQ(coordinatesText(5, {10}), "[5]");
  EXPECT_EQ(coordinatesText(0, {}), "[]");
}

} // namespace
} // namespace popscope::outfeed
