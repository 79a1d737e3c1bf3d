#include "summary/reading/decoded_value.hpp"

#include "summary/proto/event.pb.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace popscope::summary {
namespace {

using Form = ValueView::Form;

template <class Message> bool parse(Message &message, std::string_view bytes) {
  return bytes.size() <= std::size_t(std::numeric_limits<int>::max()) &&
         message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

std::optional<DecodedTensor> tensorOf(const ValueView &value) {
  if (value.form != Form::tensor)
    return std::nullopt;
  return decodeTensor(value.content);
}

Histogram fromOlder(const proto::HistogramProto &message) {
  Histogram histogram;
  const auto &counts = message.bucket();
  const auto &limits = message.bucket_limit();
  const int size = std::min(counts.size(), limits.size());
  int begin = 0, end = size;
  while (begin < end && !(counts[begin] > 0))
    ++begin;
  while (end > begin && !(counts[end - 1] > 0))
    --end;
  for (int i = begin; i < end; ++i)
    histogram.buckets.push_back({i == begin ? message.min() : limits[i - 1],
                                 i + 1 == end ? message.max() : limits[i],
                                 counts[i]});
  return histogram;
}

std::uint32_t sideOf(const std::string &text) {
  return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

ValueKind kindOfPlugin(std::string_view plugin) {
  constexpr std::pair<std::string_view, ValueKind> kPlugins[] = {
      {"scalars", ValueKind::scalar},
      {"histograms", ValueKind::histogram},
      {"images", ValueKind::image},
      {"audio", ValueKind::audio},
      {"text", ValueKind::text},
      {"pr_curves", ValueKind::prCurve},
      {"hparams", ValueKind::hparams},
      {"custom_scalars", ValueKind::layout},
      {"graph_keras_model", ValueKind::graph},
      {"graph_run_metadata", ValueKind::graph},
      {"graph_run_metadata_graph", ValueKind::graph},
      {"mesh", ValueKind::mesh}};
  for (const auto &[name, kind] : kPlugins)
    if (name == plugin)
      return kind;
  return ValueKind::tensor;
}

ValueKind kindOf(const ValueView &value) {
  switch (value.form) {
  case Form::simpleValue:
    return ValueKind::scalar;
  case Form::histogram:
  case Form::oldHistogram:
    return ValueKind::histogram;
  case Form::image:
    return ValueKind::image;
  case Form::audio:
    return ValueKind::audio;
  case Form::tensor:
  case Form::none:
    break;
  }
  const auto metadata = MetadataView::parse(value.metadata);
  if (metadata && !metadata->plugin.empty())
    return kindOfPlugin(metadata->plugin);
  return value.form == Form::tensor ? ValueKind::tensor : ValueKind::none;
}

} // namespace

std::string_view nameOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::scalar:
    return "scalar";
  case ValueKind::histogram:
    return "histogram";
  case ValueKind::image:
    return "image";
  case ValueKind::audio:
    return "audio";
  case ValueKind::text:
    return "text";
  case ValueKind::prCurve:
    return "PR curve";
  case ValueKind::hparams:
    return "hparams";
  case ValueKind::layout:
    return "layout";
  case ValueKind::graph:
    return "graph";
  case ValueKind::mesh:
    return "mesh";
  case ValueKind::tensor:
    return "tensor";
  case ValueKind::none:
    return "none";
  }
  return "unknown";
}

ValueKind TagKinds::operator()(const ValueView &value) {
  key_.assign(value.tag);
  const auto found = kinds_.find(key_);
  if (found != kinds_.end())
    return found->second;
  return kinds_.emplace(key_, kindOf(value)).first->second;
}

std::optional<double> decodeScalar(const ValueView &value) {
  if (value.form == Form::simpleValue)
    return double(value.simpleValue);
  const auto tensor = tensorOf(value);
  if (!tensor || tensor->numbers.size() != 1)
    return std::nullopt;
  return tensor->numbers[0];
}

std::optional<Histogram> decodeHistogram(const ValueView &value) {
  if (value.form == Form::histogram) {
    proto::HistogramProto message;
    if (!parse(message, value.content))
      return std::nullopt;
    return fromOlder(message);
  }
  const auto tensor = tensorOf(value);
  if (!tensor || tensor->shape.size() != 2 || tensor->shape[1] != 3)
    return std::nullopt;
  Histogram histogram;
  for (std::size_t i = 0; i < tensor->numbers.size(); i += 3)
    histogram.buckets.push_back(
        {tensor->numbers[i], tensor->numbers[i + 1], tensor->numbers[i + 2]});
  return histogram;
}

std::optional<std::vector<EncodedImage>> decodeImages(const ValueView &value) {
  if (value.form == Form::image) {
    proto::Summary::Image message;
    if (!parse(message, value.content))
      return std::nullopt;
    return std::vector<EncodedImage>{
        {static_cast<std::uint32_t>(message.width()),
         static_cast<std::uint32_t>(message.height()),
         message.encoded_image_string()}};
  }
  const auto tensor = tensorOf(value);
  if (!tensor || tensor->shape.size() != 1 || tensor->strings.size() < 2)
    return std::nullopt;
  std::vector<EncodedImage> images;
  for (std::size_t i = 2; i < tensor->strings.size(); ++i)
    images.push_back({sideOf(tensor->strings[0]), sideOf(tensor->strings[1]),
                      tensor->strings[i]});
  return images;
}

std::optional<std::vector<std::string>> decodeAudio(const ValueView &value) {
  if (value.form == Form::audio) {
    proto::Summary::Audio message;
    if (!parse(message, value.content))
      return std::nullopt;
    return std::vector<std::string>{message.encoded_audio_string()};
  }
  const auto tensor = tensorOf(value);
  if (!tensor || tensor->numbers.size() != 0)
    return std::nullopt;
  // TensorFlow puts a label, which no page shows, after each clip.
  const bool hasLabels = tensor->shape.size() == 2 && tensor->shape[1] == 2;
  std::vector<std::string> clips;
  for (std::size_t i = 0; i < tensor->strings.size(); i += hasLabels ? 2 : 1)
    clips.push_back(tensor->strings[i]);
  return clips;
}

std::optional<StringTensor> decodeText(const ValueView &value) {
  auto tensor = tensorOf(value);
  if (!tensor || !tensor->numbers.empty())
    return std::nullopt;
  return StringTensor{std::move(tensor->shape), std::move(tensor->strings)};
}

} // namespace popscope::summary
