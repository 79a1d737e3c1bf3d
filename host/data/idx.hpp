// The IDX format of MNIST: a big-endian header, then unsigned bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::host {

struct IdxArray {
  std::vector<std::size_t> dims;
  std::vector<std::uint8_t> values; // row-major
};

// Reads a file, plain or gzip, that must have `rank` dimensions. Throws
// BadInput naming the file and what is wrong with it.
IdxArray readIdx(const std::string &file, unsigned rank);

} // namespace popscope::host
