// How much slower is the engine than equivalent plain code: views, copies,
// vertices, an empty run, memory?
#include "benchmarks/support/ratio.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

using namespace poplar;
using benchmarks::Better;
using benchmarks::Suite;

namespace {

Device makeDevice(unsigned tiles) {
  IPUModel model;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

// The cost of transpose, slice and reshape must not depend on the number of
// elements.
void viewOperations(const Suite &suite) {
  if (!suite.wants("engine/views"))
    return;
  Graph graph(makeDevice(4).getTarget());
  const auto operations = [](const Tensor &t, std::size_t n) {
    return [t, n] {
      const Tensor u = t.transpose()
                           .slice(1, n - 1, 0)
                           .slice(3, n - 5, 1)
                           .flatten()
                           .slice(7, (n - 2) * (n - 8) - 9)
                           .reshape({2, (n - 2) * (n - 8) / 2 - 8});
      if (u.numElements() == 0)
        std::abort();
    };
  };
  const Tensor small = graph.addVariable(FLOAT, {64, 64}, "small");
  const Tensor large = graph.addVariable(FLOAT, {4096, 4096}, "large");
  const auto seconds =
      suite.time({operations(large, 4096), operations(small, 64)});
  suite.report({"engine/views", seconds[0], seconds[1], "64x64 tensor",
                Better::lower, 10});
}

struct CopyBench {
  CopyBench(std::size_t rows, std::size_t columns, bool transposed)
      : device(makeDevice(4)), graph(device.getTarget()) {
    Tensor src = graph.addVariable(FLOAT, {rows, columns}, "src");
    Tensor dst = graph.addVariable(FLOAT, {columns * rows}, "dst");
    graph.setTileMapping(src, 0);
    graph.setTileMapping(dst, 1);
    if (transposed)
      src = src.transpose();
    engine.reset(new Engine(graph, program::Copy(src.flatten(), dst)));
    engine->load(device);
  }
  Device device;
  Graph graph;
  std::unique_ptr<Engine> engine;
};

void contiguousCopy(const Suite &suite) {
  if (!suite.wants("engine/copy"))
    return;
  const std::size_t side = 4096;
  CopyBench bench(side, side, false);
  std::vector<float> src(side * side, 1), dst(side * side, 2);
  const auto seconds = suite.time(
      {[&] { bench.engine->run(); },
       [&] { std::memcpy(dst.data(), src.data(), side * side * 4); }});
  const double bytes = side * side * 4;
  suite.report({"engine/copy", bytes / seconds[0], bytes / seconds[1], "memcpy",
                Better::higher, 0.8});
}

void blockedTranspose(const float *src, float *dst, std::size_t n,
                      std::size_t begin, std::size_t end) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t i0 = begin; i0 < end; i0 += kBlock)
    for (std::size_t j0 = 0; j0 < n; j0 += kBlock)
      for (std::size_t i = i0; i < i0 + kBlock; ++i)
        for (std::size_t j = j0; j < j0 + kBlock; ++j)
          dst[i * n + j] = src[j * n + i];
}

void transposedCopy(const Suite &suite) {
  if (!suite.wants("engine/transpose"))
    return;
  const std::size_t n = 4096;
  CopyBench bench(n, n, true);
  std::vector<float> src(n * n, 1), dst(n * n, 2);
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  const auto peer = [&] {
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        const auto row = [&](std::size_t i) {
          return n * i / threads / 16 * 16;
        };
        blockedTranspose(src.data(), dst.data(), n, row(t),
                         t + 1 == threads ? n : row(t + 1));
      });
    for (std::thread &worker : workers)
      worker.join();
  };
  const auto seconds = suite.time({[&] { bench.engine->run(); }, peer});
  const double bytes = n * n * 4;
  suite.report({"engine/transpose", bytes / seconds[0], bytes / seconds[1],
                "blocked transpose by hand", Better::higher, 0.5});
}

const char *const kScaleCodelet = R"(
#include <poplar/Vertex.hpp>
class Scale : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  float factor;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = in[i] * factor + 1.0f;
    return true;
  }
};
)";

void addScaleVertices(Graph &graph, ComputeSet cs, const Tensor &in,
                      const Tensor &out, std::size_t numVertices,
                      unsigned tiles) {
  const std::size_t each = in.numElements() / numVertices;
  for (std::size_t i = 0; i < numVertices; ++i) {
    const VertexRef v =
        graph.addVertex(cs, "Scale",
                        {{"in", in.slice(i * each, (i + 1) * each)},
                         {"out", out.slice(i * each, (i + 1) * each)}});
    graph.setInitialValue(v["factor"], 1.5f);
    graph.setTileMapping(v, static_cast<unsigned>(i % tiles));
  }
}

void computeSet(const Suite &suite) {
  if (!suite.wants("engine/compute-set"))
    return;
  const std::size_t numVertices = 10000, each = 64, n = numVertices * each;
  const unsigned tiles = 16;
  Device device = makeDevice(tiles);
  Graph graph(device.getTarget());
  std::stringstream source(kScaleCodelet);
  graph.addCodelets(source, "-O3");
  const Tensor in = graph.addVariable(FLOAT, {n}, "in");
  const Tensor out = graph.addVariable(FLOAT, {n}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  const ComputeSet cs = graph.addComputeSet("scale");
  addScaleVertices(graph, cs, in, out, numVertices, tiles);
  Engine engine(graph, program::Execute(cs));
  engine.load(device);

  // The same arithmetic as one loop per thread. The engine's threads exist
  // already, so starting the peer's is not timed either.
  std::vector<float> a(n, 1), b(n);
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  const auto scale = [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const float *x = a.data() + v * each;
      float *y = b.data() + v * each;
      for (std::size_t i = 0; i < each; ++i)
        y[i] = x[i] * 1.5f + 1.0f;
    }
  };
  const auto seconds = suite.time(
      {[&] { engine.run(); }, [&] { scale(0, numVertices / threads); }});
  suite.report({"engine/compute-set", 1 / seconds[0], 1 / seconds[1],
                "the loop by hand, on all threads", Better::higher, 0.5});
}

void emptyRun(const Suite &suite) {
  if (!suite.wants("engine/empty-run"))
    return;
  Device device = makeDevice(4);
  Graph graph(device.getTarget());
  Engine engine(graph, program::Sequence());
  engine.load(device);
  const auto seconds = suite.time({[&] { engine.run(); }});
  suite.report({"engine/empty-run", seconds[0] * 1e6, 2.0, "two microseconds",
                Better::lower, 1});
}

std::size_t residentBytes() {
  std::ifstream status("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  status >> total >> resident;
  return resident * 4096;
}

void graphMemory(const Suite &suite) {
  if (!suite.wants("engine/graph-memory"))
    return;
  const std::size_t numVertices = 100000, each = 8;
  const unsigned tiles = 1472;
  Device device = makeDevice(tiles);
  const std::size_t before = residentBytes();
  Graph graph(device.getTarget());
  std::stringstream source(kScaleCodelet);
  graph.addCodelets(source, "-O3");
  const Tensor in = graph.addVariable(FLOAT, {numVertices * each}, "in");
  const Tensor out = graph.addVariable(FLOAT, {numVertices * each}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  const ComputeSet cs = graph.addComputeSet("scale");
  addScaleVertices(graph, cs, in, out, numVertices, tiles);
  const double built = static_cast<double>(residentBytes() - before) / 1e6;
  suite.report(
      {"engine/graph-memory", built, 200.0, "200 MB", Better::lower, 1});
}

// Device memory in addition to the variables, measured as the growth of the
// process when an engine with many tensors is loaded and written to.
void bufferMemory(const Suite &suite) {
  if (!suite.wants("engine/buffer-memory"))
    return;
  Device device = makeDevice(16);
  Graph graph(device.getTarget());
  std::mt19937 random(1);
  std::size_t bytes = 0;
  program::Sequence fill;
  for (int i = 0; i < 2000; ++i) {
    const std::size_t n = 1000 + random() % 20000;
    const Tensor t = graph.addVariable(FLOAT, {n}, "t");
    graph.setTileMapping(t, static_cast<unsigned>(i) % 16);
    const Tensor one = graph.addConstant(FLOAT, {1}, 1.0f);
    graph.setTileMapping(one, 0);
    fill.add(program::Copy(one.broadcast(static_cast<unsigned>(n), 0), t));
    bytes += n * 4;
  }
  Engine engine(graph, fill);
  const std::size_t before = residentBytes();
  engine.load(device);
  engine.run();
  suite.report({"engine/buffer-memory",
                static_cast<double>(residentBytes() - before) / 1e6,
                static_cast<double>(bytes) / 1e6, "sum of the variables",
                Better::lower, 1.2});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  viewOperations(suite);
  contiguousCopy(suite);
  transposedCopy(suite);
  computeSet(suite);
  emptyRun(suite);
  graphMemory(suite);
  bufferMemory(suite);
}
