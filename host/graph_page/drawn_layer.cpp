#include "host/graph_page/drawn_layer.hpp"

#include <utility>
#include <variant>

namespace popscope::host {

namespace {

std::string size(std::size_t height, std::size_t width) {
  return std::to_string(height) + "x" + std::to_string(width);
}

std::string nameOf(graph::Activation activation) {
  switch (activation) {
  case graph::Activation::none:
    return "none";
  case graph::Activation::relu:
    return "relu";
  case graph::Activation::selu:
    return "selu";
  case graph::Activation::softmax:
    return "softmax";
  }
  return "";
}

// One function for each kind of layer.
class LayerDrawing {
public:
  LayerDrawing(const graph::TrainingSpec &training, const Place &stage,
               DrawnLayer &layer, Drawing &drawing)
      : training_(training), name_(layer.spec.name),
        place_(stage.in(layer.spec.name)), layer_(layer), drawing_(drawing) {
    layer_.output = layer_.input;
  }

  void operator()(const graph::Conv &conv) {
    const auto kernel = std::int64_t(conv.kernel);
    addWeight("kernel", {kernel, kernel, std::int64_t(layer_.in.back()),
                         std::int64_t(conv.filters)});
    next(Sketch("Conv2D")
             .from(layer_.output)
             .from(layer_.weights[0].read)
             .with("kernel", size(conv.kernel, conv.kernel))
             .with("filters", std::int64_t(conv.filters))
             .with("strides", "1x1")
             .with("padding", "valid")
             .with("activation", nameOf(conv.activation))
             .represents(name_ + "/fwd"));
    addBias(std::int64_t(conv.filters));
    addActivation(conv.activation);
  }

  void operator()(const graph::Dense &dense) {
    addWeight("kernel",
              {std::int64_t(layer_.in.back()), std::int64_t(dense.units)});
    next(Sketch("MatMul")
             .from(layer_.output)
             .from(layer_.weights[0].read)
             .with("units", std::int64_t(dense.units))
             .with("activation", nameOf(dense.activation))
             .represents(name_ + "/fwd"));
    addBias(std::int64_t(dense.units));
    addActivation(dense.activation);
  }

  void operator()(const graph::MaxPool &pool) {
    addPool("MaxPool", size(pool.window, pool.window));
  }
  void operator()(const graph::GlobalMaxPool &) {
    addPool("Max", size(layer_.in[0], layer_.in[1]));
  }

  void operator()(const graph::Flatten &) {
    next(Sketch("Reshape").from(layer_.output));
  }

  // The batch works on a copy of the seed, which the next batch must not see.
  void operator()(const graph::Dropout &dropout) {
    Sketch drop("Dropout");
    drop.from(layer_.output).with("rate", dropout.rate);
    if (dropout.rate > 0.0f) {
      const std::string seed =
          drawing_.addVariable(place_, "seed", {2}, name_ + "/seed");
      layer_.seed =
          drawing_.add(place_, Sketch("batch_seed", "Identity")
                                   .from(seed)
                                   .makes({2})
                                   .represents(name_ + "/batch_seed"));
      drawing_.add(place_, Sketch("next_seed", "AssignAdd")
                               .from(seed)
                               .after(layer_.seed)
                               .makes({2})
                               .runs(name_ + "/next_seed"));
      drop.from(layer_.seed).represents(name_ + "/fwd");
    }
    next(drop);
  }

private:
  // Adds the operation that takes what the last one made.
  void next(Sketch &sketch) {
    layer_.output =
        drawing_.add(place_, sketch.makes(drawing_.batchOf(layer_.out)));
  }

  void addWeight(const std::string &part, const summary::Shape &shape) {
    const bool isHalf = training_.precision == poplar::HALF;
    DrawnWeight weight;
    weight.layer = name_;
    weight.part = part;
    weight.stage = layer_.spec.stage;
    weight.shape = shape;
    const std::string compute = name_ + "/" + part;
    weight.variable = drawing_.addVariable(
        place_, part, shape, isHalf ? weight.tensor() + "/master" : compute);
    weight.read = weight.variable;
    if (isHalf)
      weight.read = drawing_.add(place_.onceAnUpdate(),
                                 Sketch(part + "_half", "Cast")
                                     .from(weight.variable)
                                     .makes(shape)
                                     .runs(weight.tensor() + "/compute")
                                     .keeps(compute));
    layer_.weights.push_back(std::move(weight));
  }

  void addBias(std::int64_t count) {
    addWeight("bias", {count});
    next(Sketch("BiasAdd")
             .from(layer_.output)
             .from(layer_.weights[1].read)
             .represents(name_ + "/add_bias"));
  }

  // On the device softmax is part of the loss, which needs it in FLOAT.
  void addActivation(graph::Activation activation) {
    if (activation == graph::Activation::none)
      return;
    Sketch sketch(operationOf(activation));
    sketch.from(layer_.output);
    if (activation == graph::Activation::softmax)
      sketch.represents("loss/softmax").represents("loss/logits");
    else
      sketch.represents(name_ + "/activation");
    next(sketch);
  }

  void addPool(const char *op, const std::string &window) {
    next(Sketch(op)
             .from(layer_.output)
             .with("window", window)
             .with("strides", window)
             .with("padding", "valid")
             .represents(name_ + "/fwd"));
  }

  const graph::TrainingSpec &training_;
  const std::string name_;
  const Place place_;
  DrawnLayer &layer_;
  Drawing &drawing_;
};

} // namespace

DrawnLayer drawLayer(const graph::TrainingSpec &training,
                     const graph::LayerSpec &layer, const std::string &input,
                     const ImageShape &in, const ImageShape &out,
                     const Place &stage, Drawing &drawing) {
  DrawnLayer drawn;
  drawn.spec = layer;
  drawn.in = in;
  drawn.out = out;
  drawn.input = input;
  std::visit(LayerDrawing(training, stage, drawn, drawing), layer.kind);
  return drawn;
}

std::string operationOf(graph::Activation activation) {
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

} // namespace popscope::host
