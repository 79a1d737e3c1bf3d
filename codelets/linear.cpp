// Class scores of one image: its dot product with each class's weights.
#include <poplar/Vertex.hpp>

namespace popscope {

class Linear : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> image;
  poplar::Vector<poplar::Input<poplar::Vector<float>>> weights; // per class
  poplar::Output<poplar::Vector<float>> logits;                 // per class

  bool compute() {
    for (unsigned c = 0; c < weights.size(); ++c) {
      float sum = 0.0f;
      for (unsigned i = 0; i < image.size(); ++i)
        sum += image[i] * weights[c][i];
      logits[c] = sum;
    }
    return true;
  }
};

} // namespace popscope
