#include "host/events/printing/value_text.hpp"

#include "summary/proto/tensor.pb.h"
#include "summary/reading/decoded_value.hpp"
#include "text/number_text.hpp"

#include <numeric>

namespace popscope::host::events {

namespace {

// Type and shape, without looking at the elements.
std::string describeTensor(std::string_view content) {
  summary::proto::TensorProto tensor;
  if (!tensor.ParseFromArray(content.data(), static_cast<int>(content.size())))
    return "not a tensor";
  std::string shape;
  for (const auto &dim : tensor.tensor_shape().dim())
    shape += (shape.empty() ? "" : "x") + std::to_string(dim.size());
  return summary::proto::DataType_Name(tensor.dtype()) + " [" + shape + "]";
}

} // namespace

std::string describeValue(const summary::ValueView &value,
                          const std::string &kind) {
  if (kind == "scalars")
    if (const auto scalar = summary::decodeScalar(value))
      return text::pythonNumber(*scalar);
  if (kind == "histograms")
    if (const auto histogram = summary::decodeHistogram(value)) {
      const auto &buckets = histogram->buckets;
      const double elements = std::accumulate(
          buckets.begin(), buckets.end(), 0.0,
          [](double sum, const auto &bucket) { return sum + bucket.count; });
      return text::pythonNumber(elements) + " elements in " +
             text::counted(buckets.size(), "bucket");
    }
  if (kind == "images")
    if (const auto images = summary::decodeImages(value))
      return text::counted(images->size(), "picture");
  if (kind == "text")
    if (const auto text = summary::decodeText(value)) {
      std::string all;
      for (std::size_t i = 0; i < text->elements.size(); ++i)
        all += (i == 0 ? "" : " | ") + text->elements[i];
      return all;
    }
  if (value.form == summary::ValueView::Form::tensor)
    return describeTensor(value.content);
  return text::counted(value.content.size(), "byte");
}

} // namespace popscope::host::events
