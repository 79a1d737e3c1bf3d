// How noisy the gradients are: whether an update has too few images.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/kinds/running_mean.hpp"

namespace popscope::outfeed {

// The simple noise scale of McCandlish et al., An Empirical Model of
// Large-Batch Training (2018), appendix A: the images of an update at which the
// noise of its gradient is as large as the gradient. From the squared norms of
// the gradients of micro-batches (b images) and of a whole update (B images),
// over all watched weights; numerator and denominator are averaged separately.
class GradientNoise : public Check {
public:
  const char *name() const override { return "gradient_noise"; }
  const char *defaultTensors() const override { return "kind:gradient"; }
  std::vector<Setting> settings() override {
    return {positive("most", most_), count("memory", memory_),
            count("warm_up", warmUp_)};
  }
  bool isApplicable(const ProgramFacts &facts) const override {
    return facts.replicas * facts.microBatchesPerUpdate > 1;
  }
  void begin(const ProgramFacts &facts) override { facts_ = facts; }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;
  std::string lacking() const override;
  // The noise scale in images, once there is one.
  std::optional<Measure> measure() const override;

private:
  double imagesOfUpdate() const;
  bool isWarm() const { return double(noise_.count()) >= warmUp_; }

  double most_ = 100;   // times the images of an update
  double memory_ = 100; // samples
  double warmUp_ = 20;  // samples
  ProgramFacts facts_;
  bool isReduced_ = false; // the large gradients are of all replicas
  RunningMean noise_;      // trace of the covariance, of one image
  RunningMean signal_;     // squared norm of the true gradient
};

} // namespace popscope::outfeed
