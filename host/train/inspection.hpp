// Everything between the taps of a training and those who look at them.
#pragma once

#include "host/run/run_report.hpp"
#include "host/train/train_options.hpp"
#include "host/train/training_observer.hpp"
#include "host/train/training_plan.hpp"
#include "outfeed/sinks/epoch_table.hpp"
#include "outfeed/tap_session.hpp"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

// The rules of --tap, and for preset mlp those of the tutorial's options.
// Throws BadInput naming the rule that cannot be understood.
std::vector<outfeed::TapRule> inspectionRules(const TrainOptions &options);

outfeed::TapOptions tapOptions(const TrainOptions &options,
                               const TrainingPlan &plan);

class Inspection : public TrainingObserver {
public:
  // Event files and dumps go below `runDirectory`, which need not exist before
  // the first run. `out` is for the live table. `report` outlives this.
  Inspection(const TrainOptions &options, const TrainingPlan &plan,
             const std::string &runDirectory, RunReport &report,
             std::ostream &out);

  // Whether any rule asks for anything.
  bool isWanted() const { return session_.plan().hasRules(); }

  graph::TapObserver &taps() override { return session_; }
  // Throws BadInput if a rule matched no tensor.
  void connect(poplar::Engine &engine) override;
  // With the engine loaded: so many weight updates were made by an earlier
  // start, which had this in its table.
  void resumeAt(poplar::Engine &engine, std::uint32_t step,
                const std::vector<outfeed::EpochTable::SavedRow> &table);
  void epochEnd(unsigned epoch, std::ostream &out) override;
  std::vector<outfeed::EpochTable::SavedRow> epochSoFar() override;

  // A line for each rule that is due at no step of the training.
  std::vector<std::string> neverDue() const;

  // After the last run: closes all files and reports what was lost.
  void finish();

private:
  // Of the taps themselves, if it is not empty.
  void reportError(const std::string &error);

  RunReport &report_;
  outfeed::TapSession session_;
  const std::uint32_t updates_;               // of the whole training
  outfeed::EpochTable *epochTable_ = nullptr; // the session's
  // The tutorial prints its tables after every epoch, others after the last.
  unsigned firstTable_ = 0;
};

} // namespace popscope::host
