#include "benchmarks/support/user_network.hpp"

#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

namespace benchmarks {

namespace {

using namespace poplar;
using program::Sequence;

constexpr float kRate = 0.01f;
constexpr std::size_t kClasses = 10;

// What is trained, and how it begins.
struct Variables {
  struct Variable {
    std::string handle;
    Tensor tensor;
    float first, spread; // uniform in first +- spread
  };
  std::vector<Variable> all;

  void add(Graph &graph, const Tensor &tensor, float first, float spread) {
    all.push_back({"w" + std::to_string(all.size()), tensor, first, spread});
    graph.createHostWrite(all.back().handle, tensor);
  }
};

Tensor relu(Graph &graph, const Tensor &t, Sequence &prog) {
  return popnn::nonLinearity(graph, popnn::NonLinearityType::RELU, t, prog);
}

Tensor reluGradient(Graph &graph, const Tensor &out, const Tensor &dOut,
                    Sequence &prog) {
  return popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::RELU,
                                          out, dOut, prog);
}

class Dense {
public:
  Dense(Graph &graph, std::size_t batch, std::size_t in, std::size_t out,
        Variables &variables)
      : weights_(poplin::createMatMulInputRHS(graph, FLOAT, {batch, in},
                                              {in, out}, "weights")),
        bias_(graph.addVariable(FLOAT, {out}, "bias")) {
    poputil::mapTensorLinearly(graph, bias_);
    variables.add(graph, weights_, 0, std::sqrt(3.0f / float(in)));
    variables.add(graph, bias_, 0, 0);
  }

  Tensor forward(Graph &graph, const Tensor &in, Sequence &prog) {
    in_ = in;
    const Tensor out = poplin::matMul(graph, in, weights_, prog);
    popops::addInPlace(graph, out, bias_, prog);
    return out;
  }
  Tensor inputGradient(Graph &graph, const Tensor &dOut, Sequence &prog) {
    return poplin::matMul(graph, dOut, weights_.transpose(), prog);
  }
  void update(Graph &graph, const Tensor &dOut, Sequence &prog) {
    poplin::matMulAcc(graph, weights_, -kRate, in_.transpose(), dOut, prog);
    const Tensor dBias =
        popops::reduce(graph, dOut, FLOAT, {0}, popops::Operation::ADD, prog);
    popops::scaledAddTo(graph, bias_, dBias, -kRate, prog);
  }

private:
  Tensor weights_, bias_, in_;
};

// A convolution without a bias and the batch norm that follows it.
class ConvNorm {
public:
  ConvNorm(Graph &graph, std::size_t batch, std::size_t field, std::size_t in,
           std::size_t out, std::size_t kernel, unsigned stride,
           Variables &variables)
      : params_(FLOAT, batch, {field, field}, {kernel, kernel}, in, out, 1) {
    const auto padding = unsigned(kernel / 2);
    params_.inputTransform.paddingLower = {padding, padding};
    params_.inputTransform.paddingUpper = {padding, padding};
    params_.outputTransform.stride = {stride, stride};
    weights_ = poplin::createWeights(graph, params_, "weights");
    gamma_ = graph.addVariable(FLOAT, {out}, "gamma");
    beta_ = graph.addVariable(FLOAT, {out}, "beta");
    poputil::mapTensorLinearly(graph, gamma_);
    poputil::mapTensorLinearly(graph, beta_);
    variables.add(graph, weights_, 0,
                  std::sqrt(6.0f / float(in * kernel * kernel)));
    variables.add(graph, gamma_, 1, 0);
    variables.add(graph, beta_, 0, 0);
  }

  Tensor createInput(Graph &graph) const {
    return poplin::createInput(graph, params_, "images");
  }

  Tensor forward(Graph &graph, const Tensor &in, Sequence &prog) {
    in_ = in;
    const Tensor z =
        poplin::convolution(graph, in, weights_, params_, false, prog);
    Tensor mean;
    std::tie(mean, inverseDeviation_) =
        popnn::bn::batchNormStatistics(graph, z, 1e-5f, prog, false);
    Tensor out;
    std::tie(out, whitened_) = popnn::bn::batchNormalise(
        graph, z, gamma_, beta_, mean, inverseDeviation_, prog);
    return out;
  }

  // Of the convolution's result. Updates gamma and beta.
  Tensor normGradient(Graph &graph, const Tensor &dOut, Sequence &prog) {
    const auto [dGamma, dBeta] =
        popnn::bn::batchNormParamGradients(graph, whitened_, dOut, prog);
    const Tensor dZ = popnn::bn::batchNormGradients(
        graph, whitened_, dOut, inverseDeviation_, gamma_, prog);
    popnn::bn::batchNormParamUpdate(graph, dGamma, dBeta, -kRate, gamma_, beta_,
                                    prog);
    return dZ;
  }
  Tensor inputGradient(Graph &graph, const Tensor &dZ, Sequence &prog) {
    return poplin::convolution(graph, dZ, weights_,
                               poplin::getGradientParams(params_), true, prog);
  }
  void update(Graph &graph, const Tensor &dZ, Sequence &prog) {
    poplin::convolutionWeightUpdate(graph, dZ, weights_, in_, params_, -kRate,
                                    prog);
  }
  // All of the above.
  Tensor backward(Graph &graph, const Tensor &dOut, Sequence &prog) {
    const Tensor dZ = normGradient(graph, dOut, prog);
    const Tensor dIn = inputGradient(graph, dZ, prog);
    update(graph, dZ, prog);
    return dIn;
  }

private:
  poplin::ConvParams params_;
  Tensor weights_, gamma_, beta_, in_, whitened_, inverseDeviation_;
};

// Halves the field: relu(norm(conv(relu(norm(conv)))) + norm(1x1)).
class Block {
public:
  Block(Graph &graph, std::size_t batch, std::size_t field, std::size_t in,
        std::size_t out, Variables &variables)
      : first_(graph, batch, field, in, out, 3, 2, variables),
        second_(graph, batch, field / 2, out, out, 3, 1, variables),
        shortcut_(graph, batch, field, in, out, 1, 2, variables) {}

  Tensor forward(Graph &graph, const Tensor &in, Sequence &prog) {
    inner_ = relu(graph, first_.forward(graph, in, prog), prog);
    const Tensor sum = popops::add(graph, second_.forward(graph, inner_, prog),
                                   shortcut_.forward(graph, in, prog), prog);
    return out_ = relu(graph, sum, prog);
  }
  Tensor backward(Graph &graph, const Tensor &dOut, Sequence &prog) {
    const Tensor dSum = reluGradient(graph, out_, dOut, prog);
    const Tensor dInner = second_.backward(graph, dSum, prog);
    const Tensor dIn =
        first_.backward(graph, reluGradient(graph, inner_, dInner, prog), prog);
    popops::addInPlace(graph, dIn, shortcut_.backward(graph, dSum, prog), prog);
    return dIn;
  }

private:
  ConvNorm first_, second_, shortcut_;
  Tensor inner_, out_;
};

// The gradient of the logits; losses and labels cross to and from the host.
Tensor addLoss(Graph &graph, const Tensor &logits, Sequence &prog) {
  const std::size_t batch = logits.dim(0);
  const Tensor labels = graph.addVariable(UNSIGNED_INT, {batch}, "labels");
  const Tensor losses = graph.addVariable(FLOAT, {batch}, "losses");
  poputil::mapTensorLinearly(graph, labels);
  poputil::mapTensorLinearly(graph, losses);
  const Tensor probabilities = popnn::nonLinearity(
      graph, popnn::NonLinearityType::SOFTMAX_STABLE, logits, prog);
  const Tensor deltas = graph.clone(logits);
  prog.add(program::Copy(
      graph.addHostToDeviceFIFO("labels", UNSIGNED_INT, batch), labels));
  prog.add(popnn::calcLoss(graph, probabilities, labels, losses, deltas,
                           popnn::LossType::CROSS_ENTROPY_LOSS));
  prog.add(
      program::Copy(losses, graph.addDeviceToHostFIFO("losses", FLOAT, batch)));
  popops::mulInPlace(graph, deltas, 1.0f / float(batch), prog);
  return deltas;
}

void readImages(Graph &graph, const Tensor &images, Sequence &prog) {
  prog.add(program::Copy(
      graph.addHostToDeviceFIFO("images", FLOAT, images.numElements()),
      images));
}

void addWideMlp(Graph &graph, std::size_t batch, Variables &variables,
                Sequence &prog) {
  const Tensor images = poplin::createMatMulInputLHS(graph, FLOAT, {batch, 784},
                                                     {784, 1024}, "images");
  Dense first(graph, batch, 784, 1024, variables);
  Dense second(graph, batch, 1024, 1024, variables);
  Dense last(graph, batch, 1024, kClasses, variables);
  readImages(graph, images, prog);
  const Tensor a = relu(graph, first.forward(graph, images, prog), prog);
  const Tensor b = relu(graph, second.forward(graph, a, prog), prog);
  const Tensor dLogits = addLoss(graph, last.forward(graph, b, prog), prog);
  const Tensor dB =
      reluGradient(graph, b, last.inputGradient(graph, dLogits, prog), prog);
  last.update(graph, dLogits, prog);
  const Tensor dA =
      reluGradient(graph, a, second.inputGradient(graph, dB, prog), prog);
  second.update(graph, dB, prog);
  first.update(graph, dA, prog);
}

void addResidual(Graph &graph, std::size_t batch, Variables &variables,
                 Sequence &prog) {
  ConvNorm stem(graph, batch, 32, 3, 16, 3, 1, variables);
  Block wide(graph, batch, 32, 16, 32, variables);
  Block deep(graph, batch, 16, 32, 64, variables);
  Dense last(graph, batch, 64, kClasses, variables);
  const Tensor images = stem.createInput(graph);
  readImages(graph, images, prog);
  const Tensor a = relu(graph, stem.forward(graph, images, prog), prog);
  const Tensor b = wide.forward(graph, a, prog);
  const Tensor c = deep.forward(graph, b, prog); // [batch, 64, 8, 8]
  const popnn::pooling::PoolParams mean(popnn::PoolingType::AVG, {8, 8}, {8, 8},
                                        {1, 1}, {0, 0}, {0, 0}, 64, batch,
                                        FLOAT);
  const Tensor features =
      popnn::pooling::pool(graph, mean, c, prog).reshape({batch, 64});
  const Tensor dLogits =
      addLoss(graph, last.forward(graph, features, prog), prog);
  const Tensor dFeatures = last.inputGradient(graph, dLogits, prog);
  last.update(graph, dLogits, prog);
  const Tensor dC = popnn::pooling::poolInputGradient(
      graph, mean, 1, dFeatures.reshape({batch, 64, 1, 1}), prog);
  const Tensor dB = deep.backward(graph, dC, prog);
  const Tensor dA = wide.backward(graph, dB, prog);
  const Tensor dZ =
      stem.normGradient(graph, reluGradient(graph, a, dA, prog), prog);
  stem.update(graph, dZ, prog);
}

} // namespace

UserNetwork::UserNetwork(const std::string &name) {
  const bool isResidual = name == "residual";
  if (!isResidual && name != "wide-mlp")
    throw std::invalid_argument("no network '" + name + "'");
  const std::size_t batch = isResidual ? 64 : 32;
  IPUModel model;
  model.tilesPerIPU = 64;
  model.memoryBytesPerTile = 64u << 20;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  Variables variables;
  Sequence prog;
  (isResidual ? addResidual : addWideMlp)(graph, batch, variables, prog);
  engine_ = std::make_unique<Engine>(graph, prog);

  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  images_.resize(batch * (isResidual ? 3 * 32 * 32 : 784));
  for (float &pixel : images_)
    pixel = (uniform(random) + 1) / 2;
  labels_.resize(batch);
  for (unsigned &label : labels_)
    label = unsigned(random() % kClasses);
  losses_.resize(batch);
  engine_->connectStream("images", images_.data());
  engine_->connectStream("labels", labels_.data());
  engine_->connectStream("losses", losses_.data());
  engine_->load(device);
  for (const Variables::Variable &variable : variables.all) {
    std::vector<float> values(variable.tensor.numElements());
    for (float &value : values)
      value = variable.first + variable.spread * uniform(random);
    engine_->writeTensor(variable.handle, values.data(),
                         values.data() + values.size());
  }
}

float UserNetwork::loss() const {
  return std::accumulate(losses_.begin(), losses_.end(), 0.0f);
}

} // namespace benchmarks
