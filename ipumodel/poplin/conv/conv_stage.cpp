// Convolutions image by image.
#include "poplar/plan/batch_stage.hpp"
#include "poplar/values/type_info.hpp"
#include "poplin/bias_loops.hpp"
#include "poplin/conv/conv_kernel.hpp"
#include "poplin/conv/product_weights.hpp"
#include "poplin/matmul/sparse_product.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <cstring>
#include <hwy/cache_control.h>

namespace ipumodel {

using poplin::ConvParams;

namespace {

// True for a convolution as in the gradient of one without padding; see
// FullConvolutionStage.
bool isFull(const ConvParams &params) {
  const ConvParams::OutputTransform &out = params.outputTransform;
  bool full =
      params.numConvGroups == 1 && isOnlyPadded(params.inputTransform) &&
      isUntransformed(params.kernelTransform) && isEach(out.stride, 1) &&
      isEach(out.truncationLower, 0) && isEach(out.truncationUpper, 0) &&
      isEach(out.paddingLower, 0) && isEach(out.paddingUpper, 0);
  for (std::size_t d = 0; d < params.getNumFieldDims(); ++d)
    full = full &&
           params.inputTransform.paddingLower[d] + 1 == params.kernelShape[d] &&
           params.inputTransform.paddingUpper[d] + 1 == params.kernelShape[d];
  return full;
}

// Images with the transforms of a convolution applied, all at once.
class TransformedImages {
public:
  TransformedImages(const View &view, const ConvParams &params,
                    const ConvGeometry &geometry, StageOperands &operands)
      : input_(view, params, geometry, sizeOf(params.inputType),
               operands.builder, operands.frame),
        wide_(params.inputType, geometry.batch * geometry.imageSize(),
              operands.frame),
        imageSize_(geometry.imageSize()) {}

  void load(const Replica &replica, ThreadPool &pool) const {
    wide_.widen(input_.load(replica, pool), replica, pool);
  }
  const float *at(const Replica &replica, std::size_t index) const {
    return wide_.widened(input_.at(replica), replica) + index * imageSize_;
  }

private:
  TransformedInput input_;
  FloatArray wide_;
  std::size_t imageSize_;
};

class ConvolutionStage : public BatchStage {
public:
  // Without `images`, operand 1 has them.
  ConvolutionStage(const ConvParams &params, FloatOperand weights,
                   std::optional<TransformedImages> images,
                   StageOperands &operands)
      : product_(params), weights_(std::move(weights), product_, operands),
        images_(std::move(images)) {}

  // The product can add a bias and then apply a ReLU before it stores.
  bool absorb(const BatchStage &next) override {
    if (relu_ || reluAfterVertices_)
      return false;
    const Epilogue work = next.epilogue();
    switch (work.kind) {
    case Epilogue::Kind::addBias:
      if (bias_ || work.biasLength != product_.geometry().totalOut())
        return false;
      bias_ = work.bias;
      return true;
    case Epilogue::Kind::relu:
      relu_ = true;
      return true;
    case Epilogue::Kind::none:
    case Epilogue::Kind::sum:
    case Epilogue::Kind::gate:
      return false;
    }
    return false;
  }

  // The product can add to what is there.
  bool absorbSum(std::size_t term) override {
    if (bias_ || relu_ || reluAfterVertices_ || term_ || isPadded() ||
        product_.winograd())
      return false;
    term_ = term;
    return true;
  }

  bool absorbAfterVertices(const BatchStage &next) override {
    if (relu_ || reluAfterVertices_)
      return false;
    reluAfterVertices_ = next.epilogue().kind == Epilogue::Kind::relu;
    return reluAfterVertices_;
  }

  bool makeOnly(const ItemPart &part) override {
    const ConvGeometry &g = product_.geometry();
    const std::size_t element = g.totalOut() * sizeof(float);
    if (isPadded() || g.output[0] != 1 || part.lines != g.output[1] ||
        part.lineBytes != g.output[2] * element ||
        part.usedBytes % element != 0)
      return false;
    return product_.computeOnly(part.usedLines, part.usedBytes / element);
  }

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    weights_.load(replica, pool);
    if (images_)
      images_->load(replica, pool);
  }

  // The padding of an output is in none of the product's tasks.
  std::size_t numParts() const override {
    return isPadded() ? 1 : product_.tasksPerImage();
  }
  void runPart(const BatchItem &item, std::size_t part) const override {
    if (isPadded())
      return run(item);
    product_.run(arraysOf(item), part, {});
  }

  void run(const BatchItem &item) const override {
    const ConvProduct::Arrays arrays = arraysOf(item);
    if (isPadded())
      std::memset(arrays.out, 0,
                  product_.geometry().outputImageSize() * sizeof(float));
    GemmEpilogue epilogue;
    epilogue.bias = bias_ ? bias_->loaded(*item.replica) : nullptr;
    epilogue.relu = relu_;
    epilogue.accumulate = term_ != 0;
    if (term_)
      bringTerm(reinterpret_cast<const float *>(item.operands[term_]),
                arrays.out);
    product_.run(arrays, epilogue);
    if (!reluAfterVertices_)
      return;
    // Vertices that ran between the tasks would slow the product down by more
    // than they gain from a faster cache.
    const std::size_t size = product_.geometry().outputImageSize();
    item.readers->advance(size * sizeof(float));
    applyRelu(arrays.out, size);
  }

private:
  // The product adds to the output. Fetching all of it first is faster than
  // waiting for each part.
  void bringTerm(const float *term, float *out) const {
    constexpr std::size_t kCacheLine = 16; // elements
    const std::size_t size = product_.geometry().outputImageSize();
    if (term != out)
      std::memcpy(out, term, size * sizeof(float));
    else
      for (std::size_t i = 0; i < size; i += kCacheLine)
        hwy::Prefetch(out + i);
  }
  bool isPadded() const {
    return product_.geometry().output != product_.geometry().paddedOut;
  }
  ConvProduct::Arrays arraysOf(const BatchItem &item) const {
    const Replica &replica = *item.replica;
    return {images_ ? images_->at(replica, item.index)
                    : reinterpret_cast<const float *>(item.operands[1]),
            weights_.loaded(replica), weights_.transformed(replica),
            reinterpret_cast<float *>(item.operands[0])};
  }

  ConvProduct product_;
  ProductWeights weights_;
  std::optional<TransformedImages> images_;
  // Absorbed:
  const FloatOperand *bias_ = nullptr;
  std::size_t term_ = 0; // an operand; 0 if there is none
  bool relu_ = false;
  bool reluAfterVertices_ = false;
};

// A full convolution: every kernel element is applied to every input element.
// If the input is mostly zero, like the gradient of a maximum, adds to the
// output the multiple of the kernel for each non-zero element; other inputs use
// the product.
class FullConvolutionStage : public BatchStage {
public:
  // `kernel` has the weights in the order of kernelFirst().
  FullConvolutionStage(const ConvParams &params, const View &weights,
                       FloatOperand kernel, StageOperands &operands)
      : geometry_(params), product_(params),
        weights_(std::move(kernel), product_, operands),
        byInput_(byInput(weights), sizeof(float), Access::read,
                 operands.builder, operands.frame) {
    const ConvGeometry &g = geometry_;
    ConvGeometry::Extent field; // of the input, without padding
    for (std::size_t d = 0; d < ConvGeometry::kDims; ++d)
      field[d] = g.output[d] + 1 - g.kernel[d];
    for (std::size_t d = 0; d < field[0]; ++d)
      for (std::size_t h = field[1]; h-- > 0;)
        for (std::size_t w = 0; w < field[2]; ++w)
          positions_.push_back(
              {static_cast<std::uint32_t>((d * field[1] + h) * field[2] + w),
               static_cast<std::uint32_t>(
                   ((d * g.output[1] + h) * g.output[2] + w) * g.outChannels)});
    entries_ = positions_.size() * g.inChannels + kNonZeroSlack;
    offsetsAt_ = operands.takePerGroup(entries_ * sizeof(std::uint32_t));
    valuesAt_ = operands.takePerGroup(entries_ * sizeof(float));
    endsAt_ =
        operands.takePerGroup((positions_.size() + 1) * sizeof(std::uint32_t));
    sumsAt_ = operands.takePerGroup(positions_.size() * sizeof(SparseSum));
  }

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    weights_.prepare(replica, pool);
    byInput_.load(replica, pool);
  }

  void run(const BatchItem &item) const override {
    auto *out = reinterpret_cast<float *>(item.operands[0]);
    const auto *in = reinterpret_cast<const float *>(item.operands[1]);
    const ConvGeometry &g = geometry_;
    // One before the first row's, which is where that begins.
    auto *ends = scratch<std::uint32_t>(item, endsAt_, positions_.size() + 1);
    ends[0] = 0;
    const NonZeroRows found{ends + 1,
                            scratch<std::uint32_t>(item, offsetsAt_, entries_),
                            scratch<float>(item, valuesAt_, entries_)};
    const std::size_t limit = sparseLimit(positions_.size() * g.inChannels);
    const auto run = static_cast<std::uint32_t>(g.kernel[2] * g.outChannels);
    if (findNonZero(in, positions_.size(), g.inChannels, limit, run, found) <=
        limit)
      addKernels(item, ends, found, out);
    else
      multiply(item, in, out);
  }

private:
  struct Position {
    std::uint32_t input;  // its number, in the order of memory
    std::uint32_t output; // where the kernel of an element of it begins
  };

  // [kernel, kernel, in, kernel, out], the kernel reversed: indexed by the
  // distance of the output element from the input element.
  static View byInput(const View &weights) {
    View view = kernelFirst(weights).dropDim(0);
    for (std::size_t d = 0; d < ConvGeometry::kDims; ++d)
      view = view.reverse(d);
    return view.dimShuffle({0, 1, 3, 2, 4});
  }

  template <class T>
  T *scratch(const BatchItem &item, std::size_t at, std::size_t size) const {
    return reinterpret_cast<T *>(item.replica->scratch.data() + at) +
           item.group * size;
  }

  // `found` are offsets of kernels; those of an input position begin where the
  // ones before it end.
  void addKernels(const BatchItem &item, const std::uint32_t *ends,
                  const NonZeroRows &found, float *out) const {
    const ConvGeometry &g = geometry_;
    auto *sums = scratch<SparseSum>(item, sumsAt_, positions_.size());
    std::size_t numSums = 0;
    for (const Position &at : positions_) {
      sums[numSums] = {ends[at.input], ends[at.input + 1], at.output};
      numSums += ends[at.input] != ends[at.input + 1];
    }
    std::memset(out, 0, g.outputImageSize() * sizeof(float));
    const auto *kernel =
        reinterpret_cast<const float *>(byInput_.at(*item.replica));
    const std::size_t run = g.kernel[2] * g.outChannels;
    const std::size_t line = g.output[2] * g.outChannels;
    const Lines lines{g.kernel[1], run, g.inChannels * run, line};
    for (std::size_t kd = 0; kd < g.kernel[0]; ++kd)
      addSparseProducts({found.offsets, found.values, sums, numSums}, lines,
                        kernel + kd * lines.count * lines.baseStep,
                        out + kd * g.output[1] * line);
  }

  void multiply(const BatchItem &item, const float *in, float *out) const {
    const ProductWeights &weights = weights_.need(*item.replica);
    product_.run({in, weights.loaded(*item.replica),
                  weights.transformed(*item.replica), out},
                 {});
  }

  ConvGeometry geometry_;
  ConvProduct product_;
  RareProductWeights weights_;
  NativeOperand byInput_;
  // The last lines first: every output element then gets those terms first that
  // the first line of the kernel makes.
  std::vector<Position> positions_;
  std::size_t entries_; // maximum, if no element is zero
  std::size_t offsetsAt_, valuesAt_, endsAt_, sumsAt_; // in scratch
};

} // namespace

StagePtr Convolution::stage(const NativeOp &op, const std::string &name,
                            StageOperands &operands) const {
  const TensorData &in = *op.inputs[0], &out = *op.outputs[0];
  const bool inPlace = operands.where == StageOperands::Items::inPlace;
  const View weights =
      usedWeights(op.inputs[1]->view, params, transposeAndFlip);
  const ConvGeometry geometry(params);
  const bool skipsZeros = ConvProduct::skipsZeros(params);
  const bool isDirect = skipsZeros || (isUntransformed(params.inputTransform) &&
                                       geometry.output == geometry.paddedOut);
  const bool full = inPlace && isFull(params) && weights.numElements() > 0;
  if (inPlace && !full && !isDirect)
    return operands.refuse("images are transformed all at once");
  if (!operands.addFloats(channelsLast(out.view), params.outputType,
                          Access::write) ||
      (inPlace && !operands.addFloats(channelsLast(in.view), params.inputType,
                                      Access::read)))
    return nullptr;
  operands.step = {kName, name,
                   convCycles(operands.builder.graph().target, geometry)};
  FloatOperand kernel = operands.addWhole(
      op.inputs[1]->view, kernelFirst(weights), params.inputType, Access::read);
  if (full)
    return std::make_shared<FullConvolutionStage>(params, weights,
                                                  std::move(kernel), operands);
  std::optional<TransformedImages> images;
  if (!inPlace) {
    const std::size_t fields = params.getNumFieldDims();
    const ConvParams given =
        skipsZeros ? ConvParams(params.inputType, params.batchSize,
                                params.inputFieldShape,
                                std::vector<std::size_t>(fields, 1),
                                params.inputChannelsPerConvGroup,
                                params.outputChannelsPerConvGroup, 1)
                   : params;
    images.emplace(in.view, given, ConvGeometry(given), operands);
  }
  return std::make_shared<ConvolutionStage>(params, std::move(kernel),
                                            std::move(images), operands);
}

std::uint64_t convCycles(const poplar::Target &target,
                         const ConvGeometry &geometry) {
  // Four multiply-adds of FLOAT per tile and cycle.
  return geometry.flops() / (8 * std::max(1u, target.getTilesPerIPU())) + 1;
}

} // namespace ipumodel
