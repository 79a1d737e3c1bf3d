// Precision against recall of each class on the test set.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "host/run/run_directory.hpp"

#include <memory>
#include <string>
#include <vector>

namespace popscope::host {

// Writes precision_recall/<class>. Asks for no predictions: an epoch that is
// due but that nobody evaluates is passed over.
class PrCurves : public Callback {
public:
  // The run of the log that has the other results on the test set, and the step
  // that it gives the first epoch.
  struct Place {
    std::string run;
    unsigned firstStep = 0;
  };
  // Of a training of `epochs` epochs that is evaluated every `period` of them.
  // TensorBoard keeps few curves of a tag, so there are at most about ten, and
  // one of the last epoch. The run's directory and the set outlive the
  // callback.
  PrCurves(const RunDirectory &run, Place place, unsigned epochs,
           unsigned period, const Dataset &test,
           const std::vector<std::string> &classNames);

  std::string name() const override { return "PR curves"; }
  void epochEnd(const EpochResult &result) override;

private:
  bool isDue(Epoch epoch) const;

  const RunDirectory &run_;
  const Place place_;
  const unsigned epochs_;
  const Stagger stagger_;
  const Dataset &test_;
  std::vector<summary::Tag> tags_;               // by class
  std::shared_ptr<summary::EventWriter> writer_; // from the first curve on
};

} // namespace popscope::host
