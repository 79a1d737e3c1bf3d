// Where an element of a tensor is, in the tensor's own dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::outfeed {

// Of the element with this index in the flattened tensor; empty for a scalar.
std::vector<std::size_t> coordinatesOf(std::uint64_t index,
                                       const std::vector<std::size_t> &shape);

// As NumPy takes them: "[0,3,1,2]".
std::string coordinatesText(std::uint64_t index,
                            const std::vector<std::size_t> &shape);

} // namespace popscope::outfeed
