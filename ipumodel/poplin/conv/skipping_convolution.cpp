#include "poplin/conv/skipping_convolution.hpp"

#include <algorithm>
#include <numeric>

namespace ipumodel {

using poplin::ConvParams;

namespace {

// Output elements per task.
constexpr std::size_t kSkippingRows = 192;

// One dimension of a convolution.
struct Axis {
  std::size_t field; // of the image, without padding and dilation
  std::size_t padding, dilation;
  std::size_t start, stride; // of the windows
  std::size_t kernel, output;
};

// Equally spaced positions along one dimension of the output that depend on
// the same kernel elements, which are `dilation` apart.
struct Stretch {
  std::size_t begin, count, step;
  std::size_t kernelBegin, numKernel;
  // The element of the image that the first kernel element meets at the first
  // position, and from one position to the next.
  std::size_t input, inputStep;
};

// The kernel elements that meet the image at output position `place`.
Stretch at(const Axis &axis, std::size_t place) {
  const std::size_t first = axis.start + place * axis.stride; // of the window
  const std::size_t dilated = (axis.field - 1) * axis.dilation + 1;
  Stretch stretch{place, 1, 1, 0, 0, 0, 0};
  for (std::size_t e = 0; axis.field > 0 && e < axis.kernel; ++e) {
    const std::size_t position = first + e;
    if (position < axis.padding || position >= axis.padding + dilated ||
        (position - axis.padding) % axis.dilation != 0)
      continue;
    if (stretch.numKernel++ == 0) {
      stretch.kernelBegin = e;
      stretch.input = (position - axis.padding) / axis.dilation;
    }
  }
  return stretch;
}

std::vector<Stretch> stretches(const Axis &axis) {
  const std::size_t step = axis.dilation / std::gcd(axis.dilation, axis.stride);
  std::vector<Stretch> result;
  for (std::size_t phase = 0; phase < std::min(step, axis.output); ++phase) {
    const std::size_t firstOfPhase = result.size();
    for (std::size_t place = phase; place < axis.output; place += step) {
      const Stretch next = at(axis, place);
      if (result.size() > firstOfPhase &&
          result.back().kernelBegin == next.kernelBegin &&
          result.back().numKernel == next.numKernel)
        ++result.back().count;
      else
        result.push_back(next);
      result.back().step = step;
      result.back().inputStep = step * axis.stride / axis.dilation;
    }
  }
  return result;
}

std::array<Axis, ConvGeometry::kDims> axesOf(const ConvParams &params) {
  const ConvGeometry g(params);
  const std::size_t missing = ConvGeometry::kDims - params.getNumFieldDims();
  std::array<Axis, ConvGeometry::kDims> axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = {1, 0, 1, g.start[i], g.stride[i], g.kernel[i], g.output[i]};
    if (i < missing)
      continue;
    axes[i].field = params.inputFieldShape[i - missing];
    axes[i].padding = params.inputTransform.paddingLower[i - missing];
    axes[i].dilation = params.inputTransform.dilation[i - missing];
  }
  return axes;
}

} // namespace

bool SkippingConvolution::fits(const ConvParams &params) {
  const ConvParams::InputTransform &in = params.inputTransform;
  const ConvParams::OutputTransform &out = params.outputTransform;
  return params.numConvGroups == 1 && isEach(in.truncationLower, 0) &&
         isEach(in.truncationUpper, 0) &&
         std::none_of(in.flip.begin(), in.flip.end(),
                      [](bool f) { return f; }) &&
         isUntransformed(params.kernelTransform) &&
         isEach(out.paddingLower, 0) && isEach(out.paddingUpper, 0);
}

SkippingConvolution::SkippingConvolution(const ConvParams &params) {
  const ConvGeometry g(params);
  const auto axes = axesOf(params);
  const std::size_t line = axes[2].field * g.inChannels;
  const std::size_t dilation = axes[2].dilation;
  const auto columns = stretches(axes[2]);
  // Lines that depend on nothing are not divided.
  const std::vector<Stretch> whole = {{0, axes[2].output, 1, 0, 0, 0, 0}};
  for (const Stretch &d : stretches(axes[0]))
    for (const Stretch &h : stretches(axes[1]))
      for (const Stretch &w : d.numKernel &&h.numKernel ? columns : whole) {
        Task task;
        task.shape.m = h.count * w.count;
        task.shape.n = g.outChannels;
        task.shape.lineLength = w.count;
        task.shape.lineStep = h.inputStep * line;
        task.shape.rowStep = w.inputStep * g.inChannels;
        task.shape.aColumn = 1;
        task.shape.bRow = g.outChannels;
        task.shape.cRow = w.step * g.outChannels;
        task.shape.cLine = h.step * g.output[2] * g.outChannels;
        task.firstTerm = terms_.size();
        // Adjacent kernel elements meet adjacent elements of the image.
        const std::size_t run = dilation == 1 ? w.numKernel : 1;
        for (std::size_t kd = 0; kd < d.numKernel; ++kd)
          for (std::size_t kh = 0; kh < h.numKernel; ++kh)
            for (std::size_t kw = 0; kw < w.numKernel; kw += run) {
              const std::size_t element =
                  ((d.kernelBegin + kd * axes[0].dilation) * g.kernel[1] +
                   h.kernelBegin + kh * axes[1].dilation) *
                      g.kernel[2] +
                  w.kernelBegin + kw * dilation;
              terms_.push_back(
                  {(kd * axes[1].field + kh) * line + kw * g.inChannels,
                   element * g.inChannels * g.outChannels, run * g.inChannels});
            }
        task.numTerms = terms_.size() - task.firstTerm;
        for (std::size_t i = 0; i < d.count; ++i) {
          task.in =
              ((d.input + i * d.inputStep) * axes[1].field + h.input) * line +
              w.input * g.inChannels;
          task.out =
              (((d.begin + i * d.step) * g.output[1] + h.begin) * g.output[2] +
               w.begin) *
              g.outChannels;
          for (std::size_t row = 0; row < task.shape.m; row += kSkippingRows) {
            task.rowBegin = row;
            task.rowEnd = std::min(task.shape.m, row + kSkippingRows);
            tasks_.push_back(task);
          }
        }
      }
}

void SkippingConvolution::run(const float *in, const float *weights, float *out,
                              std::size_t task,
                              const GemmEpilogue &epilogue) const {
  const Task &t = tasks_[task];
  gemm(t.shape, t.rowBegin, t.rowEnd, in + t.in, weights,
       terms_.data() + t.firstTerm, t.numTerms, out + t.out, epilogue);
}

} // namespace ipumodel
