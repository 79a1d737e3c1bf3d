// A writing process dies at a random moment; what it had flushed is there.
#include "summary/event_writer.hpp"
#include "summary/reading/event_reader.hpp"
#include "tests/support/temp_dir.hpp"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace popscope::summary {
namespace {

using tests::TempDir;

// What parent and child both see.
struct Progress {
  std::atomic<std::int64_t> flushed{-1}; // steps up to this one are flushed
  std::atomic<bool> handled{false};      // the signal handler has run
};

class SharedProgress {
public:
  SharedProgress()
      : progress_(new (::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Progress) {}
  ~SharedProgress() { ::munmap(progress_, sizeof(Progress)); }
  SharedProgress(const SharedProgress &) = delete;
  SharedProgress &operator=(const SharedProgress &) = delete;
  Progress *operator->() const { return progress_; }

private:
  Progress *progress_;
};

const Tag kScalar("loss");
const Tag kText("note");

// Writes until it is killed, records of all sizes, flushing now and then.
[[noreturn]] void writeForEver(const TempDir &directory,
                               const SharedProgress &progress, unsigned seed) {
  std::mt19937 random(seed);
  EventWriterOptions options;
  options.rotateBytes = 400'000;
  EventWriter writer(directory.path(), options);
  for (std::int64_t step = 0;; ++step) {
    writer.scalar(kScalar, Step(step), float(step));
    if (random() % 50 == 0)
      writer.text(kText, Step(step), std::string(random() % 100'000, 'x'));
    if (random() % 20 == 0 && writer.flush() == SinkError::none)
      progress->flushed = step;
  }
}

struct Found {
  std::int64_t scalars = 0;
  bool inOrder = true;
};

Found readBack(const TempDir &directory) {
  Found found;
  RunReader reader(directory.path());
  while (const auto event = reader.next())
    for (ValueCursor values(*event); const auto value = values.next();)
      if (value->tag == kScalar.name())
        found.inOrder = found.inOrder && event->step == found.scalars++ &&
                        value->simpleValue == float(event->step);
  EXPECT_TRUE(reader.damages().empty()) << "a kill leaves no damage";
  return found;
}

TEST(Kill, AtAnyMomentLosesNothingThatWasFlushed) {
  std::mt19937 random(20);
  std::int64_t mostSteps = 0;
  for (unsigned trial = 0; trial < 200; ++trial) {
    const TempDir directory;
    const SharedProgress progress;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      writeForEver(directory, progress, trial);
    // From before there is a file to behind several rotations, on a machine of
    // any speed.
    const auto enough = static_cast<std::int64_t>(random() % 1500) - 100;
    while (progress->flushed < enough) {
      ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "the child ended";
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 2'000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const Found found = readBack(directory);
    ASSERT_TRUE(found.inOrder) << trial;
    ASSERT_GE(found.scalars, progress->flushed + 1) << trial;
    mostSteps = std::max(mostSteps, found.scalars);
  }
  EXPECT_GT(mostSteps, 1000) << "no child wrote much";
}

EventWriter *writerOfChild = nullptr;
Progress *progressOfChild = nullptr;

void closeAndExit(int) {
  progressOfChild->handled = writerOfChild->closeFromSignal();
  ::_exit(0);
}

TEST(Kill, AHandlerThatClosesTheWriterSavesWhatWasNotFlushed) {
  std::mt19937 random(30);
  int handled = 0;
  for (unsigned trial = 0; trial < 50; ++trial) {
    const TempDir directory;
    const SharedProgress progress;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      EventWriterOptions options;
      options.flushEvery = std::chrono::hours(1);
      EventWriter writer(directory.path(), options);
      writerOfChild = &writer;
      progressOfChild = progress.operator->();
      ::signal(SIGTERM, closeAndExit);
      for (std::int64_t step = 0;; ++step) {
        writer.scalar(kScalar, Step(step), float(step));
        progress->flushed = step;
        if (step > 500)
          std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    }
    std::this_thread::sleep_for(
        std::chrono::microseconds(5'000 + random() % 20'000));
    ASSERT_EQ(::kill(child, SIGTERM), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const Found found = readBack(directory);
    ASSERT_TRUE(found.inOrder) << trial;
    if (progress->handled) {
      ASSERT_GE(found.scalars, progress->flushed + 1) << trial;
      ++handled;
    }
  }
  EXPECT_GT(handled, 10) << "the handler hardly ran";
}

} // namespace
} // namespace popscope::summary
