#include "host/callbacks/model_graph.hpp"

#include "graph/model_shapes.hpp"

#include <string>
#include <variant>

namespace popscope::host {

namespace {

using summary::GraphNode;
using Shape = std::vector<std::size_t>;

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

std::string opOf(graph::Activation activation) {
  switch (activation) {
  case graph::Activation::none:
    return "";
  case graph::Activation::relu:
    return "Relu";
  case graph::Activation::selu:
    return "Selu";
  case graph::Activation::softmax:
    return "Softmax";
  }
  return "";
}

// Adds the nodes of one layer after the other, remembering where the last one
// ended.
class Drawing {
public:
  Drawing(summary::GraphDescription &page, std::size_t batchSize)
      : page_(page), batchSize_(batchSize) {}

  void begin(const std::string &scope, unsigned stage) {
    scope_ = scope;
    device_ = "/device:IPU:" + std::to_string(stage);
  }
  void operation(const std::string &op, const Shape &shape,
                 const std::vector<std::string> &weights = {}) {
    GraphNode node;
    node.name = scope_ + "/" + op;
    node.op = op;
    node.device = device_;
    if (!last_.empty())
      node.inputs.push_back(last_);
    node.inputs.insert(node.inputs.end(), weights.begin(), weights.end());
    summary::Shape output{std::int64_t(batchSize_)};
    output.insert(output.end(), shape.begin(), shape.end());
    node.outputShapes = {output};
    last_ = node.name;
    page_.nodes.push_back(std::move(node));
  }
  std::string weight(const std::string &name, const Shape &shape) {
    GraphNode node;
    node.name = scope_ + "/" + name;
    node.op = "VariableV2";
    node.device = device_;
    node.outputShapes = {summary::Shape(shape.begin(), shape.end())};
    page_.nodes.push_back(node);
    return node.name;
  }
  // A product with a kernel, a bias, an activation.
  void weighted(const std::string &op, const Shape &kernel, const Shape &output,
                graph::Activation activation) {
    operation(op, output, {weight("kernel", kernel)});
    operation("BiasAdd", output, {weight("bias", {kernel.back()})});
    if (activation != graph::Activation::none)
      operation(opOf(activation), output);
  }

private:
  summary::GraphDescription &page_;
  const std::size_t batchSize_;
  std::string scope_, device_, last_;
};

} // namespace

summary::GraphDescription describeGraph(const graph::ModelSpec &model,
                                        std::size_t batchSize) {
  summary::GraphDescription page;
  Drawing drawing(page, batchSize);
  const std::vector<Shape> shapes = graph::outputShapes(model);
  Shape input = model.input;
  drawing.begin("host", 0);
  drawing.operation("Images", input);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const graph::LayerSpec &layer = model.layers[i];
    const Shape &output = shapes[i];
    drawing.begin("stage_" + std::to_string(layer.stage) + "/" + layer.name,
                  layer.stage);
    std::visit(Overloaded{[&](const graph::Conv &conv) {
                            drawing.weighted("Conv2D",
                                             {conv.kernel, conv.kernel,
                                              input.back(), conv.filters},
                                             output, conv.activation);
                          },
                          [&](const graph::Dense &dense) {
                            drawing.weighted("MatMul",
                                             {input.back(), dense.units},
                                             output, dense.activation);
                          },
                          [&](const graph::MaxPool &) {
                            drawing.operation("MaxPool", output);
                          },
                          [&](const graph::GlobalMaxPool &) {
                            drawing.operation("Max", output);
                          },
                          [&](const graph::Flatten &) {
                            drawing.operation("Reshape", output);
                          },
                          [&](const graph::Dropout &) {
                            drawing.operation("Dropout", output);
                          }},
               layer.kind);
    input = output;
  }
  return page;
}

summary::LayerGraph describeLayers(const graph::ModelSpec &model) {
  summary::LayerGraph page;
  page.name = model.name;
  const auto kindOf = Overloaded{
      [](const graph::Conv &) { return "Conv2D"; },
      [](const graph::Dense &) { return "Dense"; },
      [](const graph::MaxPool &) { return "MaxPooling2D"; },
      [](const graph::GlobalMaxPool &) { return "GlobalMaxPooling2D"; },
      [](const graph::Flatten &) { return "Flatten"; },
      [](const graph::Dropout &) { return "Dropout"; }};
  for (const graph::LayerSpec &layer : model.layers)
    page.layers.push_back({layer.name, std::visit(kindOf, layer.kind), {}});
  return page;
}

} // namespace popscope::host
