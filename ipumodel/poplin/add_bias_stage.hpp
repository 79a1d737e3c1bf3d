// Adds one value per channel to channels-last images, item by item.
#pragma once

#include "poplar/plan/batch_stage.hpp"
#include "poplin/bias_loops.hpp"

namespace ipumodel {

class AddBiasStage : public BatchStage {
public:
  AddBiasStage(const View &activations, const View &biases,
               StageOperands &operands)
      : channels_(biases.numElements()),
        rows_(activations.numElements() / activations.shape()[0] / channels_),
        biases_(biases, sizeof(float), Access::read, operands.builder,
                operands.frame) {}

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    biases_.load(replica, pool);
  }
  void run(const BatchItem &item) const override {
    addBiasToRows(reinterpret_cast<float *>(item.operands[0]), rows_, channels_,
                  biases(*item.replica));
  }

  const float *biases(const Replica &replica) const {
    return reinterpret_cast<const float *>(biases_.at(replica));
  }

private:
  std::size_t channels_, rows_; // of an item
  NativeOperand biases_;
};

} // namespace ipumodel
