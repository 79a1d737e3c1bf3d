#include "summary/proto/event.pb.h"
#include "summary/values/tensor.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace popscope::summary {
namespace {

proto::TensorProto tensorOf(const Value &value) {
  proto::Summary::Value message;
  EXPECT_TRUE(message.ParseFromString(value.body));
  return message.tensor();
}

template <class T> void expectRoundTrip(proto::DataType dtype) {
  const T elements[6] = {T(0), T(1), T(2), T(3), T(4), T(5)};
  const auto tensor = tensorOf(toValue(tensorView<T>({elements, 6}, {2, 3})));
  EXPECT_EQ(tensor.dtype(), dtype);
  ASSERT_EQ(tensor.tensor_shape().dim_size(), 2);
  EXPECT_EQ(tensor.tensor_shape().dim(1).size(), 3);
  ASSERT_EQ(tensor.tensor_content().size(), sizeof elements);
  EXPECT_EQ(
      std::memcmp(tensor.tensor_content().data(), elements, sizeof elements),
      0);
}

TEST(Tensor, EveryElementTypeKeepsItsBytes) {
  expectRoundTrip<float>(proto::DT_FLOAT);
  expectRoundTrip<double>(proto::DT_DOUBLE);
  expectRoundTrip<std::int8_t>(proto::DT_INT8);
  expectRoundTrip<std::uint8_t>(proto::DT_UINT8);
  expectRoundTrip<std::int16_t>(proto::DT_INT16);
  expectRoundTrip<std::uint16_t>(proto::DT_UINT16);
  expectRoundTrip<std::int32_t>(proto::DT_INT32);
  expectRoundTrip<std::uint32_t>(proto::DT_UINT32);
  expectRoundTrip<std::int64_t>(proto::DT_INT64);
  expectRoundTrip<std::uint64_t>(proto::DT_UINT64);
  expectRoundTrip<bool>(proto::DT_BOOL);
  expectRoundTrip<std::complex<float>>(proto::DT_COMPLEX64);
  expectRoundTrip<std::complex<double>>(proto::DT_COMPLEX128);
}

// They are encoded without it.
TEST(Tensor, BytesAreThoseOfProtobuf) {
  const std::vector<float> elements(300, 1.5F);
  for (const Shape &shape :
       {Shape{}, Shape{300}, Shape{2, 150}, Shape{0, 3}, Shape{1, 1, 7}}) {
    proto::Summary::Value message;
    auto *tensor = message.mutable_tensor();
    tensor->set_dtype(proto::DT_FLOAT);
    tensor->mutable_tensor_shape();
    for (const std::int64_t size : shape)
      tensor->mutable_tensor_shape()->add_dim()->set_size(size);
    const auto count = static_cast<std::size_t>(elementCount(shape));
    tensor->set_tensor_content(elements.data(), count * sizeof(float));
    EXPECT_EQ(
        toValue(TensorView{ElementType::float32, shape, elements.data()}).body,
        message.SerializeAsString());
  }
}

TEST(Tensor, HalfIsGivenByItsBits) {
  const std::uint16_t one = 0x3c00;
  const auto tensor =
      tensorOf(toValue(TensorView{ElementType::float16, {1}, &one}));
  EXPECT_EQ(tensor.dtype(), proto::DT_HALF);
  EXPECT_EQ(tensor.tensor_content(), std::string("\x00\x3c", 2));
}

TEST(Tensor, DataClassIsSetSinceNoPluginImpliesIt) {
  const float one = 1;
  EXPECT_EQ(toValue(tensorView<float>({&one, 1}, {})).metadata.dataClass,
            DataClass::tensor);
}

TEST(Tensor, RefusesShapesThatMakeNoSense) {
  EXPECT_THROW(elementCount({2, -1}), std::invalid_argument);
  EXPECT_THROW(elementCount({std::int64_t(1) << 40, std::int64_t(1) << 40}),
               std::invalid_argument);
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({3, 0}), 0);
  EXPECT_THROW(toValue(StringTensor{{2}, {"one"}}, {}), std::invalid_argument);
}

} // namespace
} // namespace popscope::summary
