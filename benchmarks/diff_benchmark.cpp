// How fast does popscope diff compare two runs, and with how much memory? Each
// has 1,000 tensors at 1,000 updates, with hashes and sketches, and half of the
// tensors part halfway.
#include "benchmarks/support/ratio.hpp"
#include "outfeed/sinks/sample_log.hpp"
#include "tests/support/temp_dir.hpp"

#include <chrono>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace popscope::outfeed;
using benchmarks::Better;
using benchmarks::Suite;
using popscope::tests::TempDir;

namespace {

constexpr std::size_t kTensors = 1000, kElements = 4096;
constexpr double kMemoryLimit = 200e6; // bytes
constexpr double kTimeLimit = 5;       // seconds

// Runs a program that must end with this code and discards its output; returns
// its peak memory in bytes.
double run(std::vector<std::string> arguments, int code) {
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
      wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != code)
    std::abort();
  posix_spawn_file_actions_destroy(&actions);
  return double(usage.ru_maxrss) * 1024;
}

void write(const std::filesystem::path &file, unsigned updates, float change) {
  std::deque<Tap> taps;
  for (std::size_t i = 0; i < kTensors; ++i) {
    Tap tap;
    tap.id = TapId(i);
    tap.tensor.name = "layer_" + std::to_string(i) + "/kernel:0_grad";
    tap.tensor.dtype = "float";
    tap.tensor.shape = {kElements};
    taps.push_back(tap);
  }
  std::mt19937 random(1);
  SampleLog log(file);
  TensorSample sample;
  sample.payload = Payload::identity;
  sample.stats.count = kElements;
  for (unsigned update = 0; update < updates; ++update)
    for (std::size_t i = 0; i < kTensors; ++i) {
      const bool isChanged = i % 2 == 0 && update >= updates / 2;
      const float factor = isChanged ? change : 1.0f;
      for (float &sum : sample.sketch)
        sum = factor * (float(random()) * 0x1p-31f - 1.0f);
      sample.stats.absMax = double(factor);
      sample.stats.m2 = double(kElements * factor * factor);
      for (std::uint32_t &hash : sample.hash)
        hash = std::uint32_t(random()) + isChanged * (change != 1.0f);
      log.take(taps[i], Update(update), sample);
    }
  log.close({});
  if (!log.reports().front().isWhole())
    std::abort();
}

double secondsOf(const std::vector<std::string> &command) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  run(command, 1);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void diffRuns(const Suite &suite) {
  if (!suite.wants("diff/runs"))
    return;
  const TempDir directory;
  const std::filesystem::path a = directory.path() / "a",
                              b = directory.path() / "b";
  const unsigned updates = suite.quick() ? 100 : 1000;
  write(a, updates, 1.0f);
  write(b, updates, 1.0001f);
  const std::vector<std::string> ours = {
      POPSCOPE_COMMAND, "diff",   a.string(),
      b.string(),       "--html", (directory.path() / "page.html").string(),
      "--force"};
  const std::vector<std::string> peer = {"cat", a.string(), b.string()};
  const auto bytes =
      double(std::filesystem::file_size(a) + std::filesystem::file_size(b));
  const auto seconds =
      suite.time({[&] { run(ours, 1); }, [&] { run(peer, 0); }});
  suite.report({"diff/runs", bytes / seconds[0], bytes / seconds[1],
                "cat of both logs to /dev/null from the page cache",
                Better::higher, 0.1});
  suite.report({"diff/runs-seconds", secondsOf(ours), kTimeLimit,
                "5 s for 1,000 tensors at 1,000 updates", Better::lower, 1});
  suite.report({"diff/runs-rss", run(ours, 1), kMemoryLimit,
                "200 MB, whatever the length of the runs", Better::lower, 1});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  diffRuns(suite);
}
