// Parallel computation on the rows of an operand's innermost dimension.
#pragma once

#include "poplar/system/thread_pool.hpp"

#include <algorithm>
#include <cstddef>

namespace ipumodel {

// Rows per task.
constexpr std::size_t kTaskRows = 64;

template <class F>
void parallelForRows(std::size_t rows, ThreadPool &pool, F &&f) {
  pool.run((rows + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    const std::size_t end = std::min(rows, (task + 1) * kTaskRows);
    for (std::size_t row = task * kTaskRows; row < end; ++row)
      f(row);
  });
}

} // namespace ipumodel
