// Zeroed memory on a cache-line boundary.
#pragma once

#include <cstddef>
#include <utility>

namespace ipumodel {

class Buffer {
public:
  static constexpr std::size_t kAlignment = 64;

  Buffer() = default;
  // Throws poplar::stream_memory_allocation_error if there is not enough
  // memory.
  explicit Buffer(std::size_t size);
  Buffer(Buffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer();

  char *data() const { return data_; }
  std::size_t size() const { return size_; }
  void clear(); // sets it to zero again

private:
  char *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace ipumodel
