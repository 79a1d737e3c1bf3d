// Decides which points of a tag remain after later ones replaced others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace popscope::host::events {

// As in TensorBoard's default loader, a point at step s replaces the earlier
// ones at s and higher: a restarted program has written them again.
class ReplacedPoints {
public:
  // First, call this with the steps of all points, in order.
  void add(std::int64_t step);
  // Then call this with the same steps again; returns whether the point
  // remains.
  bool remains(std::int64_t step);

private:
  struct Return {
    std::uint64_t point; // its number
    std::int64_t step;
  };

  std::uint64_t added_ = 0;
  std::int64_t lastStep_ = 0;
  // Points whose steps go back or repeat, without those that a later one
  // replaces, so that their steps ascend.
  std::vector<Return> returns_;
  std::uint64_t asked_ = 0;
  std::size_t nextReturn_ = 0;
};

} // namespace popscope::host::events
