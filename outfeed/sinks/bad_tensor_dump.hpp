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
// as NAME.npy, then its inputs in their order as long as the budget lasts. A
// file that cannot be written is tried again every second and at the end.
class BadTensorDump : public SampleSink {
public:
  explicit BadTensorDump(std::filesystem::path directory,
                         DumpBudget budget = {},
                         summary::WriteListener onLoss = {},
                         summary::Clock clock = summary::systemTime);

  void take(const Tap &, Update, const TensorSample &) override {}
  void takeDump(const DumpedTensors &dumped) override;
  void takeVerdict(const Verdict &verdict) override;
  void flush() override;
  void close(const TapReport &report) override;
  std::vector<summary::WriteReport> reports() const override {
    return {report()};
  }

  // What is where and what is missing; empty before the verdict.
  std::string line() const;

private:
  struct Kept {
    TensorTraits tensor;
    std::vector<std::byte> elements;
  };
  struct Unwritten {
    Kept kept;
    std::string file;
  };
  void writeAll();
  bool write(const Unwritten &tensor);
  summary::WriteReport report() const;

  const std::filesystem::path directory_;
  const DumpBudget budget_;
  const summary::WriteListener onLoss_;
  const summary::Clock clock_;
  std::string error_; // the first
  double lastTry_ = 0;
  bool isDecided_ = false; // what is to be written
  // By tag and replica of the bad tensor.
  std::map<std::pair<std::string, unsigned>, std::vector<Kept>> kept_;
  std::vector<Unwritten> unwritten_;
  std::vector<std::string> written_, missing_, tooMuch_;
  std::uint64_t bytes_ = 0; // written
};

} // namespace popscope::outfeed
