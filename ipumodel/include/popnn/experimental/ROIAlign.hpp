// Pooling of regions of interest with bilinear interpolation.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {
namespace experimental {

struct roiAlignParams {
  // Bins are averages over samplingRatio_ * samplingRatio_ points.
  long unsigned int samplingRatio_, alignedHeight_, alignedWidth_;
  // Regions are moved by half a pixel, and may be smaller than a pixel.
  bool aligned_;
  // From the coordinates of regions to those of features.
  float spatialScale_;
  roiAlignParams(long unsigned int samplingRatio, long unsigned int poolH,
                 long unsigned int poolW, bool aligned, float spatialScale)
      : samplingRatio_(samplingRatio), alignedHeight_(poolH),
        alignedWidth_(poolW), aligned_(aligned), spatialScale_(spatialScale) {}
};

// The features [N, C, H, W] in the regions `bottomRois` [R, 4], each x1, y1,
// x2, y2 in the item of the batch that `bottomBatchIndex` [R] says, as
// [R, C, alignedHeight_, alignedWidth_]. Throws poputil::poplibs_error if
// shapes or types do not match.
poplar::Tensor
roiAlignFwd(poplar::Graph &graph, poplar::program::Sequence &prog,
            poplar::Tensor &bottomData, poplar::Tensor &bottomRois,
            poplar::Tensor &bottomBatchIndex, const roiAlignParams &params,
            const poplar::DebugContext &debugContext = {});

// From the gradient of that, the gradient of the features.
poplar::Tensor
roiAlignInputGradient(poplar::Graph &graph, poplar::program::Sequence &prog,
                      poplar::Tensor &bottomData, poplar::Tensor &bottomRois,
                      poplar::Tensor &bottomBatchIndex,
                      poplar::Tensor &topDataGrad, const roiAlignParams &params,
                      const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popnn
