#include "poplar/graph/clone_layout.hpp"
#include "poplar/graph/tensor_checks.hpp"

#include <poplar/Graph.hpp>

namespace poplar {

using ipumodel::CloneLayout;
using ipumodel::GraphImpl;
using ipumodel::implOf;
using ipumodel::RegionOrder;
using ipumodel::Run;
using ipumodel::Shape;
using ipumodel::TensorData;
using ipumodel::TensorPtr;
using ipumodel::TileId;
using ipumodel::VariableId;
using ipumodel::View;

namespace {

// Maps `count` elements of the new variable like those of the source.
void copyMapping(GraphImpl &impl, const Run &source, VariableId variable,
                 std::size_t begin) {
  auto &variables = impl.data->variables;
  variables[source.variable].mapping.forEach(
      source.offset, source.offset + source.count,
      [&](std::size_t from, std::size_t to, TileId tile) {
        if (tile != ipumodel::kNoTile)
          variables[variable].mapping.set(begin + (from - source.offset),
                                          begin + (to - source.offset), tile);
      });
}

// The copies as views of one new variable.
std::vector<View> cloneRegions(GraphImpl &impl, Type type,
                               const TensorData &source, RegionOrder order,
                               std::size_t copies,
                               const DebugContext &debugContext) {
  const CloneLayout layout(*impl.data, source.view, order, copies);
  const VariableId id =
      impl.addVariable(type, layout.numElements(), debugContext);
  layout.forEach([&](const Run &run, std::size_t begin) {
    copyMapping(impl, run, id, begin);
  });
  std::vector<View> views;
  for (std::size_t copy = 0; copy < copies; ++copy)
    views.push_back(layout.move(source.view, id, copy));
  return views;
}

// A variable with its elements in the order of the tensor.
View cloneInNewOrder(GraphImpl &impl, Type type, const TensorData &source,
                     const DebugContext &debugContext) {
  const VariableId id =
      impl.addVariable(type, source.view.numElements(), debugContext);
  std::size_t position = 0;
  source.view.forEachRun([&](const Run &run) {
    copyMapping(impl, run, id, position);
    position += run.count;
  });
  return View(id, source.view.shape());
}

View cloneView(GraphImpl &impl, Type type, const TensorData &source,
               const DebugContext &debugContext, TensorCloneMethod method) {
  const auto inOrder = [&](RegionOrder order) {
    return cloneRegions(impl, type, source, order, 1, debugContext).front();
  };
  switch (method) {
  case TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES:
    return inOrder(RegionOrder::variable);
  case TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES:
    if (source.view.isInjective())
      return inOrder(RegionOrder::variable);
    break;
  case TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES:
    return inOrder(RegionOrder::tile);
  case TensorCloneMethod::CREATE_NEW_ORDER:
    break;
  }
  return cloneInNewOrder(impl, type, source, debugContext);
}

// The metadata of the clone: as given, else the source's.
TensorPtr metadataFor(const GraphImpl &impl, Type type,
                      const TensorData &source, const Tensor *metadata) {
  if (metadata)
    impl.check(*metadata, "clone");
  TensorPtr chosen = metadata ? metadata->getImpl() : source.metadata;
  if (!type.requiresMetadata())
    return nullptr;
  if (!chosen)
    throw tensor_metadata_error(ipumodel::prefixOf(source) +
                                "clone: a clone of tensor " + describe(source) +
                                " as " + type.toString() + " needs metadata");
  return chosen;
}

Tensor cloneAs(GraphImpl &impl, Type type, const Tensor *metadata,
               const Tensor &t, const DebugContext &debugContext,
               TensorCloneMethod method) {
  const TensorData &source = impl.check(t, "clone");
  TensorPtr read = metadataFor(impl, type, source, metadata);
  return impl.makeTensor(type,
                         cloneView(impl, type, source, debugContext, method),
                         std::move(read));
}

} // namespace

Tensor Graph::clone(const Tensor &t, const DebugContext &debugContext,
                    TensorCloneMethod method) {
  return cloneAs(implOf(*this), t.elementType(), nullptr, t, debugContext,
                 method);
}

Tensor Graph::clone(const Type &type, const Tensor &t,
                    const DebugContext &debugContext,
                    TensorCloneMethod method) {
  return cloneAs(implOf(*this), type, nullptr, t, debugContext, method);
}

Tensor Graph::clone(const Tensor &metadata, const Tensor &t,
                    const DebugContext &debugContext,
                    TensorCloneMethod method) {
  return cloneAs(implOf(*this), t.elementType(), &metadata, t, debugContext,
                 method);
}

Tensor Graph::clone(const Type &type, const Tensor &metadata, const Tensor &t,
                    const DebugContext &debugContext,
                    TensorCloneMethod method) {
  return cloneAs(implOf(*this), type, &metadata, t, debugContext, method);
}

Tensor Graph::cloneN(const Tensor &t, std::size_t count,
                     const DebugContext &debugContext, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplication) {
  return cloneN(t.elementType(), t, count, debugContext, method, duplication);
}

Tensor Graph::cloneN(const Type &type, const Tensor &t, std::size_t count,
                     const DebugContext &debugContext, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplication) {
  GraphImpl &impl = implOf(*this);
  const TensorData &source = impl.check(t, "cloneN");
  TensorPtr metadata = metadataFor(impl, type, source, nullptr);
  // A new order does not keep the source's regions, so the copies are one after
  // the other whatever the duplication.
  const bool keepsOrder =
      method == TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES ||
      method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES ||
      (method == TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES &&
       source.view.isInjective());
  if (count == 0) {
    Shape shape = source.view.shape();
    shape.insert(shape.begin(), 0);
    return impl.makeTensor(type, View(std::move(shape), {}),
                           std::move(metadata));
  }
  std::vector<Tensor> clones;
  const auto add = [&](View view) {
    clones.push_back(
        impl.makeTensor(type, std::move(view), metadata).expand({0}));
  };
  if (duplication ==
          TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION &&
      keepsOrder) {
    const RegionOrder order =
        method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
            ? RegionOrder::tile
            : RegionOrder::variableByTile;
    for (View &view :
         cloneRegions(impl, type, source, order, count, debugContext))
      add(std::move(view));
  } else {
    for (std::size_t i = 0; i < count; ++i)
      add(cloneView(impl, type, source, debugContext, method));
  }
  return concat(clones);
}

} // namespace poplar
