// A small training under live control, and what its taps sent.
#pragma once

#include "outfeed/tap_session.hpp"
#include "tests/graph/test_trainer.hpp"
#include "tests/outfeed/observer.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed::tests {

using graph::tests::TestTrainer;
using graph::tests::TestTrainerOptions;

using Key = std::pair<std::string, std::uint32_t>; // of a tap and an update

// What came, and how often.
struct Arrived {
  std::map<Key, unsigned> samples, alarms;
  std::map<Key, TensorSample> last; // that of an alarm if there is no other
  std::map<Key, std::vector<float>> elements;
  std::vector<ControlNote> notes;
};

class ArrivedSink : public SampleSink {
public:
  explicit ArrivedSink(Arrived &arrived) : arrived_(arrived) {}
  bool wantsAlarms() const override { return true; }
  void take(const Tap &tap, Update update,
            const TensorSample &sample) override {
    const Key key(tagOf(tap), update.value());
    ++(TapPlan::isAlarm(tap.id) ? arrived_.alarms : arrived_.samples)[key];
    if (!TapPlan::isAlarm(tap.id) || arrived_.samples.count(key) == 0)
      arrived_.last[key] = sample;
  }
  void takeElements(const Tap &tap, Update update, const SampleOrigin &,
                    const void *elements, std::size_t bytes) override {
    const auto *begin = static_cast<const float *>(elements);
    arrived_.elements[{tagOf(tap), update.value()}].assign(
        begin, begin + bytes / sizeof(float));
  }
  void takeChange(const ControlNote &note) override {
    arrived_.notes.push_back(note);
  }

private:
  Arrived &arrived_;
};

class ControlledTraining {
public:
  ControlledTraining(const graph::TrainingSpec &spec,
                     const std::vector<std::string> &rules,
                     TestTrainerOptions trainer = {}, bool health = false,
                     const std::vector<std::string> &interventions = {},
                     bool mergeReplicas = false)
      : session_(parsed(rules), optionsOf(spec, trainer, health, interventions,
                                          mergeReplicas)) {
    session_.addSink(std::make_unique<ArrivedSink>(arrived_));
    Observer observer(session_);
    trainer.taps = &observer;
    trainer_ = std::make_unique<TestTrainer>(spec, trainer);
    session_.connect(trainer_->engine());
  }

  TapControl &control() { return *session_.control(); }
  TapSession &session() { return session_; }
  TestTrainer &trainer() { return *trainer_; }
  void train(unsigned runs = 1) { trainer_->train(runs); }
  const Arrived &finish() {
    report_ = session_.close();
    EXPECT_TRUE(report_.isWhole());
    return arrived_;
  }
  const TapReport &report() const { return report_; }

private:
  static std::vector<TapRule> parsed(const std::vector<std::string> &texts) {
    std::vector<TapRule> rules;
    for (const std::string &text : texts)
      rules.push_back(parseTapRule(text));
    return rules;
  }
  static TapOptions optionsOf(const graph::TrainingSpec &spec,
                              const TestTrainerOptions &trainer, bool health,
                              const std::vector<std::string> &interventions,
                              bool mergeReplicas) {
    TapOptions options;
    options.mergeReplicas = mergeReplicas;
    options.microBatchesPerUpdate = spec.accumulation;
    options.replicas = trainer.replicas;
    options.health = health;
    options.control = true;
    for (const std::string &filter : interventions)
      options.interventions.push_back(TensorFilter::parse(filter));
    options.seed = 17;
    return options;
  }

  Arrived arrived_;
  TapSession session_;
  TapReport report_;
  std::unique_ptr<TestTrainer> trainer_;
};

} // namespace popscope::outfeed::tests
