// What the presets learn: from the bundled sets, and from the full ones where
// there are any.
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <stdexcept>
#include <string>

namespace popscope {
namespace {

// The accuracy on the test set that a training ends with.
double testAccuracy(const std::string &arguments) {
  static const tests::TempDir logs;
  const auto result =
      tests::runCommand(POPSCOPE_COMMAND " train --device model --logdir " +
                        logs.path().string() + " " + arguments);
  std::smatch match;
  if (!std::regex_search(result.output, match,
                         std::regex("\n +accuracy .* ([0-9.]+)\n")))
    throw std::runtime_error(result.output);
  return std::stod(match[1]);
}

std::string bundled(const std::string &set) {
  return "--data " POPSCOPE_DATA "/" + set + " ";
}

TEST(BundledSets, DigitsLearnNineteenOfTwentyImages) {
  EXPECT_GT(testAccuracy("--preset digits --epochs 500 " + bundled("digits")),
            0.95);
}

TEST(BundledSets, FashionLearnsFourOfFiveImages) {
  EXPECT_GT(
      testAccuracy("--preset fashion --epochs 8 " + bundled("fashion-mnist")),
      0.80);
}

TEST(BundledSets, CnnLearnsFourOfFiveImagesInFourEpochs) {
  EXPECT_GT(testAccuracy("--preset cnn --gradient-accumulation 2 --epochs 4 "
                         "--learning-rate 0.003 " +
                         bundled("mnist")),
            0.80);
}

const char *const kNoFullSet =
    "POPSCOPE_DATA names no folder with the full set, and data/full has none: "
    "scripts/fetch_data gets it";

// Where a full set is; empty if it is nowhere.
std::string full(const std::string &set) {
  const char *chosen = std::getenv("POPSCOPE_DATA");
  for (const std::string place : {chosen ? chosen : "", POPSCOPE_DATA "/full"})
    if (!place.empty() && std::filesystem::exists(place + "/" + set))
      return "--data " + place + "/" + set + " ";
  return "";
}

TEST(FullSets, CnnPasses98PercentInFiveEpochsAnd985InTen) {
  const std::string data = full("mnist");
  if (data.empty())
    GTEST_SKIP() << kNoFullSet;
  // Epochs of as many images as the full set has; a fifth of them are kept for
  // validation. The preset's constant rate gets to 95.7 and 97.6 %.
  const std::string cnn = "--preset cnn --run cnn --steps-per-epoch 1872 "
                          "--gradient-accumulation 8 "
                          "--learning-rate 0.004,0.002@5,0.001@7,0.0005@9 " +
                          data;
  EXPECT_GE(testAccuracy(cnn + "--epochs 5"), 0.98);
  EXPECT_GE(testAccuracy(cnn + "--epochs 10 --resume"), 0.985);
}

TEST(FullSets, MlpPasses95PercentInTenEpochs) {
  const std::string data = full("mnist");
  if (data.empty())
    GTEST_SKIP() << kNoFullSet;
  EXPECT_GE(testAccuracy("--preset mlp --epochs 10 " + data), 0.95);
}

TEST(FullSets, FashionPasses85PercentInTenEpochs) {
  const std::string data = full("fashion-mnist");
  if (data.empty())
    GTEST_SKIP() << kNoFullSet;
  EXPECT_GE(testAccuracy("--preset fashion --epochs 10 " + data), 0.85);
}

} // namespace
} // namespace popscope
