// Counts, for each bit, the words that have it set. The 32 counts are kept as
// columns of binary digits, so that adding a word to all of them takes a few
// operations. Lanes do not depend on each other: a compiler can add a vector
// like a word.
#pragma once

namespace popscope {

class ColumnCounts {
public:
  static constexpr unsigned kLanes = 8, kRows = 16;
  static constexpr unsigned kChunk = kLanes * kRows; // words at a time
  static constexpr unsigned kMostWords = 32640;      // see takeSixteens

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
      const unsigned eight0 = addTo(fours, four0, four1);
      const unsigned four2 = carryOfFour(8), four3 = carryOfFour(12);
      const unsigned eight1 = addTo(fours, four2, four3);
      const unsigned sixteen = addTo(eights_[j], eight0, eight1);
      ones_[j] = ones;
      twos_[j] = twos;
      fours_[j] = fours;
      for (unsigned i = 0; i < 4; ++i)
        sixteens_[i][j] += sixteen >> i & kNibbleOnes;
    }
    if (++chunks_ == 15)
      takeSixteens();
  }

  // The counts, by bit. To be called once, after the last chunk.
  void finish(unsigned (&counts)[32]) {
    takeSixteens();
    // Sums of 16 bits, of columns c and c + 16, by lane; then over the lanes,
    // a column at a time.
    unsigned sums[16][kLanes];
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < kLanes; ++j) {
        const unsigned digits = (ones_[j] >> i & kNibbleOnes) +
                                2 * (twos_[j] >> i & kNibbleOnes) +
                                4 * (fours_[j] >> i & kNibbleOnes) +
                                8 * (eights_[j] >> i & kNibbleOnes);
        for (unsigned half = 0; half < 2; ++half) {
          const unsigned low = digits >> 4 * half & kByteNibbles;
          const unsigned high = bytes_[i][half][j];
          sums[i + 4 * half][j] = (low & kPairBytes) + 16 * (high & kPairBytes);
          sums[i + 4 * half + 8][j] =
              (low >> 8 & kPairBytes) + 16 * (high >> 8 & kPairBytes);
        }
      }
    for (unsigned c = 0; c < 16; ++c) {
      unsigned sum = 0;
      for (unsigned j = 0; j < kLanes; ++j)
        sum += sums[c][j];
      counts[c] = sum & 0xffffu;
      counts[c + 16] = sum >> 16;
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
  void takeSixteens() {
    static_assert(255 * kChunk == kMostWords, "more do not fit in a byte");
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < kLanes; ++j) {
        bytes_[i][0][j] += sixteens_[i][j] & kByteNibbles;
        bytes_[i][1][j] += sixteens_[i][j] >> 4 & kByteNibbles;
        sixteens_[i][j] = 0;
      }
    chunks_ = 0;
  }

  unsigned ones_[kLanes] = {}, twos_[kLanes] = {}, fours_[kLanes] = {};
  unsigned eights_[kLanes] = {};
  // Of the columns i, i + 4 and so on, as nibbles; then those of every other.
  unsigned sixteens_[4][kLanes] = {};
  unsigned bytes_[4][2][kLanes] = {};
  unsigned chunks_ = 0; // in sixteens_
};

} // namespace popscope
