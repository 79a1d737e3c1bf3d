#include "poplin/conv/conv_product.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

// Output elements per task.
constexpr std::size_t kConvRows = 192;

} // namespace

ConvProduct::ConvProduct(const poplin::ConvParams &params)
    : geometry_(params), fieldLines_(geometry_.output[1]),
      fieldColumns_(geometry_.output[2]) {
  if (WinogradConvolution::fits(params))
    winograd_.emplace(params);
  if (skipsZeros(params)) {
    skipping_.emplace(params);
    tasks_ = skipping_->tasksPerImage();
    return;
  }
  const ConvGeometry &g = geometry_;
  for (std::size_t run = 0; run < g.kernelRuns(); ++run)
    terms_.push_back(
        {g.runOffset(run), run * g.runLength() * g.outChannels, g.runLength()});
  divide();
}

bool ConvProduct::computeOnly(std::size_t lines, std::size_t columns) {
  if (skipping_)
    return false;
  fieldLines_ = lines;
  fieldColumns_ = columns;
  divide();
  if (winograd_)
    winograd_->computeOnly(lines, columns);
  return true;
}

void ConvProduct::divide() {
  const ConvGeometry &g = geometry_;
  // Lines of the output are contiguous unless padded.
  const bool lines =
      g.output[1] == g.paddedOut[1] && g.output[2] == g.paddedOut[2];
  lineGroup_ = lines ? fieldLines_ : 1;
  shape_.m = lineGroup_ * fieldColumns_;
  shape_.n = g.outChannels;
  shape_.lineLength = std::max<std::size_t>(1, fieldColumns_);
  shape_.lineStep = g.stride[1] * g.input[2] * g.totalIn();
  shape_.rowStep = g.stride[2] * g.totalIn();
  shape_.aColumn = 1;
  shape_.bRow = g.outChannels;
  shape_.cRow = g.totalOut();
  shape_.cLine = std::max<std::size_t>(1, g.output[2]) * shape_.cRow;
  chunks_ = (shape_.m + kConvRows - 1) / kConvRows;
  lines_ = lineGroup_ == 0 ? 0 : g.output[0] * (fieldLines_ / lineGroup_);
  tasks_ = g.groups * lines_ * chunks_;
}

void ConvProduct::run(const Arrays &arrays,
                      const GemmEpilogue &epilogue) const {
  if (winograd_ && winograd_->takes(arrays.in, arrays.transformed))
    for (std::size_t task = 0; task < winograd_->tasksPerImage(); ++task)
      winograd_->run(arrays.in, arrays.transformed, arrays.out, task, epilogue);
  else
    for (std::size_t task = 0; task < tasks_; ++task)
      runDirect(arrays, task, epilogue);
}

void ConvProduct::run(const Arrays &arrays, std::size_t task,
                      const GemmEpilogue &epilogue) const {
  if (!winograd_)
    return runDirect(arrays, task, epilogue);
  if (winograd_->takes(arrays.in, arrays.transformed))
    return winograd_->run(arrays.in, arrays.transformed, arrays.out, task,
                          epilogue);
  // As do all tasks of the image.
  for (; task < tasks_; task += winograd_->tasksPerImage())
    runDirect(arrays, task, epilogue);
}

void ConvProduct::runDirect(const Arrays &arrays, std::size_t task,
                            GemmEpilogue epilogue) const {
  const float *in = arrays.in, *weights = arrays.weights;
  float *const out = arrays.out;
  if (skipping_)
    return skipping_->run(in, weights, out, task, epilogue);
  const ConvGeometry &g = geometry_;
  const std::size_t chunk = task % chunks_;
  const std::size_t line = task / chunks_ % lines_;
  const std::size_t group = task / chunks_ / lines_;
  const std::size_t perSlice = fieldLines_ / lineGroup_;
  const std::size_t d = line / perSlice;
  const std::size_t h = line % perSlice * lineGroup_;
  if (epilogue.bias)
    epilogue.bias += group * g.outChannels;
  gemm(shape_, chunk * kConvRows, std::min(shape_.m, (chunk + 1) * kConvRows),
       in + g.windowOffset(d, h) + group * g.inChannels,
       weights + group * g.kernel[0] * g.kernel[1] * g.kernel[2] *
                     g.inChannels * g.outChannels,
       terms_.data(), terms_.size(),
       out + g.outputOffset(d, h) + group * g.outChannels, epilogue);
}

View usedWeights(const View &given, const poplin::ConvParams &params,
                 bool transposeAndFlip) {
  View weights = given;
  if (weights.shape().size() == params.getNumFieldDims() + 2) {
    Shape shape = weights.shape();
    shape.insert(shape.begin(), 1);
    weights = weights.reshape(shape);
  }
  if (transposeAndFlip) {
    std::vector<unsigned> order(weights.shape().size());
    for (unsigned i = 0; i < order.size(); ++i)
      order[i] = i;
    std::swap(order[1], order[2]);
    weights = weights.dimShuffle(order);
    for (std::size_t d = 3; d < order.size(); ++d)
      weights = weights.reverse(d);
  }
  for (unsigned dim = 0; dim < params.getNumFieldDims(); ++dim)
    weights = weights.slice(
        3 + dim, params.kernelTransform.truncationLower[dim],
        params.kernelShape[dim] - params.kernelTransform.truncationUpper[dim]);
  return weights;
}

} // namespace ipumodel
