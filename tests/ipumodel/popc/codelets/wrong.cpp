#include <poplar/Vertex.hpp>

// The mistake is in the body, which only the compiler reads.
template <typename T> class Wrong : public poplar::Vertex {
public:
  poplar::Input<T> in;
  poplar::Output<T> out;
  bool compute() {
    *out = *undeclared_name;
    return true;
  }
};
template class Wrong<float>;
