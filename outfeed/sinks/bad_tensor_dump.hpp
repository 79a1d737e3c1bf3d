// The first tensor that was not finite and what it was computed from, as NumPy
// arrays.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed {

struct DumpBudget {
  std::uint64_t bytes = std::uint64_t(256) << 20;
  unsigned files = 16;
};

// For a session with TapOptions::dump. Keeps what the device sends of tensors
// that went bad until the verdict says which was the first, and writes that one
// as NAME.npy, then its inputs in their order as long as the budget lasts.
class BadTensorDump : public SampleSink {
public:
  explicit BadTensorDump(std::filesystem::path directory,
                         DumpBudget budget = {},
                         summary::WriteListener onLoss = {});

  void take(const Tap &, Update, const TensorSample &) override {}
  void takeDump(const DumpedTensors &dumped) override;
  void takeVerdict(const Verdict &verdict) override;
  std::vector<summary::WriteReport> reports() const override {
    return {report_};
  }

  // What is where and what is missing; empty before the verdict.
  const std::string &line() const { return line_; }

private:
  struct Kept {
    TensorTraits tensor;
    std::vector<std::byte> elements;
  };
  bool write(const Kept &kept, const std::string &name);

  const std::filesystem::path directory_;
  const DumpBudget budget_;
  const summary::WriteListener onLoss_;
  summary::WriteReport report_;
  bool isWritten_ = false;
  // By tag and replica of the bad tensor.
  std::map<std::pair<std::string, unsigned>, std::vector<Kept>> kept_;
  std::string line_;
};

} // namespace popscope::outfeed
