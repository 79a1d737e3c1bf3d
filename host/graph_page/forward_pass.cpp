#include "host/graph_page/forward_pass.hpp"

#include "graph/model_shapes.hpp"

namespace popscope::host {

namespace {

std::string drawImages(const graph::TrainingSpec &spec, const Places &places,
                       Drawing &drawing) {
  const summary::Shape shape = drawing.batchOf(spec.model.input);
  const std::string sent = drawing.add(
      places.host(), Sketch("images", "Infeed")
                         .makes(shape)
                         .with("stream", graph::streams::kTrainImages));
  const std::string images = drawing.add(
      places.stage(0),
      Sketch("images", "StreamCopy").from(sent).makes(shape).keeps("images"));
  if (spec.precision != poplar::HALF)
    return images;
  return drawing.add(
      places.stage(0),
      Sketch("images_half", "Cast").from(images).makes(shape).runs("images"));
}

// Returns the gradient of the logits.
std::string drawLoss(const graph::TrainingSpec &spec, const Places &places,
                     const DrawnLayer &last, Drawing &drawing) {
  const Place host = places.host();
  const Place loss = places.lastStage().in("loss");
  const summary::Shape batch = drawing.batchOf({});
  const std::string sent =
      drawing.add(host, Sketch("labels", "Infeed")
                            .makes(batch)
                            .with("stream", graph::streams::kTrainLabels));
  const std::string labels = drawing.add(
      loss,
      Sketch("labels", "StreamCopy").from(sent).makes(batch).keeps("labels"));
  const std::string entropy =
      drawing.add(loss, Sketch("CrossEntropy")
                            .from(last.output)
                            .from(labels)
                            .makes(batch)
                            .makes(drawing.batchOf(last.out))
                            .with("loss_scale", spec.lossScale)
                            .runs("loss/cross_entropy")
                            .keeps("loss/losses")
                            .keeps("loss/logits_grad")
                            .keeps("loss/scale"));
  drawing.add(host, Sketch("losses", "Outfeed")
                        .from(entropy)
                        .with("stream", graph::streams::kTrainLosses));
  drawing.add(host, Sketch("probabilities", "Outfeed")
                        .from(last.output)
                        .with("stream", graph::streams::kTrainProbabilities));
  const std::string gradient = entropy + ":1";
  if (spec.precision != poplar::HALF)
    return gradient;
  return drawing.add(loss, Sketch("logits_grad_half", "Cast")
                               .from(gradient)
                               .makes(drawing.batchOf(last.out))
                               .runs("loss/logits_grad"));
}

} // namespace

ForwardPass drawForwardPass(const graph::TrainingSpec &spec,
                            const Places &places, Drawing &drawing) {
  ForwardPass pass;
  const std::vector<ImageShape> shapes = graph::outputShapes(spec.model);
  std::string x = drawImages(spec, places, drawing);
  ImageShape in = spec.model.input;
  unsigned stage = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const graph::LayerSpec &layer = spec.model.layers[i];
    if (layer.stage != stage)
      x = drawing.add(
          places.stage(layer.stage),
          Sketch("CopyToIpu")
              .from(x)
              .makes(drawing.batchOf(in))
              .represents(Places::nameOf(layer.stage) + "/received_acts"));
    stage = layer.stage;
    pass.layers.push_back(
        drawLayer(spec, layer, x, in, shapes[i], places.stage(stage), drawing));
    x = pass.layers.back().output;
    in = shapes[i];
  }
  pass.logitsGradient = drawLoss(spec, places, pass.layers.back(), drawing);
  return pass;
}

} // namespace popscope::host
