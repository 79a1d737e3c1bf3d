// Programs in which vertices look at what an operation makes, and are never
// run.
#pragma once

#include "test_program.hpp"

#include <cstddef>
#include <sstream>
#include <vector>

namespace ipumodel {

constexpr const char *kLookingCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Look : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> out;
  bool compute() { *out = in[0]; return true; }
};
class Peek : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> out;
  bool compute() { *out = in[1]; return true; }
};
class LookAligned : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 16>> in;
  Output<float> out;
  bool compute() { *out = in[0]; return true; }
};
class LookAtTwo : public Vertex {
public:
  Input<Vector<float>> in;
  Input<Vector<float, VectorLayout::SPAN, 16>> other;
  Output<float> out;
  bool compute() { *out = in[0] + other[0]; return true; }
};
class LookAtMany : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Output<float> out;
  bool compute() { *out = in[0][0]; return true; }
};
class Decide : public Vertex {
public:
  Output<Vector<int>> out;
  bool compute() { out[0] = 1; return true; }
};
)";

// A stage makes b from a, then vertices look at it, each at an item unless the
// test says more.
struct VertexProgram : TestProgram {
  poplar::Tensor a = add("a"), b = add("b"), seen = add("seen", {8, 4});
  poplar::ComputeSet looks = graph.addComputeSet("looks");

  VertexProgram() {
    std::stringstream codelets(kLookingCodelets);
    graph.addCodelets(codelets);
  }
  void addMaker(const poplar::Tensor &made) {
    add(ByItems{Trait::absorbs}, "maker", {made}, {a});
  }
  poplar::VertexRef addVertex(poplar::ComputeSet set, const char *type) {
    const poplar::VertexRef vertex = graph.addVertex(set, type);
    graph.setTileMapping(vertex, 0);
    return vertex;
  }
  poplar::VertexRef addLook(const poplar::Tensor &in, const poplar::Tensor &out,
                            const char *type = "Look") {
    const poplar::VertexRef vertex = addVertex(looks, type);
    graph.connect(vertex["in"], in);
    graph.connect(vertex["out"], out);
    return vertex;
  }
  // A vertex that looks at an item, and at something else.
  void addLookAtTwo(const poplar::Tensor &other) {
    graph.connect(addLook(b[0], seen[0][0], "LookAtTwo")["other"], other);
  }
  void addLooks(const poplar::Tensor &batch) {
    for (std::size_t i = 0; i < 8; ++i)
      addLook(batch[i], seen[i][0]);
  }
  void addExecute() { prog.add(poplar::program::Execute(looks)); }
  void addInPlace() { add(ByItems{}, "in place", {b}, {b}); }

  // How many operations each group has; 0 if it is not a chain.
  std::vector<std::size_t> links(const char *fusion = "1") {
    plan(fusion);
    std::vector<std::size_t> links;
    for (const Group &group : formChains(units(), facts(), builder()))
      links.push_back(group.chain ? group.chain->links.size() : 0);
    return links;
  }
  Chain withEpilogues() {
    plan();
    return absorbAfterVertices(absorbEpilogues(chain(), facts()), facts());
  }
  std::vector<bool> absorbed() {
    std::vector<bool> is;
    for (const ChainLink &link : withEpilogues().links)
      is.push_back(link.isAbsorbed);
    return is;
  }
};

} // namespace ipumodel
