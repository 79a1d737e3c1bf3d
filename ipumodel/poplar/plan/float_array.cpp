#include "poplar/plan/float_array.hpp"

#include "poplar/values/half.hpp"

#include <poplar/Type.hpp>

#include <algorithm>

namespace ipumodel {

namespace {

constexpr std::size_t kChunk = 16384;

template <class F> void inChunks(std::size_t count, ThreadPool &pool, F &&f) {
  pool.run((count + kChunk - 1) / kChunk, [&](std::size_t i) {
    f(i * kChunk, std::min(kChunk, count - i * kChunk));
  });
}

} // namespace

FloatArray::FloatArray(poplar::Type type, std::size_t count,
                       ScratchFrame &frame)
    : isHalf_(type == poplar::HALF), count_(count) {
  if (isHalf_)
    offset_ = frame.take(count * sizeof(float), Buffer::kAlignment);
}

const float *FloatArray::widen(const char *data, const Replica &replica,
                               ThreadPool &pool) const {
  if (!isHalf_)
    return reinterpret_cast<const float *>(data);
  float *wide = reinterpret_cast<float *>(replica.scratch.data() + offset_);
  inChunks(count_, pool, [&](std::size_t begin, std::size_t n) {
    halvesToFloats(reinterpret_cast<const std::uint16_t *>(data) + begin,
                   wide + begin, n);
  });
  return wide;
}

float *FloatArray::target(char *data, const Replica &replica) const {
  return reinterpret_cast<float *>(isHalf_ ? replica.scratch.data() + offset_
                                           : data);
}

void FloatArray::narrow(char *data, const Replica &replica,
                        ThreadPool &pool) const {
  if (!isHalf_)
    return;
  const float *wide = target(data, replica);
  inChunks(count_, pool, [&](std::size_t begin, std::size_t n) {
    floatsToHalves(wide + begin,
                   reinterpret_cast<std::uint16_t *>(data) + begin, n);
  });
}

} // namespace ipumodel
