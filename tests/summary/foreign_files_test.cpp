// Files written by TensorFlow, PyTorch and tensorboardX, against what
// TensorBoard's own reader sees in them (make_foreign_logs.py).
#include "summary/decoded_value.hpp"
#include "summary/event_reader.hpp"
#include "tests/support/hex.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace popscope::summary {
namespace {

namespace fs = std::filesystem;

const fs::path kData(POPSCOPE_TEST_DATA);

struct Expected {
  std::string file;
  std::int64_t step;
  std::string tag, kind;
  std::vector<std::string> content;
};

std::vector<Expected> readExpected() {
  std::ifstream file(kData / "expected.txt");
  std::vector<Expected> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Expected expected;
    std::string step, content;
    std::getline(fields, expected.file, '\t');
    std::getline(fields, step, '\t');
    std::getline(fields, expected.tag, '\t');
    std::getline(fields, expected.kind, '\t');
    expected.step = std::stoll(step);
    while (fields >> content)
      expected.content.push_back(content);
    all.push_back(expected);
  }
  return all;
}

std::vector<double> numbers(const std::vector<std::string> &texts) {
  std::vector<double> result;
  for (const auto &text : texts)
    result.push_back(std::strtod(text.c_str(), nullptr));
  return result;
}

std::vector<std::string> blobs(const std::vector<std::string> &texts) {
  std::vector<std::string> result;
  for (const auto &text : texts)
    result.push_back(tests::fromHex(text));
  return result;
}

void expectEqual(const ValueView &value, ValueKind kind,
                 const Expected &expected) {
  EXPECT_EQ(value.tag, expected.tag);
  if (expected.kind == "scalars") {
    EXPECT_EQ(kind, ValueKind::scalar);
    EXPECT_EQ(decodeScalar(value), numbers(expected.content)[0]);
  } else if (expected.kind == "histograms") {
    EXPECT_EQ(kind, ValueKind::histogram);
    const auto histogram = decodeHistogram(value);
    const auto rows = numbers(expected.content);
    ASSERT_TRUE(histogram);
    ASSERT_EQ(3 * histogram->buckets.size(), rows.size());
    // TensorBoard converts older histograms to float.
    const bool isOlder = value.form == ValueView::Form::histogram;
    const auto seen = [isOlder](double number) {
      return isOlder ? double(float(number)) : number;
    };
    for (std::size_t i = 0; i < histogram->buckets.size(); ++i) {
      EXPECT_EQ(seen(histogram->buckets[i].left), rows[3 * i]);
      EXPECT_EQ(seen(histogram->buckets[i].right), rows[3 * i + 1]);
      EXPECT_EQ(seen(histogram->buckets[i].count), rows[3 * i + 2]);
    }
  } else if (expected.kind == "images") {
    EXPECT_EQ(kind, ValueKind::image);
    const auto images = decodeImages(value);
    ASSERT_TRUE(images);
    ASSERT_EQ(images->size(), 1u);
    EXPECT_EQ(images->at(0).width, 2u);
    EXPECT_EQ(images->at(0).height, 2u);
    EXPECT_EQ(images->at(0).bytes, blobs(expected.content)[0]);
  } else if (expected.kind == "audio") {
    EXPECT_EQ(kind, ValueKind::audio);
    EXPECT_EQ(decodeAudio(value), blobs(expected.content));
  } else if (expected.kind == "text") {
    EXPECT_EQ(kind, ValueKind::text);
    const auto text = decodeText(value);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->elements, blobs(expected.content));
  } else {
    ADD_FAILURE() << "unknown kind " << expected.kind;
  }
}

TEST(ForeignFiles, AreReadAsTensorBoardReadsThem) {
  std::map<std::string, std::vector<Expected>> byFile;
  for (const auto &expected : readExpected())
    if (expected.kind != "data")
      byFile[expected.file].push_back(expected);
  ASSERT_EQ(byFile.size(), 4u);
  for (const auto &[name, expectations] : byFile) {
    SCOPED_TRACE(name);
    EventReader reader(kData / name);
    TagKinds kinds;
    auto expected = expectations.begin();
    while (const auto event = reader.next()) {
      if (event->kind == EventKind::graphDef) {
        ASSERT_NE(expected, expectations.end());
        EXPECT_EQ(event->content, blobs(expected->content)[0]);
        ++expected;
      }
      for (ValueCursor values(*event); const auto value = values.next();) {
        ASSERT_NE(expected, expectations.end());
        EXPECT_EQ(event->step, expected->step);
        expectEqual(*value, kinds(*value), *expected);
        ++expected;
      }
    }
    EXPECT_EQ(reader.state(), ReadState::end);
    EXPECT_EQ(expected, expectations.end()) << "values were skipped";
  }
}

TEST(ForeignFiles, OurBucketsAreTensorFlowsBuckets) {
  std::vector<float> weights;
  std::vector<double> rows;
  for (const auto &expected : readExpected()) {
    if (expected.kind == "data")
      for (const double number : numbers(expected.content))
        weights.push_back(float(number));
    if (expected.file == "tensorflow_2.tfevents" && expected.tag == "weights")
      rows = numbers(expected.content);
  }
  const Histogram histogram = uniformHistogram(weights);
  ASSERT_EQ(3 * histogram.buckets.size(), rows.size());
  for (std::size_t i = 0; i < histogram.buckets.size(); ++i) {
    EXPECT_DOUBLE_EQ(histogram.buckets[i].left, rows[3 * i]);
    EXPECT_DOUBLE_EQ(histogram.buckets[i].right, rows[3 * i + 1]);
    EXPECT_EQ(histogram.buckets[i].count, rows[3 * i + 2]);
  }
}

} // namespace
} // namespace popscope::summary
