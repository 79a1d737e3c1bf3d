#include "host/train/progress_line.hpp"
#include "host/train/training_progress.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace popscope::host {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const MetricValues kMetrics{{"loss", 0.5}, {"accuracy", 0.75}};
const std::string kWipe = "\r\x1b[J";

class TrainingProgressTest : public ::testing::Test {
protected:
  TrainingProgress make(TrainingProgressStyle style, unsigned epochs = 3) {
    TrainingProgressOptions options;
    options.style = style;
    options.epochs = epochs;
    options.batchesPerEpoch = Batches(100);
    options.imagesPerBatch = 32;
    options.columns = [this] { return columns; };
    options.now = [this] { return time; };
    return TrainingProgress(out, options);
  }
  // One epoch of `seconds`, in one execution.
  void train(TrainingProgress &progress, unsigned epoch, double seconds) {
    progress.epochBegin(Epoch(epoch));
    time += seconds;
    progress.executionEnd(Batches(100), [] { return kMetrics; });
    progress.epochEnd(kMetrics, {});
  }
  std::size_t lines() const {
    const std::string text = out.str();
    return std::size_t(std::count(text.begin(), text.end(), '\n'));
  }
  std::ostringstream out;
  std::size_t columns = 200;
  double time = 0.0;
};

TEST_F(TrainingProgressTest, BarHasRateTimeLeftAndMetrics) {
  TrainingProgress progress = make(TrainingProgressStyle::bar);
  progress.epochBegin(Epoch(0));
  time = 2.0;
  progress.executionEnd(Batches(50), [] { return kMetrics; });
  EXPECT_EQ(out.str(), "epoch 1/3  [============            ]  "
                       "50/100  0:10 left  800 images/s  loss "
                       "0.5000  accuracy 0.7500");
}

TEST_F(TrainingProgressTest, LinesAboveTheBarAreRedrawnAndWipedWithIt) {
  TrainingProgressOptions options;
  options.style = TrainingProgressStyle::bar;
  options.batchesPerEpoch = Batches(100);
  options.columns = [] { return std::size_t(80); };
  options.now = [this] { return time; };
  options.above = [this] {
    return std::vector<std::string>{"table", "at " + std::to_string(int(time))};
  };
  TrainingProgress progress(out, options);
  progress.epochBegin(Epoch(0));
  for (const std::uint64_t batch : {1, 2}) {
    time = double(batch);
    progress.executionEnd(Batches(batch), [] { return kMetrics; });
    EXPECT_THAT(out.str(), HasSubstr("table\nat " + std::to_string(batch) +
                                     "\nepoch 1/1 "));
  }
  out.str("");
  progress.epochEnd(kMetrics, {});
  EXPECT_THAT(out.str(), ::testing::StartsWith("\r\x1b[2A\x1b[Jepoch 1/1 "));
}

TEST_F(TrainingProgressTest, TimeLeftIsThatOfTheWholeTraining) {
  TrainingProgress progress = make(TrainingProgressStyle::bar);
  train(progress, 0, 10.0);
  time = 20.0; // validation
  out.str("");
  progress.epochBegin(Epoch(1));
  progress.executionEnd(Batches(0), [] { return kMetrics; });
  EXPECT_THAT(out.str(), Not(HasSubstr(" left"))) << "no rate, no guess";
  time = 30.0;
  progress.executionEnd(Batches(50), [] { return kMetrics; });
  EXPECT_THAT(out.str(), HasSubstr("0:30 left")) << "150 batches of 300";
}

TEST_F(TrainingProgressTest, ResumedTrainingJudgesByItsOwnBatches) {
  TrainingProgress progress = make(TrainingProgressStyle::bar);
  progress.epochBegin(Epoch(2), Batches(50));
  time = 1.0;
  progress.executionEnd(Batches(75), [] { return kMetrics; });
  EXPECT_THAT(out.str(), HasSubstr("75/100  0:01 left  800 images/s"));
}

TEST_F(TrainingProgressTest, ResizedWindowIsFollowed) {
  TrainingProgress progress = make(TrainingProgressStyle::bar);
  progress.epochBegin(Epoch(0));
  time = 1.0;
  progress.executionEnd(Batches(10), [] { return kMetrics; });
  EXPECT_GT(out.str().size(), 60u);
  out.str("");
  columns = 40;
  time = 2.0;
  progress.executionEnd(Batches(20), [] { return kMetrics; });
  EXPECT_EQ(out.str(), kWipe + "epoch 1/3  0:28 left  loss 0.5000");
}

TEST_F(TrainingProgressTest, BarIsNotRedrawnAfterEveryExecution) {
  TrainingProgress progress = make(TrainingProgressStyle::bar);
  progress.epochBegin(Epoch(0));
  int asked = 0;
  for (std::uint64_t batch = 1; batch <= 100; ++batch) {
    time += 0.0005;
    progress.executionEnd(Batches(batch), [&] {
      ++asked;
      return kMetrics;
    });
  }
  EXPECT_EQ(asked, 1);
}

TEST_F(TrainingProgressTest, PipeGetsALinePerEpochWithValidation) {
  TrainingProgress progress = make(TrainingProgressStyle::lines);
  progress.epochBegin(Epoch(0));
  time = 2.0;
  progress.executionEnd(Batches(100), [] { return kMetrics; });
  time = 3.0; // validation
  progress.epochEnd(kMetrics, {{"loss", 0.25}});
  EXPECT_EQ(out.str(), "epoch 1/3  1,600 images/s  loss 0.5000  accuracy "
                       "0.7500  val_loss 0.2500\n");
}

TEST_F(TrainingProgressTest, PipeGetsEveryEpochHoweverFastAndMany) {
  TrainingProgress progress = make(TrainingProgressStyle::lines, 1000);
  for (unsigned epoch = 0; epoch < 1000; ++epoch)
    train(progress, epoch, 0.001);
  EXPECT_EQ(lines(), 1000u);
  EXPECT_THAT(out.str(), HasSubstr("\nepoch 2/1000  "));
}

TEST_F(TrainingProgressTest, TerminalGetsEveryEpochOfUpToTwoHundred) {
  TrainingProgress progress = make(TrainingProgressStyle::bar, 200);
  for (unsigned epoch = 0; epoch < 200; ++epoch)
    train(progress, epoch, 0.001);
  EXPECT_EQ(lines(), 200u);
}

TEST_F(TrainingProgressTest, TerminalIsToldOnceThatLinesAreLeftOut) {
  TrainingProgress progress = make(TrainingProgressStyle::bar, 1000);
  for (unsigned epoch = 0; epoch < 1000; ++epoch)
    train(progress, epoch, 0.001);
  EXPECT_THAT(out.str(),
              StartsWith("1,000 epochs: the first, every 5th and the last "
                         "have a line\n"));
  EXPECT_EQ(lines(), 1u + 1u + 200u); // notice, first, every 5th
  for (const char *shown : {"1/1000  3,", "5/1000  3,", "1000/1000  3,"})
    EXPECT_TRUE(out.str().find("epoch " + std::string(shown)) !=
                std::string::npos)
        << shown;
}

TEST_F(TrainingProgressTest, ResumedEpochCountsOnlyItsOwnImages) {
  TrainingProgress progress = make(TrainingProgressStyle::lines);
  progress.epochBegin(Epoch(0), Batches(50));
  time = 1.0;
  progress.epochEnd(kMetrics, {});
  EXPECT_THAT(out.str(), HasSubstr("  1,600 images/s"));
}

TEST_F(TrainingProgressTest, SilentIsSilent) {
  TrainingProgress progress = make(TrainingProgressStyle::silent, 1000);
  train(progress, 0, 1.0);
  progress.clear();
  EXPECT_EQ(out.str(), "");
}

ProgressState cnnState() {
  ProgressState state;
  state.label = "epoch 12/15";
  state.done = Batches(128);
  state.total = Batches(256);
  state.secondsLeft = 100;
  state.imagesPerSecond = 3839;
  state.metrics = {{"loss", 0.1791},
                   {"accuracy", 0.9429},
                   {"auc", 0.9968},
                   {"top_k_categorical_accuracy", 0.9917}};
  return state;
}

TEST(ProgressLine, FitsAnyWidthWithLossAndTimeLeft) {
  for (std::size_t columns = 39; columns <= 200; ++columns) {
    const std::string line = progressLine(cnnState(), columns);
    EXPECT_LE(line.size(), columns);
    EXPECT_THAT(line, StartsWith("epoch 12/15"));
    EXPECT_THAT(line, HasSubstr("  1:40 left"));
    EXPECT_THAT(line, HasSubstr("  loss 0.1791"));
  }
  for (std::size_t columns = 1; columns < 39; ++columns)
    EXPECT_LE(progressLine(cnnState(), columns).size(), columns);
}

TEST(ProgressLine, BarShrinksBeforeAnythingIsLeftOut) {
  const std::string all = "  3,839 images/s  loss 0.1791  accuracy 0.9429  auc "
                          "0.9968  top_k_categorical_accuracy 0.9917";
  EXPECT_THAT(progressLine(cnnState(), 160),
              HasSubstr("  [============            ]  128/256"));
  EXPECT_THAT(progressLine(cnnState(), 160), EndsWith(all));
  EXPECT_THAT(progressLine(cnnState(), 140), HasSubstr("  [====="));
  EXPECT_THAT(progressLine(cnnState(), 140), EndsWith(all));
  EXPECT_THAT(progressLine(cnnState(), 126), Not(HasSubstr("[")));
  EXPECT_THAT(progressLine(cnnState(), 126), EndsWith(all));
  EXPECT_EQ(progressLine(cnnState(), 79),
            "epoch 12/15  128/256  1:40 left  3,839 images/s  loss 0.1791  "
            "accuracy 0.9429");
}

TEST(ProgressLine, HoursHaveTheirOwnPlace) {
  ProgressState state = cnnState();
  state.secondsLeft = 2 * 3600 + 5 * 60 + 7;
  EXPECT_THAT(progressLine(state, 79), HasSubstr("  2:05:07 left"));
}

TEST(ShortestDecimal, ReadsBackTheSame) {
  EXPECT_EQ(text::shortestDecimal(0.1f), "0.1");
  EXPECT_EQ(text::shortestDecimal(3.0f), "3");
  EXPECT_EQ(text::shortestDecimal(1e-30f), "1e-30");
  for (const float value : {1.0f / 3, 1e-45f, 3.4028235e38f, 0.30000001f})
    EXPECT_EQ(std::strtof(text::shortestDecimal(value).c_str(), nullptr),
              value);
}

TEST(WithThousands, GroupsByThree) {
  EXPECT_EQ(text::withThousands(0), "0");
  EXPECT_EQ(text::withThousands(999), "999");
  EXPECT_EQ(text::withThousands(1000), "1,000");
  EXPECT_EQ(text::withThousands(1234567), "1,234,567");
}

} // namespace
} // namespace popscope::host
