// Sound clips, stored as 16-bit WAV.
#pragma once

#include "summary/span.hpp"
#include "summary/values/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace popscope::summary {

// Samples in -1..1, the channels interleaved. Values outside are clipped and
// NaN becomes silence.
struct AudioClip {
  std::uint32_t sampleRate;
  std::uint16_t channels;
  Span<const float> samples;
};

// A WAV file. Throws std::invalid_argument unless there is at least one whole
// frame and the sizes fit the format's 32 bits.
std::string encodeWav(const AudioClip &clip);

Value toValue(const AudioClip &clip);
Value toValue(const std::vector<AudioClip> &clips);

} // namespace popscope::summary
