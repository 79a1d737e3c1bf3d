// Reads files into memory, compressed or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::host {

// Reads at most `most` bytes of a file, plain or gzip: a small file may unpack
// to any number. Throws BadInput naming the file and what is wrong with it.
std::vector<std::uint8_t> readMaybeGzip(const std::string &file,
                                        std::size_t most);

// `file`, or `file` with ".gz" if only that exists.
std::string findMaybeGzip(const std::string &file);

} // namespace popscope::host
