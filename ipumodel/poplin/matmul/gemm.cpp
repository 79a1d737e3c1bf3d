// Long, because the templates of all tiles are compiled together, for each
// instruction set.
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
// After the header that includes this file for each target.
#include "poplin/matmul/first_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Accumulators, the vectors of B and one element of A, or the elements of A and
// one vector of B, must fit in the vector registers: 32 with AVX-512 and NEON,
// else 16. One pointer per row must fit in the other registers, unless the rows
// are neighbours. Ten accumulators keep two units with a latency of four or
// five cycles busy.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kRegisters = 32;
constexpr std::size_t kMaxRows[] = {0, 10, 12, 8, 6};
constexpr std::size_t kMaxNeighbours[] = {0, 14, 13, 8, 6};
#else
constexpr std::size_t kRegisters = 16;
constexpr std::size_t kMaxRows[] = {0, 8, 6, 4, 3};
constexpr std::size_t kMaxNeighbours[] = {0, 10, 6, 4, 3};
#endif
constexpr std::size_t kMaxVectors = 4;
// Columns of A done together if each is the one before, shifted by a row.
constexpr std::size_t kShifts = 3;

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

// The last vector of a row of B and C may be only a part of one.
using Tail = FirstLanes<D>;

template <std::size_t Vectors>
HWY_INLINE void loadRow(const float *from, const Tail &tail, V (&to)[Vectors]) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
#pragma GCC unroll 4
  for (std::size_t v = 0; v + 1 < Vectors; ++v)
    to[v] = hn::LoadU(d, from + v * lanes);
  const float *last = from + (Vectors - 1) * lanes;
  to[Vectors - 1] = !Tail::kIsFree && HWY_LIKELY(tail.areAll())
                        ? hn::LoadU(d, last)
                        : tail.load(last);
}

template <std::size_t Vectors>
HWY_INLINE void storeRow(const V (&from)[Vectors], const Tail &tail,
                         float *to) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
#pragma GCC unroll 4
  for (std::size_t v = 0; v + 1 < Vectors; ++v)
    hn::StoreU(from[v], d, to + v * lanes);
  float *last = to + (Vectors - 1) * lanes;
  if (HWY_LIKELY(tail.areAll()))
    hn::StoreU(from[Vectors - 1], d, last);
  else
    tail.store(from[Vectors - 1], last);
}

// The rows of C of a tile.
template <std::size_t Rows, bool Neighbours> struct RowsOfC {
  HWY_INLINE float *operator[](std::size_t i) const { return rows[i]; }
  float *rows[Rows];
};
template <std::size_t Rows> struct RowsOfC<Rows, true> {
  HWY_INLINE float *operator[](std::size_t i) const { return first + i * step; }
  float *first;
  std::size_t step;
};

// Computes Rows x Vectors of C. `a` has the offset of each row, or of the first
// one if the rows are adjacent.
template <std::size_t Rows, std::size_t Vectors, bool Neighbours>
HWY_INLINE void sumTerms(const GemmShape &shape, const Operands &from,
                         const Tile &at, const Tail &tail, const std::size_t *a,
                         V (&sums)[Rows][Vectors]) {
  const D d;
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
    std::size_t k = 0;
    // An element of A, once loaded, is used for kShifts rows.
    if constexpr (Neighbours && (Rows + kShifts) * Vectors < kRegisters)
      for (; aColumn == 1 && k + kShifts <= term.k; k += kShifts) {
        V bs[kShifts][Vectors];
#pragma GCC unroll 3
        for (std::size_t shift = 0; shift < kShifts; ++shift, b += bRow)
          loadRow<Vectors>(b, tail, bs[shift]);
#pragma GCC unroll 16
        for (std::size_t j = 0; j < Rows + kShifts - 1; ++j) {
          const V x = hn::Set(d, rows[0][k + j]);
#pragma GCC unroll 3
          for (std::size_t shift = 0; shift < kShifts; ++shift)
            if (shift <= j && j - shift < Rows)
#pragma GCC unroll 4
              for (std::size_t v = 0; v < Vectors; ++v)
                sums[j - shift][v] =
                    hn::MulAdd(x, bs[shift][v], sums[j - shift][v]);
        }
        column += kShifts;
      }
    for (; k < term.k; ++k, column += aColumn) {
      V bs[Vectors];
      loadRow<Vectors>(b, tail, bs);
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

// The epilogue, in registers; `bias` has that of the tile.
template <std::size_t Rows, std::size_t Vectors, class RowsOf>
HWY_INLINE void finish(const GemmEpilogue &epilogue, const float *bias,
                       const Tail &tail, const RowsOf &c,
                       V (&sums)[Rows][Vectors]) {
  const D d;
  if (epilogue.alpha != 1) {
    const V alpha = hn::Set(d, epilogue.alpha);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Vectors; ++v)
        sums[i][v] = hn::Mul(alpha, sums[i][v]);
  }
  if (epilogue.accumulate)
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i) {
      V present[Vectors];
      loadRow<Vectors>(c[i], tail, present);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Vectors; ++v)
        sums[i][v] = hn::Add(sums[i][v], present[v]);
    }
  if (bias) {
    V added[Vectors];
    loadRow<Vectors>(bias, tail, added);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Vectors; ++v)
        sums[i][v] = hn::Add(sums[i][v], added[v]);
  }
  if (epilogue.relu)
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Vectors; ++v)
        sums[i][v] =
            hn::IfThenElseZero(hn::Gt(sums[i][v], hn::Zero(d)), sums[i][v]);
}

// If Neighbours, of rows that are adjacent and in one line.
template <std::size_t Rows, std::size_t Vectors, bool Neighbours>
HWY_NOINLINE void tile(const GemmShape &shape, const Operands &from,
                       const Tile &at, float *c, const GemmEpilogue &epilogue) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t a[Neighbours ? 1 : Rows];
  RowsOfC<Rows, Neighbours> to;
  if constexpr (Neighbours) {
    a[0] = at.row;
    to = {c + at.row * shape.cRow + at.column, shape.cRow};
  } else {
    // Divisions and products take as long as a few steps of the sum.
    std::size_t line = 0, inLine = at.row;
    if (inLine >= shape.lineLength) {
      line = at.row / shape.lineLength;
      inLine = at.row % shape.lineLength;
    }
    a[0] = line * shape.lineStep + inLine * shape.rowStep;
    to.rows[0] = c + line * shape.cLine + inLine * shape.cRow + at.column;
    for (std::size_t i = 1; i < Rows; ++i) {
      a[i] = a[i - 1] + shape.rowStep;
      to.rows[i] = to.rows[i - 1] + shape.cRow;
      if (++inLine == shape.lineLength) {
        inLine = 0;
        ++line;
        a[i] = line * shape.lineStep;
        to.rows[i] = c + line * shape.cLine + at.column;
      }
    }
  }
  const Tail tail(at.tail);
  V sums[Rows][Vectors];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < Rows; ++i)
    if (at.continues)
      loadRow<Vectors>(to[i], tail, sums[i]);
    else
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Vectors; ++v)
        sums[i][v] = hn::Zero(d);
  // C is used after the sum, which is worth fetching it for unless it is short.
  constexpr std::size_t kMinSteps = 16;
  if (epilogue.accumulate ||
      (from.numTerms > 0 && from.numTerms * from.terms[0].k >= kMinSteps))
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t v = 0; v < Vectors; ++v)
        hwy::Prefetch(to[i] + v * lanes);
  sumTerms<Rows, Vectors, Neighbours>(shape, from, at, tail, a, sums);
  if (!epilogue.isPlain())
    finish<Rows, Vectors>(epilogue,
                          epilogue.bias ? epilogue.bias + at.column : nullptr,
                          tail, to, sums);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < Rows; ++i)
    storeRow<Vectors>(sums[i], tail, to[i]);
}

// Tiles of up to Rows rows. The widest ones and those of neighbours have about
// equally many: a last one with few rows would wait for B from the L2 cache,
// or for its own sums. Of others the last one has the rest, which is faster
// than two smaller ones.
template <std::size_t Vectors, bool Neighbours,
          std::size_t Rows = Neighbours ? kMaxNeighbours[Vectors]
                                        : kMaxRows[Vectors]>
void rowsOf(const GemmShape &shape, const Operands &from, Tile at,
            std::size_t end, float *c, const GemmEpilogue &epilogue) {
  constexpr std::size_t kMost =
      Neighbours ? kMaxNeighbours[Vectors] : kMaxRows[Vectors];
  std::size_t tiles = (end - at.row + kMost - 1) / kMost;
  const auto fits = [&] {
    return Rows == 1 || (Vectors < kMaxVectors && !Neighbours)
               ? at.row + Rows <= end
               : at.row + tiles * (Rows - 1) < end;
  };
  for (; fits(); at.row += Rows, --tiles)
    tile<Rows, Vectors, Neighbours>(shape, from, at, c, epilogue);
  if constexpr (Rows > 1)
    if (at.row < end)
      rowsOf<Vectors, Neighbours, Rows - 1>(shape, from, at, end, c, epilogue);
}

template <std::size_t Vectors>
void linesOf(const GemmShape &shape, const Operands &from, const Tile &at,
             std::size_t end, float *c, const GemmEpilogue &epilogue) {
  // Shorter lines would make small tiles.
  if (shape.rowStep != 1 || shape.lineLength < kMaxNeighbours[Vectors])
    return rowsOf<Vectors, false>(shape, from, at, end, c, epilogue);
  std::size_t line = at.row / shape.lineLength;
  Tile first = at;
  first.row = at.row % shape.lineLength;
  for (std::size_t begin = line * shape.lineLength; begin < end;
       begin += shape.lineLength, ++line, first.row = 0) {
    Operands ofLine = from;
    ofLine.a += line * shape.lineStep;
    rowsOf<Vectors, true>(shape, ofLine, first,
                          std::min(shape.lineLength, end - begin),
                          c + line * shape.cLine, epilogue);
  }
}

void columns(const GemmShape &shape, const Operands &from, const Tile &at,
             std::size_t vectors, std::size_t rowEnd, float *c,
             const GemmEpilogue &epilogue) {
  switch (vectors) {
  case 1:
    return linesOf<1>(shape, from, at, rowEnd, c, epilogue);
  case 2:
    return linesOf<2>(shape, from, at, rowEnd, c, epilogue);
  case 3:
    return linesOf<3>(shape, from, at, rowEnd, c, epilogue);
  default:
    return linesOf<4>(shape, from, at, rowEnd, c, epilogue);
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
