#include "popnn/recurrent/cell_loops.hpp"

// Vectors of unknown size cannot be stored in arrays.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "popnn/recurrent/cell_loops.cpp"
#include <algorithm>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

HWY_INLINE V set(float value) { return hn::Set(D(), value); }

// Calls f(in, out) with vectors of the inputs, and of the outputs as they are
// and to be stored. The last elements pass through a buffer and the same code,
// so that results do not depend on an element's position.
template <std::size_t Inputs, std::size_t Outputs, class F>
HWY_INLINE void forVectors(const float *const (&in)[Inputs],
                           float *const (&out)[Outputs], std::size_t n, F f) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V x[Inputs], y[Outputs];
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::size_t k = 0; k < Inputs; ++k)
      x[k] = hn::LoadU(d, in[k] + i);
    for (std::size_t k = 0; k < Outputs; ++k)
      y[k] = hn::LoadU(d, out[k] + i);
    f(x, y);
    for (std::size_t k = 0; k < Outputs; ++k)
      hn::StoreU(y[k], d, out[k] + i);
  }
  if (i == n)
    return;
  const auto load = [&](const float *from) HWY_ATTR {
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
    std::copy_n(from + i, n - i, rest);
    return hn::Load(d, rest);
  };
  for (std::size_t k = 0; k < Inputs; ++k)
    x[k] = load(in[k]);
  for (std::size_t k = 0; k < Outputs; ++k)
    y[k] = load(out[k]);
  f(x, y);
  for (std::size_t k = 0; k < Outputs; ++k) {
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(y[k], d, rest);
    std::copy_n(rest, n - i, out[k] + i);
  }
}

HWY_INLINE V derivativeAt(const Derivative &of, V y) {
  if (of.kind == Derivative::Kind::softmax)
    return set(1);
  if (of.kind == Derivative::Kind::step)
    return hn::IfThenElseZero(hn::Gt(y, set(0)), set(1));
  return hn::MulAdd(hn::MulAdd(set(of.square), y, set(of.linear)), y,
                    set(of.constant));
}

void hardSigmoid(float *x, std::size_t n) {
  forVectors({x}, {x}, n, [](V(&in)[1], V(&out)[1]) HWY_ATTR {
    const V line = hn::MulAdd(in[0], set(0.2f), set(0.5f));
    const V most = hn::IfThenElse(hn::Gt(line, set(1)), set(1), line);
    out[0] = hn::IfThenElse(hn::Lt(most, set(0)), set(0), most);
  });
}

void add(const float *a, float *to, std::size_t n) {
  forVectors({a}, {to}, n, [](V(&in)[1], V(&out)[1]) HWY_ATTR {
    out[0] = hn::Add(in[0], out[0]);
  });
}

void multiply(const float *a, const float *b, float *to, std::size_t n) {
  forVectors({a, b}, {to}, n, [](V(&in)[2], V(&out)[1]) HWY_ATTR {
    out[0] = hn::Mul(in[0], in[1]);
  });
}

void multiplyAdd(const float *a, const float *b, float *to, std::size_t n) {
  forVectors({a, b}, {to}, n, [](V(&in)[2], V(&out)[1]) HWY_ATTR {
    out[0] = hn::MulAdd(in[0], in[1], out[0]);
  });
}

void sumOfProducts(const float *a, const float *b, const float *c,
                   const float *d, float *to, std::size_t n) {
  forVectors({a, b, c, d}, {to}, n, [](V(&in)[4], V(&out)[1]) HWY_ATTR {
    out[0] = hn::MulAdd(in[0], in[1], hn::Mul(in[2], in[3]));
  });
}

void blend(const float *u, const float *a, const float *b, float *to,
           std::size_t n) {
  forVectors({u, a, b}, {to}, n, [](V(&in)[3], V(&out)[1]) HWY_ATTR {
    out[0] = hn::MulAdd(in[0], in[1], hn::Mul(hn::Sub(set(1), in[0]), in[2]));
  });
}

void scaleByDerivative(const Derivative &derivative, const float *y,
                       float *gradient, std::size_t n) {
  forVectors({y}, {gradient}, n, [&](V(&in)[1], V(&out)[1]) HWY_ATTR {
    out[0] = hn::Mul(out[0], derivativeAt(derivative, in[0]));
  });
}

void lstmStepGradient(const LstmStep &step, const Derivative &activation,
                      const Derivative &recurrent, std::size_t n) {
  forVectors(
      {step.gates[0], step.gates[1], step.gates[2], step.gates[3],
       step.activated, step.before, step.outputGrad},
      {step.gateGrads[0], step.gateGrads[1], step.gateGrads[2],
       step.gateGrads[3], step.stateGrad},
      n, [&](V(&in)[7], V(&out)[5]) HWY_ATTR {
        const V forget = in[0], input = in[1], candidate = in[2],
                output = in[3], activated = in[4], before = in[5], grad = in[6];
        const V state = hn::MulAdd(hn::Mul(grad, output),
                                   derivativeAt(activation, activated), out[4]);
        out[0] =
            hn::Mul(hn::Mul(state, before), derivativeAt(recurrent, forget));
        out[1] =
            hn::Mul(hn::Mul(state, candidate), derivativeAt(recurrent, input));
        out[2] =
            hn::Mul(hn::Mul(state, input), derivativeAt(activation, candidate));
        out[3] =
            hn::Mul(hn::Mul(grad, activated), derivativeAt(recurrent, output));
        out[4] = hn::Mul(state, forget);
      });
}

void gruStepGradient(const GruStep &step, const Derivative &activation,
                     std::size_t n) {
  forVectors({step.update, step.candidate, step.before, step.outputGrad},
             {step.beforeGrad, step.updateGrad, step.candidateGrad}, n,
             [&](V(&in)[4], V(&out)[3]) HWY_ATTR {
               const V update = in[0], candidate = in[1], before = in[2],
                       grad = in[3];
               out[0] = hn::Mul(grad, update);
               out[1] = hn::Mul(grad, hn::Sub(before, candidate));
               out[2] = hn::Mul(hn::Mul(grad, hn::Sub(set(1), update)),
                                derivativeAt(activation, candidate));
             });
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(hardSigmoid);
HWY_EXPORT(add);
HWY_EXPORT(multiply);
HWY_EXPORT(multiplyAdd);
HWY_EXPORT(sumOfProducts);
HWY_EXPORT(blend);
HWY_EXPORT(scaleByDerivative);
HWY_EXPORT(lstmStepGradient);
HWY_EXPORT(gruStepGradient);

void hardSigmoid(float *x, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(hardSigmoid)(x, n);
}
void add(const float *a, float *to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add)(a, to, n);
}
void multiply(const float *a, const float *b, float *to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(multiply)(a, b, to, n);
}
void multiplyAdd(const float *a, const float *b, float *to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(multiplyAdd)(a, b, to, n);
}
void sumOfProducts(const float *a, const float *b, const float *c,
                   const float *d, float *to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(sumOfProducts)(a, b, c, d, to, n);
}
void blend(const float *u, const float *a, const float *b, float *to,
           std::size_t n) {
  HWY_DYNAMIC_DISPATCH(blend)(u, a, b, to, n);
}
void scaleByDerivative(const Derivative &derivative, const float *y,
                       float *gradient, std::size_t n) {
  if (derivative.kind == Derivative::Kind::softmax) {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += gradient[i] * y[i];
    for (std::size_t i = 0; i < n; ++i)
      gradient[i] = y[i] * (gradient[i] - sum);
    return;
  }
  HWY_DYNAMIC_DISPATCH(scaleByDerivative)(derivative, y, gradient, n);
}
void lstmStepGradient(const LstmStep &step, const Derivative &activation,
                      const Derivative &recurrent, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(lstmStepGradient)(step, activation, recurrent, n);
}
void gruStepGradient(const GruStep &step, const Derivative &activation,
                     std::size_t n) {
  HWY_DYNAMIC_DISPATCH(gruStepGradient)(step, activation, n);
}

} // namespace ipumodel
#endif
