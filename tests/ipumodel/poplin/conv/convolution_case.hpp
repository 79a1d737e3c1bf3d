// A convolution of the reference files.
#pragma once

#include "tests/ipumodel/operator_model.hpp"

#include <poplin/ConvParams.hpp>

namespace poplibstest {

inline poplin::ConvParams paramsOf(const ReferenceCase &c,
                                   const poplar::Type &type) {
  const auto kernel = c.list<std::size_t>("kernel");
  const std::size_t dims = kernel.size();
  const std::vector<std::size_t> &x = c.array("x").shape;
  const std::vector<std::size_t> &w = c.array("w").shape;
  const std::size_t groups = static_cast<std::size_t>(c.number("groups"));
  poplin::ConvParams::InputTransform input(dims), kernelTransform(dims);
  poplin::ConvParams::OutputTransform output(dims);
  input.paddingLower = input.paddingUpper = c.list<unsigned>("padding");
  kernelTransform.dilation = c.list<unsigned>("dilation");
  output.stride = c.list<unsigned>("stride");
  const poplin::ConvParams params(
      type, type, x[0], std::vector<std::size_t>(x.begin() + 2, x.end()),
      kernel, w[1], w[0] / groups, groups, input, kernelTransform, output);
  EXPECT_EQ(params.getNumFieldDims(), dims);
  return params;
}

// PyTorch's [groups * out, in, kernel...] as PopLibs' [groups, out, in, ...].
inline poplar::Tensor withGroups(const poplar::Tensor &weights,
                                 std::size_t groups) {
  std::vector<std::size_t> shape = weights.shape();
  shape[0] /= groups;
  shape.insert(shape.begin(), groups);
  return weights.reshape(shape);
}

} // namespace poplibstest
