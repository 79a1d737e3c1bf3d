#include "summary/values/audio.hpp"

#include "summary/encoding/serialize.hpp"
#include "summary/proto/plugin_data.pb.h"
#include "summary/records/record_format.hpp"
#include "summary/values/tensor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace popscope::summary {
namespace {

constexpr std::uint32_t kHeaderSize = 44;
constexpr std::uint32_t kSampleBytes = 2;
constexpr std::uint16_t kPcm = 1;

template <class Unsigned> void put(std::string &to, Unsigned value) {
  char bytes[sizeof value];
  storeLittleEndian(bytes, value);
  to.append(bytes, sizeof bytes);
}

std::uint16_t toPcm(float sample) {
  if (std::isnan(sample))
    return 0;
  const float scaled = std::round(sample * 32768.0F);
  const auto pcm =
      static_cast<std::int16_t>(std::clamp(scaled, -32768.0F, 32767.0F));
  return static_cast<std::uint16_t>(pcm);
}

} // namespace

std::string encodeWav(const AudioClip &clip) {
  if (clip.sampleRate == 0 || clip.channels == 0 || clip.samples.empty() ||
      clip.samples.size() % clip.channels != 0)
    throw std::invalid_argument("[summary] an audio clip needs a sample rate "
                                "and at least one whole frame");
  const std::uint64_t dataSize =
      std::uint64_t(clip.samples.size()) * kSampleBytes;
  const std::uint64_t byteRate =
      std::uint64_t(clip.sampleRate) * clip.channels * kSampleBytes;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (dataSize > kMax - kHeaderSize || byteRate > kMax ||
      clip.channels * kSampleBytes > std::numeric_limits<std::uint16_t>::max())
    throw std::invalid_argument("[summary] an audio clip is too long for WAV");

  std::string wav;
  wav.reserve(kHeaderSize + dataSize);
  wav += "RIFF";
  put(wav, static_cast<std::uint32_t>(kHeaderSize - 8 + dataSize));
  wav += "WAVEfmt ";
  put(wav, std::uint32_t(16));
  put(wav, kPcm);
  put(wav, clip.channels);
  put(wav, clip.sampleRate);
  put(wav, static_cast<std::uint32_t>(byteRate));
  put(wav, static_cast<std::uint16_t>(clip.channels * kSampleBytes));
  put(wav, static_cast<std::uint16_t>(8 * kSampleBytes));
  wav += "data";
  put(wav, static_cast<std::uint32_t>(dataSize));
  for (const float sample : clip.samples)
    put(wav, toPcm(sample));
  return wav;
}

Value toValue(const AudioClip &clip) {
  return toValue(std::vector<AudioClip>{clip});
}

Value toValue(const std::vector<AudioClip> &clips) {
  if (clips.empty())
    throw std::invalid_argument("[summary] an audio value needs a clip");
  proto::AudioPluginData plugin;
  plugin.set_encoding(proto::AudioPluginData::WAV);
  StringTensor tensor{{static_cast<std::int64_t>(clips.size())}, {}};
  for (const AudioClip &clip : clips)
    tensor.elements.push_back(encodeWav(clip));
  return toValue(tensor, {"audio", serialize(plugin), {}, {}});
}

} // namespace popscope::summary
