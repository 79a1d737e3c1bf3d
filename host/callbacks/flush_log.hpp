// Hands the points of a finished epoch to whoever reads the log.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/run/run_directory.hpp"

namespace popscope::host {

// Comes after all callbacks that write. The next epoch may take long, or be
// killed.
class FlushLog : public Callback {
public:
  // The run outlives the callback.
  explicit FlushLog(const RunDirectory &run) : run_(run) {}

  std::string name() const override { return "log"; }
  void epochEnd(const EpochResult & /*result*/) override { run_.flush(); }

private:
  const RunDirectory &run_;
};

} // namespace popscope::host
