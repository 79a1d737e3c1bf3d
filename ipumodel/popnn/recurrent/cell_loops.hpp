// The arithmetic of recurrent cells on arrays of floats, compiled for each
// instruction set and chosen at run time.
#pragma once

#include <cstddef>

namespace ipumodel {

// The derivative of a non-linearity as a function of its result y:
// constant + linear y + square y^2, or 1 for positive y. That of softmax is no
// factor of an element's gradient; only scaleByDerivative knows it.
struct Derivative {
  float constant, linear, square;
  enum class Kind : unsigned char { polynomial, step, softmax } kind;
};

// x = clamp(x / 5 + 1/2, 0, 1).
void hardSigmoid(float *x, std::size_t n);
// to += a.
void add(const float *a, float *to, std::size_t n);
// to = a b.
void multiply(const float *a, const float *b, float *to, std::size_t n);
// to += a b.
void multiplyAdd(const float *a, const float *b, float *to, std::size_t n);
// to = a b + c d.
void sumOfProducts(const float *a, const float *b, const float *c,
                   const float *d, float *to, std::size_t n);
// to = u a + (1 - u) b.
void blend(const float *u, const float *a, const float *b, float *to,
           std::size_t n);
// gradient *= derivative(y); of softmax, over all elements.
void scaleByDerivative(const Derivative &derivative, const float *y,
                       float *gradient, std::size_t n);

// One step of an LSTM backwards. Gates and gradients of gates are in the order
// of BasicLstmCellUnit.
struct LstmStep {
  const float *gates[4];
  const float *activated;  // activation of the cell state
  const float *before;     // the cell state before the step
  const float *outputGrad; // of h
  float *stateGrad;        // of c after the step, then before it
  float *gateGrads[4];     // before their non-linearities
};
// Neither is softmax.
void lstmStepGradient(const LstmStep &step, const Derivative &activation,
                      const Derivative &recurrent, std::size_t n);

// One step of a GRU backwards, as far as it needs no product with weights.
struct GruStep {
  const float *update; // with attention
  const float *candidate;
  const float *before;     // h before the step
  const float *outputGrad; // of h
  float *beforeGrad;       // of h before the step, directly
  float *updateGrad;       // of the update gate, after its non-linearity
  float *candidateGrad;    // before its non-linearity
};
// If the activation is softmax, the candidate's is after its non-linearity.
void gruStepGradient(const GruStep &step, const Derivative &activation,
                     std::size_t n);

} // namespace ipumodel
