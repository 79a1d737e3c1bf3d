// The weights of a convolution's product, loaded before its images.
#pragma once

#include "poplar/plan/batch_stage.hpp"
#include "poplin/conv/conv_product.hpp"

#include <atomic>
#include <mutex>
#include <utility>

namespace ipumodel {

// The weights of a product, in the order of kernelFirst(), and as its method
// transforms them.
class ProductWeights {
public:
  ProductWeights(FloatOperand weights, const ConvProduct &product,
                 StageOperands &operands)
      : weights_(std::move(weights)), winograd_(product.winograd()) {
    if (winograd_)
      transformedAt_ = operands.frame.take(
          winograd_->numTransformed() * sizeof(float), Buffer::kAlignment);
  }
  ProductWeights(const ProductWeights &) = delete;
  ProductWeights &operator=(const ProductWeights &) = delete;

  void load(const Replica &replica, ThreadPool &pool) const {
    const float *weights = weights_.load(replica, pool);
    if (winograd_)
      winograd_->transform(weights, transformed(replica), pool);
  }
  const float *loaded(const Replica &replica) const {
    return weights_.loaded(replica);
  }
  float *transformed(const Replica &replica) const {
    return reinterpret_cast<float *>(replica.scratch.data() + transformedAt_);
  }

private:
  FloatOperand weights_;
  const WinogradConvolution *winograd_; // the product's; null if it has none
  std::size_t transformedAt_ = 0;       // in scratch
};

// The same for a product that few images need, if any: loaded before the items
// if one of the last batch needed them, else on the thread of the first one
// that does.
class RareProductWeights {
public:
  RareProductWeights(FloatOperand weights, const ConvProduct &product,
                     StageOperands &operands)
      : weights_(std::move(weights), product, operands) {}

  void prepare(const Replica &replica, ThreadPool &pool) const {
    areLoaded_ = areNeeded_.exchange(false);
    if (areLoaded_)
      weights_.load(replica, pool);
  }
  const ProductWeights &need(const Replica &replica) const {
    areNeeded_ = true;
    if (!areLoaded_) {
      const std::lock_guard<std::mutex> lock(loading_);
      if (!areLoaded_)
        weights_.load(replica, alone_);
      areLoaded_ = true;
    }
    return weights_;
  }

private:
  ProductWeights weights_;
  mutable std::atomic<bool> areNeeded_{false}, areLoaded_{false};
  mutable std::mutex loading_;
  mutable ThreadPool alone_{1};
};

} // namespace ipumodel
