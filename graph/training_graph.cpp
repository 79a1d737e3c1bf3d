#include "graph/training_graph.hpp"

#include "graph/layers/softmax_cross_entropy.hpp"
#include "graph/model_shapes.hpp"
#include "graph/network.hpp"
#include "graph/optimizers/weight_update.hpp"
#include "graph/pipeline.hpp"
#include "graph/stash.hpp"

#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/codelets.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <memory>
#include <stdexcept>

namespace popscope::graph {

namespace {

using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Repeat;
using poplar::program::Sequence;

[[noreturn]] void fail(const std::string &problem) {
  throw std::invalid_argument("[graph] " + problem);
}

void checkSpec(const TrainingSpec &spec, const poplar::Graph &graph) {
  outputShapes(spec.model);
  if (spec.batchSize == 0)
    fail("the batch size is zero");
  if (spec.predictBatchSize > spec.batchSize)
    fail("program predict has more images than a micro-batch");
  if (spec.accumulation == 0)
    fail("an update accumulates no micro-batches");
  if (spec.updatesPerRun == 0)
    fail("a run makes no updates");
  if (spec.precision != poplar::FLOAT && spec.precision != poplar::HALF)
    fail("precision must be FLOAT or HALF");
  if (!(spec.lossScale > 0.0f))
    fail("the loss scale " + std::to_string(spec.lossScale) +
         " is not positive");
  const unsigned ipus = graph.getTarget().getNumIPUs();
  const unsigned stages = stageCount(spec.model);
  if (spec.pipelined && stages < 2)
    fail("model " + spec.model.name + ": a pipeline needs two stages");
  if (spec.pipelined && stages > ipus)
    fail("layer " + spec.model.layers.back().name + ": stage " +
         std::to_string(stages - 1) + " has no IPU; the device has " +
         std::to_string(ipus));
}

// Gives what the layers of a stage saved, without copies.
struct Kept {
  const std::vector<Saved> &saved;
  const Saved &operator()(std::size_t layer, Sequence &) const {
    return saved[layer];
  }
};

class Builder {
public:
  Builder(poplar::Graph &graph, const TrainingSpec &spec, TapObserver *taps)
      : graph_(graph), spec_(spec), taps_(taps), state_(graph),
        ipuGraphs_(makeIpuGraphs()),
        stages_(makeStages(spec, stageGraphs(), plans_, state_, taps)),
        images_(addImages()) {}

  TrainingGraph build() {
    Sequence work;
    for (const auto &stage : stages_)
      stage->gradients().addReset(work);
    addComputeWeights(work);
    work.add(spec_.pipelined ? pipelinedMicroBatches() : microBatches());
    addWeightUpdate(graph_, spec_, stages_, state_, taps_, work);
    flush(graph_, TapMoment::applied, work);
    Sequence update;
    if (taps_)
      taps_->beginUpdate(graph_, update);
    update.add(work);

    TrainingGraph result;
    result.programs.resize(2);
    result.programs[unsigned(ProgramId::train)] =
        Repeat(spec_.updatesPerRun, update, {kTrainProgram});
    result.programs[unsigned(ProgramId::predict)] = predictProgram();
    result.state = state_.tensors();
    return result;
  }

private:
  unsigned ipuOf(unsigned stage) const { return spec_.pipelined ? stage : 0; }

  std::vector<poplar::Graph> makeIpuGraphs() {
    const unsigned tiles = graph_.getTarget().getTilesPerIPU();
    std::vector<poplar::Graph> graphs;
    for (unsigned ipu = 0; ipu <= ipuOf(stageCount(spec_.model) - 1); ++ipu)
      graphs.push_back(
          graph_.createVirtualGraph(ipu * tiles, (ipu + 1) * tiles));
    return graphs;
  }

  std::vector<poplar::Graph *> stageGraphs() {
    std::vector<poplar::Graph *> graphs;
    for (unsigned s = 0; s < stageCount(spec_.model); ++s)
      graphs.push_back(&ipuGraphs_[ipuOf(s)]);
    return graphs;
  }

  Stage &first() { return *stages_.front(); }
  Stage &last() { return *stages_.back(); }

  // The images as the host sends them, [batch, input...], for both programs.
  poplar::Tensor addImages() {
    std::vector<std::size_t> shape = spec_.model.input;
    shape.insert(shape.begin(), spec_.batchSize);
    const poplar::Tensor images =
        first().graph().addVariable(poplar::FLOAT, shape, {"images"});
    poputil::mapTensorLinearly(first().graph(), images);
    return images;
  }

  // Appends the transfer of images from the host and returns them in the shape
  // that layers take.
  poplar::Tensor addInput(const char *stream, const poplar::Tensor &images,
                          Sequence &prog) {
    prog.add(Copy(
        graph_.addHostToDeviceFIFO(stream, poplar::FLOAT, images.numElements()),
        images));
    const poplar::Tensor typed =
        spec_.precision == poplar::FLOAT
            ? images
            : popops::cast(first().graph(), images, spec_.precision, prog,
                           {"images"});
    return typed.rank() == 4 ? typed.dimShuffle({0, 3, 1, 2}) : typed;
  }

  void addOutput(const char *stream, const poplar::Tensor &tensor,
                 Sequence &prog) {
    prog.add(Copy(tensor, graph_.addDeviceToHostFIFO(stream, poplar::FLOAT,
                                                     tensor.numElements())));
  }

  // Appends the rounding of the weights to HALF; FLOAT layers read the masters.
  void addComputeWeights(Sequence &prog) {
    if (spec_.precision == poplar::FLOAT)
      return;
    for (const auto &stage : stages_)
      for (const Variable &variable : stage->variables())
        popops::castWithOutput(stage->graph(), variable.master,
                               variable.compute, prog,
                               {variable.name + "/compute"});
  }

  poplar::Tensor addTrainingInput(Sequence &prog) {
    const poplar::Tensor input = addInput(streams::kTrainImages, images_, prog);
    first().tap("input", TensorKind::input, TapMoment::microBatch, images_,
                {Computation::host, {}}, prog);
    return input;
  }

  // Appends the loss and returns the gradient of the logits.
  poplar::Tensor addLoss(const poplar::Tensor &logits, Sequence &prog) {
    poplar::Graph &graph = last().graph();
    const poplar::Tensor labels =
        graph.addVariable(poplar::UNSIGNED_INT, {spec_.batchSize}, {"labels"});
    poputil::mapTensorLinearly(graph, labels);
    prog.add(
        Copy(graph_.addHostToDeviceFIFO(streams::kTrainLabels,
                                        poplar::UNSIGNED_INT, spec_.batchSize),
             labels));
    const poplar::Tensor probabilities =
        addProbabilities(graph, logits, prog, {"loss"});
    const std::string name = spec_.model.layers.back().name;
    last().tap(name + "_acts", TensorKind::activation, TapMoment::microBatch,
               probabilities, {Computation::softmax, {name + "_preacts"}},
               prog);
    const CrossEntropy loss = addCrossEntropy(
        graph, probabilities, labels, spec_.lossScale / float(spec_.batchSize),
        prog, {"loss"});
    last().tap("loss", TensorKind::loss, TapMoment::microBatch, loss.losses,
               {Computation::crossEntropy, {name + "_acts"}}, prog);
    if (spec_.precision == poplar::HALF)
      tapLossScale(prog);
    addOutput(streams::kTrainLosses, loss.losses, prog);
    addOutput(streams::kTrainProbabilities, probabilities, prog);
    return spec_.precision == poplar::FLOAT
               ? loss.logitsGradient
               : popops::cast(graph, loss.logitsGradient, spec_.precision, prog,
                              {"loss/logits_grad"});
  }

  void tapLossScale(Sequence &prog) {
    const poplar::Tensor scale = last().graph().addConstant(
        poplar::FLOAT, {}, spec_.lossScale, {"loss_scale"});
    last().graph().setTileMapping(scale, 0);
    last().tap("loss_scale", TensorKind::lossScale, TapMoment::microBatch,
               scale, {Computation::host, {}}, prog);
  }

  void flush(poplar::Graph &graph, TapMoment moment, Sequence &prog) {
    if (taps_)
      taps_->flush(graph, prog, moment);
  }

  // All stages on one IPU, one micro-batch after the other.
  Program microBatches() {
    Sequence prog;
    poplar::Tensor x = addTrainingInput(prog);
    std::vector<std::vector<Saved>> saved(stages_.size());
    for (std::size_t s = 0; s < stages_.size(); ++s)
      x = stages_[s]->forward(x, saved[s], prog);
    poplar::Tensor gradient = addLoss(x, prog);
    for (std::size_t s = stages_.size(); s-- > 0 && gradient.valid();)
      gradient = stages_[s]->backward(Kept{saved[s]}, gradient, prog);
    flush(first().graph(), TapMoment::microBatch, prog);
    return Repeat(spec_.accumulation, prog, {"micro_batches"});
  }

  // Appends to `send` the copy of a tensor to the IPU of another stage.
  poplar::Tensor cross(const poplar::Tensor &tensor, unsigned toStage,
                       const std::string &what, Sequence &send) {
    return poputil::copyToIpu(graph_, tensor, send, toStage,
                              {stageName(toStage) + "/" + what});
  }

  Program pipelinedMicroBatches() {
    const unsigned count = unsigned(stages_.size());
    std::vector<PipelineStage> pipeline(count);
    std::vector<std::vector<Saved>> saved(count);
    std::vector<std::unique_ptr<Stash>> stashes;
    poplar::Tensor x = addTrainingInput(pipeline[0].forward);
    for (unsigned s = 0; s < count; ++s) {
      x = stages_[s]->forward(x, saved[s], pipeline[s].forward);
      if (s + 1 < count) {
        stashes.push_back(
            std::make_unique<Stash>(stages_[s]->graph(), stashDepth(s, count),
                                    saved[s], stageName(s) + "/stash"));
        // Before the flush: right after the stage, an engine can make tensors
        // in the stash that it would otherwise copy there.
        stashes[s]->addPut(pipeline[s].forward);
        flush(stages_[s]->graph(), TapMoment::microBatch, pipeline[s].forward);
        x = cross(x, s + 1, "received_acts", pipeline[s].sendForward);
      }
    }
    poplar::Tensor gradient = addLoss(x, pipeline[count - 1].forward);
    for (unsigned s = count; s-- > 0 && gradient.valid();) {
      const bool isLast = s + 1 == count;
      Sequence &backward = isLast ? pipeline[s].forward : pipeline[s].backward;
      if (isLast) {
        gradient = stages_[s]->backward(Kept{saved[s]}, gradient, backward);
      } else {
        Stash &stash = *stashes[s];
        stash.addTurn(backward);
        gradient = stages_[s]->backward(
            [&](std::size_t layer, Sequence &prog) {
              return stash.addTake(layer, prog);
            },
            gradient, backward);
      }
      if (s > 0 && gradient.valid())
        gradient =
            cross(gradient, s - 1, "received_grad", pipeline[s].sendBackward);
      flush(stages_[s]->graph(), TapMoment::microBatch, backward);
    }
    return groupedSchedule(pipeline, spec_.accumulation);
  }

  Program predictProgram() {
    Sequence prog;
    addComputeWeights(prog);
    poplar::Tensor x = addInput(streams::kPredictImages,
                                images_.slice(0, spec_.predictImages()), prog);
    for (unsigned s = 0; s < stages_.size(); ++s) {
      if (spec_.pipelined && s > 0)
        x = cross(x, s, "predict/received_acts", prog);
      x = stages_[s]->predict(x, prog);
    }
    const poplar::Tensor logits =
        inFloat(last().graph(), x, prog, {"predict/logits"});
    if (spec_.outputsLogits)
      addOutput(streams::kPredictLogits, logits, prog);
    addOutput(streams::kPredictProbabilities,
              addProbabilities(last().graph(), logits, prog, {"predict"}),
              prog);
    return prog;
  }

  poplar::Graph &graph_;
  const TrainingSpec &spec_;
  TapObserver *taps_;
  poplin::PlanningCache plans_;
  StateCatalog state_;
  std::vector<poplar::Graph> ipuGraphs_;
  std::vector<std::unique_ptr<Stage>> stages_;
  poplar::Tensor images_;
};

} // namespace

TrainingGraph buildTrainingGraph(poplar::Graph &graph, const TrainingSpec &spec,
                                 TapObserver *taps) {
  checkSpec(spec, graph);
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  poprand::addCodelets(graph);
  return Builder(graph, spec, taps).build();
}

} // namespace popscope::graph
