// Random numbers of the IPU's instructions.
#include <poplar/Vertex.hpp>

using namespace poplar;

class Draw : public Vertex {
public:
  Output<Vector<unsigned long long>> out;
  bool compute() {
    for (auto &number : out)
      number = __builtin_ipu_urand64();
    return true;
  }
};

class DrawByWorkers : public MultiVertex {
public:
  Output<Vector<unsigned>> out;
  bool compute(unsigned worker) {
    out[worker] = __builtin_ipu_urand32();
    return true;
  }
};

class DrawFractions : public Vertex {
public:
  Output<Vector<float>> uniform;
  Output<Vector<float>> halves;
  Output<Vector<float>> gaussian;
  Output<Vector<float>> halfGaussian;
  bool compute() {
    for (unsigned i = 0; i + 1 < uniform.size(); i += 2) {
      uniform[i] = __builtin_ipu_urand_f32();
      uniform[i + 1] = __builtin_ipu_urand_f32();
      halves[i] = float(__builtin_ipu_urand_f16());
      halves[i + 1] = float(__builtin_ipu_urand_f16());
      const auto pair = __builtin_ipu_f32v2grand();
      gaussian[i] = pair[0];
      gaussian[i + 1] = pair[1];
      const auto half = __builtin_ipu_f16v2grand();
      halfGaussian[i] = float(half[0]);
      halfGaussian[i + 1] = float(half[1]);
    }
    return true;
  }
};
