#include "popops/reduce/reduce_loops.hpp"

// Vectors of unknown size cannot be stored in arrays of accumulators.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "popops/reduce/reduce_loops.cpp"
#include <algorithm>
#include <cmath>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using popops::Operation;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

struct Sum {
  using Join = Sum; // of two results
  template <class T> static T step(T acc, T x) { return hn::Add(acc, x); }
};
struct SquareSum {
  using Join = Sum;
  template <class T> static T step(T acc, T x) { return hn::MulAdd(x, x, acc); }
};
struct Product {
  using Join = Product;
  template <class T> static T step(T acc, T x) { return hn::Mul(acc, x); }
};
// Like fmin and fmax: NaN is ignored.
struct Smallest {
  using Join = Smallest;
  template <class T> static T step(T acc, T x) {
    return hn::IfThenElse(hn::Lt(x, acc), x,
                          hn::IfThenElse(hn::IsNaN(acc), x, acc));
  }
};
struct Largest {
  using Join = Largest;
  template <class T> static T step(T acc, T x) {
    return hn::IfThenElse(hn::Gt(x, acc), x,
                          hn::IfThenElse(hn::IsNaN(acc), x, acc));
  }
};

// x[i] = x[i] op x[Half + i] for i < Half, if there are so many lanes.
template <class Join, std::size_t Half>
void joinHalves(float *x, std::size_t lanes) {
  if (lanes < 2 * Half)
    return;
  const hn::CappedTag<float, Half> d;
  hn::StoreU(Join::step(hn::LoadU(d, x), hn::LoadU(d, x + Half)), d, x);
}

template <class Join> float joinLanes(V x) {
  const D d;
  HWY_ALIGN float lane[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, lane);
  static_assert(HWY_MAX_BYTES <= 32 * sizeof(float));
  joinHalves<Join, 16>(lane, hn::Lanes(d));
  joinHalves<Join, 8>(lane, hn::Lanes(d));
  joinHalves<Join, 4>(lane, hn::Lanes(d));
  joinHalves<Join, 2>(lane, hn::Lanes(d));
  joinHalves<Join, 1>(lane, hn::Lanes(d));
  return lane[0];
}

template <class Op> float row(Operation op, const float *x, std::size_t n) {
  using Join = typename Op::Join;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V identity = hn::Set(d, identityOf(op));
  V a = identity, b = identity, c = identity, e = identity;
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = Op::step(a, hn::LoadU(d, x + i));
    b = Op::step(b, hn::LoadU(d, x + i + lanes));
    c = Op::step(c, hn::LoadU(d, x + i + 2 * lanes));
    e = Op::step(e, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes)
    a = Op::step(a, hn::LoadU(d, x + i));
  float result =
      joinLanes<Join>(Join::step(Join::step(a, b), Join::step(c, e)));
  for (; i < n; ++i)
    result =
        combine(op, result, op == Operation::SQUARE_ADD ? x[i] * x[i] : x[i]);
  return result;
}

// Columns from `c` while there are `Vectors` vectors of them. Returns the first
// column after them.
template <class Op, std::size_t Vectors, class T>
std::size_t columnVectors(T d, const float *x, std::size_t rows,
                          std::size_t columns, std::size_t c, float *acc) {
  const std::size_t lanes = hn::Lanes(d);
  for (; c + Vectors * lanes <= columns; c += Vectors * lanes) {
    hn::Vec<T> sums[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v)
      sums[v] = hn::LoadU(d, acc + c + v * lanes);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t v = 0; v < Vectors; ++v)
        sums[v] =
            Op::step(sums[v], hn::LoadU(d, x + r * columns + c + v * lanes));
    for (std::size_t v = 0; v < Vectors; ++v)
      hn::StoreU(sums[v], d, acc + c + v * lanes);
  }
  return c;
}

// The last columns are in vectors of half the size each.
template <class Op>
void columns(const float *x, std::size_t rows, std::size_t columns,
             float *acc) {
  std::size_t c = columnVectors<Op, 4>(D(), x, rows, columns, 0, acc);
  c = columnVectors<Op, 2>(D(), x, rows, columns, c, acc);
  c = columnVectors<Op, 1>(D(), x, rows, columns, c, acc);
  c = columnVectors<Op, 1>(hn::CappedTag<float, 8>(), x, rows, columns, c, acc);
  c = columnVectors<Op, 1>(hn::CappedTag<float, 4>(), x, rows, columns, c, acc);
  c = columnVectors<Op, 1>(hn::CappedTag<float, 2>(), x, rows, columns, c, acc);
  columnVectors<Op, 1>(hn::CappedTag<float, 1>(), x, rows, columns, c, acc);
}

float reduceRow(Operation op, const float *x, std::size_t n) {
  switch (op) {
  case Operation::SQUARE_ADD:
    return row<SquareSum>(op, x, n);
  case Operation::MUL:
    return row<Product>(op, x, n);
  case Operation::MIN:
    return row<Smallest>(op, x, n);
  case Operation::MAX:
    return row<Largest>(op, x, n);
  default:
    return row<Sum>(op, x, n);
  }
}

void reduceColumns(Operation op, const float *x, std::size_t rows,
                   std::size_t count, float *acc) {
  switch (op) {
  case Operation::SQUARE_ADD:
    return columns<SquareSum>(x, rows, count, acc);
  case Operation::MUL:
    return columns<Product>(x, rows, count, acc);
  case Operation::MIN:
    return columns<Smallest>(x, rows, count, acc);
  case Operation::MAX:
    return columns<Largest>(x, rows, count, acc);
  default:
    return columns<Sum>(x, rows, count, acc);
  }
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

using popops::Operation;

HWY_EXPORT(reduceRow);
HWY_EXPORT(reduceColumns);

float identityOf(Operation op) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  switch (op) {
  case Operation::MUL:
  case Operation::LOGICAL_AND:
    return 1;
  case Operation::MIN:
    return infinity;
  case Operation::MAX:
  case Operation::LOG_ADD:
    return -infinity;
  default:
    return 0;
  }
}

float combine(Operation op, float a, float b) {
  switch (op) {
  case Operation::MUL:
    return a * b;
  case Operation::MIN:
    return std::fmin(a, b);
  case Operation::MAX:
    return std::fmax(a, b);
  case Operation::LOG_ADD: {
    const float larger = std::max(a, b), smaller = std::min(a, b);
    return std::isinf(smaller)
               ? larger
               : larger + std::log1p(std::exp(smaller - larger));
  }
  default:
    return a + b;
  }
}

float reduceRow(Operation op, const float *x, std::size_t n) {
  if (op != Operation::LOG_ADD)
    return HWY_DYNAMIC_DISPATCH(reduceRow)(op, x, n);
  const float largest = reduceRow(Operation::MAX, x, n);
  if (std::isinf(largest))
    return largest;
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += std::exp(x[i] - largest);
  return largest + std::log(sum);
}

void reduceColumns(Operation op, const float *x, std::size_t rows,
                   std::size_t columns, float *acc) {
  if (op != Operation::LOG_ADD) {
    HWY_DYNAMIC_DISPATCH(reduceColumns)(op, x, rows, columns, acc);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      acc[c] = combine(op, acc[c], x[r * columns + c]);
}

void storeResult(const ReduceResult &result, float *partial, std::size_t parts,
                 std::size_t count, float *out) {
  const Operation op = result.operation;
  reduceColumns(op == Operation::SQUARE_ADD ? Operation::ADD : op,
                partial + count, parts - 1, count, partial);
  for (std::size_t i = 0; i < count; ++i) {
    const float total = partial[i];
    if (op == Operation::LOG_ADD)
      out[i] = result.update ? combine(op, out[i], total + result.scale)
                             : total + result.scale;
    else if (op == Operation::ADD || op == Operation::SQUARE_ADD)
      out[i] = (result.update ? out[i] : 0.0f) + result.scale * total;
    else
      out[i] = total;
  }
}

} // namespace ipumodel
#endif
