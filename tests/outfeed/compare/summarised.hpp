// Samples of tensors as the device's own code makes them.
#pragma once

#include "codelets/tile_summary.hpp"
#include "outfeed/tensor_sample.hpp"

#include <algorithm>
#include <vector>

namespace popscope::outfeed::tests {

template <class T>
TensorSample sampleOf(const std::vector<T> &values,
                      summary::FloatFormat format) {
  TileSummary<T, StatsTier::identity> tile;
  tile.add(values.data(), unsigned(values.size()), 0);
  unsigned words[kMaxRowWords];
  storeRow(words, tile.finish(), StatsTier::identity);
  return sampleOfRow(words, Payload::identity, values.size(), format);
}

inline TensorSample sampleOf(const std::vector<float> &values) {
  return sampleOf(values, summary::FloatFormat::float32);
}

inline TensorSample sampleOf(const std::vector<half> &values) {
  return sampleOf(values, summary::FloatFormat::float16);
}

// As a tap of that payload would send it.
inline TensorSample reducedTo(Payload payload, TensorSample sample) {
  sample.payload = payload;
  return sample;
}

} // namespace popscope::outfeed::tests
