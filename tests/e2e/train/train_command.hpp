// popscope train as users run it: what its tests have in common.
#pragma once

#include "tests/support/command.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace popscope {

inline std::string contentOf(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs on the model, with few tiles: the graph is built sooner.
class TrainCommand : public ::testing::Test {
protected:
  tests::CommandResult train(const std::string &arguments) const {
    return tests::runCommand(POPSCOPE_COMMAND " train --device model --tiles 8 "
                                              "--logdir " +
                             logs.path().string() + " " + arguments);
  }
  void expectTrains(const std::string &arguments) const {
    const auto result = train(arguments);
    EXPECT_EQ(result.exitCode, 0) << arguments << "\n" << result.output;
  }
  // Exit code 2 and one line that says what is wrong.
  void expectRefused(const std::string &arguments,
                     const std::string &reason) const {
    const auto result = train(arguments);
    EXPECT_EQ(result.exitCode, 2) << arguments;
    EXPECT_THAT(result.output, ::testing::StartsWith("popscope: "))
        << arguments;
    EXPECT_THAT(result.output, ::testing::HasSubstr(reason)) << arguments;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1)
        << result.output;
  }
  std::string checkpointOf(const std::string &run) const {
    return contentOf(logs.path() / run / "saved/state");
  }
  std::vector<tests::Event> events(const std::string &run) const {
    return tests::readRun(logs.path() / run);
  }

  const tests::TempDir logs;
  const std::string mnist = "--data " POPSCOPE_DATA "/mnist ";
  const std::string shortMlp =
      "--preset mlp " + mnist + "--epochs 2 --steps-per-epoch 8 ";
};

} // namespace popscope
