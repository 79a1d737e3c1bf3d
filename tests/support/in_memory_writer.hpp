// An EventWriter that writes to memory and whose clock stands still.
#pragma once

#include "summary/event_writer.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/temp_dir.hpp"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace popscope::tests {

struct InMemoryWriter {
  explicit InMemoryWriter(summary::EventWriterOptions options = {}) {
    options.clock = clock;
    options.openFile = [this](const std::filesystem::path &path) {
      if (isFull)
        throw std::system_error(ENOSPC, std::generic_category(), path.string());
      auto sink = std::make_unique<StringSink>();
      sinks.push_back(sink.get());
      return sink;
    };
    options.onFailure = [this](const summary::WriteReport &report) {
      failures.push_back(report);
    };
    writer = std::make_unique<summary::EventWriter>(directory.path() / "run",
                                                    options);
  }
  const std::string &bytes() const { return sinks.back()->bytes; }

  bool isFull = false; // no room for another file
  TempDir directory;
  FakeClock clock{1.7e9};
  std::vector<StringSink *> sinks; // owned by the writer
  std::vector<summary::WriteReport> failures;
  std::unique_ptr<summary::EventWriter> writer;
};

} // namespace popscope::tests
