#include "gcl/combine.hpp"

#include "poplar/values/half.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ipumodel {

namespace {

using Op = gcl::CollectiveOperator;
using namespace poplar;

bool isLogical(Op op) { return op == Op::LOGICAL_AND || op == Op::LOGICAL_OR; }

template <class T, class F>
void fold(T *sums, const T *row, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i)
    sums[i] = f(sums[i], row[i]);
}

// Integers wrap around.
template <class T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, std::uint32_t, T>;

template <class T> T plus(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
}
template <class T> T times(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
}

} // namespace

bool Combiner::isDefined(Op op, const Type &type) {
  if (isLogical(op))
    return type == BOOL;
  if (type == HALF || type == FLOAT)
    return true;
  return (type == INT || type == UNSIGNED_INT) && op != Op::MEAN;
}

template <class T> void Combiner::addRow(const T *row, T *sums) {
  const bool isFirst = numRows_++ == 0;
  if constexpr (sizeof(T) == sizeof(bool)) {
    if (isFirst)
      std::copy(row, row + count_, sums);
    else if (op_ == Op::LOGICAL_AND)
      fold(sums, row, count_, [](T a, T b) -> T { return a && b; });
    else
      fold(sums, row, count_, [](T a, T b) -> T { return a || b; });
  } else if (op_ == Op::SQUARE_ADD) {
    if (isFirst)
      std::fill(sums, sums + count_, T(0));
    fold(sums, row, count_, [](T a, T b) { return plus(a, times(b, b)); });
  } else if (isFirst) {
    std::copy(row, row + count_, sums);
  } else if (op_ == Op::MUL) {
    fold(sums, row, count_, times<T>);
  } else if (op_ == Op::MIN) {
    fold(sums, row, count_, [](T a, T b) { return std::min(a, b); });
  } else if (op_ == Op::MAX) {
    fold(sums, row, count_, [](T a, T b) { return std::max(a, b); });
  } else {
    fold(sums, row, count_, plus<T>);
  }
}

void Combiner::add(const char *row) {
  if (type_ == HALF) {
    float widened[kCombineBlock];
    halvesToFloats(reinterpret_cast<const std::uint16_t *>(row), widened,
                   count_);
    addRow(widened, floats_);
  } else if (type_ == FLOAT) {
    addRow(reinterpret_cast<const float *>(row), floats_);
  } else if (type_ == INT) {
    addRow(reinterpret_cast<const std::int32_t *>(row), ints_);
  } else if (type_ == UNSIGNED_INT) {
    addRow(reinterpret_cast<const std::uint32_t *>(row), words_);
  } else {
    addRow(reinterpret_cast<const std::uint8_t *>(row), bools_);
  }
}

void Combiner::finish() {
  if (op_ != Op::MEAN)
    return;
  const auto divisor = static_cast<float>(numRows_);
  for (std::size_t i = 0; i < count_; ++i)
    floats_[i] /= divisor;
}

void Combiner::store(char *to) const {
  if (type_ == HALF)
    floatsToHalves(floats_, reinterpret_cast<std::uint16_t *>(to), count_);
  else
    std::memcpy(to, words_,
                count_ * (type_ == BOOL ? sizeof(bool) : sizeof(float)));
}

} // namespace ipumodel
