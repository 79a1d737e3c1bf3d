#include "host/train/model/model_engine.hpp"

#include "graph/codelets.hpp"
#include "graph/layers/initializers.hpp"
#include "graph/model_shapes.hpp"
#include "host/plan/options/device.hpp"

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

#include <algorithm>
#include <cstring>
#include <popdist/backend.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace popscope::host {

namespace {

poplar::Graph makeGraph(const poplar::Target &target, unsigned replicas) {
  return poplar::Graph(target, poplar::replication_factor(replicas));
}

// Of the executable, which is the same for all instances.
poplar::OptionFlags compileOptions(const outfeed::ReplicaSlice &slice) {
  if (!slice.isSplit())
    return {};
  return {{"target.syncReplicasIndependently", "true"}};
}

poplar::OptionFlags optionsOf(const outfeed::ReplicaSlice &slice) {
  poplar::OptionFlags options = compileOptions(slice);
  if (slice.isSplit()) {
    options.set("target.firstRuntimeReplica",
                std::to_string(slice.firstReplica()));
    options.set("target.numberRuntimeReplica",
                std::to_string(slice.localReplicas()));
  }
  return options;
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
                          const outfeed::ReplicaSlice &slice,
                          const ExecutableCache *cache, CacheUse &use) {
  if (!cache)
    return poplar::Engine(graph, programs.programs, optionsOf(slice));
  CachedExecutable compiled =
      cache->compile(graph, programs.programs, compileOptions(slice));
  use = std::move(compiled.use);
  return poplar::Engine(std::move(compiled.executable), optionsOf(slice));
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
                         const graph::TrainingSpec &spec,
                         outfeed::Instances &instances, std::uint64_t seed,
                         TrainingObserver *observer,
                         const ExecutableCache *cache)
    : spec_(spec), instances_(instances),
      classes_(unsigned(graph::outputShapes(spec.model).back().back())),
      predictBatches_(localReplicas()),
      graph_(makeGraph(
          targetOfAll(device.getTarget(), instances.slice().instances),
          replicas())),
      programs_(makePrograms(graph_, spec_, observer)),
      engine_(
          makeEngine(graph_, programs_, instances.slice(), cache, cacheUse_)) {
  connectPredict();
  if (observer)
    observer->connect(engine_);
  engine_.load(device);
  initialise(seed);
}

void ModelEngine::connectPredict() {
  for (unsigned r = 0; r < predictBatches_.size(); ++r) {
    PredictBatch &batch = predictBatches_[r];
    batch.images.resize(spec_.predictImages() *
                        graph::numElements(spec_.model.input));
    batch.probabilities.resize(spec_.predictImages() * classes_);
    if (spec_.outputsLogits)
      batch.logits.resize(spec_.predictImages() * classes_);
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
                      const graph::TrainingSpec &spec,
                      const outfeed::ReplicaSlice &slice,
                      TrainingObserver *observer,
                      const ExecutableCache &cache) {
  poplar::Graph graph = makeGraph(target, slice.replicas);
  const graph::TrainingGraph programs = makePrograms(graph, spec, observer);
  CachedExecutable compiled =
      cache.compile(graph, programs.programs, compileOptions(slice));
  poplar::Engine engine(std::move(compiled.executable));
  if (observer)
    observer->connect(engine); // refuses taps that match nothing
  return std::move(compiled.use);
}

std::size_t
ModelEngine::bytesOfReplica(const graph::StateTensor &tensor) const {
  return graph::numElements(tensor.shape) *
         graph_.getTarget().getTypeSize(tensor.type);
}

void ModelEngine::run(graph::ProgramId program) {
  popdist::run(engine_, unsigned(program));
}

template <class T>
void ModelEngine::writeToAll(const std::string &name,
                             const std::vector<T> &values) {
  std::vector<T> all;
  for (std::size_t r = 0; r < localReplicas(); ++r)
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

void ModelEngine::train() { run(graph::ProgramId::train); }

void ModelEngine::setLearningRate(float rate) {
  writeToAll(graph::kLearningRate, std::vector<float>{rate});
}

Predictions ModelEngine::predict(const Dataset &set) {
  const std::size_t batch = spec_.predictImages();
  const std::size_t round = batch * replicas(); // images of an execution
  const std::size_t pixels = set.imagePixels();
  const outfeed::ReplicaSlice &slice = instances_.slice();
  // Each replica answers consecutive images.
  const auto forBatches = [&](std::size_t begin, const auto &take) {
    const std::size_t used = std::min(round, set.size() - begin);
    for (std::size_t slot = 0; slot < used; slot += batch)
      take(begin + slot, std::min(batch, used - slot), unsigned(slot / batch));
  };
  const auto isHere = [&](unsigned replica) {
    return slice.instanceOf(replica) == slice.instance;
  };
  std::string answers;
  const auto add = [&answers](const std::vector<float> &values,
                              std::size_t count) {
    answers.append(reinterpret_cast<const char *>(values.data()),
                   count * sizeof(float));
  };
  for (std::size_t begin = 0; begin < set.size(); begin += round) {
    // Slots past the last image hold old images; their results are not used.
    forBatches(
        begin, [&](std::size_t first, std::size_t images, unsigned replica) {
          for (std::size_t i = 0; isHere(replica) && i < images; ++i)
            set.copyScaled(
                first + i,
                predictBatches_[replica - slice.firstReplica()].images.data() +
                    i * pixels);
        });
    run(graph::ProgramId::predict);
    forBatches(begin, [&](std::size_t, std::size_t images, unsigned replica) {
      if (!isHere(replica))
        return;
      const PredictBatch &from =
          predictBatches_[replica - slice.firstReplica()];
      add(from.probabilities, images * classes_);
      if (spec_.outputsLogits)
        add(from.logits, images * classes_);
    });
  }
  const std::vector<std::string> all = instances_.gather(answers, "predict");
  Predictions result;
  result.classes = classes_;
  if (all.empty())
    return result;
  result.probabilities.resize(set.size() * classes_);
  if (spec_.outputsLogits)
    result.logits.resize(set.size() * classes_);
  std::vector<std::size_t> taken(all.size());
  for (std::size_t begin = 0; begin < set.size(); begin += round)
    forBatches(begin,
               [&](std::size_t first, std::size_t images, unsigned replica) {
                 const unsigned instance = slice.instanceOf(replica);
                 const auto copy = [&](std::vector<float> &to) {
                   const std::size_t bytes = images * classes_ * sizeof(float);
                   std::memcpy(to.data() + first * classes_,
                               all[instance].data() + taken[instance], bytes);
                   taken[instance] += bytes;
                 };
                 copy(result.probabilities);
                 if (spec_.outputsLogits)
                   copy(result.logits);
               });
  return result;
}

std::vector<WeightValues> ModelEngine::weights() {
  std::vector<WeightValues> weights;
  for (const graph::StateTensor &tensor : programs_.state) {
    if (!tensor.trainable)
      continue;
    const std::size_t count = graph::numElements(tensor.shape);
    std::vector<float> values(count * localReplicas());
    engine_.readTensor(tensor.name, values.data(),
                       values.data() + values.size());
    values.resize(count);
    weights.push_back(
        {plainName(tensor.name), tensor.shape, std::move(values)});
  }
  return weights;
}

std::vector<SavedTensor> ModelEngine::save() {
  std::string here;
  for (const graph::StateTensor &tensor : programs_.state) {
    const std::size_t begin = here.size();
    here.resize(begin + bytesOfReplica(tensor) * localReplicas());
    engine_.readTensor(tensor.name, here.data() + begin,
                       here.data() + here.size());
  }
  const std::vector<std::string> all = instances_.gather(here, "state");
  std::vector<SavedTensor> saved;
  std::size_t begin = 0;
  for (const graph::StateTensor &tensor : programs_.state) {
    if (all.empty())
      break;
    saved.push_back({tensor.name, {}});
    const std::size_t bytes = bytesOfReplica(tensor) * localReplicas();
    for (const std::string &ofInstance : all)
      saved.back().bytes.insert(
          saved.back().bytes.end(), ofInstance.begin() + std::ptrdiff_t(begin),
          ofInstance.begin() + std::ptrdiff_t(begin + bytes));
    begin += bytes;
  }
  return saved;
}

void ModelEngine::restore(const std::vector<SavedTensor> &tensors) {
  const auto &state = programs_.state;
  const bool fits = std::equal(
      tensors.begin(), tensors.end(), state.begin(), state.end(),
      [this](const SavedTensor &saved, const graph::StateTensor &own) {
        return saved.name == own.name &&
               saved.bytes.size() == bytesOfReplica(own) * replicas();
      });
  if (!fits)
    throw std::invalid_argument(
        "[host] checkpoint tensors do not match this model");
  for (std::size_t i = 0; i < state.size(); ++i) {
    const std::size_t bytes = bytesOfReplica(state[i]);
    const std::uint8_t *const here =
        tensors[i].bytes.data() + bytes * instances_.slice().firstReplica();
    engine_.writeTensor(state[i].name, here, here + bytes * localReplicas());
  }
}

} // namespace popscope::host
