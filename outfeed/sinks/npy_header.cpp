#include "outfeed/sinks/npy_header.hpp"

#include <stdexcept>

namespace popscope::outfeed {

namespace {

const char *typeCode(const std::string &dtype) {
  return dtype == "half"       ? "<f2"
         : dtype == "int"      ? "<i4"
         : dtype == "unsigned" ? "<u4"
                               : "<f4";
}

} // namespace

// Version 1.0 of the format: magic, version, length, a Python literal.
std::string npyHeader(const std::string &dtype,
                      const std::vector<std::size_t> &shape) {
  std::string dimensions;
  for (const std::size_t dimension : shape)
    dimensions +=
        (dimensions.empty() ? "" : " ") + std::to_string(dimension) + ",";
  const std::string literal = std::string("{'descr': '") + typeCode(dtype) +
                              "', 'fortran_order': False, 'shape': (" +
                              dimensions + "), }";
  constexpr std::size_t kLength = kNpyHeaderBytes - 10;
  if (literal.size() + 1 > kLength)
    throw std::runtime_error("there are too many dimensions for .npy");
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(kLength & 0xff);
  text += char(kLength >> 8);
  text += literal;
  text.resize(kNpyHeaderBytes - 1, ' ');
  return text + '\n';
}

} // namespace popscope::outfeed
