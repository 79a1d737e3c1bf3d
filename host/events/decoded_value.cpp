#include "host/events/decoded_value.hpp"

#include "host/events/text_output.hpp"
#include "summary/proto/event.pb.h"
#include "summary/record_format.hpp"

#include <numeric>

namespace popscope::host::events {

namespace {

using summary::ValueView;
namespace proto = summary::proto;

template <class Message> std::optional<Message> parse(std::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return std::nullopt;
  return message;
}

std::optional<proto::TensorProto> tensorOf(const ValueView &value) {
  if (value.form != ValueView::Form::tensor)
    return std::nullopt;
  return parse<proto::TensorProto>(value.content);
}

template <class T> std::vector<double> numbersIn(const std::string &content) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at + sizeof(T) <= content.size(); at += sizeof(T))
    numbers.push_back(
        static_cast<double>(summary::loadLittleEndian<T>(content.data() + at)));
  return numbers;
}

template <class List> std::vector<double> numbersOf(const List &list) {
  return {list.begin(), list.end()};
}

// The elements of a tensor of numbers; a list of one is not expanded to the
// shape. Empty for types TensorBoard draws no numbers of.
std::vector<double> numbersOf(const proto::TensorProto &tensor) {
  const std::string &content = tensor.tensor_content();
  const bool packed = !content.empty();
  switch (tensor.dtype()) {
  case proto::DT_FLOAT:
    return packed ? numbersIn<float>(content) : numbersOf(tensor.float_val());
  case proto::DT_DOUBLE:
    return packed ? numbersIn<double>(content) : numbersOf(tensor.double_val());
  case proto::DT_INT32:
    return packed ? numbersIn<std::int32_t>(content)
                  : numbersOf(tensor.int_val());
  case proto::DT_UINT8:
    return packed ? numbersIn<std::uint8_t>(content)
                  : numbersOf(tensor.int_val());
  case proto::DT_INT64:
    return packed ? numbersIn<std::int64_t>(content)
                  : numbersOf(tensor.int64_val());
  case proto::DT_BOOL:
    return packed ? numbersIn<std::uint8_t>(content)
                  : numbersOf(tensor.bool_val());
  default:
    return {};
  }
}

std::string shapeText(const proto::TensorProto &tensor) {
  std::string text;
  for (const auto &dim : tensor.tensor_shape().dim())
    text += (text.empty() ? "" : "x") + std::to_string(dim.size());
  return "[" + text + "]";
}

std::optional<Buckets> bucketsOf(const proto::HistogramProto &histogram) {
  if (histogram.bucket_size() != histogram.bucket_limit_size())
    return std::nullopt;
  Buckets buckets;
  double left = histogram.min();
  for (int i = 0; i < histogram.bucket_size(); ++i) {
    const bool isLast = i + 1 == histogram.bucket_size();
    const double right = isLast ? histogram.max() : histogram.bucket_limit(i);
    buckets.push_back({left, right, histogram.bucket(i)});
    left = right;
  }
  return buckets;
}

std::string counted(std::size_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

} // namespace

std::optional<double> scalarOf(const ValueView &value) {
  if (value.form == ValueView::Form::simpleValue)
    return value.simpleValue;
  if (const auto tensor = tensorOf(value)) {
    const auto numbers = numbersOf(*tensor);
    if (numbers.size() == 1)
      return numbers.front();
  }
  return std::nullopt;
}

bool isPortableScalar(const ValueView &value) {
  if (value.form == ValueView::Form::simpleValue)
    return true;
  const auto tensor = tensorOf(value);
  return tensor && tensor->dtype() == proto::DT_FLOAT &&
         tensor->tensor_shape().dim_size() == 0 &&
         numbersOf(*tensor).size() == 1;
}

std::optional<Buckets> histogramOf(const ValueView &value) {
  if (value.form == ValueView::Form::histogram) {
    const auto histogram = parse<proto::HistogramProto>(value.content);
    return histogram ? bucketsOf(*histogram) : std::nullopt;
  }
  const auto tensor = tensorOf(value);
  if (!tensor)
    return std::nullopt;
  const auto numbers = numbersOf(*tensor);
  if (tensor->tensor_shape().dim_size() != 2 || numbers.size() % 3 != 0)
    return std::nullopt;
  Buckets buckets;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    buckets.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  return buckets;
}

std::optional<std::vector<std::string>> imagesOf(const ValueView &value) {
  if (value.form == ValueView::Form::image) {
    const auto image = parse<proto::Summary::Image>(value.content);
    if (!image)
      return std::nullopt;
    return std::vector<std::string>{image->encoded_image_string()};
  }
  // Width and height as text, then the pictures.
  const auto tensor = tensorOf(value);
  if (!tensor || tensor->string_val_size() < 2)
    return std::nullopt;
  return std::vector<std::string>(tensor->string_val().begin() + 2,
                                  tensor->string_val().end());
}

std::optional<std::vector<std::string>> textsOf(const ValueView &value) {
  const auto tensor = tensorOf(value);
  if (!tensor || tensor->dtype() != proto::DT_STRING)
    return std::nullopt;
  return std::vector<std::string>(tensor->string_val().begin(),
                                  tensor->string_val().end());
}

std::string describeValue(const ValueView &value, const std::string &kind) {
  if (kind == "scalars")
    if (const auto scalar = scalarOf(value))
      return pythonNumber(*scalar);
  if (kind == "histograms")
    if (const auto buckets = histogramOf(value)) {
      const double elements = std::accumulate(
          buckets->begin(), buckets->end(), 0.0,
          [](double sum, const auto &bucket) { return sum + bucket.count; });
      return pythonNumber(elements) + " elements in " +
             counted(buckets->size(), "bucket");
    }
  if (kind == "images")
    if (const auto images = imagesOf(value))
      return counted(images->size(), "picture");
  if (kind == "text")
    if (const auto texts = textsOf(value)) {
      std::string all;
      for (const std::string &text : *texts)
        all += (all.empty() ? "" : " | ") + text;
      return all;
    }
  if (const auto tensor = tensorOf(value))
    return proto::DataType_Name(tensor->dtype()) + " " + shapeText(*tensor);
  return counted(value.content.size(), "byte");
}

} // namespace popscope::host::events
