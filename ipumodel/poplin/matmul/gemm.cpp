#include "poplin/matmul/gemm.hpp"

// Vectors of unknown size cannot be stored in arrays of accumulators.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "poplin/matmul/gemm.cpp"
#include <algorithm>
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Accumulators, the vectors of B and one element of A, or the elements of A and
// one vector of B, must fit in the vector registers: 32 with AVX-512 and NEON,
// else 16. One pointer per row must fit in the other registers. Twelve
// accumulators keep two units with a latency of four or five cycles busy.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kMaxRows[] = {0, 12, 12, 8, 6};
#else
constexpr std::size_t kMaxRows[] = {0, 8, 6, 4, 3};
#endif
constexpr std::size_t kMaxVectors = 4;

struct Operands {
  const float *a, *b;
  const GemmTerm *terms;
  std::size_t numTerms;
};

struct Tile {
  std::size_t row, column;
  std::size_t tail; // columns of the last vector
  bool continues;   // the sums that C has
};

// Computes Rows x Vectors of C. `a` has the offset of each row, or of the first
// one if the rows are adjacent.
template <std::size_t Rows, std::size_t Vectors, bool Neighbours>
HWY_INLINE void sumTerms(const GemmShape &shape, const Operands &from,
                         const Tile &at, const std::size_t *a,
                         V (&sums)[Rows][Vectors]) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const auto mask = hn::FirstN(d, at.tail);
  const bool whole = at.tail == lanes;
  const std::size_t aColumn = shape.aColumn, bRow = shape.bRow;
  for (std::size_t t = 0; t < from.numTerms; ++t) {
    const GemmTerm term = from.terms[t];
    const float *b = from.b + term.b + at.column;
    const float *rows[Neighbours ? 1 : Rows];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < (Neighbours ? 1 : Rows); ++i)
      rows[i] = from.a + term.a + a[i];
    // A broadcast operand stays at column 0.
    std::size_t column = 0;
    for (std::size_t k = 0; k < term.k; ++k, column += aColumn) {
      V bs[Vectors];
#pragma GCC unroll 4
      for (std::size_t v = 0; v + 1 < Vectors; ++v)
        bs[v] = hn::LoadU(d, b + v * lanes);
      bs[Vectors - 1] =
          HWY_LIKELY(whole)
              ? hn::LoadU(d, b + (Vectors - 1) * lanes)
              : hn::MaskedLoad(mask, d, b + (Vectors - 1) * lanes);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < Rows; ++i) {
        const V x =
            hn::Set(d, Neighbours ? rows[0][column + i] : rows[i][column]);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < Vectors; ++v)
          sums[i][v] = hn::MulAdd(x, bs[v], sums[i][v]);
      }
      b += bRow;
    }
  }
}

template <std::size_t Rows, std::size_t Vectors>
HWY_NOINLINE void tile(const GemmShape &shape, const Operands &from,
                       const Tile &at, float *c, const GemmEpilogue &epilogue) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t a[Rows], to[Rows];
  // A division takes as long as a few steps of the sum.
  std::size_t line = 0, inLine = at.row;
  if (inLine >= shape.lineLength) {
    line = at.row / shape.lineLength;
    inLine = at.row % shape.lineLength;
  }
  const bool neighbours =
      shape.rowStep == 1 && inLine + Rows <= shape.lineLength;
  for (std::size_t i = 0; i < Rows; ++i) {
    a[i] = line * shape.lineStep + inLine * shape.rowStep;
    to[i] = line * shape.cLine + inLine * shape.cRow;
    if (++inLine == shape.lineLength) {
      inLine = 0;
      ++line;
    }
  }
  const auto mask = hn::FirstN(d, at.tail);
  const auto isPart = [&](std::size_t v) {
    return v + 1 == Vectors && at.tail != lanes;
  };
  V sums[Rows][Vectors];
  if (at.continues) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Vectors; ++v) {
        const float *part = c + to[i] + at.column + v * lanes;
        sums[i][v] =
            isPart(v) ? hn::MaskedLoad(mask, d, part) : hn::LoadU(d, part);
      }
  } else {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Vectors; ++v)
        sums[i][v] = hn::Zero(d);
  }
  // C is added after the sum, however long that is.
  if (epilogue.accumulate)
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t v = 0; v < Vectors; ++v)
        hwy::Prefetch(c + to[i] + at.column + v * lanes);
  if (neighbours)
    sumTerms<Rows, Vectors, true>(shape, from, at, a, sums);
  else
    sumTerms<Rows, Vectors, false>(shape, from, at, a, sums);

  if (epilogue.isPlain() && at.tail == lanes) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Vectors; ++v)
        hn::StoreU(sums[i][v], d, c + to[i] + at.column + v * lanes);
    return;
  }
  const V alpha = hn::Set(d, epilogue.alpha);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < Rows; ++i) {
    float *row = c + to[i] + at.column;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Vectors; ++v) {
      const bool last = isPart(v);
      V value = hn::Mul(alpha, sums[i][v]);
      if (epilogue.accumulate)
        value = hn::Add(value, last ? hn::MaskedLoad(mask, d, row + v * lanes)
                                    : hn::LoadU(d, row + v * lanes));
      if (epilogue.bias) {
        const float *bias = epilogue.bias + at.column + v * lanes;
        value = hn::Add(value, last ? hn::MaskedLoad(mask, d, bias)
                                    : hn::LoadU(d, bias));
      }
      if (epilogue.relu)
        value = hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), value);
      if (last)
        hn::BlendedStore(value, mask, d, row + v * lanes);
      else
        hn::StoreU(value, d, row + v * lanes);
    }
  }
}

// Tiles of up to kMaxRows rows. The widest ones have about equally many: a last
// one with few rows would wait for B from the L2 cache. Of others the last one
// has the rest, which is faster than two smaller ones.
template <std::size_t Vectors, std::size_t Rows = kMaxRows[Vectors]>
void rowsOf(const GemmShape &shape, const Operands &from, Tile at,
            std::size_t end, float *c, const GemmEpilogue &epilogue) {
  constexpr std::size_t kMost = kMaxRows[Vectors];
  std::size_t tiles = (end - at.row + kMost - 1) / kMost;
  const auto fits = [&] {
    return Rows == 1 || Vectors < kMaxVectors
               ? at.row + Rows <= end
               : at.row + tiles * (Rows - 1) < end;
  };
  for (; fits(); at.row += Rows, --tiles)
    tile<Rows, Vectors>(shape, from, at, c, epilogue);
  if constexpr (Rows > 1)
    if (at.row < end)
      rowsOf<Vectors, Rows - 1>(shape, from, at, end, c, epilogue);
}

void columns(const GemmShape &shape, const Operands &from, const Tile &at,
             std::size_t vectors, std::size_t rowEnd, float *c,
             const GemmEpilogue &epilogue) {
  switch (vectors) {
  case 1:
    return rowsOf<1>(shape, from, at, rowEnd, c, epilogue);
  case 2:
    return rowsOf<2>(shape, from, at, rowEnd, c, epilogue);
  case 3:
    return rowsOf<3>(shape, from, at, rowEnd, c, epilogue);
  default:
    return rowsOf<4>(shape, from, at, rowEnd, c, epilogue);
  }
}

// The columns of B that a tile reads, without gaps: as many rows as leave room
// in the first-level cache. Rows whose width is a power of two share a few
// cache sets; the rows of C, which use the same ones, would evict them again
// and again.
class PackedColumns {
public:
  static bool isWorthIt(const GemmShape &shape, std::size_t rows,
                        std::size_t numTerms, const GemmTerm *terms,
                        const GemmEpilogue &epilogue) {
    constexpr std::size_t kMinRows =
        64; // number of rows of A for which packing is worthwhile
    return numTerms == 1 && rows >= kMinRows && shape.bRow > step() &&
           (terms[0].k <= rowsAtOnce() || !epilogue.accumulate);
  }

  static std::size_t step() { return kMaxVectors * hn::Lanes(D()); }
  // Rows of B. A longer sum waits in C for the next ones.
  static std::size_t rowsAtOnce() { return kFloats / step(); }

  void pack(const float *b, std::size_t bRow, std::size_t rows,
            std::size_t width) {
    const D d;
    const std::size_t lanes = hn::Lanes(d), step = kMaxVectors * lanes;
    for (std::size_t k = 0; k < rows; ++k) {
      const float *from = b + k * bRow;
      float *to = floats_ + k * step;
      if (HWY_LIKELY(width == step)) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kMaxVectors; ++v)
          hn::Store(hn::LoadU(d, from + v * lanes), d, to + v * lanes);
      } else {
        std::copy_n(from, width, to);
      }
    }
  }
  const float *floats() const { return floats_; }

private:
  static constexpr std::size_t kFloats = 8192;

  alignas(64) float floats_[kFloats];
};

// Some columns of C, of which the sums are made part by part.
void packedColumns(const GemmShape &shape, const float *a, const float *b,
                   const GemmTerm &term, std::size_t rowBegin,
                   std::size_t rowEnd, std::size_t vectors, std::size_t tail,
                   float *c, const GemmEpilogue &epilogue) {
  PackedColumns packed;
  GemmShape part = shape;
  part.bRow = PackedColumns::step();
  const std::size_t width = (vectors - 1) * hn::Lanes(D()) + tail;
  const std::size_t most = PackedColumns::rowsAtOnce();
  for (std::size_t k = 0; k == 0 || k < term.k; k += most) {
    const std::size_t rows = std::min(most, term.k - k);
    packed.pack(b + term.b + k * shape.bRow, shape.bRow, rows, width);
    const GemmTerm now{term.a + k * shape.aColumn, 0, rows};
    columns(part, {a, packed.floats(), &now, 1}, {rowBegin, 0, tail, k > 0},
            vectors, rowEnd, c, k + rows < term.k ? GemmEpilogue() : epilogue);
  }
}

void gemm(const GemmShape &shape, std::size_t rowBegin, std::size_t rowEnd,
          const float *a, const float *b, const GemmTerm *terms,
          std::size_t numTerms, float *c, const GemmEpilogue &epilogue) {
  const Operands from{a, b, terms, numTerms};
  const std::size_t lanes = hn::Lanes(D());
  const bool packs = PackedColumns::isWorthIt(shape, rowEnd - rowBegin,
                                              numTerms, terms, epilogue);
  for (std::size_t column = 0; column < shape.n;) {
    const std::size_t left = shape.n - column;
    const std::size_t vectors =
        std::min(kMaxVectors, (left + lanes - 1) / lanes);
    const std::size_t width = std::min(left, vectors * lanes);
    const std::size_t tail = width - (vectors - 1) * lanes;
    if (packs)
      packedColumns(shape, a, b + column, terms[0], rowBegin, rowEnd, vectors,
                    tail, c + column, epilogue.from(column));
    else
      columns(shape, from, {rowBegin, column, tail, false}, vectors, rowEnd, c,
              epilogue);
    column += width;
  }
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(gemm);

void gemm(const GemmShape &shape, std::size_t rowBegin, std::size_t rowEnd,
          const float *a, const float *b, const GemmTerm *terms,
          std::size_t numTerms, float *c, const GemmEpilogue &epilogue) {
  HWY_DYNAMIC_DISPATCH(gemm)
  (shape, rowBegin, rowEnd, a, b, terms, numTerms, c, epilogue);
}

} // namespace ipumodel
#endif
