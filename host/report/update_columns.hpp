// The axis of heat maps: updates, in not too many columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

namespace popscope::host {

// Columns are equally wide, so that the axis is linear. A tap that is due at
// every tenth update has a column for each of them and none in between.
class UpdateColumns {
public:
  static constexpr std::size_t kMost = 160;

  void add(std::uint32_t update) {
    if (!some_)
      some_ = first_ = last_ = update;
    first_ = std::min(first_, update);
    last_ = std::max(last_, update);
    distance_ = std::gcd(distance_,
                         std::max(update, *some_) - std::min(update, *some_));
  }

  // From here on all is of the updates added so far.
  std::uint32_t first() const { return first_; }
  std::size_t count() const {
    return some_ ? std::size_t(last_ - first_) / updatesPerColumn() + 1 : 0;
  }
  std::uint32_t updatesPerColumn() const {
    const std::uint32_t step = std::max<std::uint32_t>(distance_, 1);
    const std::size_t least = (last_ - first_) / step / kMost + 1;
    // 1, 2, 5, 10 and so on, for an axis of round numbers.
    for (std::uint32_t ten = 1;; ten *= 10)
      for (const std::uint32_t factor : {ten, 2 * ten, 5 * ten})
        if (factor >= least)
          return step * factor;
  }
  // Nothing for an update before the first or after the last.
  std::optional<std::size_t> columnOf(std::uint32_t update) const {
    if (!some_ || update < first_ || update > last_)
      return std::nullopt;
    return (update - first_) / updatesPerColumn();
  }

private:
  std::optional<std::uint32_t> some_; // of the updates
  std::uint32_t first_ = 0, last_ = 0;
  std::uint32_t distance_ = 0; // divides that between any two
};

} // namespace popscope::host
