#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
#include <string>

namespace popscope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

tests::CommandResult popscope(const std::string &arguments) {
  return tests::runCommand(std::string(POPSCOPE_COMMAND) + " " + arguments);
}

// Bad input: exit code 2 and one line that says what is wrong.
void expectRefused(const std::string &arguments, const std::string &reason) {
  const auto result = popscope(arguments);
  EXPECT_EQ(result.exitCode, 2) << arguments;
  EXPECT_THAT(result.output, StartsWith("popscope: ")) << arguments;
  EXPECT_THAT(result.output, HasSubstr(reason)) << arguments;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1)
      << result.output;
}

TEST(CommandLine, HelpShowsExamples) {
  for (const char *arguments : {"--help", "train --help"}) {
    const auto result = popscope(arguments);
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_THAT(result.output, HasSubstr("popscope train --preset cnn"));
  }
}

TEST(CommandLine, HelpShowsDefaultsAndWhatIsCounted) {
  const std::string help = std::regex_replace(popscope("train --help").output,
                                              std::regex("\\s+"), " ");
  EXPECT_THAT(help, HasSubstr("--steps-per-epoch N Batches of an epoch"));
  EXPECT_THAT(help, HasSubstr("--steps-per-execution N Batches of an "
                              "execution"));
  EXPECT_THAT(help, HasSubstr("--accumulation-method sum|mean|running-mean"));
  EXPECT_THAT(help, HasSubstr("are combined (default: sum)"));
  EXPECT_THAT(help, HasSubstr("cnn three convolutions in two pipeline stages, "
                              "MNIST 50 epochs of 128 batches, 32 images a "
                              "batch, 16 batches an update; rmsprop, learning "
                              "rate 0.001; 128 batches an execution; every N "
                              "epochs: validation 2, evaluation 5, filters 2, "
                              "histograms 1 "));
  for (const char *group :
       {"Training:", "Device:", "Data and log:", "Inspection:", "Preset mlp:"})
    EXPECT_THAT(help, HasSubstr(group));
}

TEST(CommandLine, HelpSaysHowEpochsAreNumbered) {
  EXPECT_THAT(popscope("train --help").output,
              HasSubstr("Epochs count from 1 on the screen and in options"));
}

TEST(CommandLine, HelpFitsATerminal) {
  for (const char *command :
       {"",           "train",          "taps",          "health",
        "replay",     "diff",           "prove",         "control",
        "events",     "events inspect", "events doctor", "events check",
        "events cat", "events export",  "events cut",    "events repair",
        "presets",    "devices",        "help",          "completions"}) {
    const auto result = popscope(std::string(command) + " --help");
    EXPECT_EQ(result.exitCode, 0) << command;
    EXPECT_TRUE(std::regex_search(
        result.output, std::regex("\nExamples?:\n(  .*\n)*  popscope " +
                                  std::string(command))))
        << result.output;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(CommandLine, OneCommandIsTakenAtATime) {
  expectRefused("taps train", "no tensor"); // a rule that finds nothing
  expectRefused("train taps", "taps: not expected by popscope train");
}

TEST(CommandLine, VersionNamesProgramAndEngine) {
  const auto result = popscope("--version");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_TRUE(std::regex_match(
      result.output,
      std::regex("popscope [0-9]+\\.[0-9]+\\.[0-9]+, Poplar .+\n")))
      << result.output;
}

TEST(CommandLine, RunsByASymbolicLink) {
  const tests::TempDir bin;
  const auto link = bin.path() / "popscope";
  std::filesystem::create_symlink(POPSCOPE_COMMAND, link);
  const auto result = tests::runCommand(
      link.string() + " taps --preset mlp --tiles 8 --data " POPSCOPE_DATA
                      "/mnist");
  EXPECT_EQ(result.exitCode, 0) << result.output;
}

TEST(CommandLine, BadInputIsRefusedInOneLine) {
  expectRefused("", "subcommand");
  expectRefused("trian", "trian: not a command of popscope; the nearest are "
                         "train, ");
  expectRefused("events inspec logs",
                "inspec: not a command of popscope events; the nearest are "
                "inspect, ");
  expectRefused("events cut one two",
                "PATH is given more than once (one, two)");
  expectRefused("train --epoch 3",
                "--epoch: no option of popscope train; the nearest are "
                "--epochs, ");
  expectRefused("train --device gpu", "gpu");
  expectRefused("train --epochs 3 --epochs 4",
                "--epochs is given more than once (3, 4); it takes one value");
  expectRefused("events cut logs -o a --output b",
                "--output is given more than once (a, b); ");
  expectRefused("train --epochs", "--epochs needs a value: N");
  expectRefused("events cat ''", "PATH: the value is empty; give one");
  expectRefused("events cat logs --tag ''", "--tag: the value is empty; ");
  expectRefused("events cut logs -o ''", "--output: the value is empty; ");
  expectRefused("events cat logs --from-step 1.5",
                "--from-step 1.5: not a whole number");
  expectRefused("events cat logs --to-step 9223372036854775808",
                "--to-step 9223372036854775808: too large");
  expectRefused("taps --seed ''", "--seed: the value is empty; ");
  expectRefused("taps --seed", "--seed needs a value: N");
  expectRefused("taps ''", "rules: the value is empty; ");
  expectRefused("events cat logs --tag", "--tag needs a value: GLOB");
  expectRefused("train --device model --tiles 2000 --data " POPSCOPE_DATA
                "/mnist",
                "--tiles 2000");
}

} // namespace
} // namespace popscope
