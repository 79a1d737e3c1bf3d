#include "poplar/values/half.hpp"

#include <poplar/IeeeHalf.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ipumodel {
namespace {

void floatsToHalvesPortable(const float *src, std::uint16_t *dst,
                            std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    dst[i] = floatToHalf(src[i]);
}

void halvesToFloatsPortable(const std::uint16_t *src, float *dst,
                            std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    dst[i] = halfToFloat(src[i]);
}

#if defined(__x86_64__)
// Not every compiler that can emit F16C accepts its name in
// __builtin_cpu_supports; "avx" there includes the operating system's support.
bool cpuHasF16c() {
  unsigned eax, ebx, ecx, edx;
  return __builtin_cpu_supports("avx") &&
         __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

__attribute__((target("avx,f16c"))) void
floatsToHalvesF16c(const float *src, std::uint16_t *dst, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(
        reinterpret_cast<__m128i *>(dst + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
  floatsToHalvesPortable(src + i, dst + i, count - i);
}

__attribute__((target("avx,f16c"))) void
halvesToFloatsF16c(const std::uint16_t *src, float *dst, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                  reinterpret_cast<const __m128i *>(src + i))));
  halvesToFloatsPortable(src + i, dst + i, count - i);
}
#endif

} // namespace

std::uint16_t doubleToHalf(double value) {
  // Rounding to odd records in the float's last bit whether anything was lost,
  // so that the second rounding decides ties correctly.
  float rounded = float(value);
  if (double(rounded) != value && value == value) {
    std::uint32_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    const bool awayFromZero =
        (value < 0 ? double(rounded) < value : double(rounded) > value);
    if (awayFromZero)
      --bits;
    bits |= 1;
    std::memcpy(&rounded, &bits, sizeof bits);
  }
  return floatToHalf(rounded);
}

void floatsToHalves(const float *src, std::uint16_t *dst, std::size_t count) {
#if defined(__x86_64__)
  static const bool fast = cpuHasF16c();
  if (fast)
    return floatsToHalvesF16c(src, dst, count);
#endif
  floatsToHalvesPortable(src, dst, count);
}

void halvesToFloats(const std::uint16_t *src, float *dst, std::size_t count) {
#if defined(__x86_64__)
  static const bool fast = cpuHasF16c();
  if (fast)
    return halvesToFloatsF16c(src, dst, count);
#endif
  halvesToFloatsPortable(src, dst, count);
}

} // namespace ipumodel

namespace poplar {

IeeeHalf::IeeeHalf(float value) : bits_(ipumodel::floatToHalf(value)) {}

IeeeHalf::operator float() const { return ipumodel::halfToFloat(bits_); }

} // namespace poplar
