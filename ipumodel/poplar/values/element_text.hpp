// Conversion of single elements of a tensor to text.
#pragma once

#include <poplar/PrintTensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <string>

namespace ipumodel {

class ElementText {
public:
  // `elements` must outlive this. With FloatFormat::Auto, floats are scientific
  // if the magnitudes of `count` elements are too small, too large or too
  // different to be distinguished in the requested digits.
  ElementText(poplar::Type type, const void *elements, std::size_t count,
              const poplar::PrintTensorFmt &format);

  std::string at(std::size_t index) const;

private:
  double floatAt(std::size_t index) const;
  bool needsExponents(std::size_t count) const;
  std::string floatText(double value) const;

  poplar::Type type_;
  const char *elements_;
  std::size_t elementSize_;
  int digits_;
  poplar::PrintTensorFmt::FloatFormat floatFormat_;
};

} // namespace ipumodel
