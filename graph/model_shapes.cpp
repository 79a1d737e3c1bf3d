#include "graph/model_shapes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

namespace popscope::graph {

namespace {

using Shape = std::vector<std::size_t>;

[[noreturn]] void fail(const ModelSpec &model, const std::string &problem) {
  throw std::invalid_argument("[graph] model " + model.name + ": " + problem);
}

std::string text(const Shape &shape) {
  std::string result = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    result += (i ? ", " : "") + std::to_string(shape[i]);
  return result + ")";
}

// The output shape of a layer, from its input shape.
class LayerShape {
public:
  LayerShape(const std::string &layer, const Shape &in)
      : layer_(layer), in_(in) {}

  Shape operator()(const Conv &conv) const {
    checkImage("a convolution");
    checkPositive("filters", conv.filters);
    checkWindow("kernel", conv.kernel);
    return {in_[0] - conv.kernel + 1, in_[1] - conv.kernel + 1, conv.filters};
  }
  Shape operator()(const MaxPool &pool) const {
    checkImage("pooling");
    checkWindow("window", pool.window);
    return {in_[0] / pool.window, in_[1] / pool.window, in_[2]};
  }
  Shape operator()(const GlobalMaxPool &) const {
    checkImage("global pooling");
    return {in_[2]};
  }
  Shape operator()(const Flatten &) const {
    std::size_t features = 1;
    for (const std::size_t size : in_)
      features *= size;
    return {features};
  }
  Shape operator()(const Dropout &dropout) const {
    if (!(dropout.rate >= 0.0f && dropout.rate < 1.0f))
      fail("dropout rate " + std::to_string(dropout.rate) +
           " is not in [0, 1)");
    return in_;
  }
  Shape operator()(const Dense &dense) const {
    if (in_.size() != 1)
      fail("a dense layer needs one row of features, not " + text(in_) +
           "; put a Flatten before it");
    checkPositive("units", dense.units);
    return {dense.units};
  }

  [[noreturn]] void fail(const std::string &problem) const {
    throw std::invalid_argument("[graph] layer " + layer_ + ": " + problem);
  }

private:
  void checkImage(const char *what) const {
    if (in_.size() != 3)
      fail(std::string(what) + " needs (height, width, channels), not " +
           text(in_));
  }
  void checkPositive(const char *what, std::size_t number) const {
    if (number == 0)
      fail(std::string("the number of ") + what + " is zero");
  }
  void checkWindow(const char *what, std::size_t size) const {
    if (size == 0 || size > in_[0] || size > in_[1])
      fail(std::string("a ") + what + " of " + std::to_string(size) +
           " does not fit into " + text(in_));
  }

  const std::string &layer_;
  const Shape &in_;
};

Activation activationOf(const LayerSpec &layer) {
  if (const auto *conv = std::get_if<Conv>(&layer.kind))
    return conv->activation;
  if (const auto *dense = std::get_if<Dense>(&layer.kind))
    return dense->activation;
  return Activation::none;
}

} // namespace

std::vector<Shape> outputShapes(const ModelSpec &model) {
  if (model.layers.empty())
    fail(model, "it has no layers");
  if ((model.input.size() != 1 && model.input.size() != 3) ||
      std::count(model.input.begin(), model.input.end(), 0u))
    fail(model, "its input " + text(model.input) +
                    " is neither (height, width, channels) nor (features)");
  std::vector<Shape> shapes;
  std::set<std::string> names;
  unsigned stage = 0;
  for (const LayerSpec &layer : model.layers) {
    const bool last = &layer == &model.layers.back();
    const Shape &in = shapes.empty() ? model.input : shapes.back();
    const LayerShape shape(layer.name, in);
    if (layer.name.empty())
      fail(model, "layer " + std::to_string(shapes.size()) + " has no name");
    if (!names.insert(layer.name).second)
      shape.fail("another layer has this name");
    if (layer.stage != stage && (shapes.empty() || layer.stage != stage + 1))
      shape.fail("stage " + std::to_string(layer.stage) +
                 (shapes.empty()
                      ? " of the first layer is not 0"
                      : " does not follow stage " + std::to_string(stage)));
    if (!last && activationOf(layer) == Activation::softmax)
      shape.fail("only the last layer can end in softmax");
    stage = layer.stage;
    shapes.push_back(std::visit(shape, layer.kind));
  }
  const LayerSpec &last = model.layers.back();
  if (!std::holds_alternative<Dense>(last.kind) ||
      activationOf(last) != Activation::softmax)
    LayerShape(last.name, model.input)
        .fail("the last layer must be dense with softmax");
  return shapes;
}

std::size_t numElements(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1),
                         std::multiplies<>());
}

unsigned stageCount(const ModelSpec &model) {
  return model.layers.back().stage + 1;
}

} // namespace popscope::graph
