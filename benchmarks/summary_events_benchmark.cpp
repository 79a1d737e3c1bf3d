// How fast are scalars written to an event file, and read from it?
#include "benchmarks/summary_peers.hpp"
#include "benchmarks/support/ratio.hpp"
#include "summary/event_writer.hpp"
#include "summary/proto/event.pb.h"
#include "summary/reading/event_reader.hpp"
#include "summary/records/file_sink.hpp"
#include "summary/records/record_writer.hpp"
#include "summary/tag_table.hpp"
#include "tests/support/temp_dir.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <unistd.h>
#include <vector>

using namespace popscope::summary;
using benchmarks::Better;
using benchmarks::Suite;
using popscope::tests::TempDir;

namespace {

const Tag kTag("train/loss");

constexpr std::int64_t kEvents = 1'000'000;

// Seconds to write a run to a new directory. Removing it is not timed, as with
// the peers.
template <class Write> double secondsOf(const Write &write, std::size_t calls) {
  double seconds = 0;
  for (std::size_t i = 0; i < calls; ++i) {
    const TempDir directory;
    seconds += Suite::timed([&] { write(directory.path()); })(1);
  }
  return seconds;
}

// A run of scalars, including opening and closing.
void writeScalars(const std::filesystem::path &directory) {
  EventWriter writer(directory);
  for (std::int64_t step = 0; step < kEvents; ++step)
    writer.scalar(kTag, Step(step), 0.5F);
  if (writer.close() != SinkError::none)
    std::abort();
}

// The same with bytes encoded by generated code, from one reused message.
void writeScalarsByProtobuf(const std::filesystem::path &directory) {
  FileSink sink(directory / "events.out.tfevents.1");
  RecordWriter writer(sink);
  TagTable tags;
  std::mutex mutex;
  proto::Event event;
  auto *value = event.mutable_summary()->add_value();
  for (std::int64_t step = 0; step < kEvents; ++step) {
    const std::lock_guard<std::mutex> lock(mutex);
    tags(kTag, kScalarPlugin);
    value->set_tag(kTag.name());
    event.set_wall_time(systemTime().seconds());
    event.set_step(step);
    value->set_simple_value(0.5F);
    const std::size_t size = event.ByteSizeLong();
    char *const space = writer.reserve(size);
    if (space == nullptr)
      std::abort();
    event.SerializeWithCachedSizesToArray(
        reinterpret_cast<std::uint8_t *>(space));
    writer.commit(size);
  }
  if (writer.flush() != SinkError::none)
    std::abort();
}

void scalars(const Suite &suite) {
  const auto ours = [](std::size_t calls) {
    return secondsOf(writeScalars, calls);
  };
  if (suite.wants("events/scalars-protobuf")) {
    const auto seconds =
        suite.timeTurns({ours, [](std::size_t calls) {
                           return secondsOf(writeScalarsByProtobuf, calls);
                         }});
    suite.report({"events/scalars-protobuf", double(kEvents) / seconds[0],
                  double(kEvents) / seconds[1], "one reused protobuf message",
                  Better::higher, 1});
  }
  const auto speed = [&] {
    return double(kEvents) / suite.timeTurns({ours})[0];
  };
  const auto against = [&](const std::string &name, const std::string &peer,
                           double goal, const auto &theirs) {
    if (!suite.wants(name))
      return;
    if (const auto found = benchmarks::measureInTurns(speed, theirs))
      suite.report(
          {name, found->ours, found->theirs, peer, Better::higher, goal});
  };
#ifdef POPSCOPE_PEER_LOGGER
  against("events/scalars-logger", "RustingSword/tensorboard_logger", 5, [] {
    const TempDir directory;
    return benchmarks::programPeer(
        POPSCOPE_PEER_LOGGER " " + directory.path().string(), "logger");
  });
#else
  if (suite.wants("events/scalars-logger"))
    std::cerr << "left out: peer RustingSword/tensorboard_logger, whose CMake "
                 "package was not found; add the directory it is installed in "
                 "to CMAKE_PREFIX_PATH\n";
#endif
  const auto python = [&](const char *job) {
    return [&suite, job] {
      const TempDir directory;
      return benchmarks::pythonPeer(job, directory.path().string(),
                                    suite.quick());
    };
  };
  against("events/scalars-tensorboardx", "tensorboardX add_scalar", 20,
          python("scalars-tensorboardx"));
  against("events/scalars-torch", "torch SummaryWriter.add_scalar", 20,
          python("scalars-torch"));
}

void bytesPerScalar(const Suite &suite) {
  if (!suite.wants("events/bytes-per-scalar"))
    return;
  const TempDir directory;
  EventWriter writer(directory.path());
  EventBatch batch(Step(1'000'000));
  std::size_t tagBytes = 0;
  for (int i = 0; i < 50; ++i) {
    const Tag tag("layer_" + std::to_string(i) + "/mean");
    tagBytes += tag.name().size();
    batch.add(tag, 0.5F);
  }
  if (writer.flush() != SinkError::none)
    std::abort();
  const auto before = std::filesystem::file_size(writer.file());
  writer.write(batch);
  if (writer.close() != SinkError::none)
    std::abort();
  const auto bytes =
      std::filesystem::file_size(writer.file()) - before - tagBytes;
  suite.report({"events/bytes-per-scalar", double(bytes) / 50, 30,
                "30 bytes beyond the tag", Better::lower, 1});
}

void readBytes(const std::filesystem::path &path) {
  static char buffer[std::size_t(1) << 17];
  const int file = ::open(path.c_str(), O_RDONLY);
  while (::read(file, buffer, sizeof buffer) > 0) {
  }
  ::close(file);
}

std::int64_t readValues(const std::filesystem::path &path) {
  EventReader reader(path);
  std::int64_t values = 0;
  while (const auto event = reader.next())
    for (ValueCursor cursor(*event); cursor.next();)
      ++values;
  return values;
}

// A log as a training run with inspection writes it: 50 scalars at each step, a
// histogram at every fifth. Checks both CRCs of every record and finds every
// tag, on one thread.
void reading(const Suite &suite) {
  if (!suite.wants("events/read"))
    return;
  const std::int64_t steps = kEvents / 50;
  std::vector<Tag> tags;
  for (int i = 0; i < 50; ++i)
    tags.emplace_back("conv_" + std::to_string(i) + "/act/mean");
  const std::vector<float> weights{1, 2, 3};
  const Value histogram = toValue(uniformHistogram(weights));
  const TempDir directory;
  EventWriter writer(directory.path());
  for (std::int64_t step = 0; step < steps; ++step) {
    EventBatch batch{Step(step)};
    for (const Tag &tag : tags)
      batch.add(tag, 0.5F);
    if (step % 5 == 0)
      batch.add(Tag("conv_0/kernel/histogram"), histogram);
    writer.write(batch);
  }
  if (writer.close() != SinkError::none)
    std::abort();
  const auto expected = steps * 50 + (steps + 4) / 5;
  if (readValues(writer.file()) != expected)
    std::abort();
  const auto bytes = double(std::filesystem::file_size(writer.file()));
  const auto seconds = suite.time(
      {[&] { readValues(writer.file()); }, [&] { readBytes(writer.file()); }});
  suite.report({"events/read", bytes / seconds[0], bytes / seconds[1],
                "cat to /dev/null from the page cache", Better::higher, 0.25});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  scalars(suite);
  bytesPerScalar(suite);
  reading(suite);
}
