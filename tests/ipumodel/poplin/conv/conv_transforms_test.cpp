// Convolutions with every transform of ConvParams, compared with the
// definition: truncate, dilate, pad and flip both operands, then truncate,
// stride and pad the result.
#include "tests/ipumodel/operator_model.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

using namespace poplar;
using namespace poplibstest;
using poplin::ConvParams;

namespace {

// Operands are multiples of 1/8 below 1, so that sums in float are exact.
constexpr Tolerance kExact{0, 0};

constexpr int kNone = -1;
using Places =
    std::vector<int>; // the element at each position; kNone for a zero

Places numbered(std::size_t size) {
  Places places(size);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

Places without(const Places &places, unsigned lower, unsigned upper) {
  return Places(places.begin() + lower, places.end() - upper);
}

Places padded(Places places, unsigned lower, unsigned upper) {
  places.insert(places.begin(), lower, kNone);
  places.insert(places.end(), upper, kNone);
  return places;
}

Places transformed(std::size_t size, const ConvParams::InputTransform &t,
                   unsigned dim) {
  Places dilated;
  for (const int place :
       without(numbered(size), t.truncationLower[dim], t.truncationUpper[dim]))
    if (dilated.empty()) {
      dilated.push_back(place);
    } else {
      dilated.insert(dilated.end(), t.dilation[dim] - 1, kNone);
      dilated.push_back(place);
    }
  Places result = padded(dilated, t.paddingLower[dim], t.paddingUpper[dim]);
  if (t.flip[dim])
    std::reverse(result.begin(), result.end());
  return result;
}

// One product: in[in] * weights[kernel] is added to out[out].
struct Term {
  std::size_t out, in, kernel;
};

std::vector<Term> termsOf(const ConvParams &params, unsigned dim) {
  const ConvParams::OutputTransform &t = params.outputTransform;
  const Places in =
      transformed(params.inputFieldShape[dim], params.inputTransform, dim);
  const Places kernel =
      transformed(params.kernelShape[dim], params.kernelTransform, dim);
  const Places kept = without(numbered(in.size() - kernel.size() + 1),
                              t.truncationLower[dim], t.truncationUpper[dim]);
  Places starts;
  for (std::size_t i = 0; i < kept.size(); i += t.stride[dim])
    starts.push_back(kept[i]);
  starts = padded(starts, t.paddingLower[dim], t.paddingUpper[dim]);
  EXPECT_EQ(starts.size(), params.getOutputSize(dim));
  std::vector<Term> terms;
  for (std::size_t out = 0; out < starts.size(); ++out)
    for (std::size_t k = 0; k < kernel.size() && starts[out] != kNone; ++k) {
      const int from = in[static_cast<std::size_t>(starts[out]) + k];
      if (from != kNone && kernel[k] != kNone)
        terms.push_back({out, static_cast<std::size_t>(from),
                         static_cast<std::size_t>(kernel[k])});
    }
  return terms;
}

// For all dimensions; elements are numbered over the whole field.
std::vector<Term> termsOf(const ConvParams &params) {
  std::vector<Term> terms{{0, 0, 0}};
  for (unsigned dim = 0; dim < params.getNumFieldDims(); ++dim) {
    std::vector<Term> more;
    for (const Term &outer : terms)
      for (const Term &inner : termsOf(params, dim))
        more.push_back({outer.out * params.getOutputSize(dim) + inner.out,
                        outer.in * params.inputFieldShape[dim] + inner.in,
                        outer.kernel * params.kernelShape[dim] + inner.kernel});
    terms = more;
  }
  return terms;
}

class Problem {
public:
  explicit Problem(const ConvParams &params)
      : params_(params),
        in_(shape({params.batchSize, params.getNumInputChans()},
                  params.inputFieldShape)),
        weights_(shape({params.numConvGroups, params.outputChannelsPerConvGroup,
                        params.inputChannelsPerConvGroup},
                       params.kernelShape)),
        out_(shape({params.batchSize, params.getNumOutputChans()},
                   params.getOutputFieldShape())),
        inGradient_(in_), weightsGradient_(weights_), outGradient_(out_) {}

  void fill(std::mt19937 &random) {
    for (ReferenceArray *array : {&in_, &weights_, &outGradient_})
      for (float &value : array->floats)
        value = static_cast<float>(static_cast<int>(random() % 17) - 8) / 8;
    const std::size_t in = params_.inputChannelsPerConvGroup;
    const std::size_t out = params_.outputChannelsPerConvGroup;
    const std::size_t groups = params_.numConvGroups;
    for (const Term &term : termsOf(params_))
      for (std::size_t n = 0; n < params_.batchSize * groups; ++n)
        for (std::size_t o = 0; o < out; ++o)
          for (std::size_t i = 0; i < in; ++i) {
            const std::size_t atOut = at(out_, 2, n * out + o, term.out);
            const std::size_t atIn = at(in_, 2, n * in + i, term.in);
            const std::size_t atWeight =
                at(weights_, 3, (n % groups * out + o) * in + i, term.kernel);
            out_.floats[atOut] += in_.floats[atIn] * weights_.floats[atWeight];
            inGradient_.floats[atIn] +=
                outGradient_.floats[atOut] * weights_.floats[atWeight];
            weightsGradient_.floats[atWeight] +=
                outGradient_.floats[atOut] * in_.floats[atIn];
          }
  }

  void check() const {
    EXPECT_EQ(poplin::getFwdFlops(params_),
              2 * termsOf(params_).size() * params_.batchSize *
                  params_.numConvGroups * params_.inputChannelsPerConvGroup *
                  params_.outputChannelsPerConvGroup);
    OperatorModel m;
    const Tensor in = m.input(FLOAT, in_);
    const Tensor weights = m.input(FLOAT, weights_);
    const Tensor outGradient = m.input(FLOAT, outGradient_);
    m.expect(poplin::convolution(m.graph, in, weights, params_, false, m.prog),
             out_, kExact, "output");
    m.expect(poplin::convolution(m.graph, outGradient, weights,
                                 poplin::getGradientParams(params_), true,
                                 m.prog),
             inGradient_, kExact, "gradient of the input");
    m.expect(poplin::calculateWeightDeltas(m.graph, outGradient, in, params_,
                                           m.prog),
             weightsGradient_, kExact, "gradient of the weights");
    m.expect(asConvolution(m, in, outGradient), weightsGradient_, kExact,
             "gradient of the weights as a convolution");
    m.run();
  }

private:
  static ReferenceArray shape(std::vector<std::size_t> shape,
                              const std::vector<std::size_t> &field) {
    shape.insert(shape.end(), field.begin(), field.end());
    std::size_t size = 1;
    for (const std::size_t dim : shape)
      size *= dim;
    return {shape, std::vector<float>(size), {}, {}};
  }

  // `field` is an index in the dimensions starting at `first`.
  static std::size_t at(const ReferenceArray &array, std::size_t first,
                        std::size_t outer, std::size_t field) {
    for (std::size_t d = first; d < array.shape.size(); ++d)
      outer *= array.shape[d];
    return outer + field;
  }

  // Exchanges images and channels of each group.
  Tensor asConvolution(OperatorModel &m, const Tensor &in,
                       const Tensor &outGradient) const {
    const std::size_t groups = params_.numConvGroups;
    const auto turned = [&](const Tensor &t, std::size_t channels) {
      return t
          .reshapePartial(1, 2, {groups, channels}) // to [G, channels, N]
          .dimShufflePartial({1, 2}, {0, 1});
    };
    const Tensor activations =
        turned(in, params_.inputChannelsPerConvGroup)
            .dimShufflePartial({0, 1, 2}, {1, 0, 2})
            .reshapePartial(1, 3, {groups * params_.batchSize});
    const Tensor deltas =
        turned(outGradient, params_.outputChannelsPerConvGroup);
    return poplin::convolution(m.graph, activations, deltas,
                               poplin::getWeightUpdateParams(params_), false,
                               m.prog)
        .reshapePartial(1, 2, {groups, params_.outputChannelsPerConvGroup})
        .dimShufflePartial({1, 2}, {0, 1});
  }

  ConvParams params_;
  ReferenceArray in_, weights_, out_;
  ReferenceArray inGradient_, weightsGradient_, outGradient_;
};

// Empty if the kernel does not fit, or if the truncation is larger than the
// size.
std::optional<ConvParams> randomParams(std::mt19937 &random) {
  const auto number = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  const auto seldom = [&](unsigned high) {
    return random() % 3 == 0 ? number(0, high) : 0;
  };
  std::vector<std::size_t> field(number(1, 3)), kernel(field.size());
  std::generate(field.begin(), field.end(), [&] { return number(1, 6); });
  std::generate(kernel.begin(), kernel.end(), [&] { return number(1, 4); });
  ConvParams params(FLOAT, number(1, 3), field, kernel, number(1, 4),
                    number(1, 4), number(1, 3));
  for (std::size_t dim = 0; dim < field.size(); ++dim) {
    for (ConvParams::InputTransform *t :
         {&params.inputTransform, &params.kernelTransform}) {
      t->truncationLower[dim] = seldom(1);
      t->truncationUpper[dim] = seldom(1);
      t->dilation[dim] = 1 + seldom(2);
      t->paddingLower[dim] = seldom(3);
      t->paddingUpper[dim] = seldom(3);
      t->flip[dim] = seldom(1) != 0;
    }
    params.outputTransform.truncationLower[dim] = seldom(2);
    params.outputTransform.truncationUpper[dim] = seldom(2);
    params.outputTransform.stride[dim] = 1 + seldom(2);
    params.outputTransform.paddingLower[dim] = seldom(2);
    params.outputTransform.paddingUpper[dim] = seldom(2);
  }
  try {
    params.validate();
  } catch (const poputil::poplibs_error &) {
    return std::nullopt;
  }
  return params;
}

} // namespace

TEST(ConvTransforms, AreAppliedAsDefinedForwardAndBackward) {
  std::mt19937 random(1);
  for (unsigned checked = 0; checked < 300;) {
    const std::optional<ConvParams> params = randomParams(random);
    if (!params)
      continue;
    SCOPED_TRACE(testing::PrintToString(*params));
    Problem problem(*params);
    problem.fill(random);
    problem.check();
    if (HasFailure())
      return;
    ++checked;
  }
}

TEST(ConvTransforms, OfAKernelThatIsTruncatedAwayGiveZeros) {
  for (const std::size_t groups : {1, 2})
    for (unsigned dim = 0; dim < 3; ++dim) {
      ConvParams params(FLOAT, 2, {4, 4, 4}, {2, 2, 2}, 3, 2, groups);
      params.kernelTransform.truncationLower[dim] = 2;
      params.kernelTransform.paddingUpper[dim] = 1;
      std::mt19937 random(dim);
      Problem problem(params);
      problem.fill(random);
      problem.check();
    }
}

TEST(ConvTransforms, OfMoreThanThreeDimensionsAreRefused) {
  OperatorModel m;
  const ConvParams params(FLOAT, 1, {2, 2, 2, 2}, {1, 1, 1, 1}, 1, 1, 1);
  EXPECT_THROW(poplin::createInput(m.graph, params), poputil::poplibs_error);
}

TEST(ConvTransforms, MayBeSetAfterConstruction) {
  // The kernel fits only with the padding.
  ConvParams params(FLOAT, 1, {1, 1}, {3, 3}, 1, 1, 1);
  EXPECT_THROW(params.validate(), poputil::poplibs_error);
  EXPECT_THROW(params.canonicalize(), poputil::poplibs_error);
  params.inputTransform.paddingLower = {1, 1};
  params.inputTransform.paddingUpper = {1, 1};
  params.validate();
  EXPECT_EQ(params.getOutputFieldShape(), (std::vector<std::size_t>{1, 1}));
}

TEST(ConvTransforms, StayValidWhenPaddingCancelsTruncation) {
  // The result is all padding, and without the padding of the input the kernel
  // does not fit.
  ConvParams params(FLOAT, 1, {3}, {4}, 1, 1, 1);
  params.inputTransform.paddingLower = {1};
  params.outputTransform.truncationLower = {1};
  params.outputTransform.paddingUpper = {2};
  const ConvParams canonical = params.canonicalize();
  canonical.validate();
  EXPECT_EQ(canonical.getOutputFieldShape(), params.getOutputFieldShape());
  EXPECT_NO_THROW(poplin::getWeightUpdateParams(params).validate());
}
