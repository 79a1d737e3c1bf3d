// y = factor * x, on a tile.
#include <poplar/Vertex.hpp>

class Scale : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> x;
  poplar::Output<poplar::Vector<float>> y;
  float factor;

  bool compute() {
    for (unsigned i = 0; i < x.size(); ++i)
      y[i] = factor * x[i];
    return true;
  }
};
