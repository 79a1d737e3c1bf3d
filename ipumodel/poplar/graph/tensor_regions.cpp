#include "poplar/graph/tensor_checks.hpp"
#include "poplar/values/quarter.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/Tensor.hpp>

#include <algorithm>

namespace poplar {

using ipumodel::dataOf;
using ipumodel::TensorData;
using ipumodel::Variable;
using ipumodel::View;

bool Tensor::isContiguous() const {
  const View flat = dataOf(*this, "isContiguous").view.flatten();
  const ipumodel::Block *previous = nullptr;
  for (const ipumodel::Block &block : flat.blocks()) {
    const ipumodel::Loops &loops = block.dims[0].loops;
    if (loops.size() > 1 || (!loops.empty() && loops[0].stride != 1))
      return false;
    if (previous && (previous->variable != block.variable ||
                     previous->offset + static_cast<std::ptrdiff_t>(
                                            previous->dims[0].extent) !=
                         block.offset))
      return false;
    previous = &block;
  }
  return true;
}

bool Tensor::containsAliases() const {
  return !dataOf(*this, "containsAliases").view.isInjective();
}

bool Tensor::containsConstant() const {
  const TensorData &data = dataOf(*this, "containsConstant");
  const auto &blocks = data.view.blocks();
  return std::any_of(
      blocks.begin(), blocks.end(), [&](const ipumodel::Block &block) {
        return ipumodel::isConstant(data.graph->variables[block.variable]);
      });
}

bool Tensor::isParallelWriteable() const {
  return !containsConstant() && !containsAliases();
}

const std::vector<Interval> Tensor::getContiguousRegions() const {
  std::vector<Interval> regions;
  std::size_t position = 0;
  dataOf(*this, "getContiguousRegions")
      .view.forEachRun([&](const ipumodel::Run &run) {
        regions.emplace_back(position, position + run.count);
        position += run.count;
      });
  return regions;
}

const std::vector<VariableInterval> Tensor::getVarRegions() const {
  std::vector<VariableInterval> regions;
  dataOf(*this, "getVarRegions").view.forEachRun([&](const ipumodel::Run &run) {
    regions.emplace_back(VariableRef(run.variable),
                         Interval(run.offset, run.offset + run.count));
  });
  return regions;
}

bool Tensor::intersectsWith(const Tensor &other) const {
  const TensorData &a = dataOf(*this, "intersectsWith");
  const TensorData &b = dataOf(other, "intersectsWith");
  return a.graph == b.graph && a.view.overlaps(b.view);
}

bool operator==(const Tensor &a, const Tensor &b) {
  if (a.getImpl() == b.getImpl())
    return true;
  if (!a.valid() || !b.valid())
    return false;
  const TensorData &x = *a.getImpl(), &y = *b.getImpl();
  return x.graph == y.graph && x.type == y.type && x.view == y.view;
}

bool operator!=(const Tensor &a, const Tensor &b) { return !(a == b); }

namespace {

// The bytes of a single constant element; null if the tensor is something else.
const char *constantElement(const TensorData &data) {
  if (data.view.numElements() != 1)
    return nullptr;
  const ipumodel::Run run = data.view.runs().front();
  const Variable &variable = data.graph->variables[run.variable];
  if (variable.kind != Variable::Kind::constant)
    return nullptr;
  const std::size_t size = ipumodel::sizeOf(variable.type);
  const bool oneForAll = variable.value->size() == size;
  return variable.value->data() + (oneForAll ? 0 : run.offset * size);
}

} // namespace

bool Tensor::getConstantData(void *dst, const TypeTraits &traits) const {
  const TensorData &data = dataOf(*this, "getConstantValue");
  const char *element = constantElement(data);
  if (!element)
    return false;
  QuarterMetadata metadata;
  if (data.type.requiresMetadata()) {
    const char *bits =
        data.metadata ? constantElement(*data.metadata) : nullptr;
    if (!bits)
      return false;
    metadata =
        ipumodel::quarterMetadataFromBinary(static_cast<std::uint8_t>(*bits));
  }
  ipumodel::convertFromDevice(data.type, traits, element, 1, dst, metadata);
  return true;
}

} // namespace poplar
