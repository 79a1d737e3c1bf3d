#include "poplar/run/strided_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace ipumodel {

namespace {

// A smaller copy stays on one thread: waking the others costs more.
constexpr std::size_t kParallelBytes = 64 * 1024;
constexpr std::size_t kBlock = 16; // side of the squares of a transpose

template <class T>
void copyElements(char *dst, const char *src, std::size_t n,
                  std::ptrdiff_t dstStride, std::ptrdiff_t srcStride) {
  for (std::size_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, src, sizeof(T));
    std::memcpy(dst, &value, sizeof(T));
    dst += dstStride;
    src += srcStride;
  }
}

void copyElements(std::size_t size, char *dst, const char *src, std::size_t n,
                  std::ptrdiff_t dstStride, std::ptrdiff_t srcStride) {
  switch (size) {
  case 1:
    return copyElements<std::uint8_t>(dst, src, n, dstStride, srcStride);
  case 2:
    return copyElements<std::uint16_t>(dst, src, n, dstStride, srcStride);
  case 4:
    return copyElements<std::uint32_t>(dst, src, n, dstStride, srcStride);
  case 8:
    return copyElements<std::uint64_t>(dst, src, n, dstStride, srcStride);
  default:
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(dst, src, size);
      dst += dstStride;
      src += srcStride;
    }
  }
}

// dst[i][j] = src[j][i], with `dstStride` and `srcStride` between rows. Squares
// fit into registers and L1, so both sides move whole cache lines.
template <class T>
void transposeSquares(char *dst, const char *src, std::size_t rows,
                      std::size_t columns, std::ptrdiff_t dstStride,
                      std::ptrdiff_t srcStride) {
  for (std::size_t i0 = 0; i0 < rows; i0 += kBlock) {
    const std::size_t ni = std::min(kBlock, rows - i0);
    for (std::size_t j0 = 0; j0 < columns; j0 += kBlock) {
      const std::size_t nj = std::min(kBlock, columns - j0);
      T square[kBlock][kBlock];
      const char *from =
          src + static_cast<std::ptrdiff_t>(j0) * srcStride + i0 * sizeof(T);
      char *to =
          dst + static_cast<std::ptrdiff_t>(i0) * dstStride + j0 * sizeof(T);
      if (ni == kBlock && nj == kBlock) {
        for (std::size_t j = 0; j < kBlock; ++j) {
          T line[kBlock];
          std::memcpy(line, from + static_cast<std::ptrdiff_t>(j) * srcStride,
                      sizeof(line));
          for (std::size_t i = 0; i < kBlock; ++i)
            square[i][j] = line[i];
        }
        for (std::size_t i = 0; i < kBlock; ++i)
          std::memcpy(to + static_cast<std::ptrdiff_t>(i) * dstStride,
                      square[i], sizeof(square[i]));
        continue;
      }
      for (std::size_t j = 0; j < nj; ++j)
        for (std::size_t i = 0; i < ni; ++i)
          std::memcpy(
              to + static_cast<std::ptrdiff_t>(i) * dstStride + j * sizeof(T),
              from + static_cast<std::ptrdiff_t>(j) * srcStride + i * sizeof(T),
              sizeof(T));
    }
  }
}

bool isUnit(std::ptrdiff_t stride, std::size_t size) {
  return stride == static_cast<std::ptrdiff_t>(size);
}

} // namespace

StridedCopy::StridedCopy(std::ptrdiff_t dstOffset, std::ptrdiff_t srcOffset,
                         std::size_t elementSize, std::vector<Dim> dims)
    : dstOffset_(dstOffset), srcOffset_(srcOffset), unit_(elementSize),
      dims_(std::move(dims)), inner_(0), kernel_(Kernel::rows) {
  bytes_ = elementSize;
  for (const Dim &dim : dims_)
    bytes_ *= dim.count;
  // Elements may be visited in any order, so walk the destination forwards.
  std::stable_sort(dims_.begin(), dims_.end(), [](const Dim &a, const Dim &b) {
    return std::abs(a.dstStride) > std::abs(b.dstStride);
  });
  if (!dims_.empty() && isUnit(dims_.back().dstStride, unit_) &&
      isUnit(dims_.back().srcStride, unit_)) {
    unit_ *= dims_.back().count;
    dims_.pop_back();
    inner_ = dims_.empty() ? 0 : 1;
    return;
  }
  if (dims_.empty())
    return;
  inner_ = 1;
  kernel_ = Kernel::elements;
  if (!isUnit(dims_.back().dstStride, unit_) || unit_ > 8)
    return;
  for (std::size_t i = 0; i + 1 < dims_.size(); ++i)
    if (isUnit(dims_[i].srcStride, unit_)) {
      const auto at = dims_.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(at, at + 1, dims_.end() - 1);
      kernel_ = Kernel::transpose;
      inner_ = 2;
      return;
    }
}

std::optional<std::ptrdiff_t> StridedCopy::place() const {
  if (!dims_.empty() || srcOffset_ != 0)
    return std::nullopt;
  return dstOffset_;
}

void StridedCopy::runAlone(char *dst, const char *src) const {
  runPart(dst + dstOffset_, src + srcOffset_, 0,
          dims_.empty() ? 1 : dims_[0].count);
}

void StridedCopy::run(char *dst, const char *src, ThreadPool &pool) const {
  if (bytes_ < kParallelBytes || pool.numThreads() == 1) {
    runAlone(dst, src);
    return;
  }
  dst += dstOffset_;
  src += srcOffset_;
  if (dims_.empty()) {
    const std::size_t parts = pool.numThreads();
    const std::size_t part = (unit_ / parts + 64) & ~std::size_t(63);
    pool.run(parts, [&](std::size_t i) {
      const std::size_t begin = std::min(i * part, unit_);
      const std::size_t end = std::min(begin + part, unit_);
      std::memcpy(dst + begin, src + begin, end - begin);
    });
    return;
  }
  // Whole squares of a transpose stay together.
  const std::size_t grain =
      kernel_ == Kernel::transpose && inner_ == dims_.size() ? kBlock : 1;
  const std::size_t grains = (dims_[0].count + grain - 1) / grain;
  const std::size_t parts =
      std::min<std::size_t>(grains, pool.numThreads() * 4);
  pool.run(parts, [&](std::size_t i) {
    runPart(dst, src, grains * i / parts * grain,
            std::min(grains * (i + 1) / parts * grain, dims_[0].count));
  });
}

void StridedCopy::runPart(char *dst, const char *src, std::size_t begin,
                          std::size_t end) const {
  if (dims_.empty()) {
    std::memcpy(dst, src, unit_);
    return;
  }
  const auto at = static_cast<std::ptrdiff_t>(begin);
  dst += at * dims_[0].dstStride;
  src += at * dims_[0].srcStride;
  const std::size_t n = end - begin;
  const std::size_t outer = dims_.size() - inner_;
  if (outer == 0) {
    runKernel(dst, src, n);
    return;
  }
  // The outer dimensions count like an odometer; the kernel does the inner
  // ones.
  std::size_t index[kMaxDims] = {};
  for (;;) {
    runKernel(dst, src, dims_[outer].count);
    for (std::size_t d = outer; d-- > 0;) {
      const Dim &dim = dims_[d];
      const std::size_t count = d == 0 ? n : dim.count;
      dst += dim.dstStride;
      src += dim.srcStride;
      if (++index[d] < count)
        break;
      if (d == 0)
        return;
      dst -= static_cast<std::ptrdiff_t>(count) * dim.dstStride;
      src -= static_cast<std::ptrdiff_t>(count) * dim.srcStride;
      index[d] = 0;
    }
  }
}

// `n` is the part of the first inner dimension to do.
void StridedCopy::runKernel(char *dst, const char *src, std::size_t n) const {
  const Dim &first = dims_[dims_.size() - inner_];
  if (kernel_ != Kernel::transpose) {
    copyElements(unit_, dst, src, n, first.dstStride, first.srcStride);
    return;
  }
  const Dim &last = dims_.back();
  switch (unit_) {
  case 1:
    return transposeSquares<std::uint8_t>(dst, src, n, last.count,
                                          first.dstStride, last.srcStride);
  case 2:
    return transposeSquares<std::uint16_t>(dst, src, n, last.count,
                                           first.dstStride, last.srcStride);
  case 4:
    return transposeSquares<std::uint32_t>(dst, src, n, last.count,
                                           first.dstStride, last.srcStride);
  default:
    return transposeSquares<std::uint64_t>(dst, src, n, last.count,
                                           first.dstStride, last.srcStride);
  }
}

void CopyPlan::add(std::ptrdiff_t dstOffset, std::ptrdiff_t srcOffset,
                   std::size_t elementSize,
                   const std::vector<StridedCopy::Dim> &dims) {
  if (dims.size() > StridedCopy::kMaxDims) {
    const std::vector<StridedCopy::Dim> inner(dims.begin() + 1, dims.end());
    for (std::size_t i = 0; i < dims[0].count; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      add(dstOffset + at * dims[0].dstStride,
          srcOffset + at * dims[0].srcStride, elementSize, inner);
    }
    return;
  }
  copies_.emplace_back(dstOffset, srcOffset, elementSize, dims);
  bytes_ += copies_.back().bytes();
}

void CopyPlan::append(const CopyPlan &other) {
  copies_.insert(copies_.end(), other.copies_.begin(), other.copies_.end());
  bytes_ += other.bytes_;
}

std::optional<std::ptrdiff_t> CopyPlan::place() const {
  return copies_.size() == 1 ? copies_.front().place() : std::nullopt;
}

void CopyPlan::run(char *dst, const char *src, ThreadPool &pool) const {
  // Threads take many small copies whole, but split few large ones.
  const std::size_t n = copies_.size();
  if (n >= 4 * pool.numThreads() && bytes_ >= kParallelBytes) {
    const std::size_t parts = pool.numThreads() * 4;
    pool.run(parts, [&](std::size_t part) {
      for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i)
        copies_[i].runAlone(dst, src);
    });
    return;
  }
  for (const StridedCopy &copy : copies_)
    copy.run(dst, src, pool);
}

} // namespace ipumodel
