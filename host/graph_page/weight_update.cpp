#include "host/graph_page/weight_update.hpp"

#include "host/graph_page/optimizer_drawing.hpp"

#include <string>

namespace popscope::host {

namespace {

std::string nameOf(graph::AccumulationMethod method) {
  switch (method) {
  case graph::AccumulationMethod::sum:
    return "sum";
  case graph::AccumulationMethod::mean:
    return "mean";
  case graph::AccumulationMethod::runningMean:
    return "running mean";
  }
  return "";
}

// Calls f with each gradient of the stage.
template <class F>
void forEachOf(unsigned stage, std::vector<DrawnGradient> &gradients, F &&f) {
  for (DrawnGradient &gradient : gradients)
    if (gradient.weight.stage == stage)
      f(gradient);
}

bool isAccumulated(const graph::TrainingSpec &spec) {
  return spec.accumulation > 1 || spec.lossScale != 1.0f ||
         spec.precision != poplar::FLOAT;
}

// Gradients become their sums over the batches of an update.
void drawAccumulation(const graph::TrainingSpec &spec, unsigned stage,
                      const Places &places,
                      std::vector<DrawnGradient> &gradients, Drawing &drawing) {
  const Place place = places.stage(stage).in("accumulation");
  Sketch reset("reset", "Zeros");
  forEachOf(stage, gradients, [&](const DrawnGradient &gradient) {
    reset.runs(gradient.weight.tensor() + "/accumulated");
  });
  if (reset.drawn().programs.empty())
    return;
  const std::string begin = drawing.add(place.onceAnUpdate(), reset);
  forEachOf(stage, gradients, [&](DrawnGradient &gradient) {
    const DrawnWeight &weight = gradient.weight;
    const Place layer = place.in(weight.layer);
    const std::string sum =
        drawing.addVariable(layer, weight.part + "_sum", weight.shape,
                            weight.tensor() + "/accumulated");
    gradient.node =
        drawing.add(layer, Sketch(weight.part, "AssignAdd")
                               .from(sum)
                               .from(gradient.node)
                               .after(begin)
                               .makes(weight.shape)
                               .with("batches", std::int64_t(spec.accumulation))
                               .with("method", nameOf(spec.accumulationMethod))
                               .with("loss_scale", spec.lossScale)
                               .runs(weight.tensor() + "/accumulate"));
  });
}

// Gradients become their sums or means over the replicas.
void drawReduction(const graph::TrainingSpec &spec, unsigned replicas,
                   unsigned stage, const Places &places,
                   const std::string &ready,
                   std::vector<DrawnGradient> &gradients, Drawing &drawing) {
  Sketch reduce("AllReduce");
  forEachOf(stage, gradients, [&](const DrawnGradient &gradient) {
    reduce.from(gradient.node).makes(gradient.weight.shape);
  });
  if (reduce.drawn().node.inputs.empty())
    return;
  // The stages of a pipeline share a program for it; none can be said to cost
  // what that does.
  if (places.stages() == 1)
    reduce.represents("all_reduce");
  const bool isSum = spec.accumulationMethod == graph::AccumulationMethod::sum;
  const std::string name =
      drawing.add(places.stage(stage).onceAnUpdate(),
                  reduce.after(ready)
                      .with("replicas", std::int64_t(replicas))
                      .with("operator", isSum ? "sum" : "mean"));
  unsigned output = 0;
  forEachOf(stage, gradients, [&](DrawnGradient &gradient) {
    gradient.node = output == 0 ? name : name + ":" + std::to_string(output);
    ++output;
  });
}

} // namespace

void drawWeightUpdate(const graph::TrainingSpec &spec, unsigned replicas,
                      const Places &places,
                      std::vector<DrawnGradient> gradients, Drawing &drawing) {
  if (isAccumulated(spec))
    for (unsigned stage = 0; stage < places.stages(); ++stage)
      drawAccumulation(spec, stage, places, gradients, drawing);
  // No weight changes while a stage still computes gradients with it.
  Sketch ready("all_gradients", "Barrier");
  for (const DrawnGradient &gradient : gradients)
    ready.after(gradient.node);
  const std::string barrier =
      drawing.add(places.stage(0).in("optimizer").onceAnUpdate(), ready);
  if (replicas > 1)
    for (unsigned stage = 0; stage < places.stages(); ++stage)
      drawReduction(spec, replicas, stage, places, barrier, gradients, drawing);
  OptimizerDrawing optimizer(spec.optimizer, places, drawing);
  for (const DrawnGradient &gradient : gradients)
    optimizer.drawUpdate(gradient, barrier);
}

} // namespace popscope::host
