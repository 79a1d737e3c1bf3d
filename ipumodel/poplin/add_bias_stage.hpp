// Adds one value per channel to channels-last images, item by item.
#pragma once

#include "poplar/plan/batch_stage.hpp"
#include "poplin/bias_loops.hpp"

#include <algorithm>

namespace ipumodel {

class AddBiasStage : public BatchStage {
public:
  // Items of `elements`.
  AddBiasStage(std::size_t elements, std::size_t channels, FloatOperand biases)
      : channels_(channels), rows_(channels ? elements / channels : 0),
        biases_(std::move(biases)) {}

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    biases_.load(replica, pool);
  }
  void run(const BatchItem &item) const override { addTo(item, 0, rows_); }
  std::size_t numParts() const override {
    return (rows_ + kPartRows - 1) / kPartRows;
  }
  void runPart(const BatchItem &item, std::size_t part) const override {
    addTo(item, part * kPartRows, std::min(rows_, (part + 1) * kPartRows));
  }

  const float *biases(const Replica &replica) const {
    return biases_.loaded(replica);
  }

private:
  static constexpr std::size_t kPartRows = 512;

  void addTo(const BatchItem &item, std::size_t begin, std::size_t end) const {
    addBiasToRows(reinterpret_cast<float *>(item.operands[0]) +
                      begin * channels_,
                  end - begin, channels_, biases(*item.replica));
  }

  std::size_t channels_, rows_; // of an item
  FloatOperand biases_;
};

} // namespace ipumodel
