#include "outfeed/rules/tensor_traits_json.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

TEST(TensorTraitsJson, IsReadBackAsItWasWritten) {
  TensorTraits tensor;
  tensor.name = "conv \"0\"_acts";
  tensor.kind = graph::TensorKind::optimizerState;
  tensor.moment = graph::TapMoment::reduced;
  tensor.stage = 3;
  tensor.dtype = "half";
  tensor.shape = {2, 3, 5};
  tensor.numElements = 30;
  for (auto computation = 0u;
       computation <= unsigned(graph::Computation::optimizer); ++computation) {
    tensor.derivation.computation = graph::Computation(computation);
    const TensorTraits read = traitsOfJson(text::parseJson(toJson(tensor)));
    EXPECT_EQ(read.name, tensor.name);
    EXPECT_EQ(read.kind, tensor.kind);
    EXPECT_EQ(read.moment, tensor.moment);
    EXPECT_EQ(read.stage, tensor.stage);
    EXPECT_EQ(read.dtype, tensor.dtype);
    EXPECT_EQ(read.shape, tensor.shape);
    EXPECT_EQ(read.numElements, tensor.numElements);
    EXPECT_EQ(read.derivation.computation, tensor.derivation.computation);
  }
  tensor.derivation.computation = graph::Computation::crossEntropy;
  EXPECT_NE(toJson(tensor).find("\"computation\": \"crossEntropy\""),
            std::string::npos);
}

TEST(TensorTraitsJson, NumbersThatAreNoCountsAreLeftOut) {
  const TensorTraits read = traitsOfJson(text::parseJson(
      R"({"tensor": "a", "kind": "weight", "at": "applied", "stage": -1,
          "shape": [-2, 1e300, 4]})"));
  EXPECT_EQ(read.stage, 0u);
  EXPECT_EQ(read.shape, (std::vector<std::size_t>{0, 0, 4}));
}

TEST(TensorTraitsJson, IsRefusedIfItsKindIsNotKnown) {
  EXPECT_THROW((void)traitsOfJson(text::parseJson(
                   R"({"tensor": "a", "kind": "weigth", "at": "applied"})")),
               std::invalid_argument);
}

} // namespace
} // namespace popscope::outfeed
