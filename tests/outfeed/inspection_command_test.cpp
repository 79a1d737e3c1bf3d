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
                        "Dense_128.kernel:0_grad.npy", 25u),
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
  EXPECT_THAT(
      train(rules + "2,7'"),
      HasSubstr("rule 2: 'updates 2,7' is never due; there are 2 updates"));
  EXPECT_EQ(train(rules + "0,7'"), "");
}

std::size_t occurrences(const std::string &text, const std::string &part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_F(TutorialRun, TheFirstTimeThatARulesConditionHoldsIsSaidOnce) {
  const std::string output =
      train("--no-pipelining --epochs 1 --steps-per-epoch 16 --tap "
            "'name:Dense_10_acts @ from 3 when max>0' 'loss when max<0'");
  EXPECT_THAT(output, HasSubstr("popscope: update 3: Dense_10_acts: max 0."));
  EXPECT_THAT(output, Not(HasSubstr("update 4:")));
  EXPECT_THAT(output, Not(HasSubstr("loss: max")));
}

TEST_F(TutorialRun, TheRecorderHasTheUpdatesBeforeAFaultAndBeforeTheEnd) {
  const auto recorded = [this](const std::string &options) {
    train("--no-pipelining --epochs 1 --steps-per-epoch 40 " + options);
    return tests::runCommand(std::string(POPSCOPE_COMMAND) +
                             " events inspect " +
                             (directory.path() / "run/recorder").string())
        .output;
  };
  // After the fault all elements are NaN, and abs_max is not known.
  const std::string tag = "tapped_activations/Dense_10_preacts/abs_max\t";
  EXPECT_THAT(recorded("--recorder 4 --inject nan:Dense_10_preacts@update=21"),
              HasSubstr(tag + "4\t18\t21\t"));
  EXPECT_THAT(recorded("--recorder"), HasSubstr(tag + "16\t24\t39\t"));
}

TEST_F(TutorialRun, InAPipeWatchPrintsItsTableOnceBesideTheEpochs) {
  const std::string output = train("--epochs 3 --steps-per-epoch 8 --watch");
  EXPECT_EQ(occurrences(output, "Dense_10_acts"), 1u) << output;
  EXPECT_EQ(occurrences(output, "  abs_max  "), 1u) << output;
  EXPECT_THAT(output, HasSubstr("epoch 1/3 "));
  EXPECT_THAT(output, HasSubstr("epoch 3/3 "));
  EXPECT_THAT(output, Not(HasSubstr("Gradients callback")));
  EXPECT_THAT(output, Not(HasSubstr("\x1b")));
}

TEST_F(TutorialRun, DumpsSayWhichRowIsWhich) {
  train("--epochs 1 --steps-per-epoch 16 --quiet --tap 'name:Dense_10_acts @ "
        "steps 1,3 -> full'");
  std::ifstream file(directory.path() / "run/dump/Dense_10_acts.index.csv");
  const std::string index{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(index, "row,update,micro_batch,replica\n0,1,0,0\n1,1,1,0\n"
                   "2,1,2,0\n3,1,3,0\n4,3,0,0\n5,3,1,0\n6,3,2,0\n7,3,3,0\n");
}

TEST_F(TutorialRun, JsonNamesElementsByTheirCoordinates) {
  const std::string json = (directory.path() / "samples.json").string();
  train("--epochs 1 --steps-per-epoch 4 --quiet --inspect-json " + json);
  std::ifstream file(json);
  for (std::string line; std::getline(file, line);)
    if (line.find("\"Dense_10_acts\"") != std::string::npos) {
      EXPECT_THAT(line,
                  testing::ContainsRegex(R"("arg_max": \[[0-9]+,[0-9]\], )"));
    }
}

TEST_F(TutorialRun, OtherPresetsShowSignificantDigits) {
  const tests::CommandResult result = tests::runCommand(
      std::string(POPSCOPE_COMMAND) +
      " train --preset cnn --tiles 16 --data " POPSCOPE_DATA
      "/mnist --logdir " +
      directory.path().string() +
      " --gradient-accumulation 2 --epochs 1 --steps-per-epoch 4 "
      "--learning-rate 1e-9 --tap 'kind:update'");
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output,
              testing::ContainsRegex(
                  "conv_0/kernel:0_update +3x3x1x32 +2 +-?[0-9.]+e-[0-9]+"));
  EXPECT_THAT(result.output, Not(HasSubstr("0.000000")));
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

TEST_F(TutorialRun, AFilterThatMatchesNothingLeavesItsTableEmpty) {
  const std::string output =
      train("--epochs 1 --steps-per-epoch 8 --gradients-filters Dens_129 "
            "--activations-filters Dense_10");
  EXPECT_THAT(output,
              HasSubstr("popscope: --gradients-filters Dens_129: matches "
                        "nothing; the nearest are Dense_128/bias:0_grad, "
                        "Dense_128/kernel:0_grad, "));
  EXPECT_THAT(output, HasSubstr("\nGradients callback\nNo data enqueued\n"));
  EXPECT_THAT(output, HasSubstr("Multi-layer activations callback\n"
                                "key: Dense_10_acts shape: (8, 32, 10)\n"));
}

TEST_F(TutorialRun, FiltersThatMatchNothingAtAllLeaveBothTablesEmpty) {
  const std::string output =
      train("--epochs 1 --steps-per-epoch 8 --gradients-filters conv "
            "--activations-filters Dense_256");
  EXPECT_THAT(output, HasSubstr("\nGradients callback\nNo data enqueued\n"));
  EXPECT_THAT(output,
              HasSubstr("--activations-filters Dense_256: matches nothing; "
                        "the nearest are Dense_10_acts, Dense_128_acts\n"))
      << "only activations";
  EXPECT_THAT(output, HasSubstr("\nMulti-layer activations callback\n"
                                "No data enqueued\n"));
}

TEST_F(TutorialRun, AnOptionWithoutEffectIsPointedOut) {
  EXPECT_THAT(train("--epochs 1 --steps-per-epoch 8 --model-type Model"),
              HasSubstr("popscope: --model-type Model has no effect without "
                        "--no-pipelining"));
}

} // namespace
} // namespace popscope::host
