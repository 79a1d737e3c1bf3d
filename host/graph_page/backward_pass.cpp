#include "host/graph_page/backward_pass.hpp"

#include "graph/pipeline.hpp"
#include "host/graph_page/overloaded.hpp"

#include <algorithm>
#include <map>
#include <variant>

namespace popscope::host {

namespace {

graph::Activation activationOf(const graph::LayerSpec &layer) {
  if (const auto *conv = std::get_if<graph::Conv>(&layer.kind))
    return conv->activation;
  if (const auto *dense = std::get_if<graph::Dense>(&layer.kind))
    return dense->activation;
  return graph::Activation::none;
}

// The loss gives the gradient of what softmax takes.
bool hasGradient(graph::Activation activation) {
  return activation != graph::Activation::none &&
         activation != graph::Activation::softmax;
}

struct SavedNode {
  std::string node;
  summary::Shape shape;
};

// What the backward pass of a layer takes from its forward pass.
std::vector<SavedNode> savedBy(const DrawnLayer &layer,
                               const Drawing &drawing) {
  const SavedNode input{layer.input, drawing.batchOf(layer.in)};
  const SavedNode output{layer.output, drawing.batchOf(layer.out)};
  if (!layer.seed.empty())
    return {{layer.seed, {2}}};
  if (!layer.weights.empty())
    return hasGradient(activationOf(layer.spec)) ? std::vector{input, output}
                                                 : std::vector{input};
  const bool isPool =
      std::holds_alternative<graph::MaxPool>(layer.spec.kind) ||
      std::holds_alternative<graph::GlobalMaxPool>(layer.spec.kind);
  return isPool ? std::vector{input, output} : std::vector<SavedNode>();
}

class BackwardDrawing {
public:
  BackwardDrawing(const ForwardPass &forward, const Places &places,
                  Drawing &drawing)
      : forward_(forward), places_(places), drawing_(drawing),
        gradient_(forward.logitsGradient) {}

  std::vector<DrawnGradient> draw() {
    const auto &layers = forward_.layers;
    const auto firstTrained =
        std::find_if(layers.begin(), layers.end(),
                     [](const DrawnLayer &l) { return !l.weights.empty(); });
    unsigned stage = places_.stages() - 1;
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      if (layer->spec.stage != stage)
        leaveStage(stage = layer->spec.stage, *layer);
      const bool isFirst = &*layer == &*firstTrained;
      drawLayer(*layer, isFirst);
      if (isFirst)
        break;
    }
    return std::move(gradients_);
  }

private:
  Place placeOf(unsigned stage) const {
    return places_.stage(stage).in("gradients");
  }

  // The gradient crosses over to the stage before, where activations wait for
  // it in a stash.
  void leaveStage(unsigned stage, const DrawnLayer &last) {
    gradient_ =
        drawing_.add(placeOf(stage),
                     Sketch("CopyToIpu")
                         .from(gradient_)
                         .makes(drawing_.batchOf(last.out))
                         .represents(Places::nameOf(stage) + "/received_grad"));
    drawStash(stage);
  }

  void drawStash(unsigned stage) {
    Sketch stash("stash", "Stash");
    stash
        .with("slots", std::int64_t(graph::stashDepth(stage, places_.stages())))
        .represents(Places::nameOf(stage) + "/stash");
    std::vector<std::string> kept;
    for (const DrawnLayer &layer : forward_.layers)
      if (layer.spec.stage == stage)
        for (const SavedNode &saved : savedBy(layer, drawing_))
          if (std::find(kept.begin(), kept.end(), saved.node) == kept.end()) {
            kept.push_back(saved.node);
            stash.from(saved.node).makes(saved.shape);
          }
    const std::string name = drawing_.add(places_.stage(stage), stash);
    for (std::size_t i = 0; i < kept.size(); ++i)
      stashed_[kept[i]] = i == 0 ? name : name + ":" + std::to_string(i);
  }

  // A node of the forward pass as the backward pass sees it.
  std::string saved(const std::string &node) const {
    const auto stashed = stashed_.find(node);
    return stashed == stashed_.end() ? node : stashed->second;
  }

  void drawLayer(const DrawnLayer &layer, bool isFirst) {
    place_ = placeOf(layer.spec.stage).in(layer.spec.name);
    if (!layer.weights.empty())
      drawWeighted(layer, isFirst);
    else
      std::visit(Overloaded{[&](const graph::Flatten &) {
                              next(layer, Sketch("Reshape").from(gradient_));
                            },
                            [&](const graph::Dropout &dropout) {
                              Sketch drop("Dropout");
                              drop.from(gradient_).with("rate", dropout.rate);
                              if (!layer.seed.empty())
                                drop.from(saved(layer.seed))
                                    .represents(layer.spec.name + "/bwd");
                              next(layer, drop);
                            },
                            [&](const auto &) {
                              next(layer,
                                   Sketch("input_grad", "MaxPoolGrad")
                                       .from(saved(layer.input))
                                       .from(saved(layer.output))
                                       .from(gradient_)
                                       .represents(layer.spec.name + "/bwd"));
                            }},
                 layer.spec.kind);
  }

  // The operation that makes the gradient of the layer's input.
  void next(const DrawnLayer &layer, Sketch &sketch) {
    gradient_ = drawing_.add(place_, sketch.makes(drawing_.batchOf(layer.in)));
  }

  void drawWeighted(const DrawnLayer &layer, bool isFirst) {
    const std::string &name = layer.spec.name;
    const bool isConv = std::holds_alternative<graph::Conv>(layer.spec.kind);
    const graph::Activation activation = activationOf(layer.spec);
    if (hasGradient(activation))
      gradient_ = drawing_.add(
          place_, Sketch("activation_grad", operationOf(activation) + "Grad")
                      .from(gradient_)
                      .from(saved(layer.output))
                      .makes(drawing_.batchOf(layer.out))
                      .represents(name + "/activation_grad"));
    const DrawnWeight &kernel = layer.weights[0], &bias = layer.weights[1];
    addGradient(bias, Sketch("bias_grad", "BiasAddGrad").from(gradient_));
    addGradient(kernel, Sketch("kernel_grad",
                               isConv ? "Conv2DBackpropFilter" : "MatMul")
                            .from(saved(layer.input))
                            .from(gradient_));
    if (!isFirst)
      next(layer,
           Sketch("input_grad", isConv ? "Conv2DBackpropInput" : "MatMul")
               .from(gradient_)
               .from(kernel.read)
               .represents(name + "/bwd"));
  }

  void addGradient(const DrawnWeight &weight, Sketch &sketch) {
    sketch.makes(weight.shape)
        .represents(weight.layer + "/" + weight.part + "_grad");
    gradients_.push_back({weight, drawing_.add(place_, sketch)});
  }

  const ForwardPass &forward_;
  const Places &places_;
  Drawing &drawing_;
  std::string gradient_; // the node that the next operation takes
  Place place_;          // of the layer that is drawn
  std::map<std::string, std::string> stashed_;
  std::vector<DrawnGradient> gradients_;
};

} // namespace

std::vector<DrawnGradient> drawBackwardPass(const ForwardPass &forward,
                                            const Places &places,
                                            Drawing &drawing) {
  return BackwardDrawing(forward, places, drawing).draw();
}

} // namespace popscope::host
