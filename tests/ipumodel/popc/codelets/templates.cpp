// Vertex templates and their names.
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace ops {
enum class Kind { ADD, SUB = 5 };
enum Flavour { SWEET, SOUR };
struct Tag {};
constexpr unsigned width = 3;

template <typename T, Kind kind> class Binary : public Vertex {
  Input<T> a, b;
  Output<T> out;
  void compute() { out = kind == Kind::ADD ? T(a + b) : T(a - b); }
};
template class Binary<float, Kind::ADD>;
template class Binary<unsigned, Kind::SUB>;
template class Binary<long long, static_cast<Kind>(7)>;

// Arguments written as expressions, or not at all.
template <typename T, unsigned N, bool flag = true, int offset = -2,
          VectorLayout layout = VectorLayout::ONE_PTR>
class Defaults : public Vertex {
  Input<Vector<T, layout, 8>> in;
  Output<unsigned> out;
  void compute() { out = N; }
};
template class Defaults<half, width * 2>;
template class Defaults<unsigned char, sizeof(double), false>;

template <Flavour flavour, typename T, char c> struct Odd : Vertex {
  T value;
  bool compute() { return flavour == SOUR; }
};
template struct Odd<SOUR, short, 'a'>;
template <typename Type> struct OfClass : Vertex {
  Output<unsigned> size;
  void compute() { size = sizeof(Type); }
};
template struct OfClass<Tag>;
template struct OfClass<Input<Vector<int>>>;

#define INSTANTIATE(TYPE) template class Macro<TYPE>;
template <typename T> class Macro : public Vertex {
  Output<Vector<T>> out;
  bool compute() { return out.size() == sizeof(T); }
};
INSTANTIATE(bool)
INSTANTIATE(unsigned short)

// Specialised, wholly and in part, with other fields.
template <typename T, bool fast> class Special : public Vertex {
  Input<T> general;
  bool compute() { return true; }
};
template <typename T> class Special<T, true> : public Vertex {
  Input<T> partial;
  bool compute() { return true; }
};
template <> class Special<int, true> : public MultiVertex {
  Input<int> full;
  bool compute(unsigned) { return true; }
};
template class Special<float, false>;
template class Special<float, true>;

// Bases that depend on the parameters.
template <typename T> struct Store { InOut<T> total; };
template <typename T, unsigned N>
class Accumulate : public Store<T>, public Vertex {
protected:
  Input<Vector<T>> in;
};
template <typename T> class Twice : public Accumulate<T, 2> {
  T start;
  void compute() {
    T sum = start;
    for (auto value : this->in)
      sum += 2 * value;
    this->total += sum;
  }
};
template class Twice<float>;
template class Twice<int>;
class TwicePlain : public Twice<unsigned> {
public:
  unsigned extra;
  void compute() { total += extra; }
};

template <bool supervisor> class Maybe : public SupervisorVertexIf<supervisor> {
  Output<unsigned> out;
  bool compute() {
    out = supervisor;
    return true;
  }
};
template class Maybe<true>;
template class Maybe<false>;
} // namespace ops

template class ops::Binary<half, ops::Kind::SUB>;
extern template class ops::Binary<short, ops::Kind::ADD>;
