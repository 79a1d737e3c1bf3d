// What is known of a tensor after one pass over it, or over each of its parts.
#pragma once

#include "summary/span.hpp"

#include <array>
#include <cstdint>
#include <limits>

namespace popscope::summary {

// The format the elements had where they came from; decides what counts as
// subnormal, saturated and in the top binade.
enum class FloatFormat : std::uint8_t { float32, float16 };

// Counts are exact. Everything that is not a count, and is not said to be
// otherwise, covers finite elements only, so that no NaN or infinity spreads.
// Parts merge in any order: counts, extremes and indices are then identical,
// moments agree to about 1e-6 relative to the moment itself.
struct TensorStats {
  static constexpr std::uint64_t kNoIndex =
      std::numeric_limits<std::uint64_t>::max();

  FloatFormat format = FloatFormat::float32;

  std::uint64_t count = 0; // all elements
  std::uint64_t nan = 0;
  std::uint64_t posInf = 0;
  std::uint64_t negInf = 0;
  std::uint64_t zero = 0; // of either sign
  std::uint64_t positive = 0;
  std::uint64_t negative = 0;
  std::uint64_t subnormal = 0;
  std::uint64_t saturated = 0; // magnitude is the format's largest
  std::uint64_t topBinade = 0; // exponent is the format's largest

  // The lowest index wins among equals; kNoIndex if there is none.
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  std::uint64_t argMin = kNoIndex;
  std::uint64_t argMax = kNoIndex;
  std::uint64_t firstBad = kNoIndex; // first NaN or infinity
  double absMax = 0;
  double absMinNonZero = std::numeric_limits<double>::infinity();

  // Sums of powers of deviations from the mean; unlike power sums about zero
  // they lose nothing to cancellation.
  double mean = 0;
  double m2 = 0, m3 = 0, m4 = 0;
  double sumAbs = 0;
  double sumSquares = 0;

  // Finite elements by the exponent bits they have as float32; [0] holds zeros
  // and float32 subnormals.
  std::array<std::uint64_t, 256> exponents{};

  // Takes in elements whose first has index `firstIndex` in the tensor.
  void add(Span<const float> values, std::uint64_t firstIndex = 0);
  // Elements as IEEE binary16 bit patterns; the format must be float16.
  void addHalf(Span<const std::uint16_t> values, std::uint64_t firstIndex = 0);
  // Takes in another part of the same tensor, whose indices are the tensor's.
  // Throws std::invalid_argument if the formats differ.
  void merge(const TensorStats &other);

  std::uint64_t finite() const { return count - nan - posInf - negInf; }
  double variance() const; // about the mean, divided by the number
  double standardDeviation() const;
  double skewness() const; // 0 if all are equal
  double kurtosis() const; // 3 for a Gaussian; 0 if all are equal
  double meanAbs() const;
  double rms() const;
  double l2Norm() const;
};

} // namespace popscope::summary
