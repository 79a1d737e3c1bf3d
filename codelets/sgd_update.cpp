// One step of gradient descent on a range of one class's weights.
#include <poplar/Vertex.hpp>

namespace popscope {

class SgdUpdate : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> weights;
  poplar::Input<poplar::Vector<float>> gradient; // of the class, per image
  poplar::Vector<poplar::Input<poplar::Vector<float>>> images; // the same range
  float rate;

  bool compute() {
    for (unsigned b = 0; b < images.size(); ++b) {
      const float step = rate * gradient[b];
      for (unsigned i = 0; i < weights.size(); ++i)
        weights[i] -= step * images[b][i];
    }
    return true;
  }
};

} // namespace popscope
