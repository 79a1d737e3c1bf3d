#include "host/command.hpp"
#include "host/run/output_file.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace popscope::host {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OutputFileTest : public ::testing::Test {
protected:
  static std::string contentOf(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path &path, const std::string &content,
                    IfExists ifExists = IfExists::refuse,
                    const Inputs &inputs = {}) {
    OutputFile file(path, ifExists, inputs);
    std::ofstream out = file.open();
    out << content;
    file.commit(out);
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(directory_.path()), {});
  }
  fs::path path(const std::string &name) const {
    return directory_.path() / name;
  }
  static void expectRefused(const std::function<void()> &act,
                            const std::string &reason) {
    try {
      act();
      ADD_FAILURE() << "not refused: " << reason;
    } catch (const BadInput &error) {
      EXPECT_THAT(error.what(), HasSubstr(reason));
    }
  }

  // Runs `act` in a process that writes a byte to a pipe when it may be sent
  // the signal, and returns how that process ended.
  static int statusAfter(int signal, const std::function<void(int)> &act) {
    int pipe[2];
    EXPECT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      act(pipe[1]);
      std::_Exit(99);
    }
    ::close(pipe[1]);
    char ready = 0;
    EXPECT_EQ(::read(pipe[0], &ready, 1), 1);
    ::close(pipe[0]);
    ::kill(child, signal);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }

  tests::TempDir directory_;
};

TEST_F(OutputFileTest, GetsItsNameOnlyWhenItIsComplete) {
  {
    OutputFile file(path("new"), IfExists::refuse, {});
    std::ofstream out = file.open();
    out << "content";
    EXPECT_FALSE(fs::exists(path("new")));
    file.commit(out);
  }
  EXPECT_EQ(contentOf(path("new")), "content");
  EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFileTest, LeavesNothingIfItIsNotCommitted) {
  {
    const OutputFile file(path("new"), IfExists::refuse, {});
    file.open() << "half";
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(OutputFileTest, ReplacesAnExistingFileOnlyIfForced) {
  directory_.file("old", "old");
  expectRefused([&] { write(path("old"), "new"); },
                "old: exists already; --force replaces it");
  EXPECT_EQ(contentOf(path("old")), "old");
  fs::permissions(path("old"), fs::perms(0640));
  write(path("old"), "new", IfExists::replace);
  EXPECT_EQ(contentOf(path("old")), "new");
  EXPECT_EQ(fs::status(path("old")).permissions(), fs::perms(0640));
  EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFileTest, RefusesAnInputUnderAnyName) {
  const fs::path input = directory_.file("input", "data");
  fs::create_symlink(input, path("symlink"));
  fs::create_hard_link(input, path("hard link"));
  for (const std::string name : {"input", "symlink", "hard link", "./input"})
    for (const IfExists ifExists : {IfExists::refuse, IfExists::replace})
      expectRefused([&] { write(path(name), "x", ifExists, {input}); },
                    "is an input of this command");
  EXPECT_EQ(contentOf(input), "data");
  EXPECT_EQ(entries(), 3);
}

TEST_F(OutputFileTest, ReplacesTheFileThatALinkLeadsTo) {
  fs::create_directory(path("elsewhere"));
  directory_.file("elsewhere/old", "old");
  fs::create_symlink("elsewhere/old", path("link"));
  write(path("link"), "new", IfExists::replace);
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contentOf(path("elsewhere/old")), "new");
}

TEST_F(OutputFileTest, RefusesAFileThatAppearsWhileItIsWritten) {
  OutputFile file(path("new"), IfExists::refuse, {});
  std::ofstream out = file.open();
  out << "mine";
  directory_.file("new", "theirs");
  EXPECT_THROW(file.commit(out), std::runtime_error);
  EXPECT_EQ(contentOf(path("new")), "theirs");
}

TEST_F(OutputFileTest, RefusesDirectoriesAndPlacesThatAreNotThere) {
  expectRefused([&] { write(directory_.path(), "x"); }, "is a directory");
  expectRefused([&] { write(path("nowhere/new"), "x"); },
                "No such file or directory");
  directory_.file("file", "");
  expectRefused([&] { write(path("file/new"), "x"); }, "cannot be written to");
}

TEST_F(OutputFileTest, LeavesTheOldFileIfTheDiskIsFull) {
  directory_.file("old", "old");
  const int status = statusAfter(0, [&](int ready) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none); // as if there were no space
    std::string what;
    try {
      write(path("old"), std::string(100'000, 'x'), IfExists::replace);
    } catch (const std::runtime_error &error) {
      what = error.what();
    }
    const bool isRight = what == path("old").string() + ": File too large";
    [[maybe_unused]] const auto written = ::write(ready, "r", 1);
    std::_Exit(isRight ? 0 : 1);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(contentOf(path("old")), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFileTest, LeavesTheOldFileIfASignalEndsTheProcess) {
  directory_.file("old", "old");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = statusAfter(signal, [&](int ready) {
      const OutputFile file(path("old"), IfExists::replace, {});
      const OutputFile other(path("other"), IfExists::replace, {});
      file.open() << "half";
      other.open() << "half";
      [[maybe_unused]] const auto written = ::write(ready, "r", 1);
      while (true)
        ::pause();
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_EQ(contentOf(path("old")), "old");
    EXPECT_EQ(entries(), 1) << "the partial files are gone";
  }
}

void ignore(int) {}

TEST_F(OutputFileTest, LeavesTheHandlersOfOthersAndTheDefaults) {
  std::signal(SIGTERM, ignore);
  std::signal(SIGHUP, SIG_IGN);
  const auto handlerOf = [](int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler;
  };
  write(path("a"), "x");
  {
    const OutputFile file(path("b"), IfExists::refuse, {});
    EXPECT_EQ(handlerOf(SIGTERM), &ignore);
    EXPECT_EQ(handlerOf(SIGHUP), SIG_IGN);
    EXPECT_NE(handlerOf(SIGINT), SIG_DFL);
  }
  EXPECT_EQ(handlerOf(SIGINT), SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGHUP, SIG_DFL);
}

TEST_F(OutputFileTest, WritesDevicesAndPipesDirectly) {
  write("/dev/null", "content");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  try {
    write("/dev/full", "content");
    ADD_FAILURE() << "/dev/full took something";
  } catch (const std::runtime_error &error) {
    EXPECT_THAT(error.what(), StartsWith("/dev/full: No space left"));
  }
}

} // namespace
} // namespace popscope::host
