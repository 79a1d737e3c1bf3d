#include <popops/Pad.hpp>
#include <poputil/exceptions.hpp>

#include <functional>

namespace popops {

using namespace poplar;
using padding::MappingMethod;
using poputil::poplibs_error;

namespace {

using Amounts = std::vector<std::ptrdiff_t>;

enum class End { lower, upper };

// Makes `count` layers for one end of dimension `dim` of `t`.
using Layers = std::function<Tensor(const Tensor &t, unsigned dim, End end,
                                    std::size_t count)>;

std::size_t positive(std::ptrdiff_t amount) {
  return amount > 0 ? static_cast<std::size_t>(amount) : 0;
}

// The layer at `distance` from an end.
Tensor layerAt(const Tensor &t, unsigned dim, End end, std::size_t distance) {
  if (distance >= t.dim(dim))
    throw poplibs_error("pad: there are not enough elements in dimension " +
                        std::to_string(dim) + " of " + t.shapeToString());
  const std::size_t index =
      end == End::lower ? distance : t.dim(dim) - 1 - distance;
  return t.slice(index, index + 1, dim);
}

Tensor padDim(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper,
              unsigned dim, const Layers &layers) {
  if (dim >= t.rank())
    throw poplibs_error("pad: there is no dimension " + std::to_string(dim) +
                        " in " + t.shapeToString());
  const std::size_t below = positive(-lower), above = positive(-upper);
  if (below + above > t.dim(dim))
    throw poplibs_error(
        "pad: more elements are removed than there are in dimension " +
        std::to_string(dim) + " of " + t.shapeToString());
  Tensor result = t.slice(below, t.dim(dim) - above, dim);
  const Tensor inner = result;
  if (lower > 0)
    result =
        concat(layers(inner, dim, End::lower, positive(lower)), result, dim);
  if (upper > 0)
    result =
        concat(result, layers(inner, dim, End::upper, positive(upper)), dim);
  return result;
}

Tensor padDims(Tensor t, const Amounts &lower, const Amounts &upper,
               const Layers &layers) {
  if (lower.size() != t.rank() || upper.size() != t.rank())
    throw poplibs_error("pad: " + std::to_string(lower.size()) + " and " +
                        std::to_string(upper.size()) +
                        " amounts for a tensor of shape " + t.shapeToString());
  for (unsigned dim = 0; dim < lower.size(); ++dim)
    t = padDim(t, lower[dim], upper[dim], dim, layers);
  return t;
}

void mapPadding(Graph &graph, const Tensor &padding, const Tensor &t,
                unsigned dim, End end, MappingMethod method) {
  switch (method) {
  case MappingMethod::NONE:
    return;
  case MappingMethod::ZERO:
    graph.setTileMapping(padding, 0);
    return;
  case MappingMethod::EDGE:
    for (std::size_t i = 0; i < padding.dim(dim); ++i)
      graph.setTileMapping(padding.slice(i, i + 1, dim),
                           graph.getTileMapping(layerAt(t, dim, end, 0)));
    return;
  }
  throw poplibs_error("pad: unknown mapping method");
}

template <class T>
Layers constantLayers(Graph &graph, T value, MappingMethod method) {
  return [&graph, value, method](const Tensor &t, unsigned dim, End end,
                                 std::size_t count) {
    std::vector<std::size_t> shape = t.shape();
    shape[dim] = count;
    const Tensor padding =
        graph.addConstant(t.elementType(), shape, value, "padding");
    mapPadding(graph, padding, t, dim, end, method);
    return padding;
  };
}

// The tensor keeps its mapping.
Layers tensorLayers(const Tensor &value) {
  if (value.numElements() != 1)
    throw poplibs_error("pad: the value must be one element, not of shape " +
                        value.shapeToString());
  return [value](const Tensor &t, unsigned dim, End, std::size_t count) {
    std::vector<std::size_t> shape = t.shape();
    shape[dim] = count;
    std::size_t elements = 1;
    for (const std::size_t size : shape)
      elements *= size;
    return value.flatten()
        .broadcast(static_cast<unsigned>(elements), 0)
        .reshape(shape);
  };
}

Layers ownLayers(padding::Type type) {
  if (type == padding::Type::EDGE)
    return [](const Tensor &t, unsigned dim, End end, std::size_t count) {
      return layerAt(t, dim, end, 0)
          .broadcast(static_cast<unsigned>(count), dim);
    };
  return [](const Tensor &t, unsigned dim, End end, std::size_t count) {
    std::vector<Tensor> layers;
    for (std::size_t i = 0; i < count; ++i)
      layers.push_back(
          layerAt(t, dim, end, end == End::lower ? count - i : i + 1));
    return concat(layers, dim);
  };
}

} // namespace

Tensor pad(Graph &graph, const Tensor &t, const Amounts &paddingLower,
           const Amounts &paddingUpper, float val,
           MappingMethod mappingMethod) {
  return padDims(t, paddingLower, paddingUpper,
                 constantLayers(graph, val, mappingMethod));
}

Tensor pad(Graph &graph, const Tensor &t, const Amounts &paddingLower,
           const Amounts &paddingUpper, int val, MappingMethod mappingMethod) {
  return padDims(t, paddingLower, paddingUpper,
                 constantLayers(graph, val, mappingMethod));
}

Tensor pad(Graph &, const Tensor &t, const Amounts &paddingLower,
           const Amounts &paddingUpper, const Tensor &val, MappingMethod) {
  return padDims(t, paddingLower, paddingUpper, tensorLayers(val));
}

Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t paddingLower,
           std::ptrdiff_t paddingUpper, unsigned dim, float val,
           MappingMethod mappingMethod) {
  return padDim(t, paddingLower, paddingUpper, dim,
                constantLayers(graph, val, mappingMethod));
}

Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t paddingLower,
           std::ptrdiff_t paddingUpper, unsigned dim, int val,
           MappingMethod mappingMethod) {
  return padDim(t, paddingLower, paddingUpper, dim,
                constantLayers(graph, val, mappingMethod));
}

Tensor pad(Graph &, const Tensor &t, std::ptrdiff_t paddingLower,
           std::ptrdiff_t paddingUpper, unsigned dim, const Tensor &val,
           MappingMethod) {
  return padDim(t, paddingLower, paddingUpper, dim, tensorLayers(val));
}

Tensor pad(const Tensor &t, const Amounts &paddingLower,
           const Amounts &paddingUpper, padding::Type type) {
  return padDims(t, paddingLower, paddingUpper, ownLayers(type));
}

Tensor pad(const Tensor &t, std::ptrdiff_t paddingLower,
           std::ptrdiff_t paddingUpper, unsigned dim, padding::Type type) {
  return padDim(t, paddingLower, paddingUpper, dim, ownLayers(type));
}

} // namespace popops
