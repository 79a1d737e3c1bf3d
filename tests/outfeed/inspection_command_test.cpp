// The integration tests of Graphcore's tutorial on inspecting tensors, on our
// command line; and the printed numbers against the tensors themselves.
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace popscope::host {
namespace {

using testing::HasSubstr;
using testing::Not;

class TutorialRun : public testing::Test {
protected:
  std::string train(const std::string &options) {
    const tests::CommandResult result = tests::runCommand(
        std::string(POPSCOPE_COMMAND) + " train --preset mlp --tiles 16 " +
        "--data " POPSCOPE_DATA "/mnist --logdir " + directory.path().string() +
        " --run run --clean " + options);
    EXPECT_EQ(result.exitCode, 0) << result.output;
    return result.output;
  }
  tests::TempDir directory;
};

TEST_F(TutorialRun, DefaultsArePipelinedSequential) {
  const std::string output = train("--epochs 1");
  EXPECT_THAT(output,
              HasSubstr("Gradients callback\n"
                        "key: Dense_128/bias:0_grad shape: (500, 128)\n"
                        "key: Dense_128/kernel:0_grad shape: (500, 256, 128)\n"
                        "Epoch 1 - Summary Stats\n"));
  EXPECT_THAT(output, HasSubstr("Multi-layer activations callback\n"
                                "key: Dense_128_acts shape: (2000, 32, 128)\n"
                                "key: Dense_10_acts shape: (2000, 32, 10)\n"));
}

TEST_F(TutorialRun, ModelWithoutPipelineUpdatesEveryStep) {
  const std::string output = train("--model-type Model --no-pipelining "
                                   "--epochs 1 --steps-per-epoch 500");
  EXPECT_THAT(output,
              HasSubstr("Gradients callback\n"
                        "key: Dense_128/bias:0_grad shape: (500, 128)\n"));
  EXPECT_THAT(output, HasSubstr("Single layer activations callback\n"
                                "key: Dense_128_acts shape: (500, 32, 128)\n"));
}

TEST_F(TutorialRun, ModelWithAccumulationUpdatesEveryFourth) {
  const std::string output =
      train("--model-type Model --no-pipelining --epochs 1 "
            "--steps-per-epoch 500 --use-gradient-accumulation");
  EXPECT_THAT(output,
              HasSubstr("Gradients callback\n"
                        "key: Dense_128/bias:0_grad shape: (125, 128)\n"));
  EXPECT_THAT(output, HasSubstr("Single layer activations callback\n"
                                "key: Dense_128_acts shape: (500, 32, 128)\n"));
}

TEST_F(TutorialRun, PreAccumulatedGradientsComeEveryStep) {
  const std::string output =
      train("--model-type Model --no-pipelining --epochs 1 "
            "--steps-per-epoch 500 --outfeed-pre-accumulated-gradients "
            "--use-gradient-accumulation");
  EXPECT_THAT(output,
              HasSubstr("Gradients callback\n"
                        "key: Dense_128/bias:0_grad shape: (500, 128)\n"));
  EXPECT_THAT(output, HasSubstr("Single layer activations callback\n"
                                "key: Dense_128_acts shape: (500, 32, 128)\n"));
}

TEST_F(TutorialRun, PipelinedModelFiltersItsActivations) {
  const std::string output =
      train("--model-type Model --epochs 1 --steps-per-epoch 500 "
            "--outfeed-pre-accumulated-gradients "
            "--activations-filters Dense_10");
  EXPECT_THAT(output,
              HasSubstr("Gradients callback\n"
                        "key: Dense_128/bias:0_grad shape: (500, 128)\n"));
  EXPECT_THAT(output, HasSubstr("Multi-layer activations callback\n"
                                "key: Dense_10_acts shape: (500, 32, 10)\n"));
}

TEST_F(TutorialRun, SequentialShowsAllGradientsWithoutFilter) {
  const std::string output =
      train("--model-type Sequential --no-pipelining --epochs 1 "
            "--steps-per-epoch 500 --gradients-filters none");
  EXPECT_THAT(output,
              HasSubstr("Gradients callback\n"
                        "key: Dense_10/bias:0_grad shape: (500, 10)\n"));
  EXPECT_THAT(output,
              HasSubstr("key: Dense_128/bias:0_grad shape: (500, 128)\n"));
  EXPECT_THAT(output, HasSubstr("Multi-layer activations callback\n"
                                "key: Dense_128_acts shape: (500, 32, 128)\n"));
}

// The floats of a .npy file whose shape begins with `transfers`.
std::vector<float> readNpy(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(bytes.substr(1, 5), "NUMPY") << path;
  const std::size_t header = 10 + static_cast<unsigned char>(bytes[8]) +
                             256u * static_cast<unsigned char>(bytes[9]);
  std::vector<float> values((bytes.size() - header) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + header,
              values.size() * sizeof(float));
  return values;
}

// Mean, Std, Minimum and Maximum of a row of the table.
std::vector<double> printed(const std::string &output,
                            const std::string &name) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string index, word;
    if (words >> index >> word && index != "key:" && word == name)
      return {std::istream_iterator<double>(words), {}};
  }
  return {};
}

TEST_F(TutorialRun, PrintedStatisticsAreThoseOfTheTensors) {
  const std::string options = "--epochs 1 --steps-per-epoch 100 ";
  const std::string output = train(options);
  train(options + "--tap 'name:Dense_128/kernel:0_grad & at:accumulated -> "
                  "full' 'name:Dense_10_acts -> full'");
  for (const auto &[name, file, transfers] :
       {std::make_tuple("Dense_128/kernel:0_grad",
                        "Dense_128.kernel:0_grad.accumulated.npy", 25u),
        std::make_tuple("Dense_10_acts", "Dense_10_acts.npy", 100u)}) {
    const std::vector<float> values =
        readNpy(directory.path() / "run" / "dump" / file);
    ASSERT_EQ(values.size() % transfers, 0u) << name;
    double sum = 0, squares = 0, min = INFINITY, max = -INFINITY;
    for (const float value : values) {
      sum += double(value);
      min = std::min(min, double(value));
      max = std::max(max, double(value));
    }
    const double n = double(values.size()), mean = sum / n;
    for (const float value : values)
      squares += (double(value) - mean) * (double(value) - mean);
    const std::vector<double> row = printed(output, name);
    ASSERT_EQ(row.size(), 4u) << output;
    // Six decimals are printed.
    EXPECT_NEAR(row[0], mean, 1e-6);
    EXPECT_NEAR(row[1], std::sqrt(squares / n), 1e-6);
    EXPECT_NEAR(row[2], min, 1e-6);
    EXPECT_NEAR(row[3], max, 1e-6);
  }
}

TEST_F(TutorialRun, JsonHasALinePerTensorAndStep) {
  const std::string json = (directory.path() / "samples.json").string();
  train("--epochs 1 --steps-per-epoch 8 --inspect-json " + json);
  std::ifstream file(json);
  unsigned lines = 0;
  for (std::string line; std::getline(file, line); ++lines)
    EXPECT_THAT(line, testing::StartsWith("{\"name\": \"Dense_1"));
  EXPECT_EQ(lines, 2u * 4); // two updates, two gradients, two activations
}

TEST_F(TutorialRun, JsonHasAllThatThePayloadCarries) {
  const std::string json = (directory.path() / "samples.json").string();
  const auto linesWith = [&](const std::string &options) {
    train("--epochs 1 --steps-per-epoch 8 --force --inspect-json " + json +
          " --tap 'name:Dense_10_acts -> identity' 'name:Dense_10/bias:0' " +
          options);
    std::ifstream file(json);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
      if (line.find("\"Dense_10") != std::string::npos)
        lines.push_back(line);
    return lines;
  };
  const std::vector<std::string> lines = linesWith("");
  ASSERT_EQ(lines.size(), 4u);
  const testing::Matcher<std::string> hasIdentity = testing::ContainsRegex(
      R"("histogram": \[\[.*\]\], "hash": "[0-9a-f]{16}", "sketch": \[)");
  for (const std::string &line : lines) {
    const bool isActivation = line.find("_acts") != std::string::npos;
    EXPECT_EQ(testing::Matches(hasIdentity)(line), isActivation) << line;
    EXPECT_THAT(line, Not(HasSubstr("\"replica\"")));
  }
  const auto hashOf = [](const std::string &line) {
    return line.substr(line.find("\"hash\""), 26);
  };
  EXPECT_NE(hashOf(lines[0]), hashOf(lines[2])) << lines[0] << lines[2];
  EXPECT_EQ(linesWith(""), lines); // the same training, the same hashes

  const std::vector<std::string> apart = linesWith("--keep-apart");
  ASSERT_EQ(apart.size(), 2u * (4 + 1));
  EXPECT_THAT(apart, testing::Contains(
                         HasSubstr("\"replica\": 0, \"micro_batch\": 3, ")));
}

TEST_F(TutorialRun, SamplesKeptApartAreStillOneRowOfTheTable) {
  const std::string output =
      train("--epochs 1 --steps-per-epoch 8 --keep-apart");
  EXPECT_THAT(output,
              HasSubstr("key: Dense_128/bias:0_grad shape: (2, 128)\n"));
  EXPECT_THAT(output, HasSubstr("key: Dense_10_acts shape: (8, 32, 10)\n"));
}

// No error: the training may go on later, for more epochs.
TEST_F(TutorialRun, ARuleThatIsNeverDueIsPointedOut) {
  const std::string rules = "--epochs 1 --steps-per-epoch 8 --quiet "
                            "--tap 'Dense_10 @ steps 1' 'Dense_128 @ steps ";
  EXPECT_THAT(train(rules + "2,7'"), HasSubstr("rule 2: 'steps 2,7' is never "
                                               "due; there are 2 steps"));
  EXPECT_EQ(train(rules + "0,7'"), "");
}

TEST_F(TutorialRun, WatchShowsATable) {
  const std::string output = train("--epochs 1 --steps-per-epoch 8 --watch");
  EXPECT_THAT(output, HasSubstr("Dense_10_acts"));
  EXPECT_THAT(output, HasSubstr("not finite"));
  EXPECT_THAT(output, Not(HasSubstr("Gradients callback")));
}

TEST_F(TutorialRun, GradientsOfTwoMomentsHaveTwoNames) {
  const std::string output = train("--epochs 1 --steps-per-epoch 8 "
                                   "--tap 'kind:gradient & Dense_128/bias'");
  EXPECT_THAT(output, HasSubstr("key: Dense_128/bias:0_grad shape: (2, 128)"));
  EXPECT_THAT(
      output,
      HasSubstr("key: Dense_128/bias:0_grad_per_micro_batch shape: (8, 128)"));
  EXPECT_THAT(output,
              HasSubstr("key: Dense_128/kernel:0_grad shape: (2, 256, 128)"));
}

TEST_F(TutorialRun, ARuleThatMatchesNothingIsRefused) {
  const tests::CommandResult result =
      tests::runCommand(std::string(POPSCOPE_COMMAND) +
                        " train --preset mlp --tiles 16 --data " POPSCOPE_DATA
                        "/mnist --logdir " +
                        directory.path().string() + " --tap Dense_129");
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.output,
              HasSubstr("rule 1: no tensor matches 'Dense_129'"));
  EXPECT_THAT(result.output, HasSubstr("Dense_128"));
}

TEST(TapsCommand, AFilterThatMatchesNothingIsCalledByItsOption) {
  const tests::CommandResult result =
      tests::runCommand(std::string(POPSCOPE_COMMAND) +
                        " taps --preset mlp --tiles 16 --data " POPSCOPE_DATA
                        "/mnist --gradients-filters Dense_129 Dense_130");
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.output,
              HasSubstr("--gradients-filters Dense_129 Dense_130: no tensor"));
}

TEST(TapsCommand, ListsWhatARuleFindsAndItsCost) {
  const tests::CommandResult result =
      tests::runCommand(std::string(POPSCOPE_COMMAND) +
                        " taps --preset cnn --tiles 16 --data " POPSCOPE_DATA
                        "/mnist 'kind:gradient & at:accumulated & numel>4096 "
                        "-> shape'");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              HasSubstr("conv_1/kernel:0_grad\tgradient\taccumulated\t0\tfloat"
                        "\t3x3x32x64\tevery 1\tshape\t284\t"));
  EXPECT_THAT(result.output, Not(HasSubstr("conv_0")));
}

} // namespace
} // namespace popscope::host
