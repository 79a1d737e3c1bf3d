// Moves the elements of a block between registers and tensors.
#pragma once

#include "popops/map/map_layout.hpp"

#include <cstddef>

namespace ipumodel {

// Elements have a `size` of 1, 2, 4 or 8 bytes.

// Writes the element at `from` `count` times.
void fillElements(std::size_t size, char *to, const char *from,
                  std::size_t count);
// Steps from row to row and from element to element are in bytes.
void copyRows(std::size_t size, char *to, std::ptrdiff_t toRow,
              std::ptrdiff_t toElement, const char *from,
              std::ptrdiff_t fromRow, std::ptrdiff_t fromElement,
              const MapBlock &block);

} // namespace ipumodel
