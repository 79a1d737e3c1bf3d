// What popscope train refuses, and how it says so.
#include "train_command.hpp"

namespace popscope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST_F(TrainCommand, BadNumbersAreRefused) {
  expectRefused("--epochs 0", "--epochs");
  expectRefused("--epochs -3", "--epochs -3: must be at least 1");
  expectRefused("--batch-size x", "--batch-size");
  expectRefused("--batch-size 99999999999999999999",
                "--batch-size 99999999999999999999: too large");
  expectRefused("--epochs 4294967296", "--epochs 4294967296: too large");
  expectRefused("--learning-rate -1", "--learning-rate: -1");
  expectRefused("--learning-rate nan", "--learning-rate: nan");
  expectRefused("--learning-rate 0.1,0.01", "0.01 has no epoch");
  expectRefused("--learning-rate 1e39", "--learning-rate: 1e39 is too large");
  expectRefused("--seed -1", "--seed -1: must be at least 0");
  expectRefused("--seed 18446744073709551616", ": too large");
  expectRefused("--replicas 0", "--replicas");
  for (const std::string what :
       {"evaluate", "validate", "filters", "histograms"}) {
    const std::string option = "--" + what + "-every ";
    expectRefused(option + "-1", option + "-1: must be at least 0");
    expectRefused(option + "4294967296", option + "4294967296: too large");
    expectRefused(option + "never", option + "never: not a whole number");
  }
  expectRefused(mnist + "--preset mlp --batch-size 10001", "only 10000 images");
  expectRefused(mnist + "--preset mlp --replicas 313", "takes 10016 images");
  expectRefused(mnist + "--preset mlp --steps-per-epoch 6", "not a multiple");
  expectRefused(mnist + "--preset mlp --steps-per-execution 6",
                "not a multiple");
}

// Such as an unset variable of a shell script.
TEST_F(TrainCommand, EmptyValuesAreRefused) {
  for (const std::string option : {"--preset",
                                   "--epochs",
                                   "--steps-per-epoch",
                                   "--steps-per-execution",
                                   "--batch-size",
                                   "--gradient-accumulation",
                                   "--accumulation-method",
                                   "--optimizer",
                                   "--learning-rate",
                                   "--seed",
                                   "--evaluate-every",
                                   "--pipeline-stages",
                                   "--replicas",
                                   "--precision",
                                   "--data",
                                   "--model",
                                   "--run",
                                   "--tap",
                                   "--inspect-json",
                                   "--model-type",
                                   "--gradients-filters",
                                   "--activations-filters"}) {
    expectRefused(option + " ''", option + ": the value is empty; ");
    expectRefused(option + "=", option + "=: the value is empty; ");
  }
  expectRefused("--run= r", "--run=: the value is empty");
  for (const char *option : {"--logdir", "--device", "--tiles"}) {
    const auto result = tests::runCommand(
        std::string(POPSCOPE_COMMAND " train ") + option + " ''");
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.output, HasSubstr(": the value is empty; "));
  }
}

TEST_F(TrainCommand, IneffectiveOptionsAreRefused) {
  expectRefused("--preset cnn --watch", "--watch has no effect without --tap");
  expectRefused("--preset mlp --watch --no-inspection",
                "--watch has no effect with --no-inspection");
  expectRefused("--clean", "--clean has no effect without --run");
  expectRefused("--preset fashion --filters-every 1",
                "--filters-every has no effect with --preset fashion");
}

TEST_F(TrainCommand, IpusThatThisBuildCannotUseAreRefused) {
  if (tests::runCommand(POPSCOPE_COMMAND " --version")
          .output.find("ipumodel") == std::string::npos)
    GTEST_SKIP() << "built on the SDK";
  const auto result =
      tests::runCommand(POPSCOPE_COMMAND " train --device ipu --logdir " +
                        logs.path().string() + " " + mnist);
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.output,
            "popscope: --device ipu: this program was built without the Poplar "
            "SDK and cannot use IPUs; use --device model, or build on the SDK "
            "as docs/sdk.md describes\n");
}

TEST_F(TrainCommand, UnknownWordsAreRefused) {
  expectRefused("--preset vgg", "there are mlp, cnn");
  expectRefused("--optimizer adagrad", "adagrad");
  expectRefused("--precision fp8", "fp8");
  for (const char *scale : {"0", "-2", "nan", "1e9", "2x"})
    expectRefused(std::string("--precision half --loss-scale ") + scale,
                  "give a positive number up to 2^24");
  expectRefused("--accumulation-method product", "product");
  for (const char *option :
       {"--no-pipelining", "--use-gradient-accumulation", "--model-type Model",
        "--outfeed-pre-accumulated-gradients", "--gradients-filters conv_1",
        "--activations-filters none"})
    expectRefused(std::string("--preset cnn ") + option,
                  "an option of --preset mlp");
  expectRefused("--resume", "--resume needs --run");
  expectRefused("--resume --clean", "--resume");
}

TEST_F(TrainCommand, ImpossibleStagesAreRefused) {
  const std::string cnn = mnist + "--preset cnn --pipeline-stages ";
  expectRefused(cnn + "9", "4 layers with weights");
  expectRefused(cnn + "4294967297", "4 layers with weights");
  expectRefused(cnn + "0", "must be at least 1");
  expectRefused(cnn + "conv_9", "no layer conv_9");
  expectRefused(cnn + "conv_2,conv_1", "in the order of the model: conv_0, ");
  expectRefused(cnn + "conv_0", "is the first");
  expectRefused(cnn + "conv_1,", "the name of a layer is missing");
  expectRefused(cnn + ",", "the name of a layer is missing");
  expectRefused(cnn + "-1", "no layer -1");
}

TEST_F(TrainCommand, BadDataAreRefused) {
  const tests::TempDir dir;
  const std::string data = "--data " + dir.path().string();
  expectRefused(data, "train-images-idx3-ubyte: No such file");
  expectRefused(data + " --preset digits", "digits.csv: No such file");
  for (const auto &file : fs::directory_iterator(POPSCOPE_DATA "/mnist"))
    fs::copy(file, dir.path());
  dir.file("train-images-idx3-ubyte", "not an IDX file");
  expectRefused(data, "train-images-idx3-ubyte: not an IDX file");
  fs::remove(dir.path() / "train-images-idx3-ubyte");
  fs::copy(POPSCOPE_DATA "/fashion-mnist/train-labels-idx1-ubyte.gz",
           dir.path(), fs::copy_options::overwrite_existing);
  expectRefused(data, "5000 labels for 10000 images");
  fs::resize_file(dir.path() / "t10k-images-idx3-ubyte.gz", 1000);
  fs::copy(POPSCOPE_DATA "/mnist/train-labels-idx1-ubyte.gz", dir.path(),
           fs::copy_options::overwrite_existing);
  expectRefused(data, "t10k-images-idx3-ubyte.gz: damaged gzip file");
}

TEST_F(TrainCommand, LogDirectoryThatCannotBeIsRefused) {
  expectRefused(shortMlp + "--run ../elsewhere", "not a name within");
  logs.file("file", "");
  expectRefused(shortMlp + "--run file", "is not a directory");
  // Nobody can write there, not even root.
  for (const std::string place : {"/proc/logs", "/dev/null/logs"}) {
    const auto result =
        tests::runCommand(POPSCOPE_COMMAND " train --device model --tiles 8 " +
                          shortMlp + "--logdir " + place);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.output,
                MatchesRegex("popscope: " + place + "/mlp-[^\n]*\n"));
  }
  expectRefused(shortMlp + "--inspect-json " + logs.path().string(),
                "cannot be written to");
  expectRefused(shortMlp + "--run new --resume", "no run to resume");
}

} // namespace
} // namespace popscope
