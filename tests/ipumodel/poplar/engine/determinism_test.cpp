#include "model.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <set>

using namespace poplar;
using namespace poplar::program;
using enginetest::Model;

namespace {

const char *const kMix = R"(
#include <poplar/Vertex.hpp>
class Mix : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::InOut<poplar::Vector<float>> out;
  float seed;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = out[i] * 0.9f + in[i % in.size()] * seed;
    seed = seed * 1.25f - int(seed * 1.25f);
    return true;
  }
};
)";

// Vertices that read their neighbours' old values, and copies in between.
std::vector<float> runWithThreads(const char *threads) {
  setenv("IPUMODEL_THREADS", threads, 1);
  Model m(16);
  m.addCodelets(kMix);
  const std::size_t vertices = 500, each = 100, n = vertices * each;
  const Tensor a = m.add(FLOAT, {n}, "a");
  const Tensor b = m.add(FLOAT, {n}, "b");
  const ComputeSet cs = m.graph.addComputeSet("mix");
  for (std::size_t i = 0; i < vertices; ++i) {
    const std::size_t next = (i + 1) % vertices;
    const VertexRef v =
        m.graph.addVertex(cs, "Mix",
                          {{"in", a.slice(next * each, (next + 1) * each)},
                           {"out", a.slice(i * each, (i + 1) * each)}});
    m.graph.setInitialValue(v["seed"], 0.1f + static_cast<float>(i) / 700);
    m.graph.setTileMapping(v, static_cast<unsigned>(i % 16));
  }
  m.load(Repeat(
      5, Sequence({Execute(cs), Copy(a.reshape({250, 200}).transpose(), b),
                   Copy(b, a)})));
  unsetenv("IPUMODEL_THREADS");
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<float>(i % 977) / 977;
  m.write("a", values);
  m.engine->run();
  return m.read<float>("a", n);
}

const char *const kDraw = R"(
#include <poplar/Vertex.hpp>
class Draw : public poplar::Vertex {
public:
  poplar::Output<poplar::Vector<unsigned>> out;
  bool compute() {
    for (auto &number : out)
      number = __builtin_ipu_urand32();
    return true;
  }
};
)";

// What 300 vertices of each of two compute sets draw in two runs.
std::vector<unsigned> drawWithThreads(const char *threads) {
  setenv("IPUMODEL_THREADS", threads, 1);
  Model m(16);
  m.addCodelets(kDraw);
  const std::size_t vertices = 300, each = 100;
  const Tensor out = m.add(UNSIGNED_INT, {2 * vertices, each}, "out");
  Sequence prog;
  for (std::size_t set = 0; set < 2; ++set) {
    const ComputeSet cs = m.graph.addComputeSet("draw");
    for (std::size_t i = 0; i < vertices; ++i) {
      const VertexRef v = m.graph.addVertex(cs, "Draw");
      m.graph.connect(v["out"], out[set * vertices + i]);
      m.graph.setTileMapping(v, static_cast<unsigned>(i % 16));
    }
    prog.add(Execute(cs));
  }
  m.load(prog);
  unsetenv("IPUMODEL_THREADS");
  std::vector<unsigned> all;
  for (int run = 0; run < 2; ++run) {
    m.engine->run();
    const auto drawn = m.read<unsigned>("out", out.numElements());
    all.insert(all.end(), drawn.begin(), drawn.end());
  }
  return all;
}

} // namespace

TEST(Determinism, TheSameBitsOnAnyNumberOfThreads) {
  const std::vector<float> one = runWithThreads("1");
  EXPECT_EQ(one, runWithThreads("2"));
  EXPECT_EQ(one, runWithThreads("4"));
  EXPECT_EQ(one, runWithThreads("7"));
}

TEST(Determinism, ABadNumberOfThreadsIsNamed) {
  setenv("IPUMODEL_THREADS", "many", 1);
  Model m;
  const Tensor a = m.add(FLOAT, {1}, "a");
  try {
    Engine engine(m.graph, Copy(a, a));
    FAIL() << "made an engine";
  } catch (const invalid_option &e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("IPUMODEL_THREADS"));
    EXPECT_THAT(e.what(), testing::HasSubstr("many"));
  }
  unsetenv("IPUMODEL_THREADS");
}

TEST(Determinism, RandomNumbersOfCodeletsDoNotDependOnThreads) {
  const auto drawn = drawWithThreads("1");
  EXPECT_EQ(drawWithThreads("3"), drawn);
}

TEST(Determinism, VerticesAndTheirRunsDrawDifferentNumbers) {
  const auto drawn = drawWithThreads("2");
  std::set<std::vector<unsigned>> rows;
  for (std::size_t i = 0; i < drawn.size(); i += 100)
    rows.emplace(drawn.begin() + i, drawn.begin() + i + 100);
  EXPECT_EQ(rows.size(), 1200u);
}
