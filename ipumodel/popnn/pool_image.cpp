#include "popnn/pool_image.hpp"

#include <algorithm>

namespace ipumodel {

using popnn::PoolingType;

PoolImage::PoolImage(const PoolGeometry &g, float lowest)
    : type_(g.type), lowest_(lowest),
      inputSize_(g.inputElements() * g.channels),
      outputSize_(g.outputElements() * g.channels) {
  const std::size_t rowStep = g.input[2] * g.channels;
  const std::size_t depthStep = g.input[1] * rowStep;
  overlap_ = false;
  std::size_t covered = 1;
  for (std::size_t d = 0; d < PoolGeometry::kDims; ++d) {
    std::size_t inDim = 0;
    for (std::size_t at = 0; at < g.output[d]; ++at) {
      const PoolGeometry::Range window = g.window(d, at);
      inDim += window.end - window.begin;
      overlap_ = overlap_ || (at > 0 && window.begin < g.window(d, at - 1).end);
    }
    covered *= inDim;
  }
  coversAll_ = !overlap_ && covered == g.inputElements();
  std::size_t out = 0;
  for (std::size_t d = 0; d < g.output[0]; ++d)
    for (std::size_t h = 0; h < g.output[1]; ++h)
      for (std::size_t w = 0; w < g.output[2]; ++w, out += g.channels) {
        const PoolGeometry::Range z = g.window(0, d), y = g.window(1, h),
                                  x = g.window(2, w);
        const Window window{z.end - z.begin, y.end - y.begin, x.end - x.begin,
                            depthStep, rowStep};
        const std::size_t in =
            z.begin * depthStep + y.begin * rowStep + x.begin * g.channels;
        const std::size_t step = g.stride[2] * g.channels;
        const std::size_t ties = tieBytes_;
        tieBytes_ += window.elements() * ipumodel::tieBytes(g.channels);
        if (w > 0) {
          Span &last = spans_.back();
          if (last.row.window.width == window.width &&
              in == last.in + last.row.count * step) {
            ++last.row.count;
            continue;
          }
        }
        const float factor = type_ == PoolingType::AVG && window.elements() > 0
                                 ? 1.0f / static_cast<float>(window.elements())
                                 : 1.0f;
        spans_.push_back(
            {{window, 1, step, g.channels}, in, out, ties, factor});
      }
}

void PoolImage::pool(const float *in, bool afterRelu, float *out,
                     TieBits *ties) const {
  for (const Span &span : spans_) {
    const float *const from = in + span.in;
    float *const to = out + span.out;
    // A window that is all padding has no maximum.
    if (type_ != PoolingType::MAX || span.row.window.elements() == 0)
      sumWindows(span.row, from, span.factor, to);
    else if (ties && afterRelu)
      maxWindowsAndTiesOfRelu(span.row, from, to, ties + span.ties);
    else if (ties)
      maxWindowsAndTies(span.row, from, lowest_, to, ties + span.ties);
    else if (afterRelu)
      maxWindowsOfRelu(span.row, from, to);
    else
      maxWindows(span.row, from, lowest_, to);
  }
}

void PoolImage::spreadGradient(const float *gradient, const float *in,
                               const float *pooled, const TieBits *ties,
                               SpreadMode mode, float *to) const {
  mode.overlap = overlap_;
  if (type_ != PoolingType::MAX || !coversAll_)
    std::fill(to, to + inputSize_, 0.0f);
  for (const Span &span : spans_)
    if (type_ != PoolingType::MAX)
      spreadEvenly(span.row, gradient + span.out, span.factor, to + span.in);
    else if (ties)
      spreadToTies(span.row, ties + span.ties, pooled + span.out,
                   gradient + span.out, mode, to + span.in);
    else
      spreadToMaxima(span.row, in + span.in, pooled + span.out,
                     gradient + span.out, mode, to + span.in);
}

void PoolImage::clearUnlessPositive(const float *pooled,
                                    float *gradient) const {
  for (const Span &span : spans_)
    ipumodel::clearUnlessPositive(span.row, pooled + span.out,
                                  gradient + span.in);
}

} // namespace ipumodel
