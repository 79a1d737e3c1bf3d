#include "host/graph_page/optimizer_drawing.hpp"

#include "host/graph_page/overloaded.hpp"

#include <utility>
#include <variant>

namespace popscope::host {

namespace {

// How an optimiser looks on the page.
struct Style {
  std::string op;
  std::string program;            // the end of its programs' names
  std::vector<std::string> slots; // state of each weight
  std::vector<std::pair<std::string, float>> factors;
};

Style styleOf(const graph::OptimizerSpec &spec) {
  return std::visit(
      Overloaded{[](const graph::Sgd &sgd) {
                   if (sgd.momentum == 0.0f)
                     return Style{"ApplyGradientDescent", "sgd", {}, {}};
                   return Style{"ApplyMomentum",
                                "sgd",
                                {"momentum"},
                                {{"momentum", sgd.momentum}}};
                 },
                 [](const graph::RmsProp &rms) {
                   return Style{"ApplyRMSProp",
                                "rmsprop",
                                {"velocity"},
                                {{"rho", rms.rho}, {"epsilon", rms.epsilon}}};
                 },
                 [](const graph::Adam &adam) {
                   return Style{"ApplyAdam",
                                "adam",
                                {"momentum", "velocity"},
                                {{"beta_1", adam.beta1},
                                 {"beta_2", adam.beta2},
                                 {"epsilon", adam.epsilon}}};
                 }},
      spec.kind);
}

} // namespace

OptimizerDrawing::OptimizerDrawing(const graph::OptimizerSpec &spec,
                                   const Places &places, Drawing &drawing)
    : spec_(spec), places_(places), drawing_(drawing) {
  const std::string written =
      drawing.add(places.host().onceAnUpdate(),
                  Sketch("learning_rate", "HostWrite").makes({}));
  const std::string learningRate =
      drawing.add(placeOf(0), Sketch("learning_rate", "VariableV2")
                                  .from(written)
                                  .makes({})
                                  .with("learning_rate", spec.learningRate)
                                  .keeps("learning_rate"));
  stepSizes_.push_back(drawStepSize(learningRate));
  for (unsigned stage = 1; stage < places.stages(); ++stage)
    stepSizes_.push_back(drawing.add(
        placeOf(stage), Sketch("step_size", "CopyToIpu")
                            .from(stepSizes_[0])
                            .makes({})
                            .represents(Places::nameOf(stage) + "/step_size")));
}

Place OptimizerDrawing::placeOf(unsigned stage) const {
  return places_.stage(stage).in("optimizer").onceAnUpdate();
}

// Adam corrects the rate for the number of updates; the others take it as it
// is.
std::string OptimizerDrawing::drawStepSize(const std::string &learningRate) {
  if (!std::holds_alternative<graph::Adam>(spec_.kind))
    return learningRate;
  const std::string iterations =
      drawing_.addVariable(placeOf(0), "iterations", {}, "iterations");
  const std::string next =
      drawing_.add(placeOf(0), Sketch("next_iteration", "AssignAdd")
                                   .from(iterations)
                                   .makes({})
                                   .runs("iterations"));
  return drawing_.add(placeOf(0), Sketch("step_size", "AdamStepSize")
                                      .from(learningRate)
                                      .from(next)
                                      .makes({})
                                      .represents("adam/step_size"));
}

void OptimizerDrawing::drawUpdate(const DrawnGradient &gradient,
                                  const std::string &ready) {
  const DrawnWeight &weight = gradient.weight;
  const Style style = styleOf(spec_);
  const Place place = placeOf(weight.stage).in(weight.layer);
  Sketch apply(weight.part, style.op);
  apply.from(weight.variable);
  for (const std::string &slot : style.slots)
    apply.from(drawing_.addVariable(place, weight.part + "_" + slot,
                                    weight.shape,
                                    weight.tensor() + "/" + slot));
  apply.from(stepSizes_[weight.stage])
      .from(gradient.node)
      .after(ready)
      .makes(weight.shape)
      .with("learning_rate", spec_.learningRate)
      .represents(weight.tensor() + "/" + style.program);
  for (const auto &[name, value] : style.factors)
    apply.with(name, value);
  drawing_.add(place, apply);
}

} // namespace popscope::host
