// Strided copies between two address spaces, prepared once and run often.
#pragma once

#include "poplar/system/thread_pool.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace ipumodel {

// A loop nest over elements, with a kernel that suits its strides. All
// quantities are in bytes; offsets are relative to the bases passed to run().
class StridedCopy {
public:
  struct Dim {
    std::size_t count;
    std::ptrdiff_t dstStride;
    std::ptrdiff_t srcStride;
  };

  static constexpr std::size_t kMaxDims = 16;

  // Source and destination must not overlap; at most kMaxDims dims.
  StridedCopy(std::ptrdiff_t dstOffset, std::ptrdiff_t srcOffset,
              std::size_t elementSize, std::vector<Dim> dims);

  void run(char *dst, const char *src, ThreadPool &pool) const;
  void runAlone(char *dst, const char *src) const; // on this thread
  std::size_t bytes() const { return bytes_; }
  // Where the bytes go, if they are one block on both sides, which begins at
  // the base of the source.
  std::optional<std::ptrdiff_t> place() const;

private:
  enum class Kernel : unsigned char {
    rows,      // innermost dimension contiguous on both sides
    transpose, // the last two: one contiguous in src, the other in dst
    elements   // anything else
  };

  void runPart(char *dst, const char *src, std::size_t begin,
               std::size_t end) const;
  void runKernel(char *dst, const char *src, std::size_t n) const;

  std::ptrdiff_t dstOffset_;
  std::ptrdiff_t srcOffset_;
  std::size_t unit_; // bytes moved at once: an element, or a whole row
  std::vector<Dim>
      dims_;          // outermost first, without the contiguous one of `rows`
  std::size_t inner_; // the number of innermost dims the kernel handles
  Kernel kernel_;
  std::size_t bytes_;
};

// All strided copies that make up one copy.
class CopyPlan {
public:
  void add(std::ptrdiff_t dstOffset, std::ptrdiff_t srcOffset,
           std::size_t elementSize, const std::vector<StridedCopy::Dim> &dims);
  void append(const CopyPlan &other);
  void run(char *dst, const char *src, ThreadPool &pool) const;
  bool empty() const { return copies_.empty(); }
  std::size_t bytes() const { return bytes_; }
  // As of StridedCopy, for the whole plan.
  std::optional<std::ptrdiff_t> place() const;

private:
  std::vector<StridedCopy> copies_;
  std::size_t bytes_ = 0;
};

} // namespace ipumodel
