#include "outfeed/compare/sample_digest.hpp"

#include <cstring>

namespace popscope::outfeed {

namespace {

template <class T> void appendValue(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

template <class T> bool takeValue(std::string_view &bytes, T &value) {
  if (bytes.size() < sizeof value)
    return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

// Extremes are floats on the device, and so they fit.
void appendFloat(std::string &bytes, double value) {
  appendValue(bytes, float(value));
}

bool takeFloat(std::string_view &bytes, double &value) {
  float narrow = 0;
  if (!takeValue(bytes, narrow))
    return false;
  value = double(narrow);
  return true;
}

} // namespace

SampleDigest digestOf(const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  SampleDigest digest;
  digest.format = stats.format;
  digest.parts = sample.parts;
  digest.count = stats.count;
  digest.nan = stats.nan;
  digest.posInf = stats.posInf;
  digest.negInf = stats.negInf;
  digest.absMax = stats.absMax;
  if (sample.payload == Payload::alarm)
    return digest;
  digest.payload = Payload::stats;
  digest.zero = stats.zero;
  digest.min = stats.min;
  digest.max = stats.max;
  digest.mean = stats.mean;
  digest.deviation = stats.standardDeviation();
  if (sample.payload != Payload::identity)
    return digest;
  digest.payload = Payload::identity;
  digest.hash = sample.hash;
  digest.sketch = sample.sketch;
  return digest;
}

void appendNumber(std::string &bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7)
    bytes += char(number | 0x80);
  bytes += char(number);
}

bool takeNumber(std::string_view &bytes, std::uint64_t &number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

void appendDigest(std::string &bytes, const SampleDigest &digest) {
  appendNumber(bytes, std::uint64_t(digest.payload));
  appendNumber(bytes, digest.parts);
  appendNumber(bytes, digest.nan);
  appendNumber(bytes, digest.posInf);
  appendNumber(bytes, digest.negInf);
  appendFloat(bytes, digest.absMax);
  if (digest.payload == Payload::alarm)
    return;
  appendNumber(bytes, digest.zero);
  appendFloat(bytes, digest.min);
  appendFloat(bytes, digest.max);
  appendValue(bytes, digest.mean);
  appendValue(bytes, digest.deviation);
  if (digest.payload == Payload::stats)
    return;
  appendValue(bytes, digest.hash);
  appendValue(bytes, digest.sketch);
}

bool takeDigest(std::string_view &bytes, std::uint64_t elementsPerPart,
                SampleDigest &digest) {
  std::uint64_t payload = 0;
  if (!takeNumber(bytes, payload) || !takeNumber(bytes, digest.parts) ||
      !takeNumber(bytes, digest.nan) || !takeNumber(bytes, digest.posInf) ||
      !takeNumber(bytes, digest.negInf) || !takeFloat(bytes, digest.absMax))
    return false;
  digest.payload = Payload(payload);
  digest.count = elementsPerPart * digest.parts;
  if (digest.parts == 0)
    return false;
  if (digest.payload == Payload::alarm)
    return true;
  if (!takeNumber(bytes, digest.zero) || !takeFloat(bytes, digest.min) ||
      !takeFloat(bytes, digest.max) || !takeValue(bytes, digest.mean) ||
      !takeValue(bytes, digest.deviation))
    return false;
  if (digest.payload == Payload::stats)
    return true;
  return digest.payload == Payload::identity && takeValue(bytes, digest.hash) &&
         takeValue(bytes, digest.sketch);
}

} // namespace popscope::outfeed
