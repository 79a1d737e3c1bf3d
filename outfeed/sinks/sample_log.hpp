// Samples for comparing runs: a file that popscope diff reads.
#pragma once

#include "outfeed/compare/sample_log_reader.hpp"
#include "outfeed/sinks/sample_sink.hpp"
#include "summary/records/growing_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace popscope::outfeed {

// Writes the digest of every sample, about 170 bytes with payload identity and
// 40 with less. The file is made by the first sample; one that is there is
// replaced then, or continued after resume. After a failure, which is told to
// `onLoss`, it goes on as soon as it can; the samples it lacks are counted in
// reports().
class SampleLog : public SampleSink {
public:
  // `lossScale` multiplies the loss of the program, and so the gradients of its
  // micro-batches.
  explicit SampleLog(std::filesystem::path file,
                     summary::WriteListener onLoss = {}, double lossScale = 1,
                     summary::Clock clock = summary::systemTime);

  // Keeps the samples of the updates before.
  void resume(Update firstUpdate) override { resumed_ = firstUpdate; }
  void take(const Tap &tap, Update update, const TensorSample &sample) override;
  void flush() override;
  void close(const TapReport &report) override;
  std::vector<summary::WriteReport> reports() const override;

private:
  // Samples of an update that may not be complete yet.
  struct Open {
    std::string record;
    std::uint64_t samples = 0;
  };

  void open();
  void keepEarlier();
  // Nothing if the file cannot be told of the tensor.
  std::optional<std::size_t> numberOf(const Tap &tap);
  void writeFirst(); // of the open updates
  void lose(const std::string &why, Update update);

  const std::filesystem::path file_;
  const summary::WriteListener onLoss_;
  const double lossScale_;
  std::optional<Update> resumed_;
  const summary::Clock clock_;
  std::unique_ptr<summary::GrowingFile> records_; // from the first sample on
  std::vector<std::string> tensors_;              // as the file has them
  std::unordered_map<std::string, std::size_t> numbers_; // by tag
  std::unordered_map<const Tap *, std::size_t> numberOfTap_;
  std::map<std::uint32_t, Open> open_; // by update
  std::optional<Update> written_;
  summary::WriteReport lost_; // of what did not get as far as the file
};

} // namespace popscope::outfeed
