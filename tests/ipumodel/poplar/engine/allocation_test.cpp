#include "model.hpp"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

namespace {
std::atomic<std::size_t> allocations{0};
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}
void *operator new(std::size_t size) {
  if (void *p = operator new(size, std::nothrow))
    return p;
  throw std::bad_alloc();
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }

using namespace poplar;
using namespace poplar::program;
using enginetest::Model;

namespace {

const char *const kAdd = R"(
#include <poplar/Vertex.hpp>
class Add : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::InOut<poplar::Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] += in[i];
    return true;
  }
};
)";

std::size_t allocationsOf(Engine &engine) {
  engine.run(); // the first run may set up thread-local data
  const std::size_t before = allocations;
  for (int i = 0; i < 10; ++i)
    engine.run();
  return allocations - before;
}

} // namespace

TEST(Run, OfAnEmptyProgramAllocatesNothing) {
  Model m;
  m.load(Sequence());
  EXPECT_EQ(allocationsOf(*m.engine), 0u);
}

TEST(Run, OfComputeSetsCopiesStreamsAndLoopsAllocatesNothing) {
  Model m;
  m.addCodelets(kAdd);
  const std::size_t n = 1 << 17;
  const Tensor a = m.add(FLOAT, {n}, "a");
  const Tensor b = m.add(FLOAT, {n}, "b");
  const Tensor flag = m.add(BOOL, {}, "flag");
  const DataStream in = m.graph.addHostToDeviceFIFO("in", FLOAT, n);
  const DataStream out = m.graph.addDeviceToHostFIFO("out", FLOAT, n);
  const ComputeSet cs = m.graph.addComputeSet("add");
  for (std::size_t i = 0; i < 256; ++i) {
    const Tensor from = a.slice(i * 512, (i + 1) * 512);
    // Every other vertex reads in reverse, through scratch memory.
    m.graph.setTileMapping(
        m.graph.addVertex(cs, "Add",
                          {{"in", i % 2 ? from.reverse(0) : from},
                           {"out", b.slice(i * 512, (i + 1) * 512)}}),
        0);
  }
  Engine &engine = m.load(
      Repeat(3, Sequence({Copy(in, a), Execute(cs),
                          Copy(b.reshape({512, n / 512}).transpose(), a),
                          If(flag, Sequence(), Copy(a, b)), Copy(a, out)})));
  std::vector<float> host(n);
  engine.connectStream("in", host.data());
  engine.connectStreamToCallback("out", [](void *) {});
  EXPECT_EQ(allocationsOf(engine), 0u);
}
