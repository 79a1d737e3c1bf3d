#include "host/data/idx.hpp"

#include "host/command.hpp"
#include "host/data/gzip_file.hpp"

#include <cstring>
#include <limits>

namespace popscope::host {

namespace {

std::size_t bigEndian32(const std::uint8_t *p) {
  return std::size_t(p[0]) << 24 | std::size_t(p[1]) << 16 |
         std::size_t(p[2]) << 8 | p[3];
}

} // namespace

IdxArray readIdx(const std::string &file, unsigned rank) {
  const std::vector<std::uint8_t> bytes = readMaybeGzip(file);
  const std::size_t header = 4 + 4 * std::size_t(rank);
  // Two zero bytes, 8 for unsigned bytes, then the rank.
  const std::uint8_t magic[] = {0, 0, 8, std::uint8_t(rank)};
  if (bytes.size() < header || std::memcmp(bytes.data(), magic, 4) != 0)
    throw BadInput(file + ": not an IDX file of unsigned bytes with " +
                   std::to_string(rank) + " dimensions");

  IdxArray array;
  std::size_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t dim = bigEndian32(bytes.data() + 4 + 4 * d);
    if (dim != 0 && count > std::numeric_limits<std::size_t>::max() / dim)
      throw BadInput(file +
                     ": the header promises more values than memory can hold");
    array.dims.push_back(dim);
    count *= dim;
  }
  if (bytes.size() - header != count)
    throw BadInput(file + ": the header promises " + std::to_string(count) +
                   " values, and the file holds " +
                   std::to_string(bytes.size() - header));
  array.values.assign(bytes.begin() + std::ptrdiff_t(header), bytes.end());
  return array;
}

} // namespace popscope::host
