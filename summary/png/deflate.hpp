// The two algorithms of zlib that PNG needs, from whichever library the build
// found: libdeflate, which is several times faster, or zlib.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace popscope::summary {

// Appends `bytes` to `to` as a zlib stream.
void appendZlibStream(std::string &to, std::string_view bytes);

// CRC-32 with the polynomial of PNG and gzip, which is not that of crc32c.
std::uint32_t crc32(std::string_view bytes);

} // namespace popscope::summary
