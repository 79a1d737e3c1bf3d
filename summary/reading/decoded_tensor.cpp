#include "summary/reading/decoded_tensor.hpp"

#include "summary/proto/tensor.pb.h"
#include "summary/statistics/half_float.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

namespace popscope::summary {
namespace {

// A list of one element stands for all elements. A shape that claims more than
// this is taken for an attempt to exhaust memory.
constexpr std::int64_t kMostRepeated = 1'000'000;

// The product of the dimensions; empty if it is negative or too large.
std::optional<std::int64_t> countOf(const proto::TensorShapeProto &shape,
                                    Shape &sizes) {
  std::int64_t count = 1;
  for (const auto &dim : shape.dim()) {
    sizes.push_back(dim.size());
    if (dim.size() < 0 || __builtin_mul_overflow(count, dim.size(), &count))
      return std::nullopt;
  }
  return count;
}

template <class T>
bool fromContent(const std::string &content, std::int64_t count,
                 std::vector<double> &numbers) {
  if (content.size() % sizeof(T) != 0 ||
      std::int64_t(content.size() / sizeof(T)) != count)
    return false;
  for (std::size_t at = 0; at < content.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, content.data() + at, sizeof element);
    numbers.push_back(static_cast<double>(element));
  }
  return true;
}

template <class List, class Convert>
bool fromList(const List &list, std::int64_t count,
              std::vector<double> &numbers, Convert convert) {
  if (list.size() == 1 && count <= kMostRepeated) {
    numbers.assign(static_cast<std::size_t>(count), convert(list.Get(0)));
    return true;
  }
  if (list.size() != count)
    return false;
  for (const auto &element : list)
    numbers.push_back(convert(element));
  return true;
}

double fromHalf(int bits) {
  return double(floatOfHalf(static_cast<std::uint16_t>(bits)));
}

double fromBfloat16(int bits) {
  const auto wide = static_cast<std::uint32_t>(bits & 0xffff) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return double(value);
}

// Raw content of 16-bit floats.
bool fromContent16(const std::string &content, std::int64_t count,
                   std::vector<double> &numbers, double (*convert)(int)) {
  if (!fromContent<std::uint16_t>(content, count, numbers))
    return false;
  for (double &number : numbers)
    number = convert(static_cast<int>(number));
  return true;
}

bool decodeNumbers(const proto::TensorProto &tensor, std::int64_t count,
                   std::vector<double> &numbers) {
  const std::string &content = tensor.tensor_content();
  const bool isRaw = !content.empty();
  const auto widen = [](auto element) { return static_cast<double>(element); };
  switch (tensor.dtype()) {
  case proto::DT_FLOAT:
    return isRaw ? fromContent<float>(content, count, numbers)
                 : fromList(tensor.float_val(), count, numbers, widen);
  case proto::DT_DOUBLE:
    return isRaw ? fromContent<double>(content, count, numbers)
                 : fromList(tensor.double_val(), count, numbers, widen);
  case proto::DT_INT8:
    return isRaw ? fromContent<std::int8_t>(content, count, numbers)
                 : fromList(tensor.int_val(), count, numbers, widen);
  case proto::DT_UINT8:
    return isRaw ? fromContent<std::uint8_t>(content, count, numbers)
                 : fromList(tensor.int_val(), count, numbers, widen);
  case proto::DT_INT16:
    return isRaw ? fromContent<std::int16_t>(content, count, numbers)
                 : fromList(tensor.int_val(), count, numbers, widen);
  case proto::DT_UINT16:
    return isRaw ? fromContent<std::uint16_t>(content, count, numbers)
                 : fromList(tensor.int_val(), count, numbers, widen);
  case proto::DT_INT32:
    return isRaw ? fromContent<std::int32_t>(content, count, numbers)
                 : fromList(tensor.int_val(), count, numbers, widen);
  case proto::DT_INT64:
    return isRaw ? fromContent<std::int64_t>(content, count, numbers)
                 : fromList(tensor.int64_val(), count, numbers, widen);
  case proto::DT_UINT32:
    return isRaw ? fromContent<std::uint32_t>(content, count, numbers)
                 : fromList(tensor.uint32_val(), count, numbers, widen);
  case proto::DT_UINT64:
    return isRaw ? fromContent<std::uint64_t>(content, count, numbers)
                 : fromList(tensor.uint64_val(), count, numbers, widen);
  case proto::DT_BOOL:
    return isRaw ? fromContent<std::uint8_t>(content, count, numbers)
                 : fromList(tensor.bool_val(), count, numbers, widen);
  case proto::DT_HALF:
    return isRaw ? fromContent16(content, count, numbers, fromHalf)
                 : fromList(tensor.half_val(), count, numbers, fromHalf);
  case proto::DT_BFLOAT16:
    return isRaw ? fromContent16(content, count, numbers, fromBfloat16)
                 : fromList(tensor.half_val(), count, numbers, fromBfloat16);
  default:
    return false;
  }
}

bool decodeStrings(const proto::TensorProto &tensor, std::int64_t count,
                   std::vector<std::string> &strings) {
  if (tensor.string_val_size() != count)
    return false;
  strings.assign(tensor.string_val().begin(), tensor.string_val().end());
  return true;
}

} // namespace

std::optional<DecodedTensor> decodeTensor(std::string_view bytes) {
  proto::TensorProto message;
  if (bytes.size() > std::size_t(std::numeric_limits<int>::max()) ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return std::nullopt;
  DecodedTensor tensor;
  const auto count = countOf(message.tensor_shape(), tensor.shape);
  if (!count)
    return std::nullopt;
  const bool ok = message.dtype() == proto::DT_STRING
                      ? decodeStrings(message, *count, tensor.strings)
                      : decodeNumbers(message, *count, tensor.numbers);
  if (!ok)
    return std::nullopt;
  return tensor;
}

} // namespace popscope::summary
