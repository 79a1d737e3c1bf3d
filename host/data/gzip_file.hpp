// Reads whole files into memory, compressed or not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace popscope::host {

// Reads a file, plain or gzip. Throws BadInput naming the file and what is
// wrong with it.
std::vector<std::uint8_t> readMaybeGzip(const std::string &file);

// `file`, or `file` with ".gz" if only that exists.
std::string findMaybeGzip(const std::string &file);

} // namespace popscope::host
