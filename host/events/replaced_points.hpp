// Which points of a tag are left when later ones have replaced others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace popscope::host::events {

// As in TensorBoard's default loader, a point at step s replaces those before
// it at s and beyond: a program that went on after a stop wrote them again.
class ReplacedPoints {
public:
  // First the steps of all points, in order.
  void add(std::int64_t step);
  // Then the same steps again: whether the point remains.
  bool remains(std::int64_t step);

private:
  struct Return {
    std::uint64_t point; // the number of the point that does
    std::int64_t step;
  };

  std::uint64_t added_ = 0;
  std::int64_t lastStep_ = 0;
  // Where the steps go back or repeat. Those that a later one goes behind are
  // left out, so the steps rise.
  std::vector<Return> returns_;
  std::uint64_t asked_ = 0;
  std::size_t nextReturn_ = 0;
};

} // namespace popscope::host::events
