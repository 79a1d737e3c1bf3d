// Values read back, in whichever form their writer chose: TensorFlow 2 and we
// write tensors, TensorFlow 1, PyTorch and tensorboardX older messages.
#pragma once

#include "summary/reading/decoded_tensor.hpp"
#include "summary/reading/event_view.hpp"
#include "summary/values/histogram.hpp"
#include "summary/values/image.hpp"
#include "summary/values/tensor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace popscope::summary {

// What a tag holds, which decides the TensorBoard page that shows it.
enum class ValueKind {
  scalar,
  histogram,
  image,
  audio,
  text,
  prCurve,
  hparams,
  layout,
  graph,
  mesh,
  tensor, // a tensor of any other plugin, or of none
  none    // a tag without a value
};

std::string_view nameOf(ValueKind kind);

// The kind of each tag of a run. It must see the values in order, because only
// a tag's first value needs to carry metadata.
class TagKinds {
public:
  ValueKind operator()(const ValueView &value);

private:
  std::unordered_map<std::string, ValueKind> kinds_;
  std::string key_; // keeps its memory between look-ups
};

// All of these are empty if the value is not of the kind.
std::optional<double> decodeScalar(const ValueView &value);
// Older histograms lose the empty buckets at both ends and get the smallest
// and largest element as outer edges, as in TensorBoard.
std::optional<Histogram> decodeHistogram(const ValueView &value);
std::optional<std::vector<EncodedImage>> decodeImages(const ValueView &value);
std::optional<std::vector<std::string>> decodeAudio(const ValueView &value);
std::optional<StringTensor> decodeText(const ValueView &value);

} // namespace popscope::summary
