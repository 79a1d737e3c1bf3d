#include "poplar/graph/tensor_checks.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/Tensor.hpp>

#include <iostream>
#include <sstream>

namespace poplar {

using ipumodel::dataOf;
using ipumodel::TensorData;

std::ostream &Tensor::output(std::ostream &os) const {
  const TensorData &data = dataOf(*this, "output");
  os << data.type << ipumodel::shapeText(data.view.shape()) << ' ';
  return outputRegions(os);
}

// Example: weights[0,12) bias[3,4)
std::ostream &Tensor::outputRegions(std::ostream &os) const {
  const TensorData &data = dataOf(*this, "outputRegions");
  const char *separator = "";
  data.view.forEachRun([&](const ipumodel::Run &run) {
    os << separator << nameOf(*data.graph, run.variable)
       << ipumodel::rangeText(run.offset, run.offset + run.count);
    separator = " ";
  });
  return os;
}

void Tensor::dump() const { output(std::cerr) << '\n'; }
void Tensor::dumpRegions() const { outputRegions(std::cerr) << '\n'; }

std::string Tensor::shapeToString() const {
  return ipumodel::shapeText(dataOf(*this, "shapeToString").view.shape());
}

// The names of the variables in the order of their first appearance.
std::string Tensor::getVarStr() const {
  const TensorData &data = dataOf(*this, "getVarStr");
  std::vector<ipumodel::VariableId> seen;
  std::string names;
  for (const ipumodel::Block &block : data.view.blocks()) {
    if (std::find(seen.begin(), seen.end(), block.variable) != seen.end())
      continue;
    names += (seen.empty() ? "" : ",") + nameOf(*data.graph, block.variable);
    seen.push_back(block.variable);
  }
  return names;
}

std::string Tensor::getDebugStr() const {
  std::ostringstream os;
  output(os);
  return os.str();
}

std::ostream &operator<<(std::ostream &os, const Tensor &tensor) {
  return tensor.valid() ? tensor.output(os) : os << "<invalid tensor>";
}

} // namespace poplar
