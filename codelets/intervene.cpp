// Changes the elements of a tensor as an intervention asks.
#include "codelets/element_format.hpp"
#include "codelets/intervention.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

template <typename T> class Intervene : public poplar::Vertex {
public:
  poplar::Vector<poplar::InOut<poplar::Vector<T>>> regions;
  poplar::Vector<unsigned> firstIndex; // of each region, in the tensor
  poplar::Input<poplar::Vector<unsigned>> words; // an InterventionWords

  bool compute() {
    const auto kind = InterventionKind(words[0]);
    const float amount = floatOf(words[1]);
    for (unsigned r = 0; r < regions.size(); ++r)
      for (unsigned i = 0; i < regions[r].size(); ++i) {
        T &element = regions[r][i];
        if (kind == InterventionKind::zero)
          element = T(0.0f);
        else if (kind == InterventionKind::scale)
          element = T(float(element) * amount);
        else
          element =
              T(float(element) + amount * noiseOf(words[2], firstIndex[r] + i));
      }
    return true;
  }
};

template class Intervene<float>;
template class Intervene<half>;

// After all vertices of an execution have read the seed.
class AdvanceSeed : public poplar::Vertex {
public:
  poplar::InOut<unsigned> seed;

  bool compute() {
    *seed = nextSeed(*seed);
    return true;
  }
};

} // namespace popscope
