#include "model.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <numeric>

using namespace poplar;
using namespace poplar::program;
using enginetest::iota;
using enginetest::Model;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

namespace {

const char *const kCodelets = R"(
#include <poplar/Vertex.hpp>
#include <print.h>
using namespace poplar;

class Shift : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = in[i] + 1.0f;
    return true;
  }
};

class Neighbours : public Vertex {
public:
  Input<float> left, right;
  InOut<float> middle;
  bool compute() { *middle = *left + *right; return true; }
};

class SumRows : public Vertex {
public:
  Vector<Input<Vector<float>>> rows;
  Output<Vector<float>> sums;
  bool compute() {
    for (unsigned i = 0; i < rows.size(); ++i) {
      float sum = 0;
      for (unsigned j = 0; j < rows[i].size(); ++j)
        sum += rows[i][j];
      sums[i] = sum;
    }
    return true;
  }
};

class Pick : public Vertex {
public:
  Vector<Input<int>> from;
  Output<Vector<int>> to;
  Vector<unsigned> order;
  int bias;
  bool compute() {
    for (unsigned i = 0; i < order.size(); ++i)
      to[i] = from[order[i]] + bias;
    return true;
  }
};

class Ticket : public Vertex {
public:
  Output<int> number;
  int next;
  bool compute() { *number = next++; return true; }
};

class Strided : public MultiVertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int>> out;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < in.size(); i += numWorkers())
      out[i] = in[i] * 10 + int(worker);
    return true;
  }
};

class Aligned : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 16>> in;
  Output<int> misaligned;
  bool compute() {
    *misaligned = int(reinterpret_cast<unsigned long>(&in[0]) % 16);
    return true;
  }
};

class KeepSome : public Vertex {
public:
  Output<Vector<int>> out;
  bool compute() {
    for (unsigned i = 0; i < out.size(); i += 2)
      out[i] = -1;
    return true;
  }
};

class Say : public Vertex {
public:
  int number;
  bool compute() { printf("vertex %d\n", number); return true; }
};

template <class T, bool Negate> class Scale : public Vertex {
public:
  InOut<Vector<T>> data;
  T factor;
  bool compute() {
    for (auto &x : data)
      x = Negate ? -(x * factor) : x * factor;
    return true;
  }
};
template class Scale<float, true>;
template class Scale<half, false>;
)";

struct Vertices : Model {
  Vertices() { addCodelets(kCodelets); }
  VertexRef vertex(ComputeSet cs, StringRef type,
                   ArrayRef<Graph::ConnectionDesc> fields) {
    const VertexRef v = graph.addVertex(cs, type, fields);
    graph.setTileMapping(v, 0);
    return v;
  }
};

} // namespace

TEST(Vertex, SeesScatteredElementsAsOneVector) {
  Vertices m;
  const Tensor a = m.add(FLOAT, {3, 4}, "a");
  const Tensor b = m.add(FLOAT, {4, 3}, "b");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  m.vertex(cs, "Shift",
           {{"in", a.transpose().flatten()}, {"out", b.flatten()}});
  m.load(Execute(cs));
  m.write("a", iota<float>(12));
  m.engine->run();
  EXPECT_THAT(m.read<float>("b", 12),
              ElementsAre(1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12));
}

TEST(Vertex, WritesScatteredElementsBack) {
  Vertices m;
  const Tensor a = m.add(FLOAT, {2, 3}, "a");
  const Tensor b = m.add(FLOAT, {3, 2}, "b");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  m.vertex(cs, "Shift",
           {{"in", a.flatten()}, {"out", b.transpose().flatten()}});
  m.load(Execute(cs));
  m.write("a", iota<float>(6));
  m.engine->run();
  EXPECT_THAT(m.read<float>("b", 6), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Vertex, ElementsAScatteredOutputDoesNotWriteKeepTheirValue) {
  Vertices m;
  const Tensor a = m.add(INT, {2, 3}, "a");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  m.vertex(cs, "KeepSome", {{"out", a.transpose().flatten()}});
  m.load(Execute(cs));
  m.write("a", iota<int>(6, 1));
  m.engine->run();
  EXPECT_THAT(m.read<int>("a", 6), ElementsAre(-1, -1, -1, 4, 5, 6));
}

TEST(Vertex, ReadsWhatOthersWriteAsItWasBefore) {
  Vertices m;
  const std::size_t n = 9;
  const Tensor a = m.add(FLOAT, {n}, "a");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  for (std::size_t i = 0; i < n; ++i)
    m.vertex(cs, "Neighbours",
             {{"left", a[(i + n - 1) % n]},
              {"right", a[(i + 1) % n]},
              {"middle", a[i]}});
  m.load(Execute(cs));
  std::vector<float> values = {1, 2, 4, 8, 16, 32, 64, 128, 256}, expected(n);
  for (std::size_t i = 0; i < n; ++i)
    expected[i] = values[(i + n - 1) % n] + values[(i + 1) % n];
  m.write("a", values);
  m.engine->run();
  EXPECT_THAT(m.read<float>("a", n), ElementsAreArray(expected));
}

// Ranges that overlap, that the vertex writes itself in part, and those of a
// second variable.
TEST(Vertex, ReadsOverlappingRangesOthersWriteAsTheyWereBefore) {
  Vertices m;
  const std::size_t n = 40;
  const char *const names[] = {"a", "b"};
  const ComputeSet cs = m.graph.addComputeSet("cs");
  std::vector<float> values[2], expected[2];
  for (std::size_t v : {0, 1}) {
    for (std::size_t k = 0; k < n; ++k)
      values[v].push_back(static_cast<float>(k * k + v));
    expected[v] = values[v];
    const Tensor t = m.add(FLOAT, {n}, names[v]);
    for (std::size_t i = 9; i < n; ++i) {
      const std::size_t begin = i - 5, end = std::min(n, i + 1 + i % 7);
      m.vertex(cs, "SumRows",
               {{"rows", t.slice(begin, end).expand({0})},
                {"sums", t.slice(i, i + 1)}});
      expected[v][i] = std::accumulate(values[v].data() + begin,
                                       values[v].data() + end, 0.f);
    }
  }
  m.load(Execute(cs));
  for (std::size_t v : {0, 1})
    m.write(names[v], values[v]);
  m.engine->run();
  EXPECT_THAT(m.read<float>("a", n), ElementsAreArray(expected[0]));
  EXPECT_THAT(m.read<float>("b", n), ElementsAreArray(expected[1]));
}

TEST(Vertex, TakesRaggedRowsAndWholeMatrices) {
  Vertices m;
  const Tensor a = m.add(FLOAT, {6}, "a");
  const Tensor matrix = m.add(FLOAT, {2, 3}, "m");
  const Tensor sums = m.add(FLOAT, {3}, "sums");
  const Tensor rowSums = m.add(FLOAT, {2}, "rowSums");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  const std::vector<Tensor> rows = {a.slice(0, 1), a.slice(1, 3),
                                    a.slice(3, 6)};
  m.vertex(cs, "SumRows", {{"rows", rows}, {"sums", sums}});
  m.vertex(cs, "SumRows", {{"rows", matrix}, {"sums", rowSums}});
  m.load(Execute(cs));
  m.write("a", iota<float>(6, 1));
  m.write("m", iota<float>(6, 1));
  m.engine->run();
  EXPECT_THAT(m.read<float>("sums", 3), ElementsAre(1, 5, 15));
  EXPECT_THAT(m.read<float>("rowSums", 2), ElementsAre(6, 15));
}

TEST(Vertex, TakesVectorsOfScalarEdgesAndStateVectors) {
  Vertices m;
  const Tensor a = m.add(INT, {4}, "a");
  const Tensor b = m.add(INT, {3}, "b");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  const VertexRef v = m.vertex(cs, "Pick", {{"to", b}});
  m.graph.setFieldSize(v["from"], 4);
  for (std::size_t i = 0; i < 4; ++i)
    m.graph.connect(v["from"][i], a[3 - i]);
  m.graph.setInitialValue(v["order"], std::vector<unsigned>{0, 3, 1});
  m.graph.setInitialValue(v["bias"], 100);
  m.load(Execute(cs));
  m.write("a", iota<int>(4));
  m.engine->run();
  EXPECT_THAT(m.read<int>("b", 3), ElementsAre(103, 100, 102));
}

TEST(Vertex, StatePersistsUntilTheEngineIsLoadedAgain) {
  Vertices m;
  const Tensor n = m.add(INT, {}, "n");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  const VertexRef v = m.vertex(cs, "Ticket", {{"number", n}});
  m.graph.setInitialValue(v["next"], 40);
  m.load(Repeat(2, Execute(cs)));
  m.engine->run();
  m.engine->run();
  EXPECT_THAT(m.read<int>("n", 1), ElementsAre(43));
  m.engine->load(m.device);
  m.engine->run();
  EXPECT_THAT(m.read<int>("n", 1), ElementsAre(41));
}

TEST(Vertex, AMultiVertexRunsOncePerWorker) {
  Vertices m;
  const Tensor a = m.add(INT, {8}, "a");
  const Tensor b = m.add(INT, {8}, "b");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  m.vertex(cs, "Strided", {{"in", a}, {"out", b}});
  m.load(Execute(cs));
  m.write("a", iota<int>(8));
  m.engine->run();
  EXPECT_THAT(m.read<int>("b", 8), ElementsAre(0, 11, 22, 33, 44, 55, 60, 71));
}

TEST(Vertex, VectorsAreAlignedAsTheirTypeAsks) {
  Vertices m;
  const Tensor a = m.add(FLOAT, {16}, "a");
  const Tensor off = m.add(INT, {16}, "off");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  for (std::size_t i = 0; i < 12; ++i)
    m.vertex(cs, "Aligned",
             {{"in", a.slice(i, i + 4)}, {"misaligned", off[i]}});
  m.load(Execute(cs));
  m.engine->run();
  EXPECT_THAT(m.read<int>("off", 16), testing::Each(0));
}

TEST(Vertex, ItsPrintsComeInTheOrderOfTheVertices) {
  Vertices m;
  const ComputeSet cs = m.graph.addComputeSet("cs");
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    m.graph.setInitialValue(m.vertex(cs, "Say", {})["number"], i);
    expected += "vertex " + std::to_string(i) + "\n";
  }
  m.load(Execute(cs));
  std::ostringstream out;
  m.engine->setPrintStream(out);
  m.engine->run();
  EXPECT_EQ(out.str(), expected);
}

TEST(Vertex, TemplatesAreNamedByTheirArguments) {
  Vertices m;
  const Tensor a = m.add(FLOAT, {2}, "a");
  const Tensor h = m.add(HALF, {2}, "h");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  m.graph.setInitialValue(
      m.vertex(cs, "Scale<float,true>", {{"data", a}})["factor"], 3);
  m.graph.setInitialValue(
      m.vertex(cs, "Scale<half, false>", {{"data", h}})["factor"], 0.5f);
  m.load(Execute(cs));
  m.write("a", std::vector<float>{1, 2});
  std::vector<std::uint16_t> halves(2);
  const float values[2] = {2, 3};
  copyFloatToDeviceHalf(m.graph.getTarget(), values, halves.data(), 2);
  m.write("h", halves);
  m.engine->run();
  EXPECT_THAT(m.read<float>("a", 2), ElementsAre(-3, -6));
  float got[2];
  halves = m.read<std::uint16_t>("h", 2);
  copyDeviceHalfToFloat(m.graph.getTarget(), halves.data(), got, 2);
  EXPECT_THAT(got, ElementsAre(1, 1.5f));
}

TEST(Vertex, AConstantMayBeConnectedByValue) {
  Vertices m;
  const Tensor a = m.add(FLOAT, {1}, "a");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  const VertexRef v = m.vertex(cs, "Neighbours", {{"middle", a[0]}});
  m.graph.connect(v["left"], 2);
  m.graph.connect(v["right"], 0.5);
  m.load(Execute(cs));
  m.engine->run();
  EXPECT_THAT(m.read<float>("a", 1), ElementsAre(2.5f));
}

TEST(Vertex, AnEmptyVectorIsConnectedWithSizeZero) {
  Vertices m;
  const Tensor a = m.add(FLOAT, {4}, "a");
  const ComputeSet cs = m.graph.addComputeSet("cs");
  m.vertex(cs, "Shift", {{"in", a.slice(1, 1)}, {"out", a.slice(3, 3)}});
  m.load(Execute(cs));
  m.engine->run();
  EXPECT_THAT(m.read<float>("a", 4), testing::Each(0));
}
