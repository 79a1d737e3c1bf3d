// CRC-32C (Castagnoli), the checksum of event-file records.
#pragma once

#include <cstdint>
#include <string_view>

namespace popscope::summary {

// Uses the SSE4.2 or ARMv8 CRC instructions when the processor has them.
std::uint32_t crc32c(std::string_view bytes);

// One table look-up per byte; what crc32c falls back to elsewhere.
std::uint32_t crc32cByTable(std::string_view bytes);

// A CRC as it is stored in a file: rotated and offset, so that the CRC of data
// that contains CRCs does not degenerate.
class MaskedCrc {
public:
  constexpr explicit MaskedCrc(std::uint32_t stored) : stored_(stored) {}

  static constexpr MaskedCrc mask(std::uint32_t crc) {
    return MaskedCrc(((crc >> 15) | (crc << 17)) + kDelta);
  }
  static MaskedCrc of(std::string_view bytes) { return mask(crc32c(bytes)); }

  constexpr std::uint32_t stored() const { return stored_; }
  constexpr std::uint32_t unmask() const {
    const std::uint32_t rotated = stored_ - kDelta;
    return (rotated << 15) | (rotated >> 17);
  }

  friend constexpr bool operator==(MaskedCrc a, MaskedCrc b) {
    return a.stored_ == b.stored_;
  }
  friend constexpr bool operator!=(MaskedCrc a, MaskedCrc b) {
    return !(a == b);
  }

private:
  static constexpr std::uint32_t kDelta = 0xa282ead8u;
  std::uint32_t stored_;
};

} // namespace popscope::summary
