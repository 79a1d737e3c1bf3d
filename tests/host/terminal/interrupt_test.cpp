#include "host/terminal/interrupt.hpp"
#include "tests/support/temp_dir.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

namespace fs = std::filesystem;

// Signals are raised in a child process, whose standard error is read.

TEST(InterruptDeathTest, FirstPressIsAcknowledgedAtOnceAndOnlyAsks) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        const bool before = guard.isAsked();
        std::raise(SIGINT);
        std::_Exit(!before && guard.isAsked() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0),
      "^stopping after this execution ... press Ctrl-C again to stop at "
      "once\n$");
}

TEST(InterruptDeathTest, SecondPressSaysWhatIsLostAndEnds) {
  EXPECT_EXIT(
      {
        InterruptGuard guard;
        guard.setLastWords("epoch 1 is lost\n");
        guard.setLastWords("epoch 2 is lost\n");
        std::raise(SIGINT);
        std::raise(SIGINT);
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(kExitInterrupted),
      "stop at once\nepoch 2 is lost\n$");
}

TEST(InterruptDeathTest, SignalOfAnotherProgramIsNotCalledCtrlC) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGTERM);
        std::_Exit(guard.isAsked() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0),
      "^stopping after this execution ... a second signal stops at once\n$");
}

TEST(InterruptDeathTest, LostTerminalAsksInSilenceAndIsNotAPress) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGHUP);
        const bool asked = guard.isAsked();
        std::raise(SIGINT);
        std::_Exit(asked ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "^stopping after this execution");
}

TEST(InterruptDeathTest, PressAtTheStartEndsAndLeavesNoEmptyDirectory) {
  const tests::TempDir dir;
  const fs::path logs = dir.path() / "logs";
  fs::create_directories(logs / "run");
  fs::create_directories(dir.path() / "full");
  dir.file("full/file", "");
  EXPECT_EXIT(
      {
        const StartGuard guard("nothing is lost\n",
                               {logs / "run", logs, dir.path() / "full"});
        std::raise(SIGINT);
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(kExitInterrupted), "^nothing is lost\n$");
  EXPECT_FALSE(fs::exists(logs));
  EXPECT_TRUE(fs::exists(dir.path() / "full/file"));
}

} // namespace
} // namespace popscope::host
