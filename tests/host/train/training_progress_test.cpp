#include "host/train/training_progress.hpp"
#include "text/number_text.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace popscope::host {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const MetricValues kMetrics{{"loss", 0.5}, {"accuracy", 0.75}};

class TrainingProgressTest : public ::testing::Test {
protected:
  TrainingProgress make(TrainingProgressStyle style, std::size_t width = 200) {
    TrainingProgressOptions options;
    options.style = style;
    options.width = width;
    options.epochs = 3;
    options.stepsPerEpoch = 100;
    options.imagesPerStep = 32;
    options.now = [this] { return time; };
    return TrainingProgress(out, options);
  }
  std::ostringstream out;
  double time = 0.0;
};

TEST_F(TrainingProgressTest, BarHasRateTimeLeftAndMetrics) {
  TrainingProgress progress = make(TrainingProgressStyle::bar);
  progress.epochBegin(0);
  time = 2.0;
  progress.step(50, [] { return kMetrics; });
  EXPECT_THAT(out.str(), HasSubstr("epoch 1/3 [============            ] "
                                   "50/100  0:02 left  800 images/s  loss "
                                   "0.5000  accuracy 0.7500"));
  EXPECT_THAT(out.str(), Not(HasSubstr("\n")));
}

TEST_F(TrainingProgressTest, BarNeverWraps) {
  TrainingProgress progress = make(TrainingProgressStyle::bar, 40);
  progress.epochBegin(0);
  time = 1.0;
  progress.step(100, [] { return kMetrics; });
  const std::string wipe = "\r\x1b[K";
  EXPECT_EQ(out.str().size(), wipe.size() + 39);
}

TEST_F(TrainingProgressTest, NarrowTerminalHasNumbersInPlaceOfTheBar) {
  TrainingProgressOptions options;
  options.style = TrainingProgressStyle::bar;
  options.width = 40;
  options.stepsPerEpoch = 100;
  options.imagesPerStep = 32;
  options.now = [this] { return time; };
  TrainingProgress progress(out, options);
  progress.epochBegin(0);
  time = 1.0;
  progress.step(50, [] { return kMetrics; });
  EXPECT_EQ(out.str(), "\r\x1b[Kepoch 1/1 50/100  0:01 left  1,600 imag");
}

TEST_F(TrainingProgressTest, WhatIsAboveTheBarIsRedrawnAndWipedWithIt) {
  TrainingProgressOptions options;
  options.style = TrainingProgressStyle::bar;
  options.stepsPerEpoch = 100;
  options.now = [this] { return time; };
  options.above = [this] {
    return std::vector<std::string>{"table", "at " + std::to_string(int(time))};
  };
  TrainingProgress progress(out, options);
  progress.epochBegin(0);
  for (const std::size_t step : {1, 2}) {
    time = double(step);
    progress.step(step, [] { return kMetrics; });
    EXPECT_THAT(out.str(), HasSubstr("table\nat " + std::to_string(step) +
                                     "\nepoch 1/1 "));
  }
  out.str("");
  progress.epochEnd(kMetrics, {});
  EXPECT_THAT(out.str(), ::testing::StartsWith("\r\x1b[2A\x1b[Jepoch 1/1 "));
}

TEST_F(TrainingProgressTest, BarIsNotRedrawnEveryStep) {
  TrainingProgress progress = make(TrainingProgressStyle::bar);
  progress.epochBegin(0);
  int asked = 0;
  for (std::size_t step = 1; step <= 100; ++step) {
    time += 0.001;
    progress.step(step, [&] {
      ++asked;
      return kMetrics;
    });
  }
  EXPECT_EQ(asked, 1);
}

TEST_F(TrainingProgressTest, PipeGetsALinePerEpochWithValidation) {
  TrainingProgress progress = make(TrainingProgressStyle::lines);
  progress.epochBegin(0);
  time = 2.0;
  progress.step(100, [] { return kMetrics; });
  time = 3.0; // validation
  progress.epochEnd(kMetrics, {{"loss", 0.25}});
  EXPECT_EQ(out.str(), "epoch 1/3  1,600 images/s  loss 0.5000  accuracy "
                       "0.7500  val_loss 0.2500\n");
}

TEST_F(TrainingProgressTest, FastEpochsShareALineButTheLastHasItsOwn) {
  TrainingProgress progress = make(TrainingProgressStyle::lines);
  for (unsigned epoch = 0; epoch < 3; ++epoch) {
    progress.epochBegin(epoch);
    time += 0.01;
    progress.epochEnd(kMetrics, {});
  }
  EXPECT_THAT(out.str(), HasSubstr("epoch 1/3"));
  EXPECT_THAT(out.str(), Not(HasSubstr("epoch 2/3")));
  EXPECT_THAT(out.str(), HasSubstr("epoch 3/3"));
}

TEST_F(TrainingProgressTest, ResumedEpochCountsOnlyItsOwnImages) {
  TrainingProgress progress = make(TrainingProgressStyle::lines);
  progress.epochBegin(0, 50);
  time = 1.0;
  progress.epochEnd(kMetrics, {});
  EXPECT_THAT(out.str(), HasSubstr("  1,600 images/s"));
}

TEST_F(TrainingProgressTest, SilentIsSilent) {
  TrainingProgress progress = make(TrainingProgressStyle::silent);
  progress.epochBegin(0);
  progress.step(100, [] { return kMetrics; });
  progress.epochEnd(kMetrics, {});
  progress.clear();
  EXPECT_EQ(out.str(), "");
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
