// What two runs are compared by: the part of a sample that says whether two
// tensors are equal, and how far apart they are.
#pragma once

#include "outfeed/tensor_sample.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace popscope::outfeed {

struct SampleDigest {
  // Which fields are known: alarm, stats or identity.
  Payload payload = Payload::alarm;
  summary::FloatFormat format = summary::FloatFormat::float32;
  // By which the tensor was multiplied, such as the loss scale of a gradient.
  double scale = 1;
  std::uint64_t parts = 1; // as in TensorSample
  std::uint64_t count = 0; // elements of all parts
  std::uint64_t nan = 0, posInf = 0, negInf = 0;
  double absMax = 0;

  // stats, of finite elements
  std::uint64_t zero = 0;
  double min = 0, max = 0, mean = 0, deviation = 0;

  // identity: sums over the parts
  std::array<std::uint32_t, 2> hash{};
  std::array<float, kSketchBuckets> sketch{};
};

SampleDigest digestOf(const TensorSample &sample);

// Appends the digest to `bytes`, without format, scale and count: a log has
// these once per tensor.
void appendDigest(std::string &bytes, const SampleDigest &digest);

// Reads what appendDigest wrote from the front of `bytes` and removes it there.
// `digest` has its format and scale; its count is set from the elements of one
// part. False if the bytes are no digest.
[[nodiscard]] bool takeDigest(std::string_view &bytes,
                              std::uint64_t elementsPerPart,
                              SampleDigest &digest);

// A number in as few bytes as it needs, likewise.
void appendNumber(std::string &bytes, std::uint64_t number);
[[nodiscard]] bool takeNumber(std::string_view &bytes, std::uint64_t &number);

} // namespace popscope::outfeed
