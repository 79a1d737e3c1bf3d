#include "summary/values/tensor.hpp"

#include "summary/encoding/event_fields.hpp"
#include "summary/encoding/serialize.hpp"
#include "summary/encoding/wire.hpp"
#include "summary/proto/event.pb.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace popscope::summary {
namespace {

struct TypeFacts {
  proto::DataType dtype;
  std::size_t bytes;
};

TypeFacts factsOf(ElementType type) {
  switch (type) {
  case ElementType::float16:
    return {proto::DT_HALF, 2};
  case ElementType::float32:
    return {proto::DT_FLOAT, 4};
  case ElementType::float64:
    return {proto::DT_DOUBLE, 8};
  case ElementType::int8:
    return {proto::DT_INT8, 1};
  case ElementType::int16:
    return {proto::DT_INT16, 2};
  case ElementType::int32:
    return {proto::DT_INT32, 4};
  case ElementType::int64:
    return {proto::DT_INT64, 8};
  case ElementType::uint8:
    return {proto::DT_UINT8, 1};
  case ElementType::uint16:
    return {proto::DT_UINT16, 2};
  case ElementType::uint32:
    return {proto::DT_UINT32, 4};
  case ElementType::uint64:
    return {proto::DT_UINT64, 8};
  case ElementType::boolean:
    return {proto::DT_BOOL, 1};
  case ElementType::complex64:
    return {proto::DT_COMPLEX64, 8};
  case ElementType::complex128:
    return {proto::DT_COMPLEX128, 16};
  }
  throw std::invalid_argument("[summary] unknown element type");
}

// Less than protobuf's limit of 2 GiB for a whole event.
constexpr std::size_t kLargestContent = (std::size_t(1) << 31) - 4096;

proto::TensorProto *addTensor(proto::Summary::Value &value,
                              proto::DataType dtype, const Shape &shape) {
  auto *tensor = value.mutable_tensor();
  tensor->set_dtype(dtype);
  auto *dims = tensor->mutable_tensor_shape();
  for (const std::int64_t size : shape)
    dims->add_dim()->set_size(size);
  return tensor;
}

} // namespace

std::int64_t elementCount(const Shape &shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0)
      throw std::invalid_argument("[summary] a tensor dimension is negative");
    if (size > 0 && count > std::numeric_limits<std::int64_t>::max() / size)
      throw std::invalid_argument("[summary] a tensor shape is too large");
    count *= size;
  }
  return count;
}

int tensorFlowType(ElementType type) { return factsOf(type).dtype; }

std::size_t elementBytes(ElementType type) { return factsOf(type).bytes; }

Value toValue(const TensorView &tensor) {
  return toValue(tensor, {"popscope_tensor", {}, {}, {}, DataClass::tensor});
}

// Histograms of taps come thousands of times per second, so the content is
// copied once; the bytes are those that protobuf would write.
Value toValue(const TensorView &tensor, ValueMetadata metadata) {
  const auto bytes = static_cast<std::size_t>(elementCount(tensor.shape)) *
                     elementBytes(tensor.type);
  if (bytes > kLargestContent)
    throw std::length_error("[summary] a tensor is too large to be an event");
  const auto type = static_cast<std::uint64_t>(factsOf(tensor.type).dtype);
  const auto dimBytes = [](std::int64_t size) {
    return size == 0 ? 0 : 1 + wire::varintBytes(std::uint64_t(size));
  };
  std::size_t shapeBytes = 0;
  for (const std::int64_t size : tensor.shape)
    shapeBytes += wire::bytesFieldBytes(dimBytes(size));
  const std::size_t tensorBytes =
      1 + wire::varintBytes(type) + wire::bytesFieldBytes(shapeBytes) +
      (bytes == 0 ? 0 : wire::bytesFieldBytes(bytes));
  std::string body(wire::bytesFieldBytes(tensorBytes), '\0');
  wire::Writer writer(body.data());
  writer.bytesHeader(fields::kValueTensor, tensorBytes);
  writer.varintField(fields::kTensorType, type);
  writer.bytesHeader(fields::kTensorShape, shapeBytes);
  for (const std::int64_t size : tensor.shape) {
    writer.bytesHeader(fields::kShapeDim, dimBytes(size));
    if (size != 0)
      writer.varintField(fields::kDimSize, std::uint64_t(size));
  }
  if (bytes != 0)
    writer.bytesField(fields::kTensorContent,
                      {static_cast<const char *>(tensor.data), bytes});
  return {std::move(metadata), std::move(body)};
}

Value toValue(const StringTensor &tensor, ValueMetadata metadata) {
  if (elementCount(tensor.shape) !=
      static_cast<std::int64_t>(tensor.elements.size()))
    throw std::invalid_argument(
        "[summary] a string tensor has as many elements as its shape says");
  proto::Summary::Value value;
  auto *message = addTensor(value, proto::DT_STRING, tensor.shape);
  for (const std::string &element : tensor.elements)
    message->add_string_val(element);
  return {std::move(metadata), serialize(value)};
}

} // namespace popscope::summary
