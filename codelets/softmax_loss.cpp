// Softmax cross-entropy of one image, with its gradient and the predicted
// class.
#include <poplar/Vertex.hpp>

#include <cmath>

namespace popscope {

class SoftmaxLoss : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> logits;
  poplar::Input<unsigned> label;
  poplar::Output<poplar::Vector<float>> gradient; // d loss / d logits
  poplar::Output<float> loss;
  poplar::Output<unsigned> prediction;

  bool compute() {
    unsigned best = 0;
    for (unsigned c = 1; c < logits.size(); ++c)
      if (logits[c] > logits[best])
        best = c;

    // Relative to the largest logit, so that exp cannot overflow.
    const float largest = logits[best];
    float sum = 0.0f;
    for (unsigned c = 0; c < logits.size(); ++c)
      sum += std::exp(logits[c] - largest);

    for (unsigned c = 0; c < logits.size(); ++c) {
      const float probability = std::exp(logits[c] - largest) / sum;
      gradient[c] = c == label ? probability - 1.0f : probability;
    }
    *loss = std::log(sum) + largest - logits[label];
    *prediction = best;
    return true;
  }
};

} // namespace popscope
