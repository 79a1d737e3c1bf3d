#include "host/data/idx.hpp"

#include "host/command.hpp"
#include "host/data/gzip_file.hpp"

#include <cstring>

namespace popscope::host {

namespace {

// Twice the largest set of this kind.
constexpr std::size_t kMostValues = std::size_t(1) << 30;

std::size_t bigEndian32(const std::uint8_t *p) {
  return std::size_t(p[0]) << 24 | std::size_t(p[1]) << 16 |
         std::size_t(p[2]) << 8 | p[3];
}

} // namespace

IdxArray readIdx(const std::string &file, unsigned rank) {
  const std::size_t header = 4 + 4 * std::size_t(rank);
  std::vector<std::uint8_t> bytes = readMaybeGzip(file, header);
  // Two zero bytes, 8 for unsigned bytes, then the rank.
  const std::uint8_t magic[] = {0, 0, 8, std::uint8_t(rank)};
  if (bytes.size() < header || std::memcmp(bytes.data(), magic, 4) != 0)
    throw BadInput(file + ": not an IDX file of unsigned bytes with " +
                   std::to_string(rank) + " dimensions");

  IdxArray array;
  std::size_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t dim = bigEndian32(bytes.data() + 4 + 4 * d);
    if (dim != 0 && count > kMostValues / dim)
      throw BadInput(file + ": the header promises more than " +
                     std::to_string(kMostValues) + " values");
    array.dims.push_back(dim);
    count *= dim;
  }
  bytes = readMaybeGzip(file, header + count + 1);
  const std::size_t held = bytes.size() - header;
  if (held != count)
    throw BadInput(file + ": the header promises " + std::to_string(count) +
                   " values, and the file holds " +
                   (held > count ? "more" : std::to_string(held)));
  array.values.assign(bytes.begin() + std::ptrdiff_t(header), bytes.end());
  return array;
}

} // namespace popscope::host
