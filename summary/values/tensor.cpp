#include "summary/values/tensor.hpp"

#include "summary/encoding/serialize.hpp"
#include "summary/proto/event.pb.h"

#include <limits>
#include <stdexcept>

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

Value toValue(const TensorView &tensor, ValueMetadata metadata) {
  const auto bytes = static_cast<std::size_t>(elementCount(tensor.shape)) *
                     elementBytes(tensor.type);
  proto::Summary::Value value;
  addTensor(value, factsOf(tensor.type).dtype, tensor.shape)
      ->set_tensor_content(tensor.data, bytes);
  return {std::move(metadata), serialize(value)};
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
