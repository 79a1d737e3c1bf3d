// The header of a .npy file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::outfeed {

constexpr std::size_t kNpyHeaderBytes = 256; // room for any number of rows

// Of kNpyHeaderBytes. `dtype` is as in TensorTraits. Throws std::runtime_error
// if the shape has too many dimensions.
std::string npyHeader(const std::string &dtype,
                      const std::vector<std::size_t> &shape);

} // namespace popscope::outfeed
