// Vertices of single elements run as one loop where that gives what they give
// one by one. Long, because each way not to has a program.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace poplar;
using program::Execute;
using program::Repeat;
using program::Sequence;

namespace {

const char *const kCodelets = R"(
#include <poplar/Vertex.hpp>
#include <print.h>
using namespace poplar;

template <typename T> struct Combine : public Vertex {
  Input<T> a, b;
  Output<T> out;
  T factor;
  bool compute() {
    *out = *a * factor + *b;
    return true;
  }
};
template struct Combine<float>;
template struct Combine<half>;
template struct Combine<int>;
template struct Combine<unsigned char>;

// Draws its own numbers, divides, takes roots, and writes only some elements.
struct Walk : public Vertex {
  const unsigned step;
  Input<float> force;
  InOut<float> place;
  Output<unsigned> turns;
  unsigned state;
  bool compute() {
    state = state * 1664525u + 1013904223u;
    const float noise = float(state >> 8) / 16777216.0f;
    place = (*place + *force / (0.5f + noise)) * 0.5f;
    if (state & 0x10000)
      *turns = state / step;
    return *place < 1.5f;
  }
};

struct Several : public MultiVertex {
  Input<int> in;
  Output<int> out;
  bool compute(unsigned worker) {
    *out = (worker == 0 ? *in : *out) * 3 + int(worker);
    return true;
  }
};

struct Say : public Vertex {
  Input<int> in;
  Output<int> out;
  void compute() {
    *out = *in / 2;
    if (*in % 7 == 0)
      printf("%d ", *in);
  }
};

struct Below : public Vertex {
  Input<unsigned char> in;
  int limit;
  bool compute() { return *in < limit; }
};

struct Whole : public Vertex {
  Input<Vector<float>> in;
  Output<float> out;
  bool compute() { *out = in[0]; return true; }
};
)";

using Places = std::vector<std::size_t>;

Places places(std::size_t count, std::size_t begin = 0,
              std::ptrdiff_t step = 1) {
  Places result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(begin + i * static_cast<std::size_t>(step));
  return result;
}
Places shuffled(Places values, unsigned seed) {
  std::shuffle(values.begin(), values.end(), std::minstd_rand(seed));
  return values;
}

// Everything that a program may change.
struct Seen {
  std::vector<std::vector<char>> variables;
  std::string printed;
  friend bool operator==(const Seen &a, const Seen &b) {
    return a.variables == b.variables && a.printed == b.printed;
  }
};

// Numbers near one, and some infinite ones.
std::vector<char> someBytes(const Type &type, std::size_t count,
                            std::size_t size) {
  std::minstd_rand random(7);
  std::vector<char> bytes(count * size);
  for (char &byte : bytes)
    byte = static_cast<char>(random() >> 8);
  if (type == INT || type == UNSIGNED_INT || type == UNSIGNED_CHAR)
    return bytes;
  for (std::size_t i = 0; i < count; ++i) {
    char *const end = &bytes[i * size] + size;
    end[-1] = static_cast<char>(i % 5 == 0 ? 0xbf : 0x3f);
    if (i % 31 == 0) {
      std::fill(end - size, end, 0);
      end[-1] = 0x7f;
      end[-2] = static_cast<char>(0x80);
    }
    if (i % 31 == 0 && type == HALF) {
      end[-1] = 0x7c;
      end[-2] = 0;
    }
  }
  return bytes;
}

class Vertices {
public:
  explicit Vertices(const std::string &flags = "-O2")
      : device_(device()), graph(device_.getTarget()) {
    std::stringstream codelets(kCodelets);
    graph.addCodelets(codelets, flags);
    cs = graph.addComputeSet("cs");
  }

  Tensor add(const Type &type, std::size_t size) {
    const Tensor t = graph.addVariable(type, {size});
    graph.setTileMapping(t, 0);
    const std::string name = "t" + std::to_string(variables_.size());
    graph.createHostRead(name, t);
    graph.createHostWrite(name, t);
    variables_.push_back({name, type, size});
    return t;
  }

  // Adds vertices that are connected to the elements at these places.
  struct Field {
    const char *name;
    Tensor tensor;
    Places places;
  };
  std::vector<VertexRef> addAll(const std::string &type,
                                const std::vector<Field> &fields) {
    std::vector<VertexRef> all;
    for (std::size_t i = 0; i < fields[0].places.size(); ++i) {
      all.push_back(graph.addVertex(cs, type));
      graph.setTileMapping(all.back(), 0);
      for (const Field &field : fields)
        graph.connect(all.back()[field.name], field.tensor[field.places[i]]);
    }
    return all;
  }
  void combine(const std::string &type, const Field &a, const Field &b,
               const Field &out) {
    unsigned i = 0;
    for (const VertexRef &v : addAll("Combine<" + type + ">", {a, b, out}))
      graph.setInitialValue(v["factor"], 1 + int(++i % 3));
  }
  void walk(const Field &force, const Field &place, const Field &turns) {
    unsigned i = 0;
    for (const VertexRef &v : addAll("Walk", {force, place, turns})) {
      graph.setInitialValue(v["step"], 3 + i % 2);
      graph.setInitialValue(v["state"], ++i * 977);
    }
  }

  std::string explained() const {
    const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
    testing::internal::CaptureStderr();
    const Engine engine(graph, Execute(cs));
    return testing::internal::GetCapturedStderr();
  }

  Seen run(const program::Program &prog, const char *fusion,
           const char *threads) {
    const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
    const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
    Engine engine(graph, prog);
    std::ostringstream printed;
    engine.setPrintStream(printed);
    engine.load(device_);
    for (const Variable &v : variables_) {
      const std::vector<char> bytes = someBytes(v.type, v.size, sizeOf(v.type));
      engine.writeTensor(v.name, bytes.data(), bytes.data() + bytes.size());
    }
    for (int i = 0; i < 2; ++i) // state is kept from run to run
      engine.run();
    Seen seen;
    for (const Variable &v : variables_) {
      std::vector<char> bytes(v.size * sizeOf(v.type));
      engine.readTensor(v.name, bytes.data(), bytes.data() + bytes.size());
      seen.variables.push_back(std::move(bytes));
    }
    seen.printed = printed.str();
    return seen;
  }

  // On any number of threads, vertices do what they do one by one.
  void expectSame() { expectSame(Repeat(2, Execute(cs))); }
  void expectSame(const program::Program &prog) {
    const Seen apart = run(prog, "-columns", "1");
    for (const char *threads : {"1", "2", "4"})
      EXPECT_TRUE(run(prog, "1", threads) == apart) << threads;
  }

private:
  struct Variable {
    std::string name;
    Type type;
    std::size_t size;
  };

  static Device device() {
    IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  std::size_t sizeOf(const Type &type) const {
    return graph.getTarget().getTypeSize(type);
  }

  Device device_;
  std::vector<Variable> variables_;

public:
  Graph graph;
  ComputeSet cs;
};

std::string loopOf(std::size_t vertices, const std::string &type) {
  return "fusion: columns: " + std::to_string(vertices) + " vertices of " +
         type + " in 'cs' are one loop\n";
}
std::string noLoopOf(std::size_t vertices, const std::string &type,
                     const std::string &why) {
  return "fusion: no columns: " + std::to_string(vertices) + " vertices of " +
         type + " in 'cs': " + why + "\n";
}

} // namespace

TEST(Columns, AreElementsAtConstantSteps) {
  const std::size_t n = 700;
  for (const auto &[name, type] : {std::pair<std::string, Type>{"float", FLOAT},
                                   {"half", HALF},
                                   {"int", INT},
                                   {"unsigned char", UNSIGNED_CHAR}}) {
    const Places in[] = {places(n), places(n, n - 1, -1), places(n, 5, 0),
                         places(n, 1, 3), places(n, 3 * n, -2)};
    const Places out[] = {places(n), places(n, n - 1, -1), places(n, 2, 5)};
    for (std::size_t i = 0; i < 5; ++i) {
      SCOPED_TRACE(name + " " + std::to_string(i));
      Vertices m;
      m.combine(name, {"a", m.add(type, 4 * n), in[i]},
                {"b", m.add(type, 4 * n), in[(i + 1) % 5]},
                {"out", m.add(type, 6 * n), out[i % 3]});
      EXPECT_EQ(m.explained(), loopOf(n, "Combine<" + name + ">"));
      m.expectSame();
    }
  }
}

// As those of the inner points of a grid, and of a list of some of them.
TEST(Columns, AreMadeOfPieces) {
  const std::size_t rows = 40, columns = 21;
  Places middle, above;
  for (std::size_t r = 1; r < rows; ++r)
    for (std::size_t c = 0; c < 8 + r % (columns - 8); ++c) {
      middle.push_back(r * columns + c);
      above.push_back((r - 1) * columns + c);
    }
  Vertices m;
  m.combine("float", {"a", m.add(FLOAT, rows * columns), above},
            {"b", m.add(FLOAT, rows * columns), middle},
            {"out", m.add(FLOAT, rows * columns), middle});
  EXPECT_EQ(m.explained(), loopOf(middle.size(), "Combine<float>"));
  m.expectSame();
}

TEST(Columns, HaveTheStateOfTheirVertices) {
  const std::size_t n = 500;
  Vertices m;
  m.walk({"force", m.add(FLOAT, n), places(n)},
         {"place", m.add(FLOAT, n), places(n)},
         {"turns", m.add(UNSIGNED_INT, 3 * n), places(n, 1, 3)});
  EXPECT_EQ(m.explained(), loopOf(n, "Walk"));
  m.expectSame();
}

// Each changes its element and reads its neighbours' as they were.
TEST(Columns, AreReadAsTheyWereBefore) {
  const std::size_t n = 400;
  Vertices m;
  const Tensor t = m.add(INT, n + 2);
  m.combine("int", {"a", t, places(n)}, {"b", t, places(n, 2)},
            {"out", t, places(n, 1)});
  EXPECT_EQ(m.explained(), loopOf(n, "Combine<int>"));
  m.expectSame();
}

TEST(Columns, AreNotMadeOfScatteredElements) {
  const std::size_t n = 300;
  Vertices m;
  m.combine("float", {"a", m.add(FLOAT, n), places(n)},
            {"b", m.add(FLOAT, n), shuffled(places(n), 1)},
            {"out", m.add(FLOAT, n), places(n)});
  EXPECT_EQ(m.explained(),
            noLoopOf(n, "Combine<float>", "their elements are scattered"));
  m.expectSame();
}

// Such a vertex reads what it wrote itself.
TEST(Columns, AreNotMadeOfElementsThatAVertexHasTwice) {
  const std::size_t n = 300;
  Vertices m;
  const Tensor t = m.add(INT, n);
  m.addAll("Several", {{"in", t, places(n)}, {"out", t, places(n)}});
  EXPECT_EQ(m.explained(),
            noLoopOf(n, "Several",
                     "one writes an element that another field of it has"));
  m.expectSame();
}

TEST(Columns, AreNotMadeOfVectorsOrFewVertices) {
  Vertices m;
  const Tensor in = m.add(FLOAT, 100), out = m.add(FLOAT, 100);
  for (std::size_t i = 0; i < 100; ++i)
    m.graph.setTileMapping(
        m.graph.addVertex(m.cs, "Whole",
                          {{"in", in.slice({i, i + 1})}, {"out", out[i]}}),
        0);
  const Tensor a = m.add(INT, 31);
  m.addAll("Say", {{"in", a, places(31)}, {"out", m.add(INT, 31), places(31)}});
  EXPECT_EQ(m.explained(), noLoopOf(31, "Say", "they are few"));
  m.expectSame();
}

// Such a compiler may compute other values in a vectorised loop.
TEST(Columns, AreNotMadeIfTheArithmeticIsNotThatOfTheSource) {
  for (const char *flags : {"-O3 -ffast-math", "-Ofast"}) {
    Vertices m(flags);
    m.combine("float", {"a", m.add(FLOAT, 90), places(90)},
              {"b", m.add(FLOAT, 90), places(90)},
              {"out", m.add(FLOAT, 90), places(90)});
    EXPECT_EQ(m.explained(), "") << flags;
  }
}

TEST(Columns, AreOfOneClassEachAndPrintInTheOrderOfTheVertices) {
  const std::size_t n = 333;
  Vertices m;
  for (std::size_t i = 0; i < 3; ++i) {
    const Tensor in = m.add(INT, n), out = m.add(INT, n);
    m.addAll("Say", {{"in", in, places(n)}, {"out", out, places(n)}});
    m.addAll("Several", {{"in", in, places(n)},
                         {"out", m.add(INT, n), places(n, n - 1, -1)}});
  }
  EXPECT_EQ(m.explained(), loopOf(3 * n, "Say") + loopOf(3 * n, "Several"));
  EXPECT_NE(m.run(Execute(m.cs), "1", "1").printed, "");
  m.expectSame();
}

TEST(Columns, TellWhetherEveryVertexReturnedTrue) {
  const std::size_t n = 200;
  for (const std::size_t high : {n, n - 1}) { // the vertex that returns false
    Vertices m;
    std::size_t i = 0;
    for (const VertexRef &v :
         m.addAll("Below", {{"in", m.add(UNSIGNED_CHAR, n), places(n)}}))
      m.graph.setInitialValue(v["limit"], i++ == high ? 0 : 256);
    EXPECT_EQ(m.explained(), loopOf(n, "Below"));
    const Tensor status = m.graph.addVariable(BOOL, {});
    m.graph.setTileMapping(status, 0);
    const Sequence prog{Execute(m.cs, status),
                        program::Copy(status.reinterpret(UNSIGNED_CHAR),
                                      m.add(UNSIGNED_CHAR, 1)[0])};
    for (const char *threads : {"1", "2"})
      EXPECT_EQ(m.run(prog, "1", threads).variables.back()[0], high == n);
  }
}

// All kinds of places, also of one variable.
TEST(Columns, GiveWhatRandomVerticesGiveOneByOne) {
  unsigned loops = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::minstd_rand random(seed + 1);
    const auto below = [&](std::size_t n) { return random() / 7 % n; };
    const std::size_t n = 32 + below(600), size = 4 * n;
    const auto distinct = [&] {
      switch (below(6)) {
      case 0:
        return shuffled(places(n, below(n)), seed);
      case 1:
        return places(n, size - 1 - below(n), -1 - int(below(3)));
      case 2: { // rows
        Places all;
        for (std::size_t at = below(n), row = 8 + below(20); all.size() < n;
             at += row + below(2))
          for (std::size_t i = 0; i < row && all.size() < n; ++i)
            all.push_back(at++ % size);
        return all;
      }
      default:
        return places(n, below(n), 1 + int(below(3)));
      }
    };
    const auto any = [&] {
      return below(4) == 0 ? places(n, below(n), 0) : distinct();
    };
    Vertices m;
    const Tensor floats = m.add(FLOAT, size), others = m.add(FLOAT, size),
                 counts = m.add(UNSIGNED_INT, size);
    const Tensor &force = below(2) == 0 ? floats : others;
    if (below(2) == 0)
      m.combine("float", {"a", force, any()}, {"b", others, any()},
                {"out", floats, distinct()});
    else
      m.walk({"force", force, any()}, {"place", floats, distinct()},
             {"turns", counts, distinct()});
    loops += m.explained().find("are one loop") != std::string::npos;
    m.expectSame();
  }
  EXPECT_GE(loops, 15u);
  EXPECT_LE(loops, 50u);
}
