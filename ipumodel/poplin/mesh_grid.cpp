#include <poplar/exceptions.hpp>
#include <poplin/MeshGrid.hpp>

namespace poplin {

using poplar::Tensor;

Tensor linspace(poplar::Graph &graph, const poplar::Type &type, float left,
                float right, std::size_t count,
                const poplar::DebugContext &debugContext) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poplar::poplar_error(
        "linspace: the type must be FLOAT or HALF, not " +
        type.toString().cloneAsString());
  const float step =
      count > 1 ? (right - left) / static_cast<float>(count - 1) : 0;
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(left + step * static_cast<float>(i));
  const Tensor t =
      graph.addConstant(type, {count}, poplar::ArrayRef<float>(values),
                        {debugContext, "linspace"});
  graph.setTileMapping(t, 0);
  return t;
}

std::vector<Tensor> meshgrid2d(poplar::Graph &, Tensor x, Tensor y) {
  if (x.rank() != 1 || y.rank() != 1)
    throw poplar::poplar_error("meshgrid2d: x and y must be vectors, not " +
                               x.shapeToString() + " and " + y.shapeToString());
  if (x.elementType() != y.elementType())
    throw poplar::poplar_error("meshgrid2d: x and y have different types");
  const unsigned columns = static_cast<unsigned>(x.numElements());
  const unsigned rows = static_cast<unsigned>(y.numElements());
  return {x.expand({0}).broadcast(rows, 0),
          y.expand({1}).broadcast(columns, 1)};
}

} // namespace poplin
