#include "summary/png/deflate.hpp"

#include <cassert>
#include <libdeflate.h>
#include <memory>
#include <new>

namespace popscope::summary {
namespace {

constexpr int kLevel = 1;

struct Free {
  void operator()(libdeflate_compressor *compressor) const {
    libdeflate_free_compressor(compressor);
  }
};

// Setting one up costs more than compressing a small picture.
libdeflate_compressor *compressorOfThisThread() {
  thread_local const std::unique_ptr<libdeflate_compressor, Free> compressor(
      libdeflate_alloc_compressor(kLevel));
  if (!compressor)
    throw std::bad_alloc();
  return compressor.get();
}

} // namespace

void appendZlibStream(std::string &to, std::string_view bytes) {
  libdeflate_compressor *const compressor = compressorOfThisThread();
  const std::size_t begin = to.size();
  to.resize(begin + libdeflate_zlib_compress_bound(compressor, bytes.size()));
  const std::size_t written =
      libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(),
                               to.data() + begin, to.size() - begin);
  assert(written != 0 && "the bound is enough for any input");
  to.resize(begin + written);
}

std::uint32_t crc32(std::string_view bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

} // namespace popscope::summary
