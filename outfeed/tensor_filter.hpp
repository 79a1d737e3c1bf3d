// Which tensors: a small language over what is known of a tensor.
//
//   Dense_128                            the name contains this
//   conv_[01]/kernel*                    the name matches this glob
//   kind:gradient & layer~"conv_[01]"    terms joined by &, |, ! and ( )
//   numel>4096 & !name~bias
//
// Terms: name layer kind at dtype with : (equal) or ~ (a regular expression
// that is found in it); stage and numel with : < <= > >=. `kind` is input,
// activation, gradient, weight, update or loss; `at` is microBatch,
// accumulated, reduced or applied; `dtype` is float, half, int or unsigned.
// Quotes hold text with spaces and signs.
#pragma once

#include "graph/taps/tap_point.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::outfeed {

const char *nameOf(graph::TensorKind kind);
const char *nameOf(graph::TapMoment moment);

// What is known of a tensor before the program runs.
struct TensorTraits {
  std::string name;
  graph::TensorKind kind = graph::TensorKind::activation;
  graph::TapMoment moment = graph::TapMoment::microBatch;
  unsigned stage = 0;
  std::string dtype;
  std::vector<std::size_t> shape;
  std::size_t numElements = 0;

  // Of all elements, on the host.
  std::size_t bytes() const { return numElements * (dtype == "half" ? 2 : 4); }
  // The name up to its last '/', or up to _acts; all of it if there is neither.
  std::string_view layer() const;
};

TensorTraits traitsOf(const graph::TapPoint &point);

// The name under which the tensor is shown: of the gradient of a micro-batch
// it ends in _per_micro_batch, and of one that is reduced over replicas in
// _reduced, to tell them from those of an update.
std::string tagOf(const TensorTraits &tensor);

class TensorFilter {
public:
  // Matches everything.
  TensorFilter();

  // Throws std::invalid_argument with the text and a mark below the place that
  // cannot be understood.
  static TensorFilter parse(std::string_view text);

  bool matches(const TensorTraits &tensor) const { return matches_(tensor); }
  // As it was written.
  const std::string &text() const { return text_; }

private:
  std::string text_;
  std::function<bool(const TensorTraits &)> matches_;
};

} // namespace popscope::outfeed
