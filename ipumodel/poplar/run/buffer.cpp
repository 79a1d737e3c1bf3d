#include "poplar/run/buffer.hpp"

#include <poplar/exceptions.hpp>

#include <cstring>
#include <string>
#include <sys/mman.h>

namespace ipumodel {

namespace {

// Huge pages are worthwhile from this size: copies of large tensors miss the
// TLB less.
constexpr std::size_t kHugePage = std::size_t(2) << 20;

std::size_t mappedSize(std::size_t size) {
  const std::size_t page = size >= kHugePage ? kHugePage : 4096;
  return (size + page - 1) / page * page;
}

} // namespace

Buffer::Buffer(std::size_t size) : size_(size) {
  if (size == 0)
    return;
  void *memory = mmap(nullptr, mappedSize(size), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw poplar::stream_memory_allocation_error(
        "cannot allocate " + std::to_string(size) + " bytes of host memory");
#ifdef MADV_HUGEPAGE
  if (size >= kHugePage)
    madvise(memory, mappedSize(size), MADV_HUGEPAGE);
#endif
  data_ = static_cast<char *>(memory);
}

Buffer::~Buffer() {
  if (data_)
    munmap(data_, mappedSize(size_));
}

void Buffer::clear() {
  if (data_)
    std::memset(data_, 0, size_);
}

} // namespace ipumodel
