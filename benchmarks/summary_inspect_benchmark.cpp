// How fast does popscope events inspect read a log, and with how much memory?
#include "benchmarks/support/ratio.hpp"
#include "summary/event_writer.hpp"
#include "tests/support/temp_dir.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace popscope::summary;
using benchmarks::Better;
using benchmarks::Suite;
using popscope::tests::TempDir;

namespace {

constexpr double kMemoryLimit = 64 << 20; // bytes

// Runs a program and discards its output; returns its peak memory in bytes.
double run(std::vector<std::string> arguments) {
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  pid_t child = 0;
  int status = 1;
  rusage usage{};
  if (posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) !=
          0 ||
      wait4(child, &status, 0, &usage) != child || status != 0)
    std::abort();
  posix_spawn_file_actions_destroy(&actions);
  return double(usage.ru_maxrss) * 1024;
}

void inspect(const Suite &suite, const std::string &name,
             const std::filesystem::path &file) {
  const std::vector<std::string> ours = {POPSCOPE_COMMAND, "events", "inspect",
                                         file.string()};
  const auto bytes = double(std::filesystem::file_size(file));
  const auto seconds = suite.time({[&] { run(ours); },
                                   [&] {
                                     run({"cat", file.string()});
                                   }});
  suite.report({name, bytes / seconds[0], bytes / seconds[1],
                "cat to /dev/null from the page cache", Better::higher, 0.3});
  suite.report({name + "-rss", run(ours), kMemoryLimit,
                "64 MiB, whatever the size of the log", Better::lower, 1});
}

constexpr std::size_t kTags = 10'000;

// Scalars of many tags at every step, `tagsPerEvent` of them in one event: all,
// as by a writer of whole steps; as many as a layer has; or one, as by torch
// and tensorboardX.
void manyTags(const Suite &suite, const std::string &name,
              std::size_t tagsPerEvent) {
  if (!suite.wants(name))
    return;
  std::vector<Tag> tags;
  for (std::size_t i = 0; i < kTags; ++i)
    tags.emplace_back("layer_" + std::to_string(i) + "/kernel/mean");
  const TempDir directory;
  EventWriter writer(directory.path());
  for (int step = 0; step < (suite.quick() ? 500 : 2000); ++step) {
    for (std::size_t first = 0; first < kTags; first += tagsPerEvent) {
      EventBatch batch{Step(step)};
      for (std::size_t i = first; i < first + tagsPerEvent; ++i)
        batch.add(tags[i], float(step));
      writer.write(batch);
    }
  }
  if (writer.close() != SinkError::none)
    std::abort();
  inspect(suite, name, writer.file());
}

// As a training run with inspection writes it: scalars and histograms at every
// step, sometimes a picture.
void large(const Suite &suite) {
  if (!suite.wants("events/inspect-1gb"))
    return;
  const std::uintmax_t size = suite.quick() ? 100'000'000 : 1'000'000'000;
  std::vector<float> weights;
  for (int i = 0; i < 1000; ++i)
    weights.push_back(float(i % 97) / 10);
  const Value histogram = toValue(uniformHistogram(weights));
  const Image digits{280, 280, PixelFormat::grey,
                     std::vector<std::uint8_t>(280 * 280, 128)};
  const TempDir directory;
  EventWriter writer(directory.path());
  for (int step = 0; std::filesystem::file_size(writer.file()) < size; ++step) {
    EventBatch batch{Step(step)};
    for (int layer = 0; layer < 50; ++layer) {
      const std::string name = "layer_" + std::to_string(layer);
      batch.add(Tag(name + "/gradient/mean"), float(layer));
      batch.add(Tag(name + "/gradient/std"), float(step));
      batch.add(Tag(name + "/gradient/histogram"), histogram);
    }
    if (step % 100 == 0)
      batch.add(Tag("digits"), digits);
    writer.write(batch);
  }
  if (writer.close() != SinkError::none)
    std::abort();
  inspect(suite, "events/inspect-1gb", writer.file());
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  manyTags(suite, "events/inspect-tags", kTags);
  manyTags(suite, "events/inspect-tags-50", 50);
  manyTags(suite, "events/inspect-tags-1", 1);
  large(suite);
}
