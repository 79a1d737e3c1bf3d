// Combination of rows of elements into one, always in the order of the rows.
#pragma once

#include <gcl/Collectives.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>

namespace ipumodel {

constexpr std::size_t kCombineBlock = 2048; // elements

// Combines one block, row by row. Does not allocate.
class Combiner {
public:
  Combiner(gcl::CollectiveOperator op, poplar::Type type, std::size_t count)
      : op_(op), type_(type), count_(count) {}

  static bool isDefined(gcl::CollectiveOperator op, const poplar::Type &type);

  void add(const char *row);
  void finish(); // after the last row; needs at least one
  void store(char *to) const;

private:
  template <class T> void addRow(const T *row, T *sums);

  gcl::CollectiveOperator op_;
  poplar::Type type_;
  std::size_t count_;
  std::size_t numRows_ = 0;
  // NOLINTBEGIN(readability-identifier-naming): clang-tidy takes them for
  // public
  union {
    float floats_[kCombineBlock];
    std::uint32_t words_[kCombineBlock];
    std::int32_t ints_[kCombineBlock];
    std::uint8_t bools_[kCombineBlock];
  };
  // NOLINTEND(readability-identifier-naming)
};

} // namespace ipumodel
