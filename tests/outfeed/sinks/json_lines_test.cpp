#include "outfeed/sinks/json_lines.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using summary::WriteReport;
using ::testing::HasSubstr;
using ::testing::Not;

class JsonLinesTest : public ::testing::Test {
protected:
  JsonLinesTest() {
    tap.tensor.name = "dense/kernel:0";
    tap.tensor.dtype = "float";
    tap.tensor.shape = {2};
  }
  void take(JsonLines &json, std::uint32_t update) const {
    json.take(tap, Update(update), TensorSample());
  }
  std::string content() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::ptrdiff_t lines() const {
    const std::string text = content();
    return std::count(text.begin(), text.end(), '\n');
  }

  const tests::TempDir directory;
  const std::string file = (directory.path() / "samples.json").string();
  Tap tap;
};

TEST_F(JsonLinesTest, LeavesTheFileAloneUntilItHasSomethingToWrite) {
  directory.file("samples.json", "earlier\n");
  { const JsonLines refused(file); }
  EXPECT_EQ(content(), "earlier\n");
  JsonLines json(file);
  take(json, 1);
  json.flush();
  EXPECT_EQ(lines(), 1);
  EXPECT_THAT(content(), ::testing::StartsWith("{\"name\""));
}

TEST_F(JsonLinesTest, KeepsTheLinesBeforeTheUpdateItIsResumedAt) {
  {
    JsonLines json(file);
    for (int step = 0; step < 5; ++step)
      take(json, step);
  }
  const std::string whole = content();
  JsonLines json(file);
  json.resume(Update(3));
  EXPECT_EQ(lines(), 3);
  take(json, 3);
  take(json, 4);
  json.flush();
  EXPECT_EQ(content(), whole);
}

TEST_F(JsonLinesTest, OnAFullDiskCountsWhatIsLostAndDoesNotThrow) {
  std::vector<WriteReport> told;
  JsonLines json(file, [&](const WriteReport &r) { told.push_back(r); });
  take(json, 1);
  json.flush();
  EXPECT_TRUE(told.empty());
  {
    const tests::FileSizeLimit limit(content().size() + 10);
    take(json, 2);
    json.flush();
  }
  EXPECT_EQ(told.size(), 1u) << "at once";
  take(json, 3);
  json.flush();
  EXPECT_EQ(lines(), 1);
  ASSERT_EQ(json.reports().size(), 1u);
  EXPECT_EQ(json.reports()[0].what, file);
  EXPECT_EQ(json.reports()[0].error, "disk full");
  EXPECT_EQ(json.reports()[0].lostRecords, 2u);
  EXPECT_EQ(json.reports()[0].firstLost->value(), 2);
}

TEST_F(JsonLinesTest, ResumedOnAFullDiskKeepsAllLinesAndCountsTheRest) {
  {
    JsonLines json(file);
    for (int step = 0; step < 5; ++step)
      take(json, step);
  }
  const std::string whole = content();
  JsonLines json(file);
  {
    const tests::FileSizeLimit limit(10);
    json.resume(Update(3));
  }
  take(json, 3);
  json.flush();
  EXPECT_EQ(content(), whole);
  EXPECT_EQ(json.reports().at(0).lostRecords, 1u);
}

TEST_F(JsonLinesTest, InfinitiesAreShownAndWhatIsNotKnownIsLeftOut) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto written = [&](const std::vector<float> &values) {
    TensorSample sample = sampleOfFloats(values);
    sample.payload = Payload::shape;
    JsonLines json(file);
    json.take(tap, Update(1), sample);
    json.flush();
    return content();
  };
  const std::string infinite = written({inf, 3});
  EXPECT_THAT(infinite, HasSubstr("\"pos_inf\": 1, \"neg_inf\": 0"));
  EXPECT_THAT(infinite, HasSubstr("\"abs_max\": \"Infinity\""));
  EXPECT_THAT(infinite, HasSubstr("\"max\": \"Infinity\""));
  EXPECT_THAT(infinite, HasSubstr("\"min\": 3.0"));
  EXPECT_THAT(infinite, HasSubstr("\"l2_norm\": \"Infinity\""));
  EXPECT_THAT(infinite, HasSubstr("\"mean\": 3.0"));
  EXPECT_THAT(infinite, HasSubstr("\"first_bad\": [0]"));
  EXPECT_THAT(infinite, HasSubstr("\"arg_min\": [1]"));
  EXPECT_THAT(infinite, Not(HasSubstr("\"arg_max\"")));
  EXPECT_THAT(written({-inf, 3}), HasSubstr("\"min\": \"-Infinity\""));
  const std::string nothing = written({nan, nan});
  EXPECT_THAT(nothing, HasSubstr("\"nan\": 2"));
  for (const char *key : {"abs_max", "mean", "max", "l2_norm", "histogram"})
    EXPECT_THAT(nothing, Not(HasSubstr(key)));
}

} // namespace
} // namespace popscope::outfeed
