// The transforms of Winograd's method for 3x3 kernels, F(2x2, 3x3), vectorised
// for the CPU at hand; see winograd.hpp.
//
// A tile is 2x2 output elements, which depend on 4x4 pixels. Of each of the 16
// elements of a transformed tile or kernel there is a plane.
#pragma once

#include "poplin/matmul/gemm.hpp"

#include <cstddef>

namespace ipumodel {

constexpr std::size_t kWinogradPlanes = 16;
// Of one pixel.
constexpr std::size_t kMaxWinogradChannels = 256;
// Tiles of which products are made at a time.
constexpr std::size_t kMaxWinogradTiles = 13;
// Transformed kernels are stored in panels of this many output channels, or, at
// the end, of kWinogradVector: [panel, plane, in, out of the panel].
constexpr std::size_t kWinogradPanel = 32;
constexpr std::size_t kWinogradVector = 16; // the longest
// Elements between two planes, a cache line, so that not all of them begin in
// the same set of a cache.
constexpr std::size_t kWinogradGap = 16;

// An image, and the part of its convolution that is computed.
struct WinogradField {
  std::size_t inLines, inColumns, inChannels;
  std::size_t paddingAbove, paddingLeft; // zeros
  std::size_t lines, columns;            // computed
  std::size_t outLine;                   // elements from one to the next
  std::size_t outChannels;

  std::size_t tilesAcross() const { return (columns + 1) / 2; }
  std::size_t tiles() const { return (lines + 1) / 2 * tilesAcross(); }
  std::size_t imageSize() const { return inLines * inColumns * inChannels; }
  // With those of the last panel that are zero.
  std::size_t paddedChannels() const {
    return (outChannels + kWinogradVector - 1) / kWinogradVector *
           kWinogradVector;
  }
  std::size_t kernelSize() const {
    const std::size_t panels =
        (outChannels + kWinogradPanel - 1) / kWinogradPanel;
    return kWinogradPlanes *
           (inChannels * paddedChannels() + panels * kWinogradGap);
  }
};

// Writes a row of channels for each of `count` tiles of an image, from `first`,
// to planes `step` apart.
void transformTiles(const WinogradField &field, std::size_t first,
                    std::size_t count, const float *in, float *planes,
                    std::size_t step);
// Writes the panels of a kernel, [3, 3, in, out], for input channels
// [begin, end).
void transformKernel(const WinogradField &field, const float *weights,
                     std::size_t begin, std::size_t end, float *panels);
// Makes `count` tiles of the output, from `first`, in the order of memory. Of
// the epilogue, adds the bias and applies the ReLU.
void makeTiles(const WinogradField &field, std::size_t first, std::size_t count,
               const float *in, const float *panels,
               const GemmEpilogue &epilogue, float *out);
// The largest magnitude; not finite if any element is not.
float largestMagnitude(const float *x, std::size_t count);

} // namespace ipumodel
