// Cutting and joining the blocks of a view.
#pragma once

#include "poplar/view/view.hpp"

#include <cstddef>
#include <vector>

namespace ipumodel {

// Adds an inner loop, keeping the nest in its shortest form.
void pushLoop(Loops &loops, Loop loop);

// Appends to `out` the blocks covering [begin, end) of `block`'s dimension,
// both relative to the block.
void sliceBlock(const Block &block, std::size_t dim, std::size_t begin,
                std::size_t end, std::vector<Block> &out);

// Replaces dimensions [first, first + sizes.size()) by one whose size is the
// product of `sizes`. A block with gaps in the merged dimension is cut into
// rows.
void mergeDims(Block block, std::size_t first,
               const std::vector<std::size_t> &sizes, std::vector<Block> &out);

// Replaces dimension `dim` by one of rows and one of `inner` elements.
void splitDim(Block block, std::size_t dim, std::size_t inner,
              std::vector<Block> &out);

// Extends `block` by `next` along `dim` if together they are one block.
bool extendBlock(Block &block, const Block &next, std::size_t dim);

// Puts the blocks of a vector in order; those that continue each other become
// one.
void sortAndJoin(std::vector<Block> &blocks);

} // namespace ipumodel
