// Parses a WAV file chunk by chunk, as a player would.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::tests {

struct ParsedWav {
  std::uint16_t format = 0, channels = 0, blockAlign = 0, bitsPerSample = 0;
  std::uint32_t sampleRate = 0, byteRate = 0;
  std::vector<std::int16_t> samples;
};

inline ParsedWav parseWav(const std::string &bytes) {
  const auto number = [&bytes](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= std::uint32_t(std::uint8_t(bytes.at(at + i))) << 8 * i;
    return value;
  };
  if (bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE" ||
      number(4, 4) != bytes.size() - 8)
    throw std::runtime_error("not a WAV file");
  ParsedWav wav;
  for (std::size_t at = 12; at < bytes.size();) {
    const std::string type = bytes.substr(at, 4);
    const std::uint32_t size = number(at + 4, 4);
    at += 8;
    if (type == "fmt ") {
      wav.format = std::uint16_t(number(at, 2));
      wav.channels = std::uint16_t(number(at + 2, 2));
      wav.sampleRate = number(at + 4, 4);
      wav.byteRate = number(at + 8, 4);
      wav.blockAlign = std::uint16_t(number(at + 12, 2));
      wav.bitsPerSample = std::uint16_t(number(at + 14, 2));
    } else if (type == "data") {
      for (std::uint32_t i = 0; i < size; i += 2)
        wav.samples.push_back(std::int16_t(number(at + i, 2)));
    }
    at += size;
  }
  return wav;
}

} // namespace popscope::tests
