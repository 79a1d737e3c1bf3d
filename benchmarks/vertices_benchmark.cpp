// How fast are programs of thousands of small vertices, as others write them,
// compared with the same loops in one C++ function? Each runs for many steps;
// the function does a thread's share of the work, as vertices run on all
// threads.
#include "benchmarks/support/ratio.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <sstream>
#include <thread>

using namespace poplar;
using benchmarks::Better;
using benchmarks::Suite;

namespace {

constexpr unsigned kTiles = 64;
constexpr unsigned kSteps = 20;

const char *const kCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;

class Stencil : public Vertex {
public:
  Input<Vector<float>> above, row, below;
  Output<Vector<float>> out;
  bool compute() {
    const unsigned last = row.size() - 1;
    out[0] = row[0];
    for (unsigned i = 1; i < last; ++i)
      out[i] = 0.25f * (above[i] + below[i] + row[i - 1] + row[i + 1]);
    out[last] = row[last];
    return true;
  }
};

class Relax : public Vertex {
public:
  Input<Vector<float>> left, right;
  InOut<Vector<float>> mid;
  bool compute() {
    for (unsigned i = 0; i < mid.size(); ++i)
      mid[i] = 0.5f * mid[i] + 0.25f * (left[i] + right[i]);
    return true;
  }
};

class Dot : public Vertex {
public:
  Input<Vector<float>> row, x;
  Output<float> out;
  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < row.size(); ++i)
      sum += row[i] * x[i];
    *out = sum;
    return true;
  }
};

class Combine : public Vertex {
public:
  Input<float> a, b;
  Output<float> out;
  float factor;
  bool compute() {
    *out = *a * factor + *b;
    return true;
  }
};
)";

// A graph with the codelets, whose program repeats a step.
class Model {
public:
  Model() : device_(device()), graph(device_.getTarget()) {
    std::stringstream source(kCodelets);
    graph.addCodelets(source, "-O3");
  }

  Tensor variable(std::vector<std::size_t> shape) {
    const Tensor t = graph.addVariable(FLOAT, shape);
    graph.setTileMapping(t, 0);
    graph.setInitialValue(
        t, ArrayRef<float>(std::vector<float>(t.numElements(), 1.0f)));
    return t;
  }
  VertexRef vertex(ComputeSet cs, const char *name) {
    const VertexRef v = graph.addVertex(cs, name);
    graph.setTileMapping(v, numVertices_++ % kTiles);
    return v;
  }
  void report(const Suite &suite, const char *name,
              const program::Program &step,
              const std::function<void()> &peerStep) {
    Engine engine(graph, program::Repeat(kSteps, step));
    engine.load(device_);
    const auto seconds = suite.time({[&] { engine.run(); },
                                     [&] {
                                       for (unsigned i = 0; i < kSteps; ++i)
                                         peerStep();
                                     }});
    suite.report({name, 1 / seconds[0], 1 / seconds[1],
                  "the loops by hand, on all threads", Better::higher, 0.5});
  }

private:
  static Device device() {
    IPUModel model;
    model.tilesPerIPU = kTiles;
    return model.createDevice();
  }
  Device device_;
  unsigned numVertices_ = 0;

public:
  Graph graph;
};

// Of one thread.
std::size_t share(std::size_t vertices) {
  return vertices / std::max(1u, std::thread::hardware_concurrency());
}

// Rows of a grid from those of another, and back.
void stencil(const Suite &suite) {
  const char *const name = "engine/vertices-stencil";
  if (!suite.wants(name))
    return;
  const std::size_t rows = 2048, columns = 64;
  Model m;
  const Tensor grids[] = {m.variable({rows, columns}),
                          m.variable({rows, columns})};
  program::Sequence step;
  for (int from : {0, 1}) {
    const ComputeSet cs = m.graph.addComputeSet();
    for (std::size_t r = 1; r + 1 < rows; ++r) {
      const VertexRef v = m.vertex(cs, "Stencil");
      m.graph.connect(v["above"], grids[from][r - 1]);
      m.graph.connect(v["row"], grids[from][r]);
      m.graph.connect(v["below"], grids[from][r + 1]);
      m.graph.connect(v["out"], grids[1 - from][r]);
    }
    step.add(program::Execute(cs));
  }
  std::vector<float> a(rows * columns, 1), b(rows * columns, 1);
  const std::size_t mine = share(rows);
  const auto sweep = [&](const std::vector<float> &from,
                         std::vector<float> &to) {
    for (std::size_t r = 1; r + 1 < mine; ++r) {
      const float *const in = from.data() + r * columns;
      float *const out = to.data() + r * columns;
      out[0] = in[0];
      for (std::size_t i = 1; i + 1 < columns; ++i)
        out[i] =
            0.25f * (in[i - columns] + in[i + columns] + in[i - 1] + in[i + 1]);
      out[columns - 1] = in[columns - 1];
    }
  };
  m.report(suite, name, step, [&] {
    sweep(a, b);
    sweep(b, a);
  });
}

// Every vertex changes its block and reads its neighbours' as they were.
void inPlace(const Suite &suite) {
  const char *const name = "engine/vertices-in-place";
  if (!suite.wants(name))
    return;
  const std::size_t blocks = 4096, each = 32;
  Model m;
  const Tensor all = m.variable({blocks, each});
  const ComputeSet cs = m.graph.addComputeSet();
  for (std::size_t v = 1; v + 1 < blocks; ++v) {
    const VertexRef ref = m.vertex(cs, "Relax");
    m.graph.connect(ref["left"], all[v - 1]);
    m.graph.connect(ref["mid"], all[v]);
    m.graph.connect(ref["right"], all[v + 1]);
  }
  std::vector<float> a(blocks * each, 1), before = a;
  const std::size_t n = share(blocks) * each;
  m.report(suite, name, program::Execute(cs), [&] {
    std::copy_n(a.data(), n, before.data());
    for (std::size_t i = each; i + each < n; ++i)
      a[i] = 0.5f * a[i] + 0.25f * (before[i - each] + before[i + each]);
  });
}

// A matrix by a vector, row by row.
void dots(const Suite &suite) {
  const char *const name = "engine/vertices-dot";
  if (!suite.wants(name))
    return;
  const std::size_t rows = 4096, columns = 32;
  Model m;
  const Tensor matrix = m.variable({rows, columns});
  const Tensor x = m.variable({columns});
  const Tensor y = m.variable({rows});
  const ComputeSet cs = m.graph.addComputeSet();
  for (std::size_t r = 0; r < rows; ++r) {
    const VertexRef v = m.vertex(cs, "Dot");
    m.graph.connect(v["row"], matrix[r]);
    m.graph.connect(v["x"], x);
    m.graph.connect(v["out"], y[r]);
  }
  std::vector<float> a(rows * columns, 1), b(columns, 1), c(rows);
  const std::size_t mine = share(rows);
  m.report(suite, name, program::Execute(cs), [&] {
    for (std::size_t r = 0; r < mine; ++r) {
      float sum = 0;
      for (std::size_t i = 0; i < columns; ++i)
        sum += a[r * columns + i] * b[i];
      c[r] = sum;
    }
  });
}

// Scalars: nothing but the cost of a vertex.
void scalars(const Suite &suite) {
  const char *const name = "engine/vertices-scalar";
  if (!suite.wants(name))
    return;
  const std::size_t n = 16384;
  Model m;
  const Tensor a = m.variable({n}), b = m.variable({n}), c = m.variable({n});
  const ComputeSet cs = m.graph.addComputeSet();
  for (std::size_t i = 0; i < n; ++i) {
    const VertexRef v = m.vertex(cs, "Combine");
    m.graph.connect(v["a"], a[i]);
    m.graph.connect(v["b"], b[n - 1 - i]);
    m.graph.connect(v["out"], c[i]);
    m.graph.setInitialValue(v["factor"], 1.5f);
  }
  std::vector<float> x(n, 1), y(n, 1), z(n);
  const std::size_t mine = share(n);
  m.report(suite, name, program::Execute(cs), [&] {
    for (std::size_t i = 0; i < mine; ++i)
      z[i] = x[i] * 1.5f + y[n - 1 - i];
  });
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  stencil(suite);
  inPlace(suite);
  dots(suite);
  scalars(suite);
}
