// Counts, for each bit, the words that have it set. The 32 counts are kept as
// columns of binary digits, so that adding a word to all of them takes a few
// operations. Lanes do not depend on each other: a compiler can add a vector
// like a word.
#pragma once

namespace popscope {

class ColumnCounts {
public:
  static constexpr unsigned kLanes = 16, kRows = 8;
  static constexpr unsigned kChunk = kLanes * kRows; // words at a time
  static constexpr unsigned kMostWords = 32640;      // see takeEights

  // Adds wordOf(x[i]) for a whole chunk.
  template <typename T, typename WordOf> void add(const T *x, WordOf wordOf) {
    for (unsigned j = 0; j < kLanes; ++j) {
      const T *lane = x + j;
      const auto word = [&](unsigned r) { return wordOf(lane[r * kLanes]); };
      unsigned ones = ones_[j], twos = twos_[j], fours = fours_[j];
      const auto carryOfFour = [&](unsigned row) {
        const unsigned first = addTo(ones, word(row), word(row + 1));
        const unsigned second = addTo(ones, word(row + 2), word(row + 3));
        return addTo(twos, first, second);
      };
      const unsigned four0 = carryOfFour(0), four1 = carryOfFour(4);
      const unsigned eight = addTo(fours, four0, four1);
      ones_[j] = ones;
      twos_[j] = twos;
      fours_[j] = fours;
      for (unsigned i = 0; i < 4; ++i)
        eights_[i][j] += eight >> i & kNibbleOnes;
    }
    if (++chunks_ == 15)
      takeEights();
  }

  // The counts, by bit. To be called once, after the last chunk.
  void finish(unsigned (&counts)[32]) {
    takeEights();
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned half = 0; half < 2; ++half) {
        // Of columns c and c + 16, and c + 8 and c + 24, in 16 bits each.
        unsigned first = 0, second = 0;
        for (unsigned j = 0; j < kLanes; ++j) {
          const unsigned digits = (ones_[j] >> i & kNibbleOnes) +
                                  2 * (twos_[j] >> i & kNibbleOnes) +
                                  4 * (fours_[j] >> i & kNibbleOnes);
          const unsigned low = digits >> 4 * half & kByteNibbles;
          const unsigned high = bytes_[i][half][j];
          first += (low & kPairBytes) + 8 * (high & kPairBytes);
          second += (low >> 8 & kPairBytes) + 8 * (high >> 8 & kPairBytes);
        }
        const unsigned c = i + 4 * half;
        counts[c] = first & 0xffffu;
        counts[c + 16] = first >> 16;
        counts[c + 8] = second & 0xffffu;
        counts[c + 24] = second >> 16;
      }
  }

private:
  static constexpr unsigned kNibbleOnes = 0x11111111u;
  static constexpr unsigned kByteNibbles = 0x0f0f0f0fu;
  static constexpr unsigned kPairBytes = 0x00ff00ffu;

  // Returns the carry.
  static unsigned addTo(unsigned &sum, unsigned a, unsigned b) {
    const unsigned half = sum ^ a;
    const unsigned carry = (sum & a) | (half & b);
    sum = half ^ b;
    return carry;
  }

  // Nibbles hold 15 chunks, bytes 255.
  void takeEights() {
    static_assert(255 * kChunk == kMostWords, "more do not fit in a byte");
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < kLanes; ++j) {
        bytes_[i][0][j] += eights_[i][j] & kByteNibbles;
        bytes_[i][1][j] += eights_[i][j] >> 4 & kByteNibbles;
        eights_[i][j] = 0;
      }
    chunks_ = 0;
  }

  unsigned ones_[kLanes] = {}, twos_[kLanes] = {}, fours_[kLanes] = {};
  // Of the columns i, i + 4 and so on, as nibbles; then those of every other.
  unsigned eights_[4][kLanes] = {};
  unsigned bytes_[4][2][kLanes] = {};
  unsigned chunks_ = 0; // in eights_
};

} // namespace popscope
