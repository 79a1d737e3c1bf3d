#include "host/train/model_engine.hpp"

#include "graph/codelets.hpp"
#include "graph/layers/initializers.hpp"
#include "graph/model_shapes.hpp"

#include <poplar/Target.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace popscope::host {

namespace {

poplar::Graph makeGraph(const poplar::Target &target, unsigned replicas) {
  return poplar::Graph(target, poplar::replication_factor(replicas));
}

// The learning rate is set before anything runs: it is no part of what is
// compiled, so that another one does not need another executable.
graph::TrainingGraph makePrograms(poplar::Graph &graph,
                                  graph::TrainingSpec spec,
                                  TrainingObserver *observer) {
  spec.optimizer.learningRate = 0.0f;
  if (!observer)
    return graph::buildTrainingGraph(graph, spec);
  graph::addCodelets(graph);
  return graph::buildTrainingGraph(graph, spec, &observer->taps());
}

poplar::Engine makeEngine(const poplar::Graph &graph,
                          const graph::TrainingGraph &programs,
                          const ExecutableCache *cache, CacheUse &use) {
  if (!cache)
    return poplar::Engine(graph, programs.programs);
  CachedExecutable compiled = cache->compile(graph, programs.programs);
  use = std::move(compiled.use);
  return poplar::Engine(std::move(compiled.executable));
}

// As Keras 3 names a weight: without the ":0" of Keras 2.
std::string plainName(const std::string &name) {
  const std::size_t colon = name.find(':');
  return name.substr(0, colon);
}

// Whether it is the seed of a dropout layer.
bool isSeed(const std::string &name) {
  constexpr std::string_view kEnd = "/seed";
  return name.size() > kEnd.size() &&
         name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
}

} // namespace

ModelEngine::ModelEngine(const poplar::Device &device,
                         const graph::TrainingSpec &spec, unsigned replicas,
                         std::uint64_t seed, TrainingObserver *observer,
                         const ExecutableCache *cache)
    : spec_(spec), replicas_(replicas),
      classes_(unsigned(graph::outputShapes(spec.model).back().back())),
      predictBatches_(replicas),
      graph_(makeGraph(device.getTarget(), replicas)),
      programs_(makePrograms(graph_, spec_, observer)),
      engine_(makeEngine(graph_, programs_, cache, cacheUse_)) {
  connectPredict();
  if (observer)
    observer->connect(engine_);
  engine_.load(device);
  initialise(seed);
}

void ModelEngine::connectPredict() {
  for (unsigned r = 0; r < replicas_; ++r) {
    PredictBatch &batch = predictBatches_[r];
    batch.images.resize(spec_.batchSize *
                        graph::numElements(spec_.model.input));
    batch.probabilities.resize(spec_.batchSize * classes_);
    if (spec_.outputsLogits)
      batch.logits.resize(spec_.batchSize * classes_);
    engine_.connectStreamToCallback(
        graph::streams::kPredictImages, r, [&batch](void *p) {
          std::memcpy(p, batch.images.data(),
                      batch.images.size() * sizeof(float));
        });
    const auto keep = [&](const char *stream, std::vector<float> &values) {
      engine_.connectStreamToCallback(stream, r, [&values](void *p) {
        std::memcpy(values.data(), p, values.size() * sizeof(float));
      });
    };
    keep(graph::streams::kPredictProbabilities, batch.probabilities);
    if (spec_.outputsLogits)
      keep(graph::streams::kPredictLogits, batch.logits);
  }
}

CacheUse compileModel(const poplar::Target &target,
                      const graph::TrainingSpec &spec, unsigned replicas,
                      TrainingObserver *observer,
                      const ExecutableCache &cache) {
  poplar::Graph graph = makeGraph(target, replicas);
  const graph::TrainingGraph programs = makePrograms(graph, spec, observer);
  CacheUse use;
  poplar::Engine engine = makeEngine(graph, programs, &cache, use);
  if (observer)
    observer->connect(engine); // refuses taps that match nothing
  return use;
}

std::size_t ModelEngine::savedBytes(const graph::StateTensor &tensor) const {
  return graph::numElements(tensor.shape) * replicas_ *
         graph_.getTarget().getTypeSize(tensor.type);
}

template <class T>
void ModelEngine::writeToAll(const std::string &name,
                             const std::vector<T> &values) {
  std::vector<T> all;
  for (unsigned r = 0; r < replicas_; ++r)
    all.insert(all.end(), values.begin(), values.end());
  engine_.writeTensor(name, all.data(), all.data() + all.size());
}

void ModelEngine::initialise(std::uint64_t seed) {
  setLearningRate(spec_.optimizer.learningRate);
  // A dropout counts batches in the first word and adds the replica's number to
  // the second, so the words of neighbouring seeds must be far apart.
  constexpr std::uint32_t kFar = 0x9e3779b9, kFarToo = 0x85ebca6b;
  const std::vector<std::uint32_t> dropoutSeed{
      std::uint32_t(seed >> 32) * kFarToo, std::uint32_t(seed) * kFar};
  for (const graph::StateTensor &tensor : programs_.state)
    if (tensor.trainable)
      writeToAll(tensor.name, graph::initialValue(tensor, seed));
    else if (isSeed(tensor.name))
      writeToAll(tensor.name, dropoutSeed);
}

void ModelEngine::train() { engine_.run(unsigned(graph::ProgramId::train)); }

void ModelEngine::setLearningRate(float rate) {
  writeToAll(graph::kLearningRate, std::vector<float>{rate});
}

Predictions ModelEngine::predict(const Dataset &set) {
  Predictions result;
  result.classes = classes_;
  result.probabilities.resize(set.size() * classes_);
  if (spec_.outputsLogits)
    result.logits.resize(set.size() * classes_);
  const std::size_t batch = spec_.batchSize;
  const std::size_t pixels = set.imagePixels();
  for (std::size_t begin = 0; begin < set.size(); begin += batch * replicas_) {
    // Slots past the last image hold old images; their results are not used.
    const std::size_t used = std::min(batch * replicas_, set.size() - begin);
    for (std::size_t slot = 0; slot < used; ++slot)
      set.copyScaled(begin + slot, predictBatches_[slot / batch].images.data() +
                                       slot % batch * pixels);
    engine_.run(unsigned(graph::ProgramId::predict));
    for (std::size_t slot = 0; slot < used; slot += batch) {
      const PredictBatch &from = predictBatches_[slot / batch];
      const std::size_t count = std::min(batch, used - slot) * classes_;
      const std::size_t first = (begin + slot) * classes_;
      std::copy_n(from.probabilities.data(), count,
                  result.probabilities.data() + first);
      if (spec_.outputsLogits)
        std::copy_n(from.logits.data(), count, result.logits.data() + first);
    }
  }
  return result;
}

std::vector<WeightValues> ModelEngine::weights() {
  std::vector<WeightValues> weights;
  for (const graph::StateTensor &tensor : programs_.state) {
    if (!tensor.trainable)
      continue;
    const std::size_t count = graph::numElements(tensor.shape);
    std::vector<float> values(count * replicas_);
    engine_.readTensor(tensor.name, values.data(),
                       values.data() + values.size());
    values.resize(count);
    weights.push_back(
        {plainName(tensor.name), tensor.shape, std::move(values)});
  }
  return weights;
}

std::vector<SavedTensor> ModelEngine::save() {
  std::vector<SavedTensor> saved;
  for (const graph::StateTensor &tensor : programs_.state) {
    saved.push_back({tensor.name, {}});
    std::vector<std::uint8_t> &bytes = saved.back().bytes;
    bytes.resize(savedBytes(tensor));
    engine_.readTensor(tensor.name, bytes.data(), bytes.data() + bytes.size());
  }
  return saved;
}

void ModelEngine::restore(const std::vector<SavedTensor> &tensors) {
  const auto &state = programs_.state;
  const bool fits = std::equal(
      tensors.begin(), tensors.end(), state.begin(), state.end(),
      [this](const SavedTensor &saved, const graph::StateTensor &own) {
        return saved.name == own.name && saved.bytes.size() == savedBytes(own);
      });
  if (!fits)
    throw std::invalid_argument(
        "[host] checkpoint tensors do not match this model");
  for (const SavedTensor &tensor : tensors)
    engine_.writeTensor(tensor.name, tensor.bytes.data(),
                        tensor.bytes.data() + tensor.bytes.size());
}

} // namespace popscope::host
