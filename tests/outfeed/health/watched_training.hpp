// Trainings of a small model that are watched, in every variant.
#pragma once

#include "outfeed/tap_session.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/graph/test_trainer.hpp"
#include "tests/outfeed/observer.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed::tests {

struct Variant {
  const char *name;
  unsigned accumulation = 1;
  bool pipelined = false;
  unsigned replicas = 1;
};

struct WatchedExtras {
  std::vector<TapRule> rules = {};
  bool dump = false;
  std::unique_ptr<SampleSink> sink = {};
};

class Watched {
public:
  using Extras = WatchedExtras;

  Watched(graph::TrainingSpec spec, const Variant &variant,
          const std::string &fault, Extras extras = {})
      : session_(std::move(extras.rules), options(variant, extras.dump)),
        observer_(session_) {
    if (!fault.empty())
      session_.inject(parseInjection(fault));
    if (extras.sink)
      session_.addSink(std::move(extras.sink));
    spec.accumulation = variant.accumulation;
    spec.pipelined = variant.pipelined;
    graph::tests::TestTrainerOptions machine;
    machine.ipusPerReplica = variant.pipelined ? 2 : 1;
    machine.replicas = variant.replicas;
    machine.taps = &observer_;
    trainer_ = std::make_unique<graph::tests::TestTrainer>(spec, machine);
    session_.connect(trainer_->engine());
  }

  std::optional<Verdict> train(unsigned updates) {
    trainer_->train(updates);
    EXPECT_TRUE(session_.close().isWhole());
    return session_.verdict();
  }
  const TapPlan &plan() const { return session_.plan(); }
  graph::tests::TestTrainer &trainer() { return *trainer_; }

private:
  static TapOptions options(const Variant &variant, bool dump) {
    TapOptions taps;
    taps.dump = dump;
    taps.microBatchesPerUpdate = variant.accumulation;
    taps.replicas = variant.replicas;
    taps.health = true;
    return taps;
  }

  TapSession session_;
  Observer observer_;
  std::unique_ptr<graph::tests::TestTrainer> trainer_;
};

} // namespace popscope::outfeed::tests
