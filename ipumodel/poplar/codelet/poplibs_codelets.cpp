#include "poplar/codelet/poplibs_codelets.hpp"

#include <set>

namespace ipumodel {
namespace {

const std::set<std::string> kTemplates{"popnn::ReduceMaxClassSparse",
                                       "popnn::ReduceMinClassSparse",
                                       "popops::BinaryOp1D",
                                       "popops::BinaryOp1DInPlace",
                                       "popops::Fill",
                                       "popops::Fill2d",
                                       "popops::UnaryOp1D",
                                       "popops::UnaryOp1DInPlace"};

const char *const kSource = R"(
#include <poplar/Vertex.hpp>
#include <popops/ExprOp.hpp>
#include <cmath>

namespace popnn {

// The first element that is larger, or smaller, than all before it.
template <typename T, typename L, typename Better>
void reduceClass(const T &values, const L &labels, Better better,
                 decltype(&values[0]) value, decltype(&labels[0]) label) {
  unsigned best = 0;
  for (unsigned i = 1; i < values.size(); ++i)
    if (better(values[i], values[best]))
      best = i;
  *value = values[best];
  *label = labels[best];
}

template <typename T, typename L>
class ReduceMaxClassSparse : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> activations;
  poplar::Input<poplar::Vector<L, poplar::VectorLayout::ONE_PTR>> labels;
  poplar::Output<T> maxValue;
  poplar::Output<L> maxIndex;
  bool compute() {
    reduceClass(activations, labels, [](T a, T b) { return a > b; },
                &*maxValue, &*maxIndex);
    return true;
  }
};

template <typename T, typename L>
class ReduceMinClassSparse : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> activations;
  poplar::Input<poplar::Vector<L, poplar::VectorLayout::ONE_PTR>> labels;
  poplar::Output<T> minValue;
  poplar::Output<L> minIndex;
  bool compute() {
    reduceClass(activations, labels, [](T a, T b) { return a < b; },
                &*minValue, &*minIndex);
    return true;
  }
};

} // namespace popnn

namespace popops {

template <typename T> class Fill : public poplar::Vertex {
public:
  T in;
  poplar::Output<poplar::Vector<T>> out;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = in;
    return true;
  }
};

template <typename T> class Fill2d : public poplar::Vertex {
public:
  T in;
  poplar::Vector<poplar::Output<poplar::Vector<T>>> out;
  bool compute() {
    for (unsigned row = 0; row < out.size(); ++row)
      for (unsigned i = 0; i < out[row].size(); ++i)
        out[row][i] = in;
    return true;
  }
};

template <expr::BinaryOpType> constexpr bool unsupported = false;
template <expr::UnaryOpType> constexpr bool unsupportedUnary = false;

template <expr::BinaryOpType op, typename T> T binary(T x, T y) {
  using O = expr::BinaryOpType;
  if constexpr (op == O::ADD)
    return x + y;
  else if constexpr (op == O::SUBTRACT)
    return x - y;
  else if constexpr (op == O::MULTIPLY)
    return x * y;
  else if constexpr (op == O::DIVIDE)
    return x / y;
  else if constexpr (op == O::MAXIMUM)
    return x > y ? x : y;
  else if constexpr (op == O::MINIMUM)
    return x < y ? x : y;
  else if constexpr (op == O::POWER)
    return T(std::pow(float(x), float(y)));
  else if constexpr (op == O::ATAN2)
    return T(std::atan2(float(x), float(y)));
  else
    static_assert(unsupported<op>, "the engine has no vertex of this operator");
}

template <expr::UnaryOpType op, typename T> T unary(T x) {
  using O = expr::UnaryOpType;
  const float f = float(x);
  if constexpr (op == O::NEGATE)
    return -x;
  else if constexpr (op == O::ABSOLUTE)
    return x < 0 ? T(-x) : x;
  else if constexpr (op == O::SQUARE)
    return x * x;
  else if constexpr (op == O::RELU)
    return x > 0 ? x : T(0);
  else if constexpr (op == O::CEIL)
    return T(std::ceil(f));
  else if constexpr (op == O::COS)
    return T(std::cos(f));
  else if constexpr (op == O::EXPONENT)
    return T(std::exp(f));
  else if constexpr (op == O::EXPONENT_MINUS_ONE)
    return T(std::expm1(f));
  else if constexpr (op == O::FLOOR)
    return T(std::floor(f));
  else if constexpr (op == O::INVERSE)
    return T(1 / f);
  else if constexpr (op == O::LOGARITHM)
    return T(std::log(f));
  else if constexpr (op == O::LOGARITHM_ONE_PLUS)
    return T(std::log1p(f));
  else if constexpr (op == O::ROUND)
    return T(std::round(f));
  else if constexpr (op == O::RSQRT)
    return T(1 / std::sqrt(f));
  else if constexpr (op == O::SIGMOID)
    return T(1 / (1 + std::exp(-f)));
  else if constexpr (op == O::SIN)
    return T(std::sin(f));
  else if constexpr (op == O::SQRT)
    return T(std::sqrt(f));
  else if constexpr (op == O::TAN)
    return T(std::tan(f));
  else if constexpr (op == O::TANH)
    return T(std::tanh(f));
  else
    static_assert(unsupportedUnary<op>,
                  "the engine has no vertex of this operator");
}

template <expr::BinaryOpType op, typename T>
class BinaryOp1D : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> in1;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in2;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> out;
  bool compute() {
    for (unsigned i = 0; i < in1.size(); ++i)
      out[i] = binary<op, T>(in1[i], in2[i]);
    return true;
  }
};

template <expr::BinaryOpType op, typename T>
class BinaryOp1DInPlace : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<T>> in1Out;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in2;
  bool compute() {
    for (unsigned i = 0; i < in1Out.size(); ++i)
      in1Out[i] = binary<op, T>(in1Out[i], in2[i]);
    return true;
  }
};

template <expr::UnaryOpType op, typename T>
class UnaryOp1D : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> in;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = unary<op, T>(in[i]);
    return true;
  }
};

template <expr::UnaryOpType op, typename T>
class UnaryOp1DInPlace : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<T>> inOut;
  bool compute() {
    for (unsigned i = 0; i < inOut.size(); ++i)
      inOut[i] = unary<op, T>(inOut[i]);
    return true;
  }
};

} // namespace popops
)";

} // namespace

std::string poplibsCodeletSource(const std::string &name) {
  const auto end = name.find('<');
  if (end == name.npos || kTemplates.count(name.substr(0, end)) == 0)
    return {};
  return std::string(kSource) + "template class " + name + ";\n";
}

} // namespace ipumodel
