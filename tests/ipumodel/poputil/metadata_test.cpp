#include "small_device.hpp"

#include <poputil/TensorMetaData.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <gtest/gtest.h>

using namespace poputil;
using poplar::QuarterMetadata;
using poplar::Tensor;

namespace {

TEST(QuarterMetadataTensor, TheConstantHoldsFormatAndScale) {
  SmallDevice device(2);
  const Tensor t = createConstantMetadataTensor(
      device.graph, QuarterMetadata::Format::F152, -3);
  EXPECT_EQ(t.elementType(), poplar::QUARTER_METADATA);
  EXPECT_EQ(t.shape(), std::vector<std::size_t>{1});
  EXPECT_TRUE(t.containsConstant());
  EXPECT_EQ(device.graph.getTileMapping(t), onTiles(2, {{{0, 1}}}));
  unsigned char bits = 0;
  ASSERT_TRUE(t.getConstantValue(&bits));
  EXPECT_EQ(bits,
            QuarterMetadata(QuarterMetadata::Format::F152, -3).getBinary());
}

TEST(QuarterMetadataTensor, TheVariableCanBeWritten) {
  SmallDevice device(2);
  const Tensor t = createVariableMetadataTensor(
      device.graph, QuarterMetadata::Format::F143, 1);
  EXPECT_EQ(t.elementType(), poplar::QUARTER_METADATA);
  EXPECT_TRUE(t.isParallelWriteable());
  EXPECT_EQ(device.graph.getTileMapping(t), onTiles(2, {{{0, 1}}}));
}

TEST(TensorMetaData, IsEmptyUnlessALibraryFillsIt) {
  TensorMetaData a;
  const TensorMetaData b(a);
  a = b;
  EXPECT_EQ(a.getData(), nullptr);
  EXPECT_EQ(b.getData(), nullptr);
}

TEST(PoplibsError, KnowsItsNameAndMessage) {
  const poplibs_error error("wrong shape");
  EXPECT_STREQ(error.what(), "wrong shape");
  EXPECT_EQ(error.type, "poplibs_error");
  EXPECT_EQ(poplibs_error(std::string("x")).type, "poplibs_error");
}

} // namespace
