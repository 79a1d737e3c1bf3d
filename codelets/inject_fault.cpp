// Spoils elements of a tensor at one execution, to see whether it is noticed.
#include "codelets/element_format.hpp"
#include "codelets/fault_kind.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

template <typename T> struct FaultBits;

template <> struct FaultBits<float> {
  using Bits = unsigned;
  static constexpr Bits kNan = 0x7fc00000u;
  static constexpr Bits kInfinity = 0x7f800000u;
  static constexpr Bits kSign = 0x80000000u;
};

template <> struct FaultBits<half> {
  using Bits = unsigned short;
  static constexpr Bits kNan = 0x7e00u;
  static constexpr Bits kInfinity = 0x7c00u;
  static constexpr Bits kSign = 0x8000u;
};

template <typename T> class InjectFault : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<T>> elements;
  poplar::Input<unsigned> execution;
  poplar::Input<unsigned> replica;
  unsigned wantedExecution;
  unsigned wantedReplica; // or kEveryReplica
  unsigned kind;          // a FaultKind
  unsigned bit;           // to flip
  float factor;           // to multiply with

  bool compute() {
    if (*execution == wantedExecution &&
        (wantedReplica == kEveryReplica || *replica == wantedReplica))
      for (unsigned i = 0; i < elements.size(); ++i)
        spoil(elements[i]);
    return true;
  }

private:
  using Format = FaultBits<T>;
  using Bits = typename Format::Bits;

  void spoil(T &element) const {
    if (FaultKind(kind) == FaultKind::scale) {
      element = T(float(element) * factor);
      return;
    }
    Bits bits;
    __builtin_memcpy(&bits, &element, sizeof bits);
    switch (FaultKind(kind)) {
    case FaultKind::nan:
      bits = Format::kNan;
      break;
    case FaultKind::inf:
      bits = Format::kInfinity;
      break;
    case FaultKind::negativeInf:
      bits = Format::kInfinity | Format::kSign;
      break;
    default:
      bits = Bits(bits ^ (1u << bit));
      break;
    }
    __builtin_memcpy(&element, &bits, sizeof bits);
  }
};

template class InjectFault<float>;
template class InjectFault<half>;

} // namespace popscope
