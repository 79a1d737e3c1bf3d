#include "summary/records/crc32c.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace popscope::summary {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78u; // bit-reflected

using ByteTable = std::array<std::uint32_t, 256>;

constexpr ByteTable makeByteTable() {
  ByteTable table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

constexpr ByteTable kByteTable = makeByteTable();

template <class Word> Word load(const char *p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

#if defined(__x86_64__) || defined(__aarch64__)

// Advances a CRC register over `bytes` zero bytes. That is linear over GF(2),
// so a table for each byte of the register is enough.
class ZeroRun {
public:
  constexpr explicit ZeroRun(std::size_t bytes) {
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      std::uint32_t crc = 1u << bit;
      for (std::size_t i = 0; i < bytes; ++i)
        crc = kByteTable[crc & 0xff] ^ (crc >> 8);
      for (std::uint32_t byte = 0; byte < 256; ++byte)
        if (byte >> (bit % 8) & 1)
          table_[bit / 8][byte] ^= crc;
    }
  }

  constexpr std::uint32_t operator()(std::uint32_t crc) const {
    return table_[0][crc & 0xff] ^ table_[1][crc >> 8 & 0xff] ^
           table_[2][crc >> 16 & 0xff] ^ table_[3][crc >> 24];
  }

private:
  std::uint32_t table_[4][256] = {};
};

#if defined(__x86_64__)

#define POPSCOPE_CRC_TARGET __attribute__((target("sse4.2")))

bool hasCrcInstruction() { return __builtin_cpu_supports("sse4.2"); }

POPSCOPE_CRC_TARGET inline std::uint32_t addWord(std::uint32_t crc,
                                                 std::uint64_t word) {
  return static_cast<std::uint32_t>(_mm_crc32_u64(crc, word));
}

POPSCOPE_CRC_TARGET inline std::uint32_t addByte(std::uint32_t crc,
                                                 unsigned char byte) {
  return _mm_crc32_u8(crc, byte);
}

#else

#define POPSCOPE_CRC_TARGET __attribute__((target("+crc")))

bool hasCrcInstruction() { return getauxval(AT_HWCAP) & HWCAP_CRC32; }

POPSCOPE_CRC_TARGET inline std::uint32_t addWord(std::uint32_t crc,
                                                 std::uint64_t word) {
  return __crc32cd(crc, word);
}

POPSCOPE_CRC_TARGET inline std::uint32_t addByte(std::uint32_t crc,
                                                 unsigned char byte) {
  return __crc32cb(crc, byte);
}

#endif

// The instruction has a latency of three cycles and a throughput of one per
// cycle, so three independent lanes of `Lane` bytes run at once and are
// combined at the end.
template <std::size_t Lane>
POPSCOPE_CRC_TARGET std::uint32_t threeLanes(std::uint32_t crc, const char *&p,
                                             std::size_t &size) {
  static constexpr ZeroRun kSkipLane(Lane);
  while (size >= 3 * Lane) {
    std::uint32_t a = crc, b = 0, c = 0;
    for (std::size_t i = 0; i < Lane; i += 8) {
      a = addWord(a, load<std::uint64_t>(p + i));
      b = addWord(b, load<std::uint64_t>(p + Lane + i));
      c = addWord(c, load<std::uint64_t>(p + 2 * Lane + i));
    }
    crc = kSkipLane(kSkipLane(a) ^ b) ^ c;
    p += 3 * Lane;
    size -= 3 * Lane;
  }
  return crc;
}

// Adds the last `size` bytes, at most eight, of a message of eight bytes or
// more without branching on `size`, which a processor would often mispredict.
// Zeros in front of a message do not change a CRC register of zero. So the
// bytes are shifted to the end of a word of zeros, the register is XORed into
// them, and the bits of the register that shift out are XORed into the result.
POPSCOPE_CRC_TARGET inline std::uint32_t
addLast(std::uint32_t crc, const char *p, std::size_t size) {
  if (size == 0)
    return crc;
  const auto zeros = static_cast<unsigned>(8 * (8 - size)); // bits
  const auto word = load<std::uint64_t>(p + size - 8) >> zeros << zeros;
  const std::uint64_t met = std::uint64_t(crc) << zeros;
  const std::uint64_t past =
      zeros == 0 ? 0 : std::uint64_t(crc) >> (64 - zeros);
  return addWord(0, word ^ met) ^ static_cast<std::uint32_t>(past);
}

// Adds the rest of a message of eight bytes or more.
POPSCOPE_CRC_TARGET inline std::uint32_t
addWords(std::uint32_t crc, const char *p, std::size_t size) {
  for (; size > 8; size -= 8, p += 8)
    crc = addWord(crc, load<std::uint64_t>(p));
  return addLast(crc, p, size);
}

POPSCOPE_CRC_TARGET std::uint32_t crc32cByInstruction(std::string_view bytes) {
  const char *p = bytes.data();
  std::size_t size = bytes.size();
  std::uint32_t crc = 0xffffffffu;
  crc = threeLanes<2048>(crc, p, size);
  crc = threeLanes<256>(crc, p, size);
  crc = threeLanes<64>(crc, p, size);
  if (bytes.size() < 8) {
    for (; size > 0; --size, ++p)
      crc = addByte(crc, static_cast<unsigned char>(*p));
    return ~crc;
  }
  return ~addWords(crc, p, size);
}

std::uint32_t chooseFastest(std::string_view bytes);

// The first call replaces chooseFastest. Constant initialisation spares every
// call the check whether this static variable is initialised.
auto &fastest() {
  static std::atomic<std::uint32_t (*)(std::string_view)> function{
      chooseFastest};
  return function;
}

std::uint32_t chooseFastest(std::string_view bytes) {
  const auto chosen = hasCrcInstruction() ? crc32cByInstruction : crc32cByTable;
  fastest().store(chosen, std::memory_order_relaxed);
  return chosen(bytes);
}

#endif

} // namespace

std::uint32_t crc32cByTable(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes)
    crc = kByteTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

std::uint32_t crc32c(std::string_view bytes) {
#if defined(__x86_64__) || defined(__aarch64__)
  return fastest().load(std::memory_order_relaxed)(bytes);
#else
  return crc32cByTable(bytes);
#endif
}

} // namespace popscope::summary
