#include "summary/png/deflate.hpp"

#include <cassert>
#include <new>
#include <zlib.h>

namespace popscope::summary {

void appendZlibStream(std::string &to, std::string_view bytes) {
  const std::size_t begin = to.size();
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  to.resize(begin + size);
  const int result =
      compress2(reinterpret_cast<Bytef *>(to.data() + begin), &size,
                reinterpret_cast<const Bytef *>(bytes.data()),
                static_cast<uLong>(bytes.size()), Z_BEST_SPEED);
  if (result == Z_MEM_ERROR)
    throw std::bad_alloc();
  assert(result == Z_OK && "the bound is enough for any input");
  to.resize(begin + size);
}

std::uint32_t crc32(std::string_view bytes) {
  const auto crc =
      ::crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
  return static_cast<std::uint32_t>(crc);
}

} // namespace popscope::summary
