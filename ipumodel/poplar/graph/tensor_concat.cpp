#include "poplar/graph/tensor_checks.hpp"

#include <poplar/Tensor.hpp>
#include <poplar/exceptions.hpp>

namespace poplar {

using ipumodel::checkDim;
using ipumodel::checkSameGraph;
using ipumodel::dataOf;
using ipumodel::describe;
using ipumodel::prefixOf;
using ipumodel::TensorData;
using ipumodel::View;

namespace {

bool sameMetadata(const TensorData &a, const TensorData &b) {
  return a.metadata == b.metadata ||
         (a.metadata && b.metadata && a.metadata->view == b.metadata->view);
}

// Throws unless `b` can be appended to `a` along the dimension.
void checkJoins(const TensorData &a, const TensorData &b, unsigned dimension) {
  checkSameGraph(a, b, "concat");
  const auto both = [&] {
    return "tensor " + describe(a) + " and tensor " + describe(b);
  };
  if (a.type != b.type)
    throw type_error(prefixOf(b) +
                     "concat: the element types differ: " + both());
  if (!sameMetadata(a, b))
    throw tensor_metadata_error(prefixOf(b) +
                                "concat: the metadata differ: " + both());
  const auto &x = a.view.shape(), &y = b.view.shape();
  bool fits = x.size() == y.size();
  for (std::size_t d = 0; fits && d < x.size(); ++d)
    fits = d == dimension || x[d] == y[d];
  if (!fits)
    throw poplar_error(prefixOf(b) +
                       "concat: the shapes do not match along dimension " +
                       std::to_string(dimension) + ": " + both());
}

} // namespace

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension) {
  if (tensors.empty())
    throw poplar_error("concat: there are no tensors to concatenate");
  const TensorData &first = dataOf(tensors[0], "concat");
  checkDim(first, dimension, "concat");
  std::vector<const View *> views;
  views.reserve(tensors.size());
  for (const Tensor &tensor : tensors) {
    const TensorData &data = dataOf(tensor, "concat");
    checkJoins(first, data, dimension);
    views.push_back(&data.view);
  }
  if (tensors.size() == 1)
    return tensors[0];
  return Tensor(std::make_shared<TensorData>(
      TensorData{first.graph, first.type, View::concat(views, dimension),
                 first.metadata}));
}

Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension) {
  const Tensor both[] = {first, second};
  return concat(ArrayRef<Tensor>(both), dimension);
}

Tensor append(const Tensor &first, const Tensor &second, unsigned dimension) {
  return concat(first, second.expand({std::size_t(dimension)}), dimension);
}

Tensor append(const Tensor &first, const Tensor &second) {
  return append(first, second, 0);
}

} // namespace poplar
