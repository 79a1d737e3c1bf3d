// Every kind of field. Each codelet leaves something its inputs alone explain.
#include <poplar/Vertex.hpp>

using namespace poplar;

class AllLayouts : public Vertex {
  Input<Vector<float, VectorLayout::SPAN>> span;
  Input<Vector<float, VectorLayout::SHORT_SPAN, 16>> shortSpan;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> onePtr;
  Input<Vector<float, VectorLayout::SCALED_PTR32, 4>> scaled32;
  Input<Vector<float, VectorLayout::SCALED_PTR64, 8, true>> scaled64;
  Input<Vector<float, VectorLayout::SCALED_PTR128, 16>> scaled128;
  Input<Vector<float, VectorLayout::COMPACT_PTR, 2>> compact;
  Output<float> sum;
  void compute() {
    sum = span[0] + shortSpan[0] + onePtr[0] + scaled32[0] + scaled64[0] +
          scaled128[0] + compact[0];
  }
};

class States : public Vertex {
  States() = delete; // clang warns of a const field that is never initialised
  bool yes;
  char letter;
  unsigned char byte;
  short small;
  const unsigned short portion;
  int number;
  long long big;
  float real;
  half little;
  Vector<short> list;
  Vector<Vector<int>> table;
  Output<double> sum;
  bool compute() {
    *sum =
        letter + byte + small + portion + number + double(big) + real + little;
    for (const auto item : list)
      *sum += item;
    for (const auto &row : table)
      for (const int item : row)
        *sum += item;
    return yes;
  }
};

class Ragged : public Vertex {
  Vector<Input<Vector<int>>, VectorLayout::ONE_PTR, 4> rows;
  Input<VectorList<int, VectorListLayout::DELTAN, 8>> list;
  Vector<Output<Vector<int, VectorLayout::ONE_PTR, 16>>> sums;
  InOut<VectorList<int>> both;
  void compute() {
    for (unsigned i = 0; i < rows.size(); ++i) {
      sums[i][0] = 0;
      for (unsigned j = 0; j < rows[i].size(); ++j)
        sums[i][0] += rows[i][j] * list[i][j];
    }
    for (auto &row : both)
      for (int &item : row)
        item = -item;
  }
};

class Scattered : public Vertex {
  Vector<Input<float>> from;
  Vector<InOut<float>> to;
  void compute() {
    for (unsigned i = 0; i < from.size(); ++i)
      to[i] += from[i];
    to[0] = to[1]; // the value, not the edge
  }
};

// The operations codelets use on edges.
class Operations : public Vertex {
  Input<Vector<int>> in;
  InOut<Vector<int>> inOut;
  InOut<int> scalar;
  Input<int> one;
  bool compute() {
    static_assert(std::is_same<decltype(&in[0]), int *>::value,
                  "as codelets for the SDK expect, which cast it");
    static_assert(std::is_same<decltype(in.begin()), const int *>::value,
                  "inputs are read only");
    const int *first = &in[0];
    int *last = &inOut[inOut.size() - 1];
    *last += *first + in->size() + (*in)[1] + *(in.end() - 1) + in.data()[1];
    scalar += one;
    scalar *= 3;
    ++*scalar;
    if (scalar > one && one != 0 && !(scalar == one))
      inOut[0] = scalar - one;
    return in.begin() + in.size() == in.end() &&
           &*scalar == scalar.operator->();
  }
};
