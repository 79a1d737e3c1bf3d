#include "popops/map/block_copy.hpp"

#include "popops/map/map_float.hpp"

#include <cstring>

namespace ipumodel {

namespace {

// Writes `from` `count` times.
template <class T> void fill(char *to, const char *from, std::size_t count) {
  T value;
  std::memcpy(&value, from, sizeof value);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(to + i * sizeof value, &value, sizeof value);
}

template <std::size_t Size>
void copyRows(char *to, std::ptrdiff_t toRow, std::ptrdiff_t toElement,
              const char *from, std::ptrdiff_t fromRow,
              std::ptrdiff_t fromElement, const MapBlock &block) {
  for (std::size_t row = 0; row < block.rows; ++row) {
    char *out = to;
    const char *in = from;
    for (std::size_t i = 0; i < block.length; ++i) {
      std::memcpy(out, in, Size);
      out += toElement;
      in += fromElement;
    }
    to += toRow;
    from += fromRow;
  }
}

} // namespace

void fillElements(std::size_t size, char *to, const char *from,
                  std::size_t count) {
  switch (size) {
  case 1:
    return fill<std::uint8_t>(to, from, count);
  case 2:
    return fill<std::uint16_t>(to, from, count);
  case 4: {
    const void *const element = from;
    static const Primitive repeat = findFloatRepeat();
    return repeat(to, &element, count);
  }
  default:
    return fill<std::uint64_t>(to, from, count);
  }
}

void copyRows(std::size_t size, char *to, std::ptrdiff_t toRow,
              std::ptrdiff_t toElement, const char *from,
              std::ptrdiff_t fromRow, std::ptrdiff_t fromElement,
              const MapBlock &block) {
  const auto step = static_cast<std::ptrdiff_t>(size);
  if (toElement == step && fromElement == step) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      std::memcpy(to, from, block.length * size);
      to += toRow;
      from += fromRow;
    }
    return;
  }
  if (toElement == step && fromElement == 0) {
    for (std::size_t row = 0; row < block.rows; ++row)
      fillElements(size, to + static_cast<std::ptrdiff_t>(row) * toRow,
                   from + static_cast<std::ptrdiff_t>(row) * fromRow,
                   block.length);
    return;
  }
  switch (size) {
  case 1:
    return copyRows<1>(to, toRow, toElement, from, fromRow, fromElement, block);
  case 2:
    return copyRows<2>(to, toRow, toElement, from, fromRow, fromElement, block);
  case 4:
    return copyRows<4>(to, toRow, toElement, from, fromRow, fromElement, block);
  default:
    return copyRows<8>(to, toRow, toElement, from, fromRow, fromElement, block);
  }
}

} // namespace ipumodel
