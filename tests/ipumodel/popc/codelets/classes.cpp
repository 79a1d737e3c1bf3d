// Ways to write a vertex class.
#include <poplar/Vertex.hpp>

using namespace poplar;

class Plain : public Vertex {
public:
  Input<float> in;
  Output<float> out;
  bool compute() {
    *out = *in + 1;
    return true;
  }
};

// Cannot be constructed, cannot be assigned, and shows nothing.
class Closed : public Vertex {
  Closed();
  Input<int> in;
  const int factor;
  Output<int> out;
  void compute() { out = in * factor; }
};

struct Undecided : Vertex {
  bool answer;
  auto compute() { return answer; }
};

struct Trailing : Vertex {
  bool answer;
  auto compute() -> bool { return answer; }
};

namespace outer {
namespace inner {
struct Deep : poplar::Vertex {
  Output<unsigned> out;
  void compute() { out = 7; }
};
} // namespace inner

namespace {
struct Hidden : poplar::Vertex {
  Output<unsigned> out;
  void compute() { out = 8; }
};
} // namespace

class Holder {
  struct Nested : poplar::Vertex {
    Output<unsigned> out;
    void compute() { out = 9; }
  };
};
} // namespace outer

// A chain of bases; only the last one is a vertex to instantiate.
struct Scale {
  float scale;
};
class WithInput : public Vertex, protected Scale {
protected:
  Input<Vector<float>> in;
};
class Sum : public WithInput {
  Output<float> sum;
  bool compute() {
    float total = 0;
    for (const float value : in)
      total += value;
    sum = total * scale;
    return true;
  }
};

// Uses what Vertex.hpp brings along, as published codelets do.
class Along : public Vertex {
  Output<unsigned> out;
  void compute() {
    uint32_t one = 1;
    std::size_t two = 2;
    std::uint8_t bytes[sizeof(uint32_t)];
    std::memcpy(bytes, &one, sizeof bytes);
    unsigned small = bytes[0] + bytes[3], large = unsigned(two);
    std::swap(small, large);
    out =
        10 * small + large + unsigned(std::numeric_limits<float>::has_infinity);
  }
};

// Remembers between calls.
class Counter : public Vertex {
  unsigned calls;
  Output<unsigned> out;
  void compute() { out = ++calls; }
};

// Defined elsewhere in the file, as a library would.
class OutOfLine : public Vertex {
public:
  Output<unsigned> out;
  bool compute();
};
bool OutOfLine::compute() {
  *out = 11;
  return true;
}

class Workers : public MultiVertex {
public:
  Output<Vector<unsigned>> workers;
  unsigned failing;
  bool compute(unsigned workerId) {
    for (unsigned i = workerId; i < workers.size(); i += numWorkers())
      workers[i] = workerId;
    return workerId != failing;
  }
};

// No vertices: nothing derives from a vertex class, or nothing instantiates.
struct Helper {
  float *pointer;
  void compute() {}
};
template <typename T> struct Unused : Vertex {
  T *pointer;
  bool compute() { return true; }
};
