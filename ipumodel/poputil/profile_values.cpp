// Conversion of common types to debug information.
#include <poputil/DebugInfo.hpp>

namespace poputil {

using poplar::ProfileValue;

template <> ProfileValue toProfileValue(const bool &t) { return t; }
template <> ProfileValue toProfileValue(const unsigned char &t) { return t; }
template <> ProfileValue toProfileValue(const int &t) { return t; }
template <> ProfileValue toProfileValue(const unsigned int &t) { return t; }
template <> ProfileValue toProfileValue(const unsigned long &t) { return t; }
template <> ProfileValue toProfileValue(const long long &t) { return t; }
template <> ProfileValue toProfileValue(const unsigned long long &t) {
  return t;
}
template <> ProfileValue toProfileValue(const float &t) { return t; }
template <> ProfileValue toProfileValue(const double &t) { return t; }
template <> ProfileValue toProfileValue(const std::string &t) { return t; }

template <> ProfileValue toProfileValue(const poplar::ComputeSet &t) {
  return t.getId();
}

template <> ProfileValue toProfileValue(const poplar::OptionFlags &t) {
  return getAsProfileValue(t);
}

template <> ProfileValue toProfileValue(const poplar::program::Copy &) {
  return "<poplar::program::Copy>";
}

template <> ProfileValue toProfileValue(const poplar::program::Sequence &) {
  return "<poplar::program::Sequence>";
}

template <> ProfileValue toProfileValue(const poplar::Tensor &t) {
  if (!t.valid())
    return "<poplar::Tensor> - uninitialized";
  std::string shape;
  for (const std::size_t size : t.shape())
    shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  return ProfileValue::Map{{"shape", "[" + shape + "]"},
                           {"type", toProfileValue(t.elementType())}};
}

template <> ProfileValue toProfileValue(const poplar::TensorCloneMethod &t) {
  return toString(t);
}

template <> ProfileValue toProfileValue(const poplar::Type &t) {
  return t.toString().cloneAsString();
}

template <> ProfileValue toProfileValue(const std::vector<bool> &t) {
  ProfileValue::Map elements;
  for (std::size_t i = 0; i < t.size(); ++i)
    elements.emplace(std::to_string(i), bool(t[i]));
  return elements;
}

} // namespace poputil
