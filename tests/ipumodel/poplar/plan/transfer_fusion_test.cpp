// Operations are combined across transfers and branches that are not taken, and
// the results are the same.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

#include <gmock/gmock.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace poplar;
using program::Copy;
using program::If;
using program::Sequence;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::size_t kBatch = 8;

// A convolution with ReLU and max pooling, whose result goes to the host, and
// the gradients of it. Branches add up what the convolution made and what the
// pooling's gradient is.
class StreamedBlock {
public:
  StreamedBlock() : graph_(device_.getTarget()) {
    const poplin::ConvParams params(FLOAT, kBatch, {12, 12}, {5, 5}, 8, 8, 1);
    const Tensor x = add({kBatch, 12, 12, 8}, "x").dimRoll(3, 1);
    const Tensor w = poplin::createWeights(graph_, params, "w");
    const Tensor taken = graph_.addVariable(INT, {}, "taken");
    graph_.setTileMapping(taken, 0);
    Sequence prog;
    const Tensor z =
        poplin::convolution(graph_, x, w, params, false, prog, "conv");
    const Tensor made = graph_.clone(z, "made");
    addBranch(taken, made, z, prog);
    popnn::nonLinearityInPlace(graph_, popnn::NonLinearityType::RELU, z, prog);
    const popnn::pooling::PoolParams pool(popnn::PoolingType::MAX, {8, 8},
                                          {3, 3}, {3, 3}, {0, 0}, {0, 0}, 8,
                                          kBatch, FLOAT);
    const Tensor y = popnn::pooling::pool(graph_, pool, z, prog);
    const DataStream out =
        graph_.addDeviceToHostFIFO("out", FLOAT, y.numElements());
    prog.add(Copy(y, out));
    const Tensor dy = graph_.clone(y, "dy");
    const Tensor dPool =
        popnn::pooling::poolInputGradient(graph_, pool, z, y, dy, false, prog);
    const Tensor dz = popnn::nonLinearityInputGradient(
        graph_, popnn::NonLinearityType::RELU, z, dPool, prog);
    const Tensor gradient = graph_.clone(dz, "gradient");
    addBranch(taken, gradient, dz, prog);
    const Tensor dw =
        poplin::calculateWeightDeltas(graph_, dz, x, params, prog, "dw");
    const Tensor db =
        popops::reduce(graph_, dz, {0, 2, 3}, popops::Operation::ADD, prog);
    graph_.createHostWrite("taken", taken);
    for (const auto &[name, tensor] : {std::pair("x", x),
                                       {"w", w},
                                       {"dy", dy},
                                       {"made", made},
                                       {"gradient", gradient},
                                       {"dw", dw},
                                       {"db", db}}) {
      graph_.createHostWrite(name, tensor);
      graph_.createHostRead(name, tensor);
      sizes_.emplace_back(name, tensor.numElements());
    }
    engine_ = std::make_unique<Engine>(graph_, prog);
    pooled_.resize(y.numElements());
    engine_->connectStream("out", pooled_.data(),
                           pooled_.data() + pooled_.size());
    engine_->load(device_);
    std::mt19937 random(7);
    for (const auto &[name, size] : sizes_) {
      std::vector<float> values(size);
      for (float &value : values)
        value = float(int(random() % 17)) / 4 - 2;
      engine_->writeTensor(name, values.data(), values.data() + size);
    }
  }

  // What the host sees after a run.
  std::vector<std::vector<float>> run(int taken) {
    engine_->writeTensor("taken", &taken, &taken + 1);
    engine_->run();
    std::vector<std::vector<float>> seen{pooled_};
    for (const auto &[name, size] : sizes_) {
      seen.emplace_back(size);
      engine_->readTensor(name, seen.back().data(), seen.back().data() + size);
    }
    return seen;
  }

private:
  Tensor add(const std::vector<std::size_t> &shape, const char *name) {
    const Tensor tensor = graph_.addVariable(FLOAT, shape, name);
    poputil::mapTensorLinearly(graph_, tensor);
    return tensor;
  }
  void addBranch(const Tensor &taken, const Tensor &sum, const Tensor &of,
                 Sequence &prog) {
    Sequence body;
    popops::addInPlace(graph_, sum, of, body);
    prog.add(If(taken, body, Sequence()));
  }

  Device device_ = IPUModel().createDevice();
  Graph graph_;
  std::vector<std::pair<std::string, std::size_t>> sizes_;
  std::vector<float> pooled_;
  std::unique_ptr<Engine> engine_;
};

std::vector<std::vector<std::vector<float>>> results() {
  StreamedBlock block;
  std::vector<std::vector<std::vector<float>>> seen;
  for (const int taken : {0, 1, 1, 0, 0, 1})
    seen.push_back(block.run(taken));
  return seen;
}

std::string explanation() {
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  testing::internal::CaptureStderr();
  const StreamedBlock block;
  return testing::internal::GetCapturedStderr();
}

const char *const kNotStored = "'conv' (poplin.convolution) is not stored: "
                               "nothing reads it later";

} // namespace

TEST(TransferFusion, GivesWhatSeparateOperationsGive) {
  const auto fused = results();
  for (const char *setting : {"0", "-branches", "-private"}) {
    const ScopedEnv off("IPUMODEL_FUSION", setting);
    EXPECT_EQ(fused, results()) << setting;
  }
}

TEST(TransferFusion, WhatPoolingReadsIsNotStoredThoughItsResultLeaves) {
  EXPECT_THAT(explanation(), HasSubstr(kNotStored));
  const ScopedEnv off("IPUMODEL_FUSION", "-branches");
  EXPECT_THAT(explanation(), Not(HasSubstr(kNotStored)));
}
