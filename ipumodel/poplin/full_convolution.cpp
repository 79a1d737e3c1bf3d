#include "poplin/full_convolution.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

// Positions along one dimension of the output that depend on the same kernel
// elements, [kernelBegin, kernelEnd).
struct Stretch {
  std::size_t begin, count;
  std::size_t kernelBegin, kernelEnd;
  std::size_t
      input; // that the first position needs for the first kernel element
};

std::vector<Stretch> stretches(std::size_t field, std::size_t kernel) {
  const std::size_t padding = kernel - 1;
  std::vector<Stretch> result;
  for (std::size_t place = 0; place < field + padding; ++place) {
    const std::size_t begin = padding - std::min(padding, place);
    const std::size_t end = std::min(kernel, field + padding - place);
    if (!result.empty() && result.back().kernelBegin == begin &&
        result.back().kernelEnd == end)
      ++result.back().count;
    else
      result.push_back({place, 1, begin, end, place + begin - padding});
  }
  return result;
}

} // namespace

FullConvolution::FullConvolution(const ConvGeometry &g) {
  ConvGeometry::Extent field;
  for (std::size_t d = 0; d < ConvGeometry::kDims; ++d)
    field[d] = g.output[d] + 1 - g.kernel[d];
  const std::size_t line = field[2] * g.inChannels;
  for (const Stretch &d : stretches(field[0], g.kernel[0]))
    for (const Stretch &h : stretches(field[1], g.kernel[1]))
      for (const Stretch &w : stretches(field[2], g.kernel[2])) {
        Part part;
        part.shape.m = h.count * w.count;
        part.shape.n = g.outChannels;
        part.shape.lineLength = w.count;
        part.shape.lineStep = line;
        part.shape.rowStep = g.inChannels;
        part.shape.aColumn = 1;
        part.shape.bRow = g.outChannels;
        part.shape.cRow = g.outChannels;
        part.shape.cLine = g.output[2] * g.outChannels;
        part.firstTerm = terms_.size();
        for (std::size_t kd = d.kernelBegin; kd < d.kernelEnd; ++kd)
          for (std::size_t kh = h.kernelBegin; kh < h.kernelEnd; ++kh)
            terms_.push_back(
                {((kd - d.kernelBegin) * field[1] + kh - h.kernelBegin) * line,
                 ((kd * g.kernel[1] + kh) * g.kernel[2] + w.kernelBegin) *
                     g.inChannels * g.outChannels,
                 (w.kernelEnd - w.kernelBegin) * g.inChannels});
        part.numTerms = terms_.size() - part.firstTerm;
        for (std::size_t i = 0; i < d.count; ++i) {
          part.in = ((d.input + i) * field[1] + h.input) * line +
                    w.input * g.inChannels;
          part.out = (((d.begin + i) * g.output[1] + h.begin) * g.output[2] +
                      w.begin) *
                     g.outChannels;
          parts_.push_back(part);
        }
      }
}

void FullConvolution::run(const float *in, const float *weights,
                          float *out) const {
  for (const Part &part : parts_)
    gemm(part.shape, 0, part.shape.m, in + part.in, weights,
         terms_.data() + part.firstTerm, part.numTerms, out + part.out);
}

} // namespace ipumodel
