// Samples for comparing runs: a file that popscope diff reads.
#pragma once

#include "outfeed/compare/sample_log_reader.hpp"
#include "outfeed/sinks/sample_sink.hpp"
#include "summary/records/file_sink.hpp"
#include "summary/records/record_writer.hpp"

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
// replaced then, or continued after resume. A failure ends the file, never the
// calls: it is told to `onLoss` and counted in reports().
class SampleLog : public SampleSink {
public:
  // `lossScale` multiplies the loss of the program, and so the gradients of its
  // micro-batches.
  explicit SampleLog(std::filesystem::path file,
                     summary::WriteListener onLoss = {}, double lossScale = 1);

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
  struct Written {
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
    Update first{0};
  };

  void open();
  void keepEarlier();
  std::size_t numberOf(const Tap &tap);
  void writeFirst(); // of the open updates
  void append(const std::string &record, Update update, std::uint64_t samples);
  void lose(const Written &written);
  void fail(const std::string &error);

  const std::filesystem::path file_;
  const summary::WriteListener onLoss_;
  const double lossScale_;
  std::optional<Update> resumed_;
  bool isBegun_ = false;
  std::unique_ptr<summary::FileSink> bytes_; // until the first failure
  std::unique_ptr<summary::RecordWriter> records_;
  std::unordered_map<std::string, std::size_t> numbers_; // by tag
  std::unordered_map<const Tap *, std::size_t> numberOfTap_;
  std::map<std::uint32_t, Open> open_; // by update
  std::optional<Update> written_;
  Written unflushed_;
  summary::WriteReport report_;
};

} // namespace popscope::outfeed
